"""The links of one page: each once, relative to the page, with who named it, in bounded memory."""

from __future__ import annotations

import io

import pytest

from anyurl.text.page import REMEMBERED, PageLinks
from anyurl.url import URL
from anyurl.values import Provenance

PAGE = URL("http://h.example/dir/index.html")


def links(text: bytes, format: str = "html", charset: str | None = None, size: int = 7) -> list[str]:
    reader = PageLinks(PAGE, format, charset)
    found = [str(each.url) for start in range(0, len(text), size) for each in reader.accept(text[start : start + size])]
    return found + [str(each.url) for each in reader.finish()]


def test_each_link_comes_once_and_none_to_the_page_itself() -> None:
    text = (
        b'<a href="a">a</a><a href="a#x">a</a><a href="../b/">b</a><a href="#top">top</a><a href="index.html">this</a>'
        b'<a href="?C=N;O=D">by name</a><a href="b?q">q</a><img src="//other.example/i.png">'
        b'<a href="mailto:joe@h.example">'
    )
    wanted = [
        "http://h.example/dir/a", "http://h.example/b/", "http://h.example/dir/b?q", "http://other.example/i.png",
        "mailto:joe@h.example",
    ]  # fmt: skip
    assert links(text) == links(text, size=1) == links(text, size=1000) == wanted
    assert [str(found.url) for found in PageLinks(PAGE).read(io.BytesIO(text))] == wanted


@pytest.mark.parametrize(
    ("href", "aim"),
    [
        ("$RECYCLE.BIN/", "$RECYCLE.BIN/"),  # apache2 and caddy write them as they are
        ("$HOME", "$HOME"),
        ("~$letter.docx", "~$letter.docx"),
        ("$1", "$1"),
        ("XXXX/", "XXXX/"),
        ("{a}", "%7Ba%7D"),
        ("&lt;x&gt;.txt", "%3Cx%3E.txt"),
    ],
)
def test_a_name_of_a_server_s_is_nothing_to_be_filled_in(href: str, aim: str) -> None:
    text = f'<a href="{href}">$HOST http://$HOST/x http://h.example/{{x}}</a>'.encode()
    assert links(text) == links(text, size=1000) == [f"http://h.example/dir/{aim}"]


def test_a_page_names_what_its_links_are_relative_to() -> None:
    assert links(b'<base href="http://b.example/x/"><a href="y">') == ["http://b.example/x/", "http://b.example/x/y"]


@pytest.mark.parametrize(
    ("format", "text", "wanted"),
    [
        ("markdown", b"[a](b.md) and <http://h.example/c>", ["http://h.example/dir/b.md", "http://h.example/c"]),
        ("text", b"see b.md and http://h.example/c.", ["http://h.example/c"]),
        ("json", b'{"next": "http:\\/\\/h.example\\/b"}', ["http://h.example/b"]),
    ],
)
def test_the_format_says_how_it_is_read(format: str, text: bytes, wanted: list[str]) -> None:
    assert links(text, format) == wanted


@pytest.mark.parametrize("charset", ["utf-16", "utf-16-le", "iso-8859-1", "utf-8", "nothing-known", "rot13", None])
def test_the_charset_says_what_it_is_written_in(charset: str | None) -> None:
    text = '<a href="/ü">'
    encoded = text.encode(charset if charset in ("utf-16", "utf-16-le", "iso-8859-1") else "utf-8")
    assert links(encoded, charset=charset, size=3) == ["http://h.example/%C3%BC"]


@pytest.mark.parametrize("charset", [None, "iso-8859-1", "utf-16-le", "utf-16-be", "utf-32-le"])
def test_what_ends_with_the_page_is_whole_and_no_longer(charset: str | None) -> None:
    text = "http://h.example/b http://h.example/c".encode(charset or "utf-8")
    for size in (1, 3, 1000):
        assert links(text, "text", charset, size) == ["http://h.example/b", "http://h.example/c"]
    for size in (1, 3, 1000):
        assert links("[n]: /b".encode(charset or "utf-8"), "markdown", charset, size) == ["http://h.example/b"]


@pytest.mark.parametrize("charset", ["utf-16", "utf-32", "iso-2022-jp", "iso-2022-kr", "hz"])
def test_a_charset_that_is_a_lie_ends_nothing(charset: str) -> None:
    text = b'<a href="/b">\x1b((((((((((\xff\xfe'
    wanted = [] if charset.startswith("utf") else ["http://h.example/b"]
    assert links(text, charset=charset) == links(text, charset=charset, size=1) == wanted


def test_schemes_and_origin() -> None:
    origin = Provenance("document", scheme="http", host="h.example", port=80)
    reader = PageLinks(PAGE, origin=origin, schemes=("http",))
    (found,) = [*reader.accept(b'<a href="ftp://h.example/"><a href="b">'), *reader.finish()]
    assert (str(found.url), found.origin) == ("http://h.example/dir/b", origin)


def test_memory_is_bounded() -> None:
    reader = PageLinks(PAGE)
    for number in range(REMEMBERED + 5):
        list(reader.accept(b'<a href="%d">' % number))
    assert len(reader._told) <= REMEMBERED
    assert [str(found.url) for found in reader.accept(b'<a href="0">')] == ["http://h.example/dir/0"]


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        (b'\xff\xed\xa0\x80 <a href="/\xff\xed\xa0\x80x"><a href="/b">', None),
        ('\ud800 <a href="/\ud800"><a href="/b">'.encode("utf-16-le", "surrogatepass"), "utf-16-le"),
        (b'\xa0 <a href="/\xa0\xa0"><a href="/b">', "shift_jis"),
    ],
)
def test_octets_that_are_no_characters_end_no_page(text: bytes, charset: str | None) -> None:
    found = links(text, charset=charset)
    assert found == links(text, charset=charset, size=1) == links(text, charset=charset, size=1000)
    assert found[-1] == "http://h.example/b"
