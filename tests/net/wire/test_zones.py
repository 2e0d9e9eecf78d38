import json
import os
import socket
import subprocess
import sys
from typing import Any

import pytest

from anyurl.errors import ConnectError
from anyurl.net.wire import zones
from tests import needs
from tests.rows import each_row

LO = socket.if_nametoindex("lo")
NO_INTERFACE = "ConnectError: fe80::1 can't be reached: this machine has no interface {!r}."
NO_ZONE = "this address exists on every link; its zone is the name of the interface that reaches it."


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    needs.need("namespace")
    done = subprocess.run(
        [sys.executable, "-m", "tests.net.zone_trial"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("what", "came"),
    [
        ("http", "by http"),
        ("map", ["by http"] * 3),
        ("gopher", "by gopher\n"),
        ("ftp", "by ftp"),  # its data connection leads to the same zone
        ("by number", "by gopher\n"),
        ("asyncio", ["by http", "by gopher\n"]),
        ("a name", ["by http", "by gopher\n"]),  # the system's resolver said the zone (mDNS)
    ],
)
def test_a_link_local_address_is_reached(told: dict[str, Any], what: str, came: object) -> None:
    assert told[what] == came


def test_datagrams_reach_it_too(told: dict[str, Any]) -> None:
    assert told["prospero"].startswith("Welcome to the world.")


def test_nobody_is_told_the_zone(told: dict[str, Any]) -> None:
    """RFC 9844: it means nothing on another machine."""
    assert told["host header"] == ["Host: [fe80::1]:PORT"]
    assert told["through a proxy"] == "by a proxy\n"
    assert told["told the proxy"] == "CONNECT [fe80::1]:PORT HTTP/1.1"


def test_a_zone_opens_nothing(told: dict[str, Any]) -> None:
    """What a stranger names is judged as it would be without one; a redirection is a stranger's word."""
    assert told["a stranger's"] == ["RefusedError", "RefusedError"]
    assert told["untrusted"] == "RefusedError"
    assert told["redirected"] == ["RefusedError", "by http"]  # the second with allow_inward


def test_without_an_interface_the_error_says_so(told: dict[str, Any]) -> None:
    assert [text.endswith(NO_ZONE) for text in told["none"]] == [True, True]
    for zone in ("nowhere", "", "0", "4294967297", "a\0b"):
        assert told[f"interface {zone!r}"] == NO_INTERFACE.format(zone)


def test_a_person_types_it_in_the_address(told: dict[str, Any]) -> None:
    both, rfc6874, option, two, differing, unknown, exact, untrusted, named = told["command"]
    assert [both, rfc6874, option] == [[0, "by http"], [0, "by http"], [0, "by gopher\n"]]
    assert two == [0, "by gopher\nby http"]
    assert [differing, unknown] == [2, 2]  # one command, one interface
    assert [exact, untrusted, named] == [3, 3, 3]  # not a URL


@each_row(
    ("address", "zone", "with_it"),
    [
        ("fe80::1", "lo", f"fe80::1%{LO}"),
        ("FE80::1", str(LO), f"FE80::1%{LO}"),
        ("febf::1", "lo", f"febf::1%{LO}"),  # fe80::/10
        ("fe80::1%7", "lo", "fe80::1%7"),  # the resolver's own word
        ("fec0::1", "lo", "fec0::1"),
        ("ff02::1", "lo", "ff02::1"),
        ("::1", "nowhere", "::1"),
        ("169.254.1.1", "nowhere", "169.254.1.1"),
        ("fe80::1", None, "fe80::1"),
    ],
)
def test_an_address_of_one_link_gets_the_zone(address: str, zone: str | None, with_it: str) -> None:
    assert zones.with_zone(address, zone) == with_it


def test_an_interface_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ConnectError, match="this machine has no interface 'nowhere'"):
        zones.with_zone("fe80::1", "nowhere")


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("192.0.2.1", ("192.0.2.1", 80)),
        ("2001:db8::1", ("2001:db8::1", 80)),
        ("fe80::1%3", ("fe80::1", 80, 0, 3)),
        ("fe80::1%lo", ("fe80::1", 80, 0, LO)),
        ("fe80::1%4294967295", ("fe80::1", 80, 0, 4294967295)),
    ],
)
def test_what_a_socket_is_connected_to(address: str, target: zones.Target) -> None:
    assert zones.target(address, 80) == target


@pytest.mark.parametrize("address", ["fe80::1", "fe80::1%0", "fe80::1%nowhere", "fe80::1%4294967296", "fe80::1%-1"])
def test_without_a_zone_there_is_nothing_to_connect_to(address: str) -> None:
    with pytest.raises(OSError, match="this address exists on every link"):
        zones.target(address, 80)


def test_one_zone_for_all_addresses_of_a_name() -> None:
    addresses = ["192.0.2.1", "fe80::1%2", "fe80::2%3", "2001:db8::1"]
    assert zones.of_one_zone(addresses) == (2, ["192.0.2.1", "fe80::1", "2001:db8::1"])
    assert zones.of_one_zone(["192.0.2.1"]) == (0, ["192.0.2.1"])


@each_row(
    ("address", "zone"),
    [
        ("fe80::1", 0),
        ("fe80::1%", 0),
        ("fe80::1%3", 3),
        ("fe80::1%4294967295", 2**32 - 1),
        ("fe80::1%4294967296", 0),
        ("fe80::1%00000000003", 0),
        ("fe80::1%\u0663", 0),  # a digit, and in no number of a zone
        ("fe80::1%nowhere-at-all", 0),
        ("fe80::1%a\0b", 0),
    ],
)
def test_the_number_of_the_zone_of_an_address(address: str, zone: int) -> None:
    assert zones.zone_of(address) == zone
