"""``anyurl ls``: entries in a pipe and as records, and what has none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyurl.world import World, tree
from tests.cli.runner import records, run

ENTRY = ["name", "url", "kind", "size", "modified", "title", "type", "score", "attributes", "origin", "grammar"]


@pytest.mark.parametrize("scheme", ["file", "ftp"])
def test_ls_in_a_pipe_is_tabs(world: World, scheme: str) -> None:
    root = f"{world.roots[scheme]}pub/"
    rows = {line.split("\t")[3]: line.split("\t") for line in run("ls", root).stdout.splitlines()}
    size = str(len(tree.NOTES.encode()))
    assert rows["notes.txt"] == ["document", size, "1994-12-20T00:00:00Z", "notes.txt", f"{root}notes.txt"]
    assert (rows["names"][0], rows["names"][4]) == ("listing", f"{root}names/")


@pytest.mark.parametrize("scheme", ["file", "ftp"])
def test_ls_json_has_the_keys_of_the_contract(world: World, scheme: str) -> None:
    entries = records(run("ls", "--json", f"{world.roots[scheme]}pub/names/"))
    assert sorted(entry["name"] for entry in entries) == ["100%.txt", "a name; with marks?.txt", "grüße.txt"]
    for entry in entries:
        assert list(entry) == ENTRY
        assert run("get", entry["url"]).stdout_bytes == tree.tree()[f"pub/names/{entry['name']}"]


def test_ls_of_what_does_not_list_is_told(world: World) -> None:
    result = run("ls", "telnet://h.example")
    assert result.exit_code == 4
    assert "telnet has no 'list'" in result.stderr


def test_ls_of_a_page_lists_its_links(world: World) -> None:
    root = str(world.roots["http"])
    entries = [json.loads(line) for line in run("ls", "--json", root).stdout.splitlines()]
    assert {"kind": "listing", "name": "pub/", "url": f"{root}pub/"}.items() <= next(
        entry for entry in entries if entry["name"] == "pub/"
    ).items()
    result = run("ls", f"{root}pub/picture.png")
    assert result.exit_code == 4
    assert "is not a page with links (“image/png”): use get." in result.stderr


def test_an_empty_folder_has_no_line(tmp_path: Path) -> None:
    result = run("ls", f"{tmp_path.as_uri()}/")
    assert (result.exit_code, result.output) == (0, "")
    assert run("ls", "--json", f"{tmp_path.as_uri()}/").output == ""


def test_what_ls_would_do_is_explained(tmp_path: Path) -> None:
    result = run("ls", "--explain", f"{tmp_path.as_uri()}/none/")
    assert (result.exit_code, result.stdout) == (0, f"look at {tmp_path}/none/\nlist the directory {tmp_path}/none/\n")
    result = run("ls", "--explain", "ftp://h.example/pub/")
    assert result.stdout.startswith("connect to h.example port 21\n")
    assert "> CWD pub\n" in result.stdout


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["http://h:x/"], 3), (["file:///no/such/folder/"], 9)])
def test_ls_of_nothing(arguments: list[str], code: int) -> None:
    result = run("ls", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr
