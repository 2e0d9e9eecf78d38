"""``ls``, ``stat``, ``search``, ``put``, ``append``: what they write, and what arrives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyurl.world import World, tree
from tests.cli.runner import call, records, run
from tests.servers import Connection, Server, reply

ENTRY = ["name", "url", "kind", "size", "modified", "title", "type", "score", "attributes", "origin", "grammar"]
RESOURCE = ["url", "kind", "type", "size", "modified", "charset", "etag", "attributes", "history", "saved"]


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
    assert "is not a page with links (image/png): use get." in result.stderr


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


MENU = b"1a\t/a\thost\t70\r\n.\r\nmore\r\n"


@pytest.mark.parametrize(
    ("command", "scheme", "answer", "note"),
    [
        (["stat"], "http", reply(b"x", status="405 No"), "the server answered HEAD with 405"),
        (["ls"], "gopher", MENU, "text after the lone dot that ends it was left out"),
        (["get"], "gopher", MENU, "text after the lone dot that ends it was left out"),
        (["search"], "gopher", MENU, "text after the lone dot that ends it was left out"),
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


def test_stat_of_nothing_is_the_servers_no(world: World) -> None:
    assert run("stat", f"{world.roots['http']}nothing").exit_code == 8
    assert run("stat", f"{world.roots['ftp']}nothing").exit_code == 8


def test_put_replaces_and_append_adds_by_ftp(ftp_user: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one\n")
    for verb, expected in (("put", b"one\n"), ("append", b"one\none\n"), ("put", b"one\n")):
        result = run(verb, f"{ftp_user}notes-of-mine", str(file))
        assert (result.exit_code, result.output) == (0, "")
        assert run("get", f"{ftp_user}notes-of-mine").stdout_bytes == expected


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


@pytest.mark.parametrize("status", ["302 Found", "307 Temporary", "308 For ever"])
def test_an_upload_that_is_redirected_is_sent_again(tmp_path: Path, status: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 300_000)
    got: list[tuple[bytes, int]] = []

    def serve(connection: Connection) -> None:
        head = connection.head()
        path, size = head.split(b" ")[1], int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        got.append((path, len(connection.take(size))))
        connection.send(reply(b"", "Location: /there", status=status) if path == b"/here" else reply(status="201 Made"))

    with Server(serve) as server:
        url = f"http://{server.authority}"
        (record,) = records(run("put", f"{url}/here", str(tmp_path / "a.txt"), "--json", "--allow-private"))
    assert got == [(b"/here", 300_000), (b"/there", 300_000)]
    assert (record["url"], record["size"]) == (f"{url}/there", 300_000)


def test_put_and_append_to_a_file(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/new"
    assert run("put", url, "-", input=b"a").exit_code == 0
    assert run("append", url, "-", input=b"b").exit_code == 0
    assert (tmp_path / "new").read_bytes() == b"ab"
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_file_that_can_not_be_read_is_told_before_anything_is_sent(ftp_user: str, tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        result = run("put", f"{ftp_user}never", str(path))
        assert result.exit_code == 9
        assert result.stderr.startswith(f"anyurl: Can't read {path}: ")
    assert run("stat", f"{ftp_user}never").exit_code == 8


def test_a_user_who_may_not_is_told(world: World) -> None:
    result = run("put", f"{world.roots['ftp']}x", "/dev/null")
    assert result.exit_code == 8
    assert "550" in result.stderr


def test_a_wrong_password_is_the_servers_no_and_is_not_shown(ftp_user: str) -> None:
    result = run("get", ftp_user.replace(tree.PASSWORD, "s3cret") + "motd.txt")
    assert result.exit_code == 8
    assert "s3cret" not in result.output


def test_without_a_terminal_a_password_that_is_wanted_is_an_error(world: World, tmp_path: Path) -> None:
    url = str(world.roots["ftp"]).replace("ftp://", f"ftp://{tree.USER}@")
    result = run("get", f"{url}motd.txt", env={"HOME": str(tmp_path)})
    assert result.exit_code in (5, 8), result.output
    assert result.stderr.startswith("anyurl: ")


def test_search_is_a_verb(world: World) -> None:
    result = run("search", str(world.roots["ftp"]), "two", "words")
    assert result.exit_code == 4
    assert "ftp has no 'search'" in result.stderr


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
