"""``anyurl demo``: it gets what its own text mentions, says what it got, and fails when something failed."""

from __future__ import annotations

import re
import sys

import pytest

from anyurl.client.sizes import human_size
from anyurl.url import URL
from anyurl.world import tree
from anyurl.world.http import HttpServer
from anyurl.world.world import ROWS
from tests.cli.runner import call, records, run


def test_everything_that_the_text_mentions_is_got() -> None:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    done = call("demo")
    assert (done.returncode, done.stderr) == (0, b"")
    text, table = done.stdout.decode().split("\n\n")
    heading, *rows = table.splitlines()
    assert heading.split() == ["URL", "kind", "size", "type", "content"]
    for row in rows:
        assert row.split()[0] in text
    shown = {row.split(":")[0]: re.split(r" {2,}", row, maxsplit=3) for row in rows}
    assert list(shown) == list(ROWS)
    file, http, gopher, ftp = (shown[scheme] for scheme in ("file", "http", "gopher", "ftp"))
    assert (file[0][:8], file[1:]) == (
        "file:///", ["document", human_size(len(tree.MOTD)), file[3]],
    )  # fmt: skip
    assert file[3].split(maxsplit=1) == ["text/plain", '4 lines: "Welcome to the world."']
    assert (http[0][:7], http[1:3]) == ("http://", ["document", human_size(len(tree.picture()))])
    assert http[3].split(maxsplit=1) == ["image/png", "a picture (PNG)"]
    assert (gopher[0][:9], gopher[1:3]) == ("gopher://", ["document", human_size(len(tree.NOTES.encode()))])
    assert gopher[3] == ftp[3]
    assert (ftp[0][:6], ftp[1:3]) == ("ftp://", ["document", human_size(len(tree.NOTES.encode()))])
    assert ftp[3].endswith('5 lines: "A resource locator says where som..."')


def test_json_is_an_object_for_each() -> None:
    result = run("demo", "--json", "file", "http")
    assert result.exit_code == 0
    assert [record["url"].partition(":")[0] for record in records(result)] == ["file", "http"]


def test_only_the_named_schemes() -> None:
    result = run("demo", "http")
    assert result.exit_code == 0
    assert "file:" not in result.stdout
    assert "http:" in result.stdout


def test_an_unknown_scheme_is_an_error() -> None:
    result = run("demo", "afs")
    assert result.exit_code == 4
    assert result.stderr.startswith("anyurl: The world has no server for 'afs'; it has file, http")


def test_what_fails_is_in_the_table_and_in_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HttpServer, "urls", property(lambda self: {"http": URL(f"{self.root}nothing")}))
    result = run("demo", "http", "file")
    assert result.exit_code == 8
    failed, got = result.stdout.splitlines()[-2:]
    assert "failed: " in failed
    assert "404" in failed
    assert got.endswith('4 lines: "Welcome to the world."')
    first, second = records(run("demo", "--json", "http", "file"))
    assert (first["error"], second["kind"]) == ("NotFoundError", "document")


def test_without_the_extra_the_rest_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyftpdlib", None)
    result = run("demo")
    assert result.exit_code == 4
    rows = result.stdout.split("\n\n")[1].splitlines()
    assert sorted(row.split(":")[0] for row in rows[1:]) == sorted(ROWS)
    assert rows[-1].endswith("in a clone of anyurl, pip install '.[world]'.")
    assert run("demo", "file", "http").exit_code == 0


def test_the_help_of_serve_tells_the_login_of_the_world() -> None:
    text = " ".join(run("serve", "--help").stdout.split())
    assert f"log in as `{tree.USER}` with the password `{tree.PASSWORD}`" in text


def test_serve_without_the_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyftpdlib", None)
    result = run("serve", "ftp")
    assert result.exit_code == 4
    assert result.stderr.endswith("in a clone of anyurl, pip install '.[world]'.\n")
