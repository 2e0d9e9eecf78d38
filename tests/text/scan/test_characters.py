"""What each character means to the search, held against the RFCs and Unicode."""

from __future__ import annotations

import unicodedata

from anyurl.text.scan import characters
from tests.rows import each_row

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def test_classes_of_octets_are_those_of_the_rfcs() -> None:
    def having(bit: int) -> bytes:
        return bytes(octet for octet in range(256) if characters.OCTETS[octet] & bit)

    assert having(characters.NAME) == bytes(sorted(UNRESERVED))
    assert having(characters.DELIM) == bytes(sorted(b"!$&'()*+,;="))
    assert having(characters.SCHEME) == bytes(sorted(UNRESERVED.translate(None, b"_~") + b"+"))
    assert having(characters.BLANK) == b"\t\n\v\f\r "
    # atext and the dot (RFC 5322 3.2.3)
    assert having(characters.LOCAL) == bytes(sorted(UNRESERVED + b"!#$%&'*+/=?^`{|}"))


def test_ranges_are_in_order_and_do_not_overlap() -> None:
    last = 0x7F
    for first, end, kind in characters.RANGES:
        assert last < first <= end <= 0x10FFFF
        assert kind in (characters.STOP, characters.LAST, characters.UNSPACED, characters.PARTICLE)
        last = end
    assert list(characters.FLAT) == [number for row in characters.RANGES for number in row]


def test_letters_and_digits_and_what_is_plain() -> None:
    for octet in range(256):
        char, bits = chr(octet), characters.OCTETS[octet]
        assert bool(bits & characters.ALPHA) is (octet < 128 and char.isalpha())
        assert bool(bits & characters.DIGIT) is (octet < 128 and char.isdigit())
        plain = octet in UNRESERVED or octet in b"/@!$*+,;="
        assert bool(bits & characters.PLAIN) is plain
    assert len(characters.OCTETS) == 256
    bits_of_all = [
        characters.ALPHA, characters.DIGIT, characters.NAME, characters.SCHEME, characters.PLAIN, characters.DELIM,
        characters.BLANK, characters.LOCAL,
    ]  # fmt: skip
    assert sorted(bits_of_all) == [1 << place for place in range(8)]


def test_the_kind_of_a_character_is_that_of_its_range() -> None:
    """Read naively."""
    table = dict.fromkeys(range(0x80, 0x30000), characters.LETTER)
    for first, last, what in characters.RANGES:
        table.update(dict.fromkeys(range(first, min(last, 0x2FFFF) + 1), what))
    for code in [*range(0x80, 0x3200), *range(0x9F00, 0xAD00), *range(0xD700, 0x10100), 0x1F600, 0x2FFFF]:
        assert characters.kind(code) == table[code], hex(code)
    assert characters.kind(0x10FFFF) == characters.STOP
    assert characters.kind(0x110000) == characters.LETTER


@each_row(
    ("char", "kind"),
    [
        ("é", characters.LETTER), ("Я", characters.LETTER), ("\u200c", characters.LETTER),
         ("\u200d", characters.LETTER),
        ("\xa0", characters.STOP), ("«", characters.STOP), ("…", characters.STOP), ("。", characters.STOP),
        ("」", characters.STOP), ("\ufeff", characters.STOP), ("–", characters.LAST), ("״", characters.LAST),
        ("東", characters.UNSPACED), ("ア", characters.UNSPACED), ("ก", characters.UNSPACED),
        ("😀", characters.UNSPACED),
        ("の", characters.PARTICLE), ("를", characters.PARTICLE),
    ],
)  # fmt: skip
def test_some_characters(char: str, kind: int) -> None:
    assert characters.kind(ord(char)) == kind


def test_white_space_and_controls_of_unicode_end_a_url() -> None:
    for code in range(0x80, 0x10000):
        if unicodedata.category(chr(code)) in ("Zs", "Zl", "Zp", "Cc", "Cs", "Co"):
            assert characters.kind(code) == characters.STOP, hex(code)


def test_what_nobody_sees() -> None:
    for char in characters.HIDDEN:
        assert unicodedata.category(char.decode()) == "Cf"
        assert characters.kind(ord(char.decode())) == characters.STOP
    assert characters.JOINERS < characters.HIDDEN
    for char in characters.HIDDEN - characters.JOINERS:
        assert unicodedata.bidirectional(char.decode()) not in ("BN", "L", "R"), "those change what is seen where"
