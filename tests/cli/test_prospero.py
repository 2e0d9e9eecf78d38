"""The command on Prospero: listings, what they lead to, and archie, in a pipe and on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyurl.world import World
from tests.cli.runner import records, run
from tests.evil.terminal import on_terminal


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with World(["prospero"]) as world:
        yield str(world.roots["prospero"])


@pytest.fixture(scope="module")
def archie(root: str) -> str:
    return root.removesuffix("//world") + "/ARCHIE"


def rows(*args: str) -> list[list[str]]:
    return [line.split("\t") for line in run(*args).stdout.splitlines()]


def test_a_listing_has_the_urls_of_access_methods(root: str) -> None:
    found = {name: (kind, url) for kind, _size, _time, name, url in rows("ls", f"{root}/elsewhere")}
    assert found["folder"] == ("listing", "ftp://ftp.example.org/pub;type=d")
    assert found["library"] == ("service", "telnet://guest@library.example.org/")
    assert found["local"] == ("", "")


def test_what_the_server_has_itself_is_got(root: str) -> None:
    assert run("get", f"{root}/motd.txt").stdout.startswith("Welcome to the world.\n")
    (told,) = records(run("stat", "--json", f"{root}/motd.txt"))
    assert (told["kind"], told["type"], told["size"]) == ("document", "text/plain", 159)
    assert told["attributes"]["attributes"]["UNIX-MODES"] == [["-r--r--r--"]]
    facts = run("stat", f"{root}/motd.txt").stdout
    assert facts.partition("ACCESS-METHOD=")[2].startswith("PROSPERO-CONTENTS\n")  # what is empty is not shown
    assert "attributes" not in run("stat", root).stdout


def test_archie_finds_files(archie: str) -> None:
    hits = rows("search", archie, "prospero", "--match", "exact-substring")
    assert [(kind, url) for kind, _size, _time, _name, url in hits] == [
        ("listing", "ftp://ftp.example.com/pub/prospero;type=d"),
        ("document", "ftp://ftp.example.com/pub/prospero/prospero;type=i"),
    ]


def test_a_folder_that_archie_finds_is_shown_as_one(archie: str) -> None:
    written, code = on_terminal("search", archie, "prospero")
    assert code == 0
    shown = [line.split("  ")[-1].strip() for line in written.decode().splitlines()[1:]]
    assert shown == [
        "prospero/ (ftp.example.com:/pub drwxr-xr-x)",
        "ftp://ftp.example.com/pub/prospero;type=d",
        "prospero (ftp.example.com:/pub/prospero -rw-r--r--)",
        "ftp://ftp.example.com/pub/prospero/prospero;type=i",
        "2 entries, 99 B",
    ]


def test_a_server_that_says_no(root: str) -> None:
    result = run("get", f"{root}/nothing")
    assert (result.exit_code, "refuses “/world/nothing”" in result.stderr) == (8, True)
