"""What is said of a resource and of a text."""

from __future__ import annotations

import pytest

from anyurl.client.resource import Description
from anyurl.dialogue import Describe, Entry
from anyurl.grammar import explain
from anyurl.mcp.records import entry_record, resource_record
from anyurl.url import URL
from anyurl.url.masking import without_secret


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://h/x", "http://h/x"),
        ("ftp://joe:s3cr3t%2F@h/x", "ftp://joe:x0xx0x%2F@h/x"),
        ("ftp://joe:p\u00e4s.1@h/x", "ftp://joe:xxx.0@h/x"),
    ],
)
def test_a_secret_has_no_letter_left(text: str, shown: str) -> None:
    assert without_secret(text) == shown


@pytest.mark.parametrize(
    "text", ["http://joe:s3cr3t@good.example\\@evil.example/", "http://a:b@c:d@e/", "http://u:p#@h/"]
)
def test_a_text_without_its_secret_is_read_as_before(text: str) -> None:
    before, after = explain(text), explain(without_secret(text))
    assert before.host_differs == after.host_differs
    assert [one.accepted for one in before.readings] == [one.accepted for one in after.readings]


def test_a_resource_shows_no_password_and_no_control() -> None:
    described = Describe("document", "text/plain\x1b")
    url = "ftp://joe:s3cr3t@h/x"
    record = resource_record(Description(URL(url), described, (), ["a\nnote"]), url)
    assert (record["url"], record["asked"]) == ("ftp://joe:***@h/x", "ftp://joe:***@h/x")
    assert (record["type"], record["notes"]) == ("text/plain\\x1b", ["a\\x0anote"])


def test_an_entry_says_what_is_known() -> None:
    entry = Entry("a\u202eb", url=URL("gopher://h/0x"), modified=1e30)
    assert entry_record(entry) == {"name": "a\\u202eb", "url": "gopher://h/0x"}
