"""The codec over its whole domain: 256 octets, and each of their spellings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.url.cut import decode_text, encode_text, percent_decode, percent_encode
from tests.rows import each_row

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""RFC 3986 2.3."""

OCTETS = range(256)


def test_every_octet_is_itself_or_its_escape() -> None:
    encoded = {octet: percent_encode(bytes((octet,))) for octet in OCTETS}
    assert encoded == {octet: chr(octet) if octet in UNRESERVED else f"%{octet:02X}" for octet in OCTETS}


def test_every_octet_can_be_safe_but_those_beyond_ascii() -> None:
    encoded = {octet: percent_encode(bytes((octet,)), bytes((octet,))) for octet in OCTETS}
    assert encoded == {octet: chr(octet) if octet < 128 else f"%{octet:02X}" for octet in OCTETS}


def test_every_escape_is_decoded_in_every_case() -> None:
    for octet in OCTETS:
        high, low = f"{octet:02x}"
        spellings = {f"%{high}{low}", f"%{high.upper()}{low}", f"%{high}{low.upper()}", f"%{high}{low}".upper()}
        assert {percent_decode(spelling) for spelling in spellings} == {bytes((octet,))}


def test_every_pair_of_octets_behind_a_percent_is_an_escape_or_stays() -> None:
    digits = frozenset(b"0123456789abcdefABCDEF")
    for high in range(128):
        for low in range(128):
            pair = bytes((high, low))
            expected = bytes((int(pair, 16),)) if {high, low} <= digits else b"%" + pair
            if 37 not in pair:  # a second '%' may begin an escape of its own
                assert percent_decode("%" + pair.decode("ascii")) == expected


@each_row(
    ("text", "octets"),
    [
        ("", b""),
        ("%", b"%"),
        ("%4", b"%4"),
        ("%%41", b"%A"),
        ("%4%41", b"%4A"),
        ("a%00b", b"a\0b"),
        ("%2541", b"%41"),
        ("+", b"+"),
        ("é", b"\xc3\xa9"),
        ("\udcff", b"\xff"),
    ],
)
def test_what_is_no_escape_stays(text: str, octets: bytes) -> None:
    assert percent_decode(text) == octets


@pytest.mark.parametrize(
    ("encoded", "text"),
    [("%C3%A9", "é"), ("%FF", "\udcff"), ("%ED%A0%80", "\udced\udca0\udc80"), ("%C3", "\udcc3"), ("a%2Fb", "a/b")],
)
def test_text_is_utf_8_and_other_octets_are_surrogates(encoded: str, text: str) -> None:
    assert (decode_text(encoded), encode_text(text)) == (text, encoded)


def test_a_surrogate_that_stands_for_no_octet_has_none() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode_text("\ud800")


@given(st.binary(), st.binary())
def test_what_is_encoded_is_decoded_again(octets: bytes, safe: bytes) -> None:
    safe = safe.replace(b"%", b"")
    encoded = percent_encode(octets, safe)
    assert (percent_decode(encoded), encoded.isascii()) == (octets, True)


@given(st.text(st.characters(codec="utf-8")))
def test_text_survives(text: str) -> None:
    assert decode_text(encode_text(text)) == text
