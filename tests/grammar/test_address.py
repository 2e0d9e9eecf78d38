"""Whether encoded text is an addr-spec: the same answer as of the reader that gives reasons (RFC 822 6.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.grammar import address, strict
from anyurl.grammar.address import is_address
from anyurl.grammar.requirements import address_fault
from anyurl.url.cut import percent_decode, percent_encode
from tests.grammar.test_requirements import ADDRESSES


def judged(text: str) -> bool:
    return is_address(text, 0, len(text))


@pytest.mark.parametrize(("octets", "place"), [row[:2] for row in ADDRESSES], ids=[repr(row[0]) for row in ADDRESSES])
def test_an_address(octets: bytes, place: int | None) -> None:
    assert judged(percent_encode(octets)) is (place is None)
    assert judged("".join(f"%{octet:02x}" for octet in octets)) is (place is None), "however it is encoded"


def test_only_the_span_is_read() -> None:
    assert is_address("mailto:a@b?c", 7, 10)
    assert not is_address("mailto:a@b,c", 7, 12)
    assert not is_address("a@b", 0, 2)
    assert not is_address("a@b", 0, 0)
    assert not is_address("a@b", 3, 3)
    assert is_address("%61%40%62@", 0, 9)
    assert not is_address('"a"@b', 0, 2), "what closes it stands behind"
    assert not is_address("a@[b]", 0, 4)
    assert judged('"\\%00"@b'), "a backslash before any character of ASCII"


def test_an_atom_is_what_rfc_822_says() -> None:
    allowed = {chr(octet) for octet in range(128) if address.ATOM[octet]}
    assert allowed == set(map(chr, range(0x21, 0x7F))) - set('()<>@,;:\\".[]')


@pytest.mark.parametrize("octet", range(256))
def test_every_octet_of_an_escape_in_an_address(octet: int) -> None:
    """An address is ASCII; what an escape stands for is judged, not the escape (RFC 1738 3.5, RFC 822 6.1)."""
    quoted = f"mailto:%22%{octet:02X}%22@host"
    atom = f"mailto:a%{octet:02x}b@host"
    alone = octet < 128 and chr(octet) not in '"\\\r'
    assert strict.accepts(quoted) is alone
    assert strict.accepts(atom) is (octet < 128 and (bool(address.ATOM[octet]) or octet == 0x2E))


@given(
    st.lists(st.sampled_from('ab.@"[],') | st.sampled_from(["%5C", "%5c", "%0D", "%0A", "%20", "%09", "%80", "%41"]))
)
def test_the_answer_is_that_of_the_octets(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert judged(text) is (address_fault(percent_decode(text)) is None)
