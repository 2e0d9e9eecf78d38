"""Which documents are texts, and which texts are HTML."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from anyurl.access import AsyncClient
from anyurl.client.resource import Description
from anyurl.client.texts import is_html, is_text, read_beginning
from anyurl.dialogue import Describe
from anyurl.url import URL


def described(type: str | None) -> Description:
    return Description(URL("http://h/"), Describe("document", type), (), [])


@pytest.mark.parametrize(
    ("type", "data", "expected"),
    [
        ("text/plain", b"\0", True), ("application/json", b"", True), ("image/svg+xml", b"", True),
        ("image/png", b"a", False), ("application/zip", b"a", False), (None, b"a text", True), (None, b"\0", False),
        ("application/octet-stream", "\u00fc".encode()[:1], True), (None, b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8", False),
    ],
)  # fmt: skip
def test_what_is_a_text(type: str | None, data: bytes, expected: bool) -> None:
    assert is_text(described(type), data) is expected


@pytest.mark.parametrize(
    ("type", "data", "expected"),
    [
        ("text/html", b"", True),
        (None, b" <!DOCTYPE html>", True),
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


SLOW = b"a-" + b"z9a" * 40_000


@pytest.mark.parametrize(
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
