"""The building blocks of WAIS messages: compressed integers, numbers and tagged fields, to their last octets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import (
    MAX_FIELDS,
    MAX_SENT_NUM,
    Field,
    first,
    first_num,
    num,
    read_field,
    read_fields,
    read_num,
    read_vint,
    vint,
    write_field,
    write_fields,
)
from tests.rows import each_row


@each_row(
    ("value", "octets"),
    [
        (0, "00"), (127, "7f"), (128, "8100"), (150, "8116"), (201, "8149"), (16383, "ff7f"), (16384, "818000"),
        (50000, "838650"), (2**28 - 1, "ffffff7f"), (2**35 - 1, "ffffffff7f"),
    ],
)  # fmt: skip
def test_compressed_integers(value: int, octets: str) -> None:
    assert vint(value).hex() == octets
    assert read_vint(bytes.fromhex(octets), 0) == (value, len(octets) // 2)


def test_a_compressed_integer_may_be_padded() -> None:
    assert read_vint(b"\x80\x80\x05", 0) == (5, 3)


@pytest.mark.parametrize("data", [b"", b"\x81", b"\xff\xff\xff\xff\xff\x7f"])
def test_a_compressed_integer_ends(data: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="does not end"):
        read_vint(data, 0)


@pytest.mark.parametrize(("value", "octets"), [(0, "00"), (1277, "04fd"), (100_000, "0186a0"), (2**32 - 1, "ffffffff")])
def test_numbers(value: int, octets: str) -> None:
    assert (num(value).hex(), read_num(bytes.fromhex(octets))) == (octets, value)


@pytest.mark.parametrize("value", [-1, 2**32])
def test_a_number_that_old_peers_can_not_read_is_not_sent(value: int) -> None:
    with pytest.raises(LocalProtocolError, match="is not a number for a WAIS message"):
        num(value)


def test_a_long_number_is_read_up_to_eight_octets() -> None:
    assert read_num(b"\x01\0\0\0\0") == 2**32
    with pytest.raises(RemoteProtocolError, match="A number of a WAIS message has 9 octets"):
        read_num(bytes(9))


def test_too_many_fields() -> None:
    with pytest.raises(LimitError, match="more than 10,000 fields"):
        read_fields(b"\x01\x00" * 10_001)


@given(st.integers(0, 2**35 - 1), st.binary(max_size=3), st.binary(max_size=3))
def test_a_compressed_integer_is_its_number_to_the_base_128(value: int, before: bytes, after: bytes) -> None:
    digits = vint(value)
    assert sum((digit & 127) << 7 * place for place, digit in enumerate(reversed(digits))) == value
    assert [digit >= 128 for digit in digits] == [True] * (len(digits) - 1) + [False]
    assert len(digits) == max(1, -(-value.bit_length() // 7))  # the fewest
    assert read_vint(before + digits + after, len(before)) == (value, len(before + digits))


def test_what_stands_before_a_compressed_integer_is_not_of_it() -> None:
    with pytest.raises(RemoteProtocolError, match="does not end within 5 octets, or is truncated"):
        read_vint(b"\x05\x81", 1)
    with pytest.raises(RemoteProtocolError):
        read_vint(b"\x05", 1)
    assert read_vint(b"\x80\x80\x80\x80\x05", 0) == (5, 5)


@given(st.integers(0, MAX_SENT_NUM))
def test_a_number_comes_back_in_the_fewest_octets(value: int) -> None:
    octets = num(value)
    assert read_num(octets) == read_num(bytes(8 - len(octets)) + octets) == value
    assert len(octets) == 1 or octets[0]
    assert len(octets) <= 4


def test_a_number_of_no_octets_is_zero() -> None:
    assert read_num(b"") == 0


@pytest.mark.parametrize(
    ("tag", "value", "octets"),
    [
        (2, b"x", b"\x02\x01x"), (0, b"", b"\0\0"), (127, b"x" * 127, b"\x7f\x7f" + b"x" * 127),
        (128, b"x", b"\x81\x00\x01x"), (2, b"x" * 128, b"\x02\x81\x00" + b"x" * 128),
        (tags.TYPE, b"TEXT", bytes.fromhex("810504 54455854")),
    ],
)  # fmt: skip
def test_a_field(tag: int, value: bytes, octets: bytes) -> None:
    assert write_field(tag, value) == octets
    assert read_field(b"??" + octets + b"!", 2) == (tag, value, 2 + len(octets))


@given(st.lists(st.tuples(st.integers(0, 2**16), st.binary(max_size=200)), max_size=5))
def test_fields_come_back(fields: list[Field]) -> None:
    assert read_fields(write_fields(fields)) == tuple(fields)
    for tag, _ in fields:
        assert first(fields, tag) == dict(reversed(fields))[tag]
    assert first(fields, 2**16 + 1) is None


def test_a_field_does_not_leave_its_block() -> None:
    with pytest.raises(
        RemoteProtocolError, match=r"^Field 3 of a WAIS message claims 2 octets, and its block has 1\.$"
    ):
        read_fields(b"\x02\x00\x03\x02x")
    for cut in (b"\x02", b"\x81", b"\x02\x81"):
        with pytest.raises(RemoteProtocolError, match="is truncated"):
            read_fields(cut)


def test_as_many_fields_as_are_allowed() -> None:
    assert len(read_fields(b"\x01\x00" * MAX_FIELDS)) == MAX_FIELDS
    with pytest.raises(LimitError) as caught:
        read_fields(b"\x01\x00" * (MAX_FIELDS + 1))
    assert caught.value.limit == "MAX_FIELDS"


def test_the_first_number_of_a_tag() -> None:
    fields = ((2, b"\x01\x00"), (3, b"x"), (2, b"\x05"))
    assert (first_num(fields, 2), first_num(fields, 9), first((), 2)) == (256, None, None)
    with pytest.raises(RemoteProtocolError):
        first_num(((2, bytes(9)),), 2)
