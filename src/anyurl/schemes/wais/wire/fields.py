"""The building blocks of WAIS messages: compressed integers, tagged fields, numbers (the WAIS profile of Z39.50-1988).

Rule: a field is a tag, a length and that many octets; tag and length are written with the fewest octets, and every
length is checked against the enclosing block. Fields are kept as octets, and written back unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError, sample

MAX_VINT_OCTETS = 5
"""Octets of a compressed integer: the original code writes up to four (28 bits); five suffice for ten digits."""

MAX_NUM_OCTETS = 8
"""Octets of a number that is read; at most four are sent, since old peers misread longer ones."""

MAX_SENT_NUM = 2**32 - 1

MAX_FIELDS = 10_000
"""Fields of one block: a hit has ten, and the relevant documents that fit into a search have some hundred."""

Field: TypeAlias = tuple[int, bytes]
Fields: TypeAlias = tuple[Field, ...]

# The numbers of tagged fields, as in freeWAIS and libwww.
REFERENCE_ID, PROTOCOL_VERSION, OPTIONS, PREFERRED_SIZE, MAXIMUM_SIZE, AUTHENTICATION = 2, 3, 4, 5, 6, 7
IMPLEMENTATION_ID, IMPLEMENTATION_NAME, IMPLEMENTATION_VERSION, USER_INFORMATION_FIELD = 8, 9, 10, 11
RESULT_SET_NAME, DATABASE_NAMES, ELEMENT_SET_NAMES, QUERY_TYPE, QUERY = 17, 18, 19, 20, 21
RESULT_SET_STATUS, PRESENT_STATUS, DIAGNOSTIC, RESULT_SET_ID = 26, 27, 28, 31
ATTRIBUTE_LIST, TERM, OPERATOR = 44, 45, 46
USER_INFORMATION, CHUNK_CODE, CHUNK_ID_LENGTH = 99, 100, 101
SEED_WORDS, DOCUMENT_ID_CHUNK, CHUNK_START, CHUNK_END = 106, 107, 108, 109
TEXT_LIST, DATE_FACTOR, BEGIN_DATE, END_DATE, MAX_DOCUMENTS, SEED_WORDS_USED, DOCUMENT_ID = range(110, 117)
VERSION_NUMBER, SCORE, BEST_MATCH, DOCUMENT_LENGTH, SOURCE, DATE, HEADLINE, ORIGIN_CITY = (
    117,
    118,
    119,
    120,
    121,
    122,
    123,
    124,
)
DOCUMENT_TEXT, STOCK_CODES, COMPANY_CODES, INDUSTRY_CODES, LINES, TYPE_BLOCK, TYPE = 127, 128, 129, 130, 131, 132, 133
HEADER_GROUP, SHORT_HEADER_GROUP, LONG_HEADER_GROUP, TEXT_GROUP, HEADLINE_GROUP, CODES_GROUP = (
    150,
    151,
    152,
    153,
    154,
    155,
)


def vint(value: int) -> bytes:
    """A compressed integer: base 128, most significant group first, the high bit set on all octets but the last.

    >>> vint(150).hex(), vint(50000).hex()
    ('8116', '838650')
    """
    out = [value & 0x7F]
    while value := value >> 7:
        out.append(0x80 | value & 0x7F)
    return bytes(reversed(out))


def read_vint(data: bytes, at: int) -> tuple[int, int]:
    """The compressed integer at `at`, and the position after it. Leading 0x80 octets add nothing.

    Raises:
        RemoteProtocolError: It is truncated, or has more than `MAX_VINT_OCTETS`.
    """
    value = 0
    for index in range(at, min(at + MAX_VINT_OCTETS, len(data))):
        value = value << 7 | data[index] & 0x7F
        if data[index] < 0x80:
            return value, index + 1
    raise RemoteProtocolError(
        f"A WAIS tag or length does not end within {MAX_VINT_OCTETS} octets, or is truncated.", sample=sample(data[at:])
    )


def num(value: int) -> bytes:
    """Encode a number in the fewest octets, big-endian; zero is one octet.

    Raises:
        LocalProtocolError: It needs more than four octets.
    """
    if not 0 <= value <= MAX_SENT_NUM:
        raise LocalProtocolError(f"{value:,} is not a number for a WAIS message: 0 to {MAX_SENT_NUM:,} are.")
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def read_num(value: bytes) -> int:
    """Decode the number in a field.

    Raises:
        RemoteProtocolError: It has more than `MAX_NUM_OCTETS`.
    """
    if len(value) > MAX_NUM_OCTETS:
        raise RemoteProtocolError(f"A number of a WAIS message has {len(value)} octets.", sample=sample(value))
    return int.from_bytes(value, "big")


def write_field(tag: int, value: bytes) -> bytes:
    """Encode one tagged field."""
    if tag < 128 and len(value) < 128:  # the usual case: one octet each
        return bytes((tag, len(value))) + value
    return vint(tag) + vint(len(value)) + value


def write_fields(fields: Iterable[Field]) -> bytes:
    """Encode tagged fields in sequence."""
    return b"".join(write_field(tag, value) for tag, value in fields)


def read_field(data: bytes, at: int) -> tuple[int, bytes, int]:
    """The tag and the octets of the field at `at`, and the position after it.

    Raises:
        RemoteProtocolError: Its length exceeds the enclosing block.
    """
    tag, start = read_vint(data, at)
    length, start = read_vint(data, start)
    end = start + length
    if end > len(data):
        raise RemoteProtocolError(
            f"Field {tag} of a WAIS message claims {length:,} octets, and its block has {len(data) - start:,}.",
            sample=sample(data[at:]),
        )
    return tag, data[start:end], end


def read_fields(data: bytes) -> Fields:
    """All fields of a block.

    Raises:
        RemoteProtocolError: As `read_field`.
        LimitError: There are more than `MAX_FIELDS`.
    """
    fields: list[Field] = []
    at, end = 0, len(data)
    while at < end:
        if len(fields) >= MAX_FIELDS:
            raise LimitError(
                f"A block of a WAIS message has more than {MAX_FIELDS:,} fields: the limit allows no more.",
                limit="MAX_FIELDS",
            )
        tag, value, at = read_field(data, at)
        fields.append((tag, value))
    return tuple(fields)


def first(fields: Iterable[Field], tag: int) -> bytes | None:
    """The octets of the first field with this tag, or None."""
    return next((value for number, value in fields if number == tag), None)


def first_num(fields: Iterable[Field], tag: int) -> int | None:
    """The number in the first field with this tag, or None. Raises as `read_num`."""
    value = first(fields, tag)
    return None if value is None else read_num(value)
