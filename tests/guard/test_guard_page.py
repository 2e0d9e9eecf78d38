"""``docs/guard.md`` says what the code says: every code of a refusal, and what each policy allows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anyurl.errors import AnyURLError
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import CODES
from anyurl.url import URL
from anyurl.values import USER, Provenance
from tests.rows import each_row

PAGE = (Path(__file__).parents[2] / "docs" / "guard.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()[2:]]


def test_every_code_is_told() -> None:
    told = [code for cells in rows("Codes") for code in re.findall(r"`([a-z-]+)`", cells[0])]
    assert sorted(told) == sorted(set(told)), "a code is told twice"
    odd = set(told) ^ (set(CODES) - {"allowed"})
    assert not odd, f'in only one of `CODES` and the table under "Codes" of docs/guard.md: {sorted(odd)}'


WHAT = {
    "public addresses": ("http://8.8.8.8/", USER),
    "private addresses, this machine": ("http://10.0.0.1/", USER),
    "link-local, cloud metadata": ("http://169.254.169.254/", USER),
    "a hop from a public place to a private one": ("http://10.0.0.1/", Provenance("redirect")),
    "a hop from TLS to a cleartext connection": ("http://8.8.8.8/", Provenance("redirect", scheme="https", tls=True)),
    "another service's port": ("http://8.8.8.8:25/", USER),
    "files": ("file:///etc/hostname", USER),
    "interactive services, forms": ("telnet://8.8.8.8/", USER),
}


@each_row("name", WHAT)
def test_what_each_policy_allows(name: str) -> None:
    text, came_from = WHAT[name]
    (told,) = (cells[1:] for cells in rows("Policies") if cells[0] == name)
    policies = (Policy.default(), Policy.untrusted(), Policy.open())
    found = [policy.judge_url(URL(text), came_from).allowed for policy in policies]
    assert found == [not cell.startswith("no") for cell in told]


def test_a_verdict_is_a_refusal() -> None:
    with pytest.raises(AnyURLError):
        Policy.untrusted().judge_url(URL("http://10.0.0.1/")).check()


def cells_below(heading: str) -> list[list[str]]:
    """The first table behind a line."""
    table = re.search(r"(?:^\|.*\n)+", PAGE.split(heading)[1], re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()[2:]]


def test_every_argument_is_told_with_what_it_is_without() -> None:
    told = {}
    for names, default, _ in cells_below("returns a modified copy."):
        listed, values = re.findall(r"`(\w+)`", names), default.split("; ")
        told.update(dict(zip(listed, values * len(listed) if len(values) == 1 else values, strict=False)))
    words = {True: "yes", False: "no", None: "any", (): "none"}
    assert told == {
        name: "`Limits()`" if name == "limits" else words.get(value, f"`{value}`")
        for name, value in Policy()._fields().items()
    }


def test_every_limit_is_told_with_its_values() -> None:
    policies = (Policy.default(), Policy.untrusted())
    limits = [policy.limits._fields() for policy in policies]
    shown = [["none" if each[name] is None else f"{each[name]:,.0f}" for each in limits] for name in limits[0]]
    rows = cells_below("### Limits")
    assert [[cells[0].strip("`"), *cells[2:4]] for cells in rows] == [
        [name, *values] for name, values in zip(limits[0], shown, strict=True)
    ]
    assert {cells[1] for cells in rows} == {"seconds", "octets", "octets a second", "octets for each octet", "count"}
