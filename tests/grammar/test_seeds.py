"""Every example URL of the seed documents, and the facts about RFC 1738, whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anyurl.grammar import diagnose, fix, parse
from tests.grammar import oracle
from tests.grammar.judges import accepts
from tests.rows import each_row

DATA = Path(__file__).parent.parent / "data"
EXAMPLES: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "grammar" / "seed_examples.jsonl").read_text(encoding="utf-8").splitlines()
]
FACTS: list[dict[str, Any]] = json.loads((DATA / "url" / "rfc1738.json").read_text(encoding="utf-8"))["examples"]

DIFFERENCES = {
    "ftp://:pw@host.dom/": "contested: 3.1 has no password without a user name, but tells an empty user name from "
    "none, and the BNF has an empty one; accepted, with the warning password-without-user",
}
"""The facts that are answered otherwise, each with the reason."""


def errors(text: str, grammar: str) -> list[str]:
    return [str(one) for one in diagnose(text, grammar) if one.severity == "error"]  # type: ignore[arg-type]


@each_row("row", EXAMPLES, ids=lambda row: f"{row['place']} {row['url']}")
def test_an_example_of_the_seed_documents(row: dict[str, Any]) -> None:
    """Each with its reason in the row; the draft has the same examples and accepts them, too."""
    assert row["reason"]
    valid = row["valid"]
    assert accepts(row["url"]) is valid
    assert oracle.accepts(row["url"]) is valid
    assert (errors(row["url"], "rfc1738") == []) is valid
    assert (errors(row["url"], "rfc1738-draft07") == []) is valid
    assert oracle.accepts(row["url"], "rfc1738-draft07") is valid
    if valid:
        assert str(parse(row["url"], "rfc1738")) == row["url"]
        assert str(parse(row["url"], "current")) == row["url"]


WRAPPED = [row for row in EXAMPLES if row["written"].startswith("<URL:")]


@each_row("row", WRAPPED, ids=lambda row: row["url"])
def test_an_example_as_it_is_written(row: dict[str, Any]) -> None:
    """In its wrapper it is no URL, and the repair takes the wrapper off."""
    assert errors(row["written"], "rfc1738") != []
    assert not accepts(row["written"])
    assert str(fix(row["written"])) == row["url"]


@each_row("row", FACTS, ids=lambda row: row["url"])
def test_a_fact_about_rfc_1738(row: dict[str, Any]) -> None:
    text = row["url"]
    valid = row["valid"] is not (text in DIFFERENCES)
    assert (errors(text, "rfc1738") == [], accepts(text), oracle.accepts(text)) == (valid, valid, valid)
    if not valid:
        return
    url = parse(text, "rfc1738")
    expected = {name: row[name] for name in ("scheme", "user", "password", "host", "port", "fragment") if name in row}
    assert {name: getattr(url, name) for name in expected} == expected
    if "path" in row:
        assert url.url_path.partition("?")[0] == row["path"]


def test_the_list_of_differences_is_exact() -> None:
    different = [row["url"] for row in FACTS if accepts(row["url"]) != row["valid"]]
    assert different == list(DIFFERENCES)
    assert [row["url"] for row in FACTS if row.get("contested")] == list(DIFFERENCES)
    assert len(FACTS) == 72
