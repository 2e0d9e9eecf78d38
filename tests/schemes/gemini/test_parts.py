from __future__ import annotations

import pytest

from anyurl import GeminiParts
from anyurl.errors import URLSyntaxError
from anyurl.schemes.gemini.parts import check, read, request_url
from anyurl.url import URL
from tests.rows import each_row


@each_row(
    ("text", "parts"),
    [
        ("gemini://h", GeminiParts()), ("gemini://h/", GeminiParts()), ("gemini://h/a/b.gmi", GeminiParts("a/b.gmi")),
        ("gemini://h:1966/a%2Fb", GeminiParts("a%2Fb")),  # what it means is the server's affair
        ("gemini://h/find?two%20words", GeminiParts("find", "two words")), ("gemini://h/?", GeminiParts("", "")),
        ("gemini://h/?a=b&c+d", GeminiParts("", "a=b&c+d")),  # one answer, and no form
        ("gemini://h/?%FF", GeminiParts("", "\udcff")),
    ],
)  # fmt: skip
def test_what_a_url_asks(text: str, parts: GeminiParts) -> None:
    assert read(URL(text)) == parts
    assert read(URL.build(scheme="gemini", host="h", parts=parts)) == parts


def test_what_can_not_be_written() -> None:
    with pytest.raises(URLSyntaxError, match="two hexadecimal digits"):
        GeminiParts("100%")
    assert GeminiParts("a b").path == "a%20b"
    assert GeminiParts("a/b%20c/").segments == ("a", "b c", "")


def test_a_user_stands_in_no_url() -> None:
    """The specification: no userinfo; who a person is, a certificate says."""
    with pytest.raises(URLSyntaxError):
        URL("gemini://me@h/")


@pytest.mark.parametrize(
    ("text", "sent"),
    [("gemini://h", "gemini://h/"), ("gemini://h?q", "gemini://h/?q"), ("gemini://h/a#b", "gemini://h/a")],
)
def test_what_is_sent_of_it(text: str, sent: str) -> None:
    assert str(request_url(URL(text))) == sent


def test_the_length_of_a_request() -> None:
    start = "gemini://h/"
    check(URL(start + "a" * (1024 - len(start)) + "#fragment"))
    with pytest.raises(URLSyntaxError, match="1,024 octets at most, and this one 1,025"):
        check(URL(start + "a" * (1025 - len(start))))
