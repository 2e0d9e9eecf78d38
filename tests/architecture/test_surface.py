"""What is public changes only with the changelog: each name that came or went has an entry of the newest version."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.architecture import surface
from tests.architecture.source import ROOT
from tests.rows import each_row

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def entries(text: str) -> list[str]:
    """The entries of the newest version."""
    newest = re.split(r"^## ", text, flags=re.MULTILINE)[1]
    return re.split(r"^- ", newest, flags=re.MULTILINE)[1:]


def unnamed(changed: frozenset[str], text: str) -> list[str]:
    """What no entry names: an entry has each word of it as its code."""
    codes = [set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`]+)`", entry)))) for entry in entries(text)]
    return sorted(name for name in changed if not any(words_of(name) <= code for code in codes))


def words_of(name: str) -> set[str]:
    """What an entry has to say of a name: not its door, and of an option not its command."""
    kind, _, rest = name.rpartition(" ")
    return {rest} if kind else set(re.findall(r"\w+", name))


@cache
def now() -> frozenset[str]:
    """What the tree has."""
    return frozenset(surface.surface())


def test_what_came_since_the_last_version_is_in_the_changelog() -> None:
    missing = unnamed(now() - surface.kept(), CHANGELOG)
    assert missing == [], f'under "Names" of CHANGELOG.md there is no: {", ".join(missing)}'


def test_what_went_since_the_last_version_is_in_the_changelog() -> None:
    missing = unnamed(surface.kept() - now(), CHANGELOG)
    assert missing == [], f'under "Names" of CHANGELOG.md no entry tells that this went: {", ".join(missing)}'


@each_row(
    ("name", "entry", "is_named"),
    [
        ("anyurl frobnicate", "`anyurl.frobnicate` does.", True),
        ("anyurl frobnicate", "What does frobnicate?", False),
        ("URL.twist", "`URL.twist` does.", True),
        ("URL.twist", "`twist` does.", False),
        ("find(deep)", "`find(deep=True)` does.", True),
        ("find(deep)", "`find` does, and `deeper`.", False),
        ("anyurl find --deep", "`--deep` does.", True),
        ("anyurl find --deep", "`--deeper` does.", False),
        ("code bad-port", "`bad-port-number` is new.", False),
        ("exit 99", "The exit code `99` is new.", True),
    ],
)
def test_an_entry_names_what_it_is_about(name: str, entry: str, is_named: bool) -> None:
    text = f"# Changelog\n\n## [2] - Unreleased\n\n- {entry}\n- Else.\n\n## [1]\n\n- `{name}`\n"
    assert unnamed(frozenset({name}), text) == ([] if is_named else [name])


def test_a_new_member_or_option_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the list tells apart, of which a name at a door is the least."""
    assert {
        "anyurl URL", "URL.port", "find(malformed)", "Client.get(resume)", "Client(warc)", "anyurl get --output",
        "anyurl find", "exit 0", "Policy(deny_nets)", "Policy.check(url)", "get(resume)",
    } <= now()  # fmt: skip
    monkeypatch.setattr("anyurl.cli.exits.MEANINGS", {99: "more"})
    assert surface.surface() - now() == {"exit 99"}
