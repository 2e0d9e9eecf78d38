"""``anyurl put``: what is replaced, by the type of its suffix or from standard input."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl.world import World
from tests.cli.runner import call, records, run
from tests.servers import Connection, Server, reply

RESOURCE = ["url", "kind", "type", "size", "modified", "charset", "etag", "attributes", "history", "saved"]


def test_put_by_http_says_the_type_of_the_suffix(world: World, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes(b"<p>")
    (record,) = records(run("put", "--json", f"{world.roots['http']}put-here", str(file)))
    assert list(record) == RESOURCE
    assert (record["url"], record["size"]) == (f"{world.roots['http']}put-here", 3)
    (record,) = records(run("stat", "--json", f"{world.roots['http']}put-here"))
    assert (record["type"], record["size"]) == ("text/html", 3)


@pytest.mark.parametrize("size", [0, 1, 200_000])
def test_put_takes_standard_input(world: World, size: int) -> None:
    octets = bytes(range(256)) * (size // 256 + 1)
    done = call("put", f"{world.roots['http']}from-stdin", "-", input=octets[:size])
    assert (done.returncode, done.stderr) == (0, b"")
    assert run("get", f"{world.roots['http']}from-stdin").stdout_bytes == octets[:size]


def test_a_user_who_may_not_is_told(world: World) -> None:
    result = run("put", f"{world.roots['ftp']}x", "/dev/null")
    assert result.exit_code == 8
    assert "550" in result.stderr


def test_what_put_would_do_is_explained(tmp_path: Path) -> None:
    result = run("put", "--explain", "file:///a", str(tmp_path / "none"))
    assert (result.exit_code, result.stdout.splitlines()[:1]) == (0, ["write a new file /a"])
    result = run("put", "--explain", "http://h.example/a", "-")
    assert result.stdout.splitlines()[:2] == ["connect to h.example port 80", "> PUT /a HTTP/1.1"]


@pytest.mark.parametrize(
    ("arguments", "code"), [([], 2), (["file:///a"], 2), (["http://h:x/", "-"], 3), (["gopher://h.example/", "-"], 4)]
)
def test_puts_that_are_none(arguments: list[str], code: int) -> None:
    result = run("put", *arguments, input=b"")
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr


def test_put_sends_the_fields_that_are_asked_for() -> None:
    heads: list[bytes] = []

    def serve(connection: Connection) -> None:
        head = connection.head()
        heads.append(head.lower())
        connection.until(b"data" if b"chunked" not in head.lower() else b"0\r\n\r\n")
        connection.send(reply(status="204 Done", length=False))

    with Server(serve) as server:
        url = f"http://{server.authority}/a"
        done = run("put", "--allow-private", "--header", "X-Mark: one", url, "-", input=b"data")
    assert (done.exit_code, done.stdout) == (0, ""), done.stderr
    assert heads[0].startswith(b"put /a http/1.1\r\n")
    assert b"\r\nx-mark: one\r\n" in heads[0]


@pytest.mark.parametrize("words", [["put", "{url}", "{file}"], ["get", "-d", "a=b", "{url}"]])
def test_an_empty_content_type_is_left_out(tmp_path: Path, words: list[str]) -> None:
    """Presigned URLs of stores are signed without one."""
    (tmp_path / "x.txt").write_bytes(b"a=b")
    heads: list[bytes] = []

    def part(connection: Connection) -> None:
        heads.append(connection.head())
        connection.take(3)
        connection.send(reply(b""))

    with Server(part) as server:
        named = {"url": f"http://{server.authority}/x", "file": f"{tmp_path}/x.txt"}
        result = run(*[word.format(**named) for word in words], "-H", "Content-Type:")
    assert result.exit_code == 0, result.stderr
    assert b"content-type" not in heads[0].lower()
