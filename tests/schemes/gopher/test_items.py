"""Items of menus: their media types, the URLs that they lead to, and what they are as entries."""

from __future__ import annotations

import pytest

from anyurl.errors import UnsupportedError
from anyurl.schemes.gopher.items import Menu, media_type, name_of, refuse_service, url_of
from anyurl.schemes.gopher.parts import GopherParts
from anyurl.schemes.gopher.wire.menus import MenuItem
from anyurl.url import URL
from tests.rows import each_row

MENU = URL("gophers://h:7070/1")


@each_row(
    ("type", "selector", "found"),
    [
        ("0", "/x", "text/plain"),
        ("0", "/x.css", "text/css"),  # another text
        ("0", "/x.png", "text/plain"),  # RFC 1436 3.8: the type says text
        ("1", "/x.txt", None), ("7", "/x.txt", None), ("2", "x.txt", None), ("8", "x.txt", None), ("T", "x.txt", None),
        ("4", "/x.zip", "application/mac-binhex40"),
        ("5", "/x", "application/octet-stream"), ("5", "/x.zip", "application/zip"),
        ("6", "/x", "text/x-uuencode"),
        ("9", "/x", "application/octet-stream"), ("9", "/x.pdf", "application/pdf"),
        ("g", "/x.png", "image/gif"), ("h", "/x", "text/html"),
        ("I", "/x", "application/octet-stream"), ("I", "/x.jpg", "image/jpeg"),
        ("M", "/x", "message/rfc822"), ("P", "/x", "application/pdf"),
        ("d", "/x", "application/octet-stream"), ("p", "/x", "image/png"), ("r", "/x", "application/rtf"),
        ("s", "/x", "application/octet-stream"), (";", "/x", "application/octet-stream"),
        ("x", "/x", None), ("x", "/x.gif", "image/gif"),  # a type that nobody knows
        ("9", "/x.pdf/", "application/pdf"),
    ],
)  # fmt: skip
def test_the_media_type(type: str, selector: str, found: str | None) -> None:
    assert media_type(GopherParts(type, selector)) == found


@pytest.mark.parametrize(
    ("selector", "name"),
    [("/a/b.txt", "b.txt"), ("b", "b"), ("/a/b//", "b"), ("", None), ("/", None), ("a/..", ".."), ("a\\b", "a\\b")],
)
def test_the_name_is_the_last_segment(selector: str, name: str | None) -> None:
    assert name_of(GopherParts("0", selector)) == name


