"""Charsets that peers name: what they are to Python, and what is none."""

from __future__ import annotations

import random
import re
from encodings.aliases import aliases
from pathlib import Path

import pytest

import anyurl
from anyurl.url.charsets import ESCAPE, codec_marked_by, codec_of, decoder_of
from tests.rows import each_row


@each_row(
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


@each_row(
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


def codecs_of_texts() -> list[str]:
    found = set()
    for name in set(aliases.values()):
        try:
            found.add(codec_of(name))
        except LookupError:
            pass
    return sorted(found)


def hostile(chance: random.Random) -> bytes:
    """Octets of which many begin, and few end, what shifts to another set."""
    return bytes(
        chance.choice((chance.randrange(256), chance.randrange(128), 0x1B, 0x7E, 0x24, 0x28, 0x42, 0xFE, 0xFF))
        for _ in range(chance.randrange(40))
    )


@each_row("codec", codecs_of_texts())
def test_a_decoder_raises_nothing_and_does_not_see_where_octets_are_cut(codec: str) -> None:
    chance = random.Random(1738)
    for errors in ("replace", "backslashreplace", ESCAPE):
        decoder = decoder_of(codec, "replace" if errors == ESCAPE and codec.startswith("utf-") else errors)
        for _ in range(60):
            octets = hostile(chance)
            whole = decoder.decode(octets, True)
            decoder.reset()
            pieces = [decoder.decode(octets[at : at + 1]) for at in range(len(octets))]
            assert "".join(pieces) + decoder.decode(b"", True) == whole
            decoder.reset()
            if errors != ESCAPE:
                whole.encode("utf-8")  # without a surrogate


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
def test_the_mark_tells_the_order_of_octets_and_is_no_part_of_the_text(codec: str) -> None:
    decoder = decoder_of(codec)
    for text in ("http://h/", "", "\ufeff"):
        for order in ("le", "be"):
            data = f"\ufeff{text}".encode(f"{codec}-{order}")
            assert decoder.decode(data[:1]) + decoder.decode(data[1:], True) == text
            decoder.reset()
    assert decoder.decode("http://h/".encode(f"{codec}-le"), True) == "http://h/"  # Encoding Standard 4.2
    decoder.reset()
    assert decoder.decode(b"\0", True) == "\ufffd"


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
def test_a_mark_names_the_codec(codec: str) -> None:
    for order in ("le", "be"):
        marked = "\ufeffhttp://h/".encode(f"{codec}-{order}")
        assert codec_marked_by(marked) == codec
        assert decoder_of(codec).decode(marked, True) == "http://h/"
    for other in (b"", b"\xff", b"\xfe", b"\xef\xbb\xbfhttp://h/", b"\0\0\xfe", b"http://h/"):
        assert codec_marked_by(other) is None


def test_an_escape_sequence_without_an_end_is_no_text() -> None:
    decoder = decoder_of("iso2022_jp", ESCAPE)
    assert decoder.decode(b"a\x1b((((((((((b\xff\x1b") == "a\ufffd((((((((((b\udcff"
    assert decoder.getstate()[0] == b"\x1b"
    assert decoder.decode(b'$B$"', True) == "あ"
    with pytest.raises(UnicodeDecodeError):
        decoder_of("iso2022_jp", "strict").decode(b"\xff")


def test_octets_are_decoded_here_alone() -> None:
    """Python's own decoders fail at some octets, whatever their `errors` are."""
    root = Path(anyurl.__file__).parent
    for path in root.rglob("*.py"):
        for argument in re.findall(r"getincrementaldecoder\(([^)]*)\)", path.read_text("utf-8")):
            assert argument == '"utf-8"' or path == root / "url" / "charsets.py", path


@pytest.mark.parametrize(
    ("codec", "octets", "text"),
    [
        ("ascii", b"a\x7f\x80\xff", "a\x7f\udc80\udcff"),
        ("utf-8", b"\x80", "\udc80"),
        ("utf-16-le", b"a\0\x00\xd8", "a\ufffd\udcd8"),  # half of a pair: an octet of ASCII, and one beyond
        ("shift_jis", b"\x80a", "\udc80a"),
    ],
)
def test_octets_that_are_no_text_are_kept_and_those_of_ascii_are_not(codec: str, octets: bytes, text: str) -> None:
    assert octets.decode(codec, ESCAPE) == text
