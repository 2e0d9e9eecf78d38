"""SOCKS: each message whole, cut short at every octet, and with octets behind it (RFC 1928, RFC 1929)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anyurl.errors import RemoteProtocolError
from anyurl.proxy import socks
from tests.rows import each_row

V4 = b"\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50"
V6 = b"\x05\x01\x00\x04" + bytes(15) + b"\x01\x01\xbb"
NAMED = b"\x05\x01\x00\x03\x05h.dom\x00\x50"
GREETING = b"\x05\x02\x00\x02"
LOGIN = b"\x01\x03joe\x06secret"


def test_the_messages() -> None:
    assert socks.methods(GREETING) == {socks.NO_LOGIN, socks.LOGIN}
    assert socks.login(LOGIN) == (b"joe", b"secret")
    assert socks.login(b"\x01\x01u\x01p") == (b"u", b"p")
    assert socks.place(V4) == socks.SocksRequest(1, "127.0.0.1", 80)
    assert socks.place(V6) == socks.SocksRequest(1, "::1", 443)
    assert socks.place(NAMED) == socks.SocksRequest(1, "h.dom", 80)
    assert socks.reply(socks.NOT_ALLOWED) == b"\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00"


@pytest.mark.parametrize("octets", [V4, V6, NAMED])
def test_the_first_five_octets_tell_how_many_follow(octets: bytes) -> None:
    assert 5 + socks.rest_of(octets[:5]) == len(octets)


@pytest.mark.parametrize(
    ("octets", "read"),
    [(GREETING, socks.methods), (LOGIN, socks.login), (V4, socks.place), (V6, socks.place), (NAMED, socks.place)],
)
def test_a_message_that_is_cut_or_goes_on_is_none(octets: bytes, read: Callable[[bytes], object]) -> None:
    for end in range(len(octets)):
        with pytest.raises(RemoteProtocolError):
            read(octets[:end])
    with pytest.raises(RemoteProtocolError):
        read(octets + b"x")


@each_row(
    ("octets", "read"),
    [
        (b"\x04\x01\x00", socks.methods), (b"\x02\x03joe\x06secret", socks.login),
        (b"\x04" + V4[1:], socks.place), (V4[:2] + b"\x01" + V4[3:], socks.place),
        (V4[:3] + b"\x02" + V4[4:], socks.place),
        *((NAMED[:3] + bytes((kind,)) + NAMED[4:], socks.place) for kind in (0, 1, 2, 4, 5)),
        (b"\x05\x01\x00\x03\x00\x00\x50", socks.place), (b"\x05\x01\x00\x03\x02\xff\xfe\x00\x50", socks.place),
    ],
)  # fmt: skip
def test_what_is_no_message(octets: bytes, read: Callable[[bytes], object]) -> None:
    with pytest.raises(RemoteProtocolError):
        read(octets)


def test_an_address_of_another_type_has_no_length() -> None:
    with pytest.raises(RemoteProtocolError):
        socks.rest_of(b"\x05\x01\x00\x02\x00")
