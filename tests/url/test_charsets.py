"""Charsets that peers name: what they are to Python, and what is none."""

from __future__ import annotations

import pytest

from anyurl.url.charsets import codec_of


@pytest.mark.parametrize(
    ("charset", "codec"),
    [
        ("UTF-8", "utf-8"),
        ("utf8", "utf-8"),
        ("ISO-8859-1", "iso8859-1"),
        ("Shift_JIS", "shift_jis"),
        ("x-sjis", "cp932"),  # servers of the nineties, and Python has no such name
        ("x-gbk", "gb18030"),
        ("iso-8859-8-i", "iso8859-8"),
        ("UTF-16", "utf-16"),
    ],
)
def test_charsets(charset: str, codec: str) -> None:
    assert codec_of(charset) == codec


@pytest.mark.parametrize(
    ("charset", "codec"),
    [
        ("iso-8859-1", "cp1252"),  # Encoding Standard 4.2: to every browser they are the same
        ("us-ascii", "cp1252"),
        ("gb2312", "gb18030"),
        ("utf-8", "utf-8"),
    ],
)
def test_what_a_page_means(charset: str, codec: str) -> None:
    assert codec_of(charset, html=True) == codec


@pytest.mark.parametrize(
    "charset",
    [
        "punycode", "idna", "unicode_escape", "raw-unicode-escape", "undefined", "mbcs", "oem",
        "utf-7", "UTF7", "unicode-1-1-utf-7",  # another spelling of the same
        "hex", "base64", "zlib", "rot13", "quopri", "uu", "bz2",  # of octets
        "", "no-such", "ü", "a\0b", "x" * 5000, "../../etc/passwd",
    ],
)  # fmt: skip
def test_no_charset_of_a_text(charset: str) -> None:
    with pytest.raises(LookupError):
        codec_of(charset)
