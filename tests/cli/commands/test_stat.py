"""``anyurl stat``: facts for people and as a record."""

from __future__ import annotations

import pytest

from anyurl.world import World, tree
from tests.cli.runner import records, run
from tests.servers import Connection, Server, reply

RESOURCE = ["url", "kind", "type", "size", "modified", "charset", "etag", "attributes", "history", "saved"]


def test_stat_shows_facts(world: World) -> None:
    lines = run("stat", f"{world.roots['http']}pub/picture.png").stdout.splitlines()
    facts = dict(line.split(maxsplit=1) for line in lines)
    assert (facts["kind"], facts["type"], facts["size"]) == ("document", "image/png", f"{len(tree.picture()):,}")
    assert facts["modified"] == "1994-12-20T00:00:00Z"


@pytest.mark.parametrize("scheme", ["file", "http", "ftp"])
def test_stat_json_has_the_keys_of_the_contract(world: World, scheme: str) -> None:
    (record,) = records(run("stat", "--json", f"{world.roots[scheme]}motd.txt"))
    assert list(record) == RESOURCE
    expected = ("document", len(tree.MOTD), "1994-12-20T00:00:00Z", None)
    assert (record["kind"], record["size"], record["modified"], record["saved"]) == expected


def test_stat_says_no_fact_twice() -> None:
    facts = run("stat", "data:,x").stdout.splitlines()
    assert [line.split() for line in facts if "charset" in line] == [["charset", "us-ascii"]]


def test_stat_of_nothing_is_the_servers_no(world: World) -> None:
    assert run("stat", f"{world.roots['http']}nothing").exit_code == 8
    assert run("stat", f"{world.roots['ftp']}nothing").exit_code == 8


def test_what_stat_would_do_is_explained() -> None:
    result = run("stat", "--explain", "http://h.example/a?b")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:3] == [
        "connect to h.example port 80",
        "> HEAD /a?b HTTP/1.1",
        "> Host: h.example",
    ]
    result = run("stat", "--explain", "file:///a")
    assert (result.exit_code, result.stdout) == (0, "look at /a\n")


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["http://h:x/"], 3), (["file:///no/such"], 9)])
def test_stat_of_what_is_none(arguments: list[str], code: int) -> None:
    result = run("stat", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr


def test_stat_sends_the_fields_that_are_asked_for() -> None:
    heads: list[bytes] = []

    def serve(connection: Connection) -> None:
        heads.append(connection.head())
        connection.send(reply(b"", "Content-Type: text/css", 'ETag: "x"'))

    with Server(serve) as server:
        url = f"http://{server.authority}/a"
        (record,) = records(run("stat", "--json", "--allow-private", "--header", "X-Mark: one", url))
    assert heads[0].startswith(b"HEAD /a HTTP/1.1\r\n")
    assert b"\r\nx-mark: one\r\n" in heads[0].lower()
    assert (record["url"], record["type"], record["etag"]) == (url, "text/css", '"x"')
