"""What the verbs have in common: notes, logins, the grammar that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl.world import World, tree
from tests.cli.runner import run
from tests.servers import Connection, Server, reply

ENTRY = ["name", "url", "kind", "size", "modified", "title", "type", "score", "attributes", "origin", "grammar"]
RESOURCE = ["url", "kind", "type", "size", "modified", "charset", "etag", "attributes", "history", "saved"]


MENU = b"1a\t/a\thost\t70\r\n.\r\nmore\r\n"


@pytest.mark.parametrize(
    ("command", "scheme", "answer", "note"),
    [
        (["stat"], "http", reply(b"x", status="405 No"), "the server answered HEAD with 405"),
        (["ls"], "gopher", MENU, "a line of the menu is not understood; it is: “.”"),
        (["get"], "gopher", MENU, "a line of the menu is not understood; it is: “.”"),
        (["search"], "gopher", MENU, "a line of the menu is not understood; it is: “.”"),
    ],
)
def test_what_is_to_be_noted_is_said_beside_what_is_found(
    command: list[str], scheme: str, answer: bytes, note: str
) -> None:
    def serve(connection: Connection) -> None:
        while head := connection.head() if scheme == "http" else connection.line():
            connection.send(reply(b"x") if head.startswith(b"GET ") else answer)
            if scheme == "gopher":
                return

    path = "7/find" if command == ["search"] else "1/menu"
    words = ["word"] if command == ["search"] else []
    with Server(serve) as server:
        for more in ([], ["--json"]):
            done = run(*command, f"{scheme}://{server.authority}/{path}", *words, *more, "--allow-private")
            assert done.exit_code == 0, done.stderr
            assert done.stdout
            assert done.stderr.startswith(f"anyurl: note: {note}")


def test_a_wrong_password_is_the_servers_no_and_is_not_shown(ftp_user: str) -> None:
    result = run("get", ftp_user.replace(tree.PASSWORD, "s3cret") + "motd.txt")
    assert result.exit_code == 8
    assert "s3cret" not in result.output


def test_without_a_terminal_a_password_that_is_wanted_is_an_error(world: World, tmp_path: Path) -> None:
    url = str(world.roots["ftp"]).replace("ftp://", f"ftp://{tree.USER}@")
    result = run("get", f"{url}motd.txt", env={"HOME": str(tmp_path)})
    assert result.exit_code in (5, 8), result.output
    assert result.stderr.startswith("anyurl: ")


@pytest.mark.parametrize("command", ["get", "ls", "stat", "search", "put", "append"])
def test_a_url_is_read_by_the_grammar_that_is_asked_for(tmp_path: Path, command: str) -> None:
    """RFC 1738 has the user ``a?b`` and the host 127.0.0.1 there, where today's grammar reads no URL at all."""
    file = tmp_path / "x"
    file.write_bytes(b"x")
    arguments = {"search": ["words"], "put": [str(file)], "append": [str(file)]}.get(command, [])
    url = "ftp://a?b:s3cret@127.0.0.1:1/x"
    assert run(command, url, *arguments).exit_code == 3
    result = run(command, "--grammar", "rfc1738", url, *arguments)
    # It is a URL, and judged: nothing is sent to such a port.
    assert (result.exit_code, "port 1 belongs to another service" in result.stderr) == (5, True), result.stderr
    assert "s3cret" not in result.output
    assert run(command, url, *arguments, "--grammar", "rfc2396").exit_code == 2


def test_find_reports_what_the_grammar_accepts() -> None:
    text = b"see http://h.dom/~a and http://h.dom/a.\n"
    assert run("find", input=text).stdout.split() == ["http://h.dom/~a", "http://h.dom/a"]
    assert run("find", "--grammar", "rfc1738", input=text).stdout.split() == ["http://h.dom/a"]
