"""Which documents are texts, and which texts are HTML."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from anyurl.access import AsyncClient
from anyurl.client.resource import Description
from anyurl.client.text_decoder import TextDecoder
from anyurl.client.texts import is_html, is_text, read_beginning
from anyurl.dialogue import Describe
from anyurl.url import URL
from tests.rows import each_row


def described(type: str | None) -> Description:
    return Description(URL("http://h/"), Describe("document", type), (), [])


@each_row(
    ("type", "data", "expected"),
    [
        ("text/plain", b"\0", True),  # its media type decides
        ("text/x-unknown", b"\0", True),
        ("application/json", b"\0", True),
        ("application/ld+json", b"\0", True),
        ("application/atom+xml", b"\0", True),
        ("application/xmlx", b"a", False),
        ("image/png", b"a", False),
        (None, b"", True),
        (None, b"plain \xff text", True),
        (None, b"a\0b", False),
        (None, b"\t\n\r\f\x1b  ", True),  # what texts have, and spaces
        (None, b"\x01" + b"a" * 19, True),  # one control in twenty octets
        (None, b"\x01" + b"a" * 18, False),
        (None, b"\x01" * 204 + b"a" * 3892 + b"\x01" * 99, True),  # only the first 4,096 octets count
        (None, b"\x01" * 205 + b"a" * 3891, False),
        ("application/octet-stream", b"plain", True),  # what servers say of anything
        ("application/octet-stream", b"\0", False),
        ("application/zip", b"a", False),
        ("image/svg+xml", b"", True),
        ("application/yaml", b"", True),
        ("application/sql", b"", True),
        ("message/rfc822", b"", True),
        (None, "caf\u00e9 \u20ac".encode("cp1252"), True),
        (None, "text".encode("utf-16"), True),
        (None, "text".encode("utf-32"), True),
        ("application/octet-stream", "\u00fc".encode()[:1], True),
    ],
)
def test_what_is_a_text(type: str | None, data: bytes, expected: bool) -> None:
    assert is_text(described(type), data) is expected


@pytest.mark.parametrize(
    ("type", "data", "expected"),
    [
        ("text/html", b"", True),
        (None, b" <!DOCTYPE html>", True),
        ("application/xhtml+xml", b"", True),
        ("text/plain", b"<html", False),
        (None, b"<x", False),
    ],
)
def test_what_is_html(type: str | None, data: bytes, expected: bool) -> None:
    assert is_html(described(type), data) is expected


@pytest.mark.parametrize(("most", "expected"), [(1 << 20, (600_000, True)), (1_000, (1_000, False))])
def test_the_beginning_of_a_text(tmp_path: Path, most: int, expected: tuple[int, bool]) -> None:
    """Text in UTF-16 has a NUL in each character, and is a text all the same."""
    data, whole = beginning(tmp_path / "a.txt", most)
    assert (len(data), whole) == expected


def test_of_what_is_no_text_the_rest_is_left(tmp_path: Path) -> None:
    data, whole = beginning(tmp_path / "a.bin", 1 << 20)
    assert (0 < len(data) < 600_000, whole) == (True, False)


def beginning(file: Path, most: int) -> tuple[bytes, bool]:
    file.write_bytes("x".encode("utf-16-le") * 300_000)

    async def read() -> tuple[bytes, bool]:
        async with AsyncClient() as client, await client.get(file.as_uri()) as resource:
            return await read_beginning(resource, most)

    return asyncio.run(read())


TEXT = "caf\u00e9, \u20ac and \u65e5\u672c\r\n"


@each_row(
    ("type", "charset", "data", "text"),
    [
        ("text/plain", None, TEXT.encode(), TEXT),
        ("text/plain", "utf-8", TEXT.encode("utf-8-sig"), TEXT),
        ("text/plain", None, TEXT.encode("utf-16"), TEXT),
        ("text/plain", "utf-8", TEXT.encode("utf-32"), TEXT),  # the mark goes first
        ("text/plain", "utf-16", TEXT.encode("utf-16-le"), TEXT),
        ("text/plain", "iso-2022-jp", "\u65e5\u672c".encode("iso-2022-jp"), "\u65e5\u672c"),
        ("text/plain", None, "caf\u00e9".encode("latin-1"), "caf\u00e9"),
        ("text/plain", "us-ascii", TEXT.encode(), TEXT),  # what is not ASCII is UTF-8
        ("text/plain", "gb2312", TEXT.encode(), TEXT),  # what the octets do not fit is passed over
        ("text/plain", "utf-8", TEXT.encode() + b"\xff" + TEXT.encode(), f"{TEXT}\u00ff{TEXT}"),  # one odd octet
        ("text/plain", "shift_jis", "\u65e5".encode("shift_jis") + b"\xff", "\u65e5\u00ff"),
        ("text/html", None, b"<p><meta charset=iso-8859-7>\xe1", "<p><meta charset=iso-8859-7>\u03b1"),
        ("application/yaml", None, TEXT.encode(), TEXT),
        ("application/sql", "cp437", b"\x80", "\u00c7"),
        (None, None, b"", ""),
        (None, None, b"\xef\xbb", "\u00ef\u00bb"),
    ],
)  # fmt: skip
def test_a_text_is_the_same_whole_and_octet_by_octet(
    type: str | None, charset: str | None, data: bytes, text: str
) -> None:
    """The library reads the whole, the terminal what has come."""
    attributes = {} if charset is None else {"charset": charset}
    assert Description(URL("http://h/"), Describe("document", type, attributes=attributes), (), []).decode(data) == text
    decoder = TextDecoder(type, charset)
    pieces = [decoder.decode(data[place : place + 1]) for place in range(len(data))]
    assert "".join(pieces) + decoder.decode(b"", final=True) == text


def test_what_the_user_chose_is_not_looked_for() -> None:
    assert TextDecoder("text/html", "utf-8", "cp437").decode(b"\x80", final=True) == "\u00c7"


def test_a_text_is_shown_as_soon_as_it_comes() -> None:
    decoder = TextDecoder("text/plain", None)
    assert (decoder.decode(b"abc"), decoder.decode(b"d")) == ("", "abcd")


SLOW = b"a-" + b"z9a" * 40_000


@each_row(
    ("type", "charset", "data", "text"),
    [
        ("text/plain", "punycode", SLOW, SLOW.decode()),  # attack: quadratic, hours for a megabyte
        ("text/plain", "idna", b"xn--tda", "xn--tda"),
        ("text/plain", "unicode_escape", b"\\u1234", "\\u1234"),
        ("text/plain", "utf-7", b"+ADw-script", "+ADw-script"),
        ("text/plain", "x-sjis", "\u65e5".encode("shift_jis"), "\u65e5"),
        ("text/html", "iso-8859-1", b"\x80", "\u20ac"),  # as every browser reads it
        ("text/plain", "iso-8859-1", b"\x80", "\x80"),
        ("text/html", "gb2312", "\u9555".encode("gb18030"), "\u9555"),
        ("image/svg+xml", None, b'<?xml version="1.0" encoding="iso-8859-15"?>\xa4', None),
        ("application/atom+xml", None, b'<?xml version="1.0" encoding="punycode"?>a-', None),
    ],
)
def test_a_text_is_read_by_its_charset(type: str, charset: str | None, data: bytes, text: str | None) -> None:
    attributes = {} if charset is None else {"charset": charset}
    resource = Description(URL("http://h/"), Describe("document", type, attributes=attributes), (), [])
    named = {"image/svg+xml": "iso8859-15"}.get(type, "utf-8")
    assert resource.decode(data) == (data.decode(named) if text is None else text)
