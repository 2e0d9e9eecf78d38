"""What the judge calls a fault, one row each: a crawl without faults says something only if these are seen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hostile.graph import NETRC, Edge, Origin
from tests.hostile.judge import Judge
from tests.hostile.places import LINK, LOCAL, NEVER, PRIVATE, PUBLIC, Names, class_of, name_for

PUBLIC_WEB = Origin("93.0.0.1", 80, "http")
PUBLIC_TLS = Origin("93.0.0.1", 443, "https")
PUBLIC_GEMINI = Origin("93.0.0.1", 1965, "gemini")
INNER_WEB = Origin("10.0.0.1", 80, "http")


def edge(
    *addresses: str, scheme: str = "http", port: int = 80, by: Origin | None = PUBLIC_WEB, how: str = "link",
    flips: bool = False, secrets: tuple[str, ...] = (), mark: str = "e1z",
) -> Edge:  # fmt: skip
    return Edge(mark, scheme, addresses, flips, port, by, how, secrets, "host")


@pytest.mark.parametrize(
    ("address", "which"),
    [
        ("93.184.216.34", PUBLIC), ("2606:2800::1", PUBLIC), ("10.1.2.3", PRIVATE), ("fd12::1", PRIVATE),
        ("169.254.169.254", LINK), ("168.63.129.16", LINK), ("fd00:ec2::254", LINK), ("127.0.0.2", LOCAL),
        ("::1", LOCAL), ("0.0.0.0", NEVER), ("224.0.0.1", NEVER), ("::ffff:10.0.0.1", PRIVATE),
        ("64:ff9b::7f00:1", LOCAL), ("2002:a9fe:a9fe::", LINK),
    ],
)  # fmt: skip
def test_the_class_of_an_address(address: str, which: int) -> None:
    assert class_of(address) == which


def test_a_name_says_its_addresses_and_one_that_flips_says_them_one_after_the_other() -> None:
    names = Names()
    mixed, flipping = name_for("93.0.0.1", "10.0.0.1"), name_for("93.0.0.1", "::1", flips=True)
    assert [names.look_up(mixed), names.look_up(mixed)] == [["93.0.0.1", "10.0.0.1"]] * 2
    assert [names.look_up(flipping) for _ in range(3)] == [["93.0.0.1"], ["::1"], ["::1"]]


CONNECTIONS: list[tuple[str, Edge, str, dict[str, bool]]] = [
    ("public to public", edge("93.0.0.2"), "connect 93.0.0.2 80", {}),
    ("public to private", edge("10.0.0.2"), "connect 10.0.0.2 80", {"default": True, "untrusted": True}),
    ("private to private", edge("10.0.0.2", by=INNER_WEB), "connect 10.0.0.2 80", {"untrusted": True}),
    ("private to local", edge("127.0.0.2", by=INNER_WEB), "connect 127.0.0.2 80", {"default": True, "untrusted": True}),
    ("metadata", edge("169.254.169.254", by=INNER_WEB), "connect 169.254.169.254 80",
     {"default": True, "untrusted": True}),
    ("the user's own metadata", edge("169.254.169.254", by=None), "connect 169.254.169.254 80", {"untrusted": True}),
    ("the good address of a mixed name", edge("93.0.0.2", "10.0.0.2"), "connect 93.0.0.2 80",
     {"default": True, "untrusted": True}),
    ("the good one of a name that flips", edge("93.0.0.2", "10.0.0.2", flips=True), "connect 93.0.0.2 80", {}),
    ("the bad one", edge("93.0.0.2", "10.0.0.2", flips=True), "connect 10.0.0.2 80",
     {"default": True, "untrusted": True}),
    ("mapped", edge("10.0.0.2"), "connect ::ffff:10.0.0.2 80", {"default": True, "untrusted": True}),
    ("no host", edge("0.0.0.0", by=None), "connect 0.0.0.0 80", {"default": True, "untrusted": True, "open": True}),
    ("TLS to clear", edge("93.0.0.2", by=PUBLIC_TLS), "connect 93.0.0.2 80", {"default": True, "untrusted": True}),
    ("TLS to TLS", edge("93.0.0.2", by=PUBLIC_TLS, scheme="ftps", port=990), "connect 93.0.0.2 990", {}),
    ("a redirection out of the web", edge("93.0.0.2", scheme="ftp", port=21, how="redirect"), "connect 93.0.0.2 21",
     {"default": True, "untrusted": True}),
    ("a redirection out of gemini", edge("93.0.0.2", by=PUBLIC_GEMINI, scheme="https", port=443, how="redirect"),
     "connect 93.0.0.2 443", {"default": True, "untrusted": True}),
    ("a session that was chosen", edge("93.0.0.2", scheme="telnet", port=23), "connect 93.0.0.2 23",
     {"untrusted": True}),
    ("a session that nobody chose", edge("93.0.0.2", scheme="telnet", port=23, how="moved"), "connect 93.0.0.2 23",
     {"default": True, "untrusted": True}),
    ("a third host", edge("93.0.0.2", scheme="ftp", port=40_000, how="pasv"), "connect 93.0.0.2 40000",
     {"default": True, "untrusted": True, "open": True}),
    ("a data connection", edge("93.0.0.2", scheme="ftp", port=21), "connect 93.0.0.2 40000", {}),
    ("another service", edge("93.0.0.2", port=6379), "connect 93.0.0.2 6379",
     {"default": True, "untrusted": True, "open": True}),
    ("another port", edge("93.0.0.2"), "connect 93.0.0.2 81", {"default": True, "untrusted": True, "open": True}),
    ("a datagram", edge("10.0.0.2", scheme="prospero", port=1525), "send 10.0.0.2 1525",
     {"default": True, "untrusted": True}),
    ("nobody's", edge("93.0.0.2"), "connect 93.0.0.3 80", {"default": True, "untrusted": True, "open": True}),
    ("what is left of an address", edge("10.0.0.24", by=None)._replace(host="10.0.0.24"), "connect 10.0.0.2 80",
     {"untrusted": True}),
    ("a look-up", edge("93.0.0.2"), "look-up example.org -", {"default": True, "untrusted": True, "open": True}),
    ("the look-up of an address", edge("93.0.0.2"), "look-up 93.0.0.2 -", {}),
]  # fmt: skip


@pytest.mark.parametrize("policy", ["default", "untrusted", "open"])
@pytest.mark.parametrize(
    ("named", "line", "faults"), [row[1:] for row in CONNECTIONS], ids=[row[0] for row in CONNECTIONS]
)
def test_who_may_be_connected_to(named: Edge, line: str, faults: dict[str, bool], policy: str) -> None:
    judge = Judge(policy, [named])
    judge.connections([line])
    assert bool(judge.faults) == faults.get(policy, False), judge.faults


_NETRC, _, _WORD = NETRC[0]
_HOME = _NETRC.addresses[0]
_FOREIGN = edge(_HOME, scheme="ftp", port=21)
_WRITTEN = edge("127.0.0.1", secrets=("lgn1z", "sek900z"), mark="e2z")
_MINE = edge("93.0.0.2", by=None, mark="u8z", scheme="gemini", port=1965)
_OWN = edge("93.0.0.2", by=None, mark="u1z", secrets=("lgn1z", "sek900z"))

SAID: list[tuple[str, list[Edge], list[Any], bool]] = [
    ("to whom the user gave it", [_OWN], ["93.0.0.2", 80, "http", False, 9, ["u1z"], ["sek900z"]], False),
    ("the same, in IPv6", [edge("::ffff:93.0.0.2", by=None, mark="u1z", secrets=("l", "sek900z"))],
     ["93.0.0.2", 80, "http", False, 9, ["u1z"], ["sek900z"]], False),
    ("to another host", [_OWN], ["93.0.0.3", 80, "http", False, 9, [], ["sek900z"]], True),
    ("to another port", [_OWN], ["93.0.0.2", 81, "http", False, 9, [], ["sek900z"]], True),
    ("of the netrc", [], [_HOME, 21, "ftp", False, 9, [], [_WORD]], False),
    ("of the netrc, elsewhere", [], ["93.0.0.3", 21, "ftp", False, 9, [], [_WORD]], True),
    ("of the netrc, for a URL of somebody else", [_FOREIGN], [_HOME, 21, "ftp", False, 9, ["e1z"], [_WORD]], True),
    ("that a server wrote", [edge("93.0.0.2", secrets=("lgn1z", "sek900z"))],
     ["93.0.0.2", 80, "http", False, 9, ["e1z"], ["sek900z"]], True),
    ("that it wrote for itself", [edge("93.0.0.1", secrets=("lgn1z", "sek900z"))],
     ["93.0.0.1", 80, "http", False, 9, ["e1z"], ["sek900z"]], False),
    ("the same, at another address of its name", [edge("93.0.0.1", "10.0.0.9", flips=True), _WRITTEN],
     ["10.0.0.9", 80, "http", False, 9, [], ["sek900z"]], False),
    ("the same, at another port", [edge("93.0.0.1", "10.0.0.9", flips=True), _WRITTEN],
     ["10.0.0.9", 81, "http", False, 9, [], ["sek900z"]], True),
    ("the same, at an address of another name", [edge("93.0.0.2", "10.0.0.9", flips=True), _WRITTEN],
     ["10.0.0.9", 80, "http", False, 9, [], ["sek900z"]], True),
    ("lines that a server wrote", [edge("93.0.0.2", scheme="gopher", port=70)],
     ["93.0.0.2", 70, "gopher", False, 9, ["e1z"], ["put1z"]], True),
    ("a content that was given for another place", [_OWN], ["93.0.0.3", 80, "http", False, 9, [], ["put1z"]], True),
    ("the user's certificate", [_MINE], ["93.0.0.2", 1965, "gemini", True, 9, ["u8z"], ["crt0z"]], False),
    ("the same, at another port", [_MINE], ["93.0.0.2", 7114, "gemini", True, 9, [], ["crt0z"]], True),
    ("the same, for another scheme", [_MINE], ["93.0.0.2", 1965, "https", True, 9, [], ["crt0z"]], True),
    ("the same, for a URL of somebody else", [_MINE, edge("93.0.0.2", scheme="gemini", port=1965, mark="e8z")],
     ["93.0.0.2", 1965, "gemini", True, 9, ["e8z"], ["crt0z"]], True),
    ("nobody's", [], ["93.0.0.2", 80, "http", False, 9, [], ["sek1z"]], True),
    ("https in clear", [edge("93.0.0.2", scheme="https", port=443)], ["93.0.0.2", 443, "http", False, 9, ["e1z"], []],
     True),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "edges", "unit", "fault"), SAID, ids=[row[0] for row in SAID])
def test_who_may_be_told(reason: str, edges: list[Edge], unit: list[Any], fault: bool) -> None:
    known = [edge("93.0.0.2"), edge("93.0.0.3"), edge(_HOME, by=None, mark="u7z"), edge("93.0.0.1"), *edges]
    judge = Judge("default", known)
    judge.connections([f"connect {unit[0]} {unit[1]}"])
    judge.faults.clear()  # what is judged here is what was said
    judge.received([unit])
    assert bool(judge.faults) == fault, judge.faults


def test_what_no_call_led_to_is_seen() -> None:
    judge = Judge("default", [edge("93.0.0.2")])
    judge.received([["93.0.0.2", 80, "http", False, 9, [], []]])
    assert len(judge.faults) == 1


def test_a_place_that_was_asked_without_a_password_before_gets_none_for_the_same_url_later() -> None:
    """That it leads on to itself, or is asked once more, gives it nothing that the user keeps for it."""
    judge = Judge("default", [edge(_HOME, by=None, mark="u7z"), _FOREIGN])
    judge.connections([f"connect {_HOME} 21"])
    judge.received([[_HOME, 21, "ftp", False, 9, ["e1z"], []], [_HOME, 21, "ftp", False, 9, ["e1z"], [_WORD]]])
    assert len(judge.faults) == 1
    assert "that was named elsewhere" in judge.faults[0]
