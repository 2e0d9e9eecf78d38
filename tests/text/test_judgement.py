"""What a candidate is: known names behind glue, variables, and what was made unusable."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anyurl.text import find
from anyurl.text.judgement import encode_unsafe, glued_before, is_domain, is_unusable, read_each
from anyurl.text.kinds import URLS_ALONE, Kinds
from anyurl.text.scan import rows as kind_of
from anyurl.url import URL
from tests.rows import each_row
from tests.text.cases import rows, unescaped


@each_row(
    ("raw", "unusable"),
    [
        ("http://h/$X", True),
        ("http://h/$HOME/x", True),
        ("http://h/a$X", False),  # a class inside another
        ("http://h/$x", False),
        ("http://h/$Xy", False),
        ("http://h/$(a)", True),
        ("http://h/$(", False),
        ("hxxp://h/", True),
        ("HXXPS://h/", True),
        ("http://h/hxxp", False),
        ("", False),
    ],
)
def test_what_is_to_be_filled_in_or_made_unusable(raw: str, unusable: bool) -> None:
    assert is_unusable(raw, URLS_ALONE, "html-attribute") == unusable
    assert not is_unusable(raw, Kinds(served=True), "html-attribute")
    assert is_unusable(raw, Kinds(served=True), "html-text") == unusable


@pytest.mark.parametrize(
    ("data", "start", "letters"),
    [(b"Dhttp:", 1, 1), (b"9ahttp:", 2, 1), (b"99http:", 2, 0), (b" http:", 1, 0), (b"a" * 200 + b"http:", 200, 64)],
)
def test_glue(data: bytes, start: int, letters: int) -> None:
    assert glued_before(data, start) == letters


TEMPLATES = [unescaped(row[0]) for row in rows("not_links.txt", 2)[-30:]]


@each_row("text", [text for text in TEMPLATES if not text.startswith("www")])
def test_a_template_is_none_wherever_the_text_is_cut(text: str) -> None:
    for behind in ("", " and more\n"):
        octets = f"see {text}{behind}".encode()
        for at in range(len(octets)):
            assert list(find([octets[:at], octets[at:]])) == []
        assert list(find(octets[i : i + 1] for i in range(len(octets)))) == []


@pytest.mark.parametrize(
    ("reference", "written"),
    [
        ('http://h/"a"', "http://h/%22a%22"),
        ("http://h/a b?<c>#`d`", "http://h/a%20b?%3Cc%3E#%60d%60"),
        ("a|b", "a%7Cb"),
        ("//a b/c d", "//a b/c%20d"),  # a host is never mended
        ("http://h[x]/[y]", "http://h[x]/%5By%5D"),
        ("http://h/a\\b", "http://h/a\\b"),  # a browser takes it for a slash, others don't
    ],
)
def test_what_is_unsafe_behind_a_host_is_encoded(reference: str, written: str) -> None:
    assert encode_unsafe(reference) == written


def test_an_attribute_may_hold_what_a_url_must_encode() -> None:
    assert [str(item) for item in find("<a href='http://h/\"a|b\"'>", format="html")] == ["http://h/%22a%7Cb%22"]


@pytest.mark.parametrize(
    ("behind", "is_one"),
    [("", False), (")", False), ("/", True), ("?a", True), (":80", True)],
)
def test_the_name_of_a_file_is_a_domain_where_something_of_a_url_follows(behind: str, is_one: bool) -> None:
    assert is_domain(URL("http://readme.md/"), "readme.md" + behind) is is_one
    assert is_domain(URL("http://x.org/"), "x.org" + behind) is True


@each_row(
    ("readings", "kind", "urls"),
    [
        (["http://h/a", "http://h/b"], 0, ["http://h/a", "http://h/b"]),
        (["http://h/a", "no url", "http://h/b"], 0, ["http://h/a", "http://h/b"]),
        (["no url", "http://h/b"], 0, []),  # the first is what is written there
        ([], 0, []),
        (["a@h.dom"], kind_of.EMAIL, ["mailto:a@h.dom"]),
        (["www.h.dom"], kind_of.WWW, ["http://www.h.dom"]),
        (["h.dom/a"], kind_of.DOMAIN, ["http://h.dom/a"]),
        (["http:\\/\\/h\\/a"], kind_of.SLASHED, ["http://h/a"]),
        (["http://h/a b\tc"], kind_of.SPACED, ["http://h/a%20b%09c"]),
        (["http://h/?a|b"], kind_of.UNSAFE, ["http://h/?a%7Cb"]),
        (["http://h/?%d", "http://h/b"], kind_of.UNSAFE, []),  # a program fills it in
        (["http://h/?%d", "http://h/b"], kind_of.BROKEN, []),
        (["http://h/a", "http://h/?%d", "http://h/b"], kind_of.UNSAFE, ["http://h/a"]),
        (["http://h/?%41"], kind_of.UNSAFE, ["http://h/?%41"]),
    ],
)
@each_row("read", [None, URL])
def test_the_readings_of_a_candidate(
    readings: list[str], kind: int, urls: list[str], read: Callable[[str], URL] | None
) -> None:
    assert [str(url) for url in read_each(readings, kind, read)] == urls


@each_row(
    ("written", "is_one"),
    [
        ("example.it", True),
        ("EXAMPLE.IT", True),
        ("example.IT", True),
        ("Example.It", True),
        ("Two.Words.It", True),
        ("end.It", False),  # a sentence ends, and another one begins without a space
        ("end.So", False),
        ("two.words.It", False),
        ("a_b.it", False),  # no label of a domain
        ("-a.it", False),
        ("a-.it", False),
        (f"{'a' * 63}.it", True),
        (f"{'a' * 64}.it", False),
    ],
)
def test_a_domain_is_written_as_one(written: str, is_one: bool) -> None:
    assert is_domain(URL(f"http://{written}/"), written) is is_one
    assert [item.raw for item in find(f"see {written} there", bare=True)] == [written] * is_one
