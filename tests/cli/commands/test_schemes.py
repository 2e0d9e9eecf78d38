"""``anyurl schemes``: the table is the registry's own."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from anyurl.schemes import registry
from anyurl.schemes.kit.scheme import VERBS
from anyurl.url import syntax
from tests.cli.runner import records, run


def test_the_table_is_the_registrys() -> None:
    lines = run("schemes").stdout.splitlines()
    assert lines[0].split() == ["scheme", "reference", "summary"]
    shown = {line.split()[0]: tuple(verb for verb in line.split()[1:7] if verb != "-") for line in lines[1:]}
    assert shown == registry.verb_table()
    assert list(shown) == sorted(shown)
    for name in shown:
        (line,) = (line for line in lines if line.split()[0] == name)
        assert syntax.row(name).reference in line


def test_json_says_the_same() -> None:
    rows = records(run("schemes", "--json"))
    assert {row["scheme"]: tuple(row["verbs"]) for row in rows} == registry.verb_table()
    ftp = next(row for row in rows if row["scheme"] == "ftp")
    assert list(ftp) == ["scheme", "reference", "summary", "verbs", "port", "gateway", "program"]
    assert (ftp["reference"], ftp["port"]) == ("RFC 1738 3.2", 21)
    assert set(ftp["verbs"]) <= set(VERBS)


def test_all_names_the_unspoken_too() -> None:
    names = [row["scheme"] for row in records(run("schemes", "--json", "--all"))]
    assert names == list(registry.known_schemes())
    unspoken = set(registry.known_schemes()) - set(registry.spoken())
    for line in run("schemes", "--all").stdout.splitlines()[1:]:
        name = line.split()[0]
        assert ("known by name only" in line) == (name in unspoken)
        assert name not in unspoken or line.split()[1:7] == ["-"] * 6


def test_what_is_known_says_what_it_is_and_what_is_handed_to_a_program_says_to_which(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[programs]\nnfs = "nfs-cat nfs://{host}/{path}"\nftp = "lftp {host}"\n')
    env = {"ANYURL_CONFIG": str(config)}
    shown = {line.split()[0]: line for line in run("schemes", "--all", env=env).stdout.splitlines()}
    assert shown["afs"].endswith("known by name only: Andrew File System global file names")
    assert shown["nfs"].endswith("by the program nfs-cat nfs://{host}/{path}")
    assert "lftp" not in shown["ftp"]  # anyurl speaks it
    rows = {
        row["scheme"]: row for row in records(run("schemes", "--json", "--gateway", "nfs=http://g/{path}", env=env))
    }
    assert (rows["nfs"]["gateway"], rows["nfs"]["program"]) == ("http://g/{path}", None)  # a gateway comes first


def test_a_plug_in_of_no_package_has_no_name_and_version_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python lets a program make such an entry point."""
    point = EntryPoint("own", "own:SCHEME", "anyurl.schemes")
    monkeypatch.setattr("anyurl.schemes.registry.installed_plugins", lambda: [point])
    (told,) = records(run("schemes", "--plugins", "--json"))
    assert told == {"plugin": "own", "package": "", "version": "", "entry": "own:SCHEME", "scheme": None}
    assert run("schemes", "--plugins").stdout.splitlines()[1].split() == ["own", "own:SCHEME", "not", "loaded"]