@pytest.mark.parametrize(
    ("url", "type", "selector", "words"),
    [
        ("gopher://h:7070/", "8", "guest", "designates the service telnet://guest@h:7070/: there is nothing to get."),
        ("gopher://h/", "8", "", "designates the service telnet://h:70/: there is nothing to get."),
        ("gopher://h:23/", "8", "", "designates the service telnet://h/: there is nothing to get."),
        ("gopher://h:7070/", "T", "", "designates the service tn3270://h:7070: there is nothing to get."),
        ("gopher://h/", "2", "", "a CSO phone book, which anyurl does not support: there is nothing to get."),
    ],
)
def test_a_session_is_refused(url: str, type: str, selector: str, words: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        refuse_service(URL(url), GopherParts(type, selector), "get")
    assert str(caught.value).endswith(words)
    assert (caught.value.scheme, caught.value.verb) == ("gopher", "get")


@each_row("type", "01345679ghIM+i")
def test_all_else_is_no_session(type: str) -> None:
    refuse_service(URL("gopher://h/"), GopherParts(type, "guest"), "get")


def item(
    type: str, selector: bytes = b"/x", host: bytes = b"h", port: int | None = 70, tag: str = "", display: bytes = b"X"
) -> MenuItem:
    return MenuItem(type, display, selector, host, port, tag)


@each_row(
    ("found", "url"),
    [
        (item("0"), "gopher://h/0/x"),
        (item("1", b""), "gopher://h/1"),
        (item("0", host=b"H", port=7070), "gophers://H:7070/0/x"),  # the same host and port: the same scheme
        (item("0", host=b"other", port=7070), "gopher://other:7070/0/x"),
        (item("0", port=0), "gopher://h/0/x"),
        (item("0", b"\xff?"), "gopher://h/0%FF?"),
        (item("0", tag="+"), "gopher://h/0/x%09%09+"),
        (item("0", tag="?"), "gopher://h/0/x%09%09?"),
        (item("0", port=None), None),
        (item("0", host=b""), "gophers://h:7070/0/x"),
        (item("h", b"/URL:http://k/a b"), "http://k/a%20b"),
        (item("h", b"URL:http://k/a b?c d"), "http://k/a%20b?c%20d"),
        (item("h", b"URL:http://k l/"), None),
        (item("0", host=b"\xff"), None),
        (item("0", host=b"a b"), None),
        (item("0", b"a\tb"), None),  # it would end the selector
        (item("0", b"a\rb"), None),
        (item("0", port=65536), None),
        (item("i"), None),  # RFC 1436 and later practice: words only
        (item("3"), None),
        (item("2"), "gopher://h/2/x"),
        (item("8", b"guest", port=23), "telnet://guest@h/"),
        (item("8", b"", port=24), "telnet://h:24/"),
        (item("8", b"", port=0), "telnet://h/"),
        (item("T", b"", port=23), "tn3270://h"),
        (item("h", b"URL:https://w.example/a"), "https://w.example/a"),
        (item("h", b"URL: https://w.example/a ", b"", None), "https://w.example/a"),  # host and port are ignored
        (item("h", b"URL:nothing"), None),
        (item("h", b"URL:\xff"), None),
        (item("h", b"/URL:x"), "gopher://h/h/URL:x"),
        (item("w", b"https://w.example/"), "https://w.example/"),  # as lynx and squid take it
        (item("w", b"URL:https://w.example/"), "https://w.example/"),
        (item("w", b"/page"), "gopher://h/w/page"),
        (item("0", b"URL:https://w.example/"), "gopher://h/0URL:https://w.example/"),
    ],
)
def test_where_an_item_leads(found: MenuItem, url: str | None) -> None:
    there = url_of(found, MENU)
    assert (None if there is None else str(there)) == url


@each_row(
    ("found", "why"),
    [
        (item("0", port=None), "its port is not a number from 0 to 65535"),
        (item("0", b"a\rb"), "its selector holds a character that would end it"),
        (item("0", host=b"a b"), "its host “a b” is not a host name"),
        (item("8", host=b"\xff"), "its host “\\xff” is not a host name"),
        (item("h", b"URL:http://u:secret@k l/"), "“http://u:***@k l/” is not a URL"),
        (item("i", port=None), None),
        (item("3", host=b""), None),
        (item("0"), None),
    ],
)
def test_an_entry_without_a_url_says_why(found: MenuItem, why: str | None) -> None:
    entry = Menu(MENU).entry(found)
    assert entry.attributes.get("no_url") == why
    assert why is None or entry.url is None


def test_an_entry() -> None:
    entry = Menu(MENU).entry(item("0", b"/x.css", display=b"caf\xe9", tag="+"))
    assert (entry.name, entry.title, entry.kind, entry.type) == ("caf\udce9", "caf\xe9", "document", "text/css")
    assert (str(entry.url), entry.attributes) == ("gopher://h/0/x.css%09%09+", {"gopher_type": "0", "gopher_plus": "+"})
    assert [Menu(MENU).entry(item(*row)).kind for row in (("1",), ("7",), ("8",), ("i",), ("3",))] == [
        "listing", "index", "service", None, None,
    ]  # fmt: skip
    assert [Menu(MENU).entry(item(type, b"/x.css")).type for type in "i31"] == [None] * 3
    assert Menu(MENU).entry(item("0", tag="?")).kind == "form"
    assert Menu(MENU).entry(item("0", b"a\tb.css")).type == "text/css"  # though no URL can say it


def test_a_mirror_is_of_the_item_before_it() -> None:
    """RFC 1436 3.8: the same item elsewhere, words and errors between them left out."""
    menu = Menu(MENU)
    entries = [menu.entry(item(type, host=b"g")) for type in "+9i3++1+"]
    assert [entry.attributes.get("mirror_of") for entry in entries] == ["i", None, None, None, "9", "9", None, "1"]
    assert [entry.attributes["gopher_type"] for entry in entries] == [*"+9i3++1+"]
    assert [entry.url and str(entry.url) for entry in entries] == [
        None, "gopher://g/9/x", None, None, "gopher://g/9/x", "gopher://g/9/x", "gopher://g/1/x", "gopher://g/1/x",
    ]  # fmt: skip
