"""The vectors are what the tree makes, judges that read nothing of it agree, and peers read them as the page says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anyurl.schemes import registry
from tests.grammar import oracle
from tests.vectors import peers
from tests.vectors.make import FOLDER, GRAMMARS, VERSION, written


def rows(grammar: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{grammar}.jsonl").read_text(encoding="ascii").splitlines()[1:]]


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_the_vectors_are_what_the_tree_makes(grammar: Any) -> None:
    """Out of date? ``scripts/vectors`` writes them; where a vector says something else, raise VERSION."""
    text = (FOLDER / f"{grammar}.jsonl").read_text(encoding="ascii")
    assert text == written(grammar)
    assert json.loads(text.partition("\n")[0]) == {
        "vectors": VERSION, "grammar": grammar, "count": text.count("\n") - 1,
        "reference": {"rfc1738": "RFC 1738", "current": "RFC 3986"}.get(grammar, "draft-ietf-uri-url-07"),
    }  # fmt: skip


@pytest.mark.parametrize("grammar", ["rfc1738", "rfc1738-draft07"])
def test_the_documents_own_productions_give_the_same_verdicts(grammar: str) -> None:
    found = rows(grammar)
    assert [row["text"] for row in found if oracle.accepts(row["text"], grammar) is not row["verdict"]] == []
    assert {row["verdict"] for row in found} == {True, False}
    schemes = {row["components"]["scheme"] for row in found if row["verdict"]}
    assert {*oracle.DEFINED} <= schemes


EXPECTED = {
    "ftp://info.cern.ch/pub/www/doc;type=d": ("list", "CWD pub\r\nCWD www\r\nNLST doc\r\n"),
    "ftp://myname@host.dom/%2Fetc/motd": ("get", "CWD /etc\r\nTYPE I\r\nRETR motd\r\n"),
    "ftp://myname@host.dom/etc/motd": ("get", "CWD etc\r\nTYPE I\r\nRETR motd\r\n"),
    "ftp://myname@host.dom//etc/motd": ("get", "CWD \r\nCWD etc\r\nTYPE I\r\nRETR motd\r\n"),
}
"""What section 3.2.2 says of its own examples, in its words."""


@pytest.mark.parametrize("text", EXPECTED)
def test_the_octets_on_the_wire_are_those_of_the_rfc(text: str) -> None:
    verb, commands = EXPECTED[text]
    (row,) = [row for row in rows("rfc1738") if row["text"] == text]
    assert row["wire"][verb][0].removesuffix("QUIT\r\n").endswith(commands)


def test_each_verb_of_each_scheme_is_on_a_wire() -> None:
    told: dict[str, set[str]] = {}
    for row in rows("rfc1738"):
        if row["verdict"]:
            told.setdefault(row["components"]["scheme"], set()).update(row["wire"])
    for scheme in oracle.DEFINED:
        verbs = {*registry.find_scheme(scheme).verbs}
        silent = {"file": verbs, "telnet": verbs - {"get"}, "mailto": verbs - {"append"}}
        silent |= {name: {"search"} for name in ("news", "nntp", "prospero")}  # whose words no URL has
        assert told[scheme] == verbs - silent.get(scheme, set()), scheme


def test_the_page_has_the_table_of_the_peers_that_are_here() -> None:
    """Out of date? ``scripts/vectors`` writes it. Peers of other versions than the page's may read otherwise."""
    said = peers.PAGE.read_text(encoding="utf-8").splitlines()
    for line in peers.page().splitlines():
        versions = [f"{peer.name} {peer.version} |" for peer in peers.peers()]
        is_other = line.startswith(("| rfc", "| current")) and not any(
            version in line and version in "\n".join(said) for version in versions
        )
        assert is_other or line in said, line


def test_anyurl_reads_its_own_vectors() -> None:
    for grammar in GRAMMARS:
        one = peers.score(grammar, lambda text, grammar=grammar: peers.read_anyurl(text, grammar))  # type: ignore[misc]
        assert (one.taken, one.alike, one.refused) == (one.urls, one.urls, one.others)


def test_the_runner_needs_nothing_but_its_file(tmp_path: Path) -> None:
    """As somebody else copies it: it tells each vector that its reader reads otherwise, and is 30 lines of code."""
    (tmp_path / "run.py").write_bytes((FOLDER / "run.py").read_bytes())
    (tmp_path / "v.jsonl").write_bytes((FOLDER / "rfc1738.jsonl").read_bytes())
    done = subprocess.run(
        [sys.executable, "-I", "run.py", "v.jsonl"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == sum(
        said != vector["components"] for vector, said in peers.RUNNER.run(FOLDER / "rfc1738.jsonl", peers.RUNNER.read)
    )
    assert len((FOLDER / "run.py").read_text(encoding="utf-8").splitlines()) < 40
