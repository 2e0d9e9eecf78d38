"""``anyurl search``: words, kinds of match, and what comes."""

from __future__ import annotations

import pytest

from anyurl.cli.commands.search import MATCHES
from anyurl.schemes.prospero.archie import TYPES
from anyurl.world import World
from tests.cli.runner import records, run
from tests.servers import Connection, Server


def test_search_is_a_verb(world: World) -> None:
    result = run("search", str(world.roots["ftp"]), "two", "words")
    assert result.exit_code == 4
    assert "ftp has no 'search'" in result.stderr


def test_the_kinds_of_match_are_those_of_archie() -> None:
    assert set(MATCHES) == set(TYPES)
    assert len(set(MATCHES)) == len(MATCHES)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["gopher://h.example/7a"], 2, "There is nothing to search for; give words, or --like URL."),
        ([], 2, ""),
        (["http://h:x/", "a"], 3, ""),
        (["gopher://h.example/7a", "a", "--limit", "0"], 2, "--limit"),
        (["gopher://h.example/7a", "a", "--limit", "10001"], 2, "--limit"),
        (["gopher://h.example/7a", "a", "--match", "nearly"], 2, "--match"),
        (["gopher://h.example/7a", "--like", "http://h:x/"], 3, "h:x"),
    ],
)
def test_searches_that_are_none(arguments: list[str], code: int, words: str) -> None:
    result = run("search", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in " ".join(result.stderr.split())


def test_what_search_would_ask_is_explained() -> None:
    result = run("search", "--explain", "gopher://h.example/7a", "two", "words")
    assert result.stdout.splitlines()[:2] == ["connect to h.example port 70", "> a\\x09two words"]
    assert run("search", "--explain", "--limit", "1", "gopher://h.example/7a", "w").exit_code == 0
    result = run("search", "--explain", "--match", "SUBSTRING", "prospero://h.example/ARCHIE", "w")
    assert (result.exit_code, "S)" in result.stdout) == (0, True), result.output


def test_what_is_found_is_listed_and_as_records() -> None:
    asked: list[bytes] = []

    def serve(connection: Connection) -> None:
        asked.append(connection.line())
        connection.send(b"0One\t/1\th.example\t70\r\n1Two\t/2\th.example\t70\r\n.\r\n")

    with Server(serve) as server:
        command = ["search", f"gopher://{server.authority}/7/find", "two", "words", "--allow-private"]
        result = run(*command)
        assert (result.exit_code, result.stderr) == (0, "")
        rows = [line.split("\t") for line in result.stdout.splitlines()]
        assert [(row[0], row[3], row[4]) for row in rows] == [
            ("document", "One", "gopher://h.example/0/1"), ("listing", "Two", "gopher://h.example/1/2"),
        ]  # fmt: skip
        assert [entry["url"] for entry in records(run(*command, "--json"))] == [row[4] for row in rows]
        assert len(records(run(*command, "--json", "--limit", "1"))) == 1
    assert asked == [b"/find\ttwo words"] * 3


def test_what_is_to_be_noted_is_said_beside_what_is_found() -> None:
    def serve(connection: Connection) -> None:
        connection.line()  # a connection that is closed with what was not read is reset
        connection.send(b"0One\t/1\th\t70\r\n.\r\nmore\r\n")

    with Server(serve) as server:
        result = run("search", f"gopher://{server.authority}/7/find", "word", "--allow-private")
    assert (result.exit_code, result.stdout.split("\t")[3]) == (0, "One")
    assert result.stderr.startswith("anyurl: note: a line of the menu is not understood; it is: “.”")
