"""Tables of the meaning of each character for the search for URLs in text (RFC 1738 appendix, RFC 3987).

Rule: facts only. Octets below 128 have bits; characters beyond ASCII have one of five kinds by range, and those in no
range are letters, which may occur in a URL (RFC 3987 ucschar).
"""

from __future__ import annotations

from array import array

ALPHA = 1
DIGIT = 2
NAME = 4
"""Letters, digits, ``- . _ ~`` (RFC 3986 2.3): may occur in a host and in a path."""
SCHEME = 8
"""Letters, digits, ``+ - .`` (RFC 3986 3.1)."""
PLAIN = 16
"""May occur in a path and never needs a second look."""
DELIM = 32
"""Sub-delims (RFC 3986 2.2): in an authority they occur only before an ``@``."""
BLANK = 64
"""Space, tab and line ends."""
LOCAL = 128
"""The local part of an e-mail address: atext and the dot (RFC 5322 3.2.3)."""


def _octets() -> bytes:
    table = [0] * 256
    for octets, bits in (
        (b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", ALPHA | NAME | SCHEME | PLAIN | LOCAL),
        (b"0123456789", DIGIT | NAME | SCHEME | PLAIN | LOCAL),
        (b"-._~", NAME | PLAIN | LOCAL),
        (b"+-.", SCHEME),
        (b"/@", PLAIN),
        (b"!$*+,;=", PLAIN),
        (b"!$&'()*+,;=", DELIM),
        (b"!#$%&'*+/=?^`{|}", LOCAL),
        (b" \t\n\v\f\r", BLANK),
    ):
        for octet in octets:
            table[octet] |= bits
    return bytes(table)


OCTETS = _octets()
"""The bits of each octet."""

LETTER = 0
STOP = 1
"""Ends a URL: space, control, quotation mark, bracket, sentence mark, drawing."""
LAST = 2
"""Belongs to a URL only if more of the URL follows."""
UNSPACED = 3
"""Letter of a script written without spaces: after ASCII it may begin the next word."""
PARTICLE = 4
"""Hiragana and Hangul: after an ASCII word they nearly always begin a grammatical particle."""

RANGES: tuple[tuple[int, int, int], ...] = (
    (0x0080, 0x00A1, STOP),  # C1 controls, no-break space, inverted exclamation mark
    (0x00AB, 0x00AB, STOP),  # «
    (0x00AD, 0x00AD, STOP),  # soft hyphen: invisible, so never intended
    (0x00BB, 0x00BB, STOP),  # »
    (0x00BF, 0x00BF, STOP),  # ¿
    (0x037E, 0x037E, STOP),  # Greek question mark
    (0x055D, 0x055D, STOP),  # Armenian comma
    (0x0589, 0x0589, STOP),  # Armenian full stop
    (0x05C3, 0x05C3, STOP),  # Hebrew sof pasuq
    (0x05F3, 0x05F4, LAST),  # geresh, gershayim: in an abbreviation, or around a quotation
    (0x060C, 0x060C, STOP),  # Arabic comma
    (0x061B, 0x061C, STOP),  # Arabic semicolon, letter mark
    (0x061F, 0x061F, STOP),  # Arabic question mark
    (0x06D4, 0x06D4, STOP),  # Urdu full stop
    (0x0964, 0x0965, STOP),  # danda, double danda
    (0x0E00, 0x0EFF, UNSPACED),  # Thai, Lao
    (0x0F0D, 0x0F12, STOP),  # Tibetan shad
    (0x1000, 0x1049, UNSPACED),  # Myanmar
    (0x104A, 0x104B, STOP),  # Myanmar section marks
    (0x1100, 0x11FF, PARTICLE),  # Hangul jamo
    (0x1361, 0x1368, STOP),  # Ethiopic word space and stops
    (0x1680, 0x1680, STOP),  # Ogham space
    (0x1780, 0x17D3, UNSPACED),  # Khmer
    (0x17D4, 0x17DA, STOP),  # Khmer stops
    (0x180E, 0x180E, STOP),  # Mongolian vowel separator
    (0x2000, 0x200B, STOP),  # spaces; 200C and 200D join letters and stay
    (0x200E, 0x200F, STOP),  # direction marks
    (0x2012, 0x2013, LAST),  # figure dash, en dash: within titles, or between phrases
    (0x2014, 0x206F, STOP),  # dashes, quotation marks, bullets, ellipsis, direction controls
    (0x2190, 0x21FF, STOP),  # arrows
    (0x2308, 0x230B, STOP),  # ceilings and floors
    (0x2329, 0x232A, STOP),  # angle brackets
    (0x2400, 0x25FF, STOP),  # control pictures, box drawing, shapes
    (0x275B, 0x2760, STOP),  # ornamental quotation marks
    (0x2768, 0x2775, STOP),  # ornamental brackets
    (0x27E6, 0x27EF, STOP),  # mathematical brackets
    (0x2983, 0x2998, STOP),
    (0x2E00, 0x2E7F, STOP),  # supplemental punctuation
    (0x2E80, 0x2FFF, UNSPACED),  # Han radicals
    (0x3000, 0x3004, STOP),  # ideographic space, comma, full stop
    (0x3005, 0x3007, UNSPACED),
    (0x3008, 0x301F, STOP),  # corner and lenticular brackets
    (0x3020, 0x303F, STOP),
    (0x3040, 0x309F, PARTICLE),  # Hiragana
    (0x30A0, 0x9FFF, UNSPACED),  # Katakana, Bopomofo, Han
    (0xAC00, 0xD7AF, PARTICLE),  # Hangul
    (0xD800, 0xF8FF, STOP),  # surrogates (octets that are not text), private use
    (0xF900, 0xFAFF, UNSPACED),  # Han
    (0xFD3E, 0xFD3F, STOP),  # ornate parentheses
    (0xFE10, 0xFE1F, STOP),  # vertical forms
    (0xFE30, 0xFE6F, STOP),  # vertical and small forms
    (0xFEFF, 0xFEFF, STOP),  # byte order mark
    (0xFF00, 0xFF0F, STOP),  # full-width marks
    (0xFF1A, 0xFF20, STOP),
    (0xFF3B, 0xFF40, STOP),
    (0xFF5B, 0xFF65, STOP),
    (0xFF66, 0xFF9F, UNSPACED),  # half-width Katakana
    (0xFFA0, 0xFFDF, PARTICLE),  # half-width Hangul
    (0xFFE0, 0xFFFF, STOP),
    (0x1F000, 0x1FAFF, UNSPACED),  # emoji
    (0x20000, 0x3FFFF, UNSPACED),  # Han
    (0xE0000, 0x10FFFF, STOP),  # tags, private use
)
"""The first character, the last and the kind of each range, in order."""


HIDDEN = frozenset(
    map(str.encode, "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")
)
"""Soft hyphen, zero-width space, direction marks: they are invisible, so within a host they end nothing."""

JOINERS = frozenset(map(str.encode, "\u00ad\u200b\u200e\u200f\u2060\ufeff"))
"""Those that do not change the visible order: a path continues after them."""


def kind(code: int) -> int:
    """The kind of a character beyond ASCII."""
    for first, last, what in RANGES:
        if code <= last:
            return what if code >= first else LETTER
    return LETTER


FLAT = array("i", [number for triple in RANGES for number in triple])
"""The ranges as the kernel reads them."""
