"""What a dialogue leaves has the name of its URL, and nothing that is secret in it."""

from __future__ import annotations

import pytest

from anyurl.url import URL
from anyurl.warc.capture import one_type, target_of, with_charset
from tests.rows import each_row


def test_a_target_has_no_login_of_the_web_and_no_password() -> None:
    assert target_of(URL("https://token@h/a#b")) == "https://h/a"
    assert target_of(URL("ftp://bob:word@h/a")) == "ftp://bob@h/a"
    assert target_of(URL("http://h/?u=http://bob:word@g/")) == "http://h/?u=http://bob:***@g/"


@pytest.mark.parametrize(
    ("type", "written"), [("text/plain", "text/plain"), (None, None), ("a\r\nb", None), ("\xe4", None)]
)
def test_a_type_that_stands_in_a_field(type: str | None, written: str | None) -> None:
    assert one_type(type) == (written or "application/octet-stream")


@each_row(
    ("type", "charset", "pieces", "written"),
    [
        ("text/plain", None, [b"Gr\xc3", b"\xbc\xc3\x9fe\n"], "text/plain; charset=utf-8"),
        ("text/plain", None, [b"Gr\xc3\xbc\xc3"], "text/plain; charset=utf-8"),  # broken off within a character
        ("text/plain", None, [b"Stra\xdfe\n"], "text/plain"),
        ("text/plain", None, [b"ASCII\n"], "text/plain"),
        ("text/gemini", "koi8-r", [b"\xcb\xcf\xc9"], "text/gemini; charset=koi8-r"),
        ("text/plain", "a\r\nb", [b"x"], "text/plain"),
        ("text/plain", 8, [b"x"], "text/plain"),
        ("text/html", None, ["\u00df".encode()], "text/html"),
        ("text/plain; Charset=big5", "utf-8", [b"x"], "text/plain; Charset=big5"),
        ("image/png", "utf-8", ["\u00df".encode()], "image/png"),
    ],
)
def test_a_text_has_the_charset_that_a_browser_needs(
    type: str, charset: object, pieces: list[bytes], written: str
) -> None:
    assert with_charset(type, charset, pieces) == written
