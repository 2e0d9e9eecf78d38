"""``get --from``: the lines of a file, and what they may not lead to."""

from __future__ import annotations

import errno
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl.cli.from_file import _lines, read_line
from anyurl.cli.terminal.lines import MAX_LINE
from anyurl.errors import AnyURLError, LocalFileError, URLSyntaxError
from anyurl.values import STRANGER, USER, Provenance, Scope
from anyurl.world import World, tree
from tests.cli.runner import records, run
from tests.rows import each_row
from tests.servers import Connection, Server

LISTING = Provenance("listing", scope=Scope.LOCAL, scheme="ftp", host="127.0.0.1", port=21, user="alice")


def line(**fields: Any) -> str:
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("text", "url", "origin"),
    [
        ("ftp://a.example/", "ftp://a.example/", USER),
        (line(url="ftp://a.example/", origin=LISTING.as_dict()), "ftp://a.example/", LISTING),
        (line(url="ftp://a.example/"), "ftp://a.example/", STRANGER),
        (line(url="ftp://a.example/", origin=None), "ftp://a.example/", STRANGER),
        (line(url="ftp://alice:***@a.example/"), "ftp://alice@a.example/", STRANGER),
        (line(url="ftp://a?b@a.example/", grammar="rfc1738"), "ftp://a?b@a.example/", STRANGER),
    ],
)
def test_a_line(text: str, url: str, origin: Provenance) -> None:
    found, named = read_line(text, "line 1")
    assert (str(found), named) == (url, origin)


@each_row(
    ("text", "error", "words"),
    [
        ("a.example", URLSyntaxError, "scheme"),
        ("{", LocalFileError, "line 1 is not a line of ls, search or find: no JSON"),
        ("{" * 100_000, LocalFileError, "no JSON"),
        ("{}", LocalFileError, "it has no URL"),
        (line(url=None, origin=LISTING.as_dict()), LocalFileError, "it has no URL"),
        (line(url=["ftp://a.example/"]), LocalFileError, "it has no URL"),
        (line(url="ftp://a.example/", origin="user"), LocalFileError, "is not a line of ls, search or find"),
        (line(url="ftp://a.example/", origin={"who": "friend"}), LocalFileError, "'friend' is not one of"),
        (line(url="ftp://a.example/", grammar="rfc9999"), LocalFileError, "there is no grammar 'rfc9999'"),
        (line(url="ftp://a.example/", grammar=["current"]), LocalFileError, "is not a line of ls, search or find"),
        (line(error="Truncated", url="ftp://a.example/"), LocalFileError, "it reports an error"),
        (line(url="a.example", origin=LISTING.as_dict()), URLSyntaxError, "scheme"),
    ],
)
def test_a_line_that_is_none(text: str, error: type[AnyURLError], words: str) -> None:
    with pytest.raises(error, match=words):
        read_line(text, "line 1")


@pytest.fixture
def inner() -> Iterator[Server]:
    def part(connection: Connection) -> None:
        connection.until(b"\n")
        connection.send(b"inner\r\n")

    with Server(part) as server:
        yield server


def test_what_ls_writes_is_got(world: World) -> None:
    listed = run("ls", "--json", f"{world.roots['ftp']}pub/names/").stdout
    assert {json.loads(each)["origin"]["who"] for each in listed.splitlines()} == {"listing"}
    got = run("get", "--from", "-", input=listed.encode())
    names = [json.loads(each)["name"] for each in listed.splitlines()]
    assert (got.exit_code, got.stdout_bytes) == (0, b"".join(tree.tree()[f"pub/names/{name}"] for name in names))
    told = run("get", "--json", "--from", "-", input=listed.encode())
    assert [record["kind"] for record in records(told)] == ["document"] * len(names)


def test_what_search_and_find_write_says_who_named_it(tmp_path: Path) -> None:
    with World(["wais"]) as world:
        hits = records(run("search", "--json", str(world.roots["wais"]), "world"))
    assert {hit["origin"]["who"] for hit in hits} == {"search"}
    (tmp_path / "a").write_text("http://127.0.0.1:9/")
    (plain,) = records(run("find", "--json", str(tmp_path / "a")))
    assert plain["origin"] == STRANGER.as_dict()
    (told,) = records(run("find", "--json", "--came-from", "https://a.example/x", str(tmp_path / "a")))
    assert told["origin"] == {
        "who": "document", "scope": "public", "scheme": "https", "host": "a.example", "port": 443, "user": None,
        "tls": True, "kept": False,
    }  # fmt: skip


@pytest.mark.promise("provenance")
def test_no_line_says_that_it_is_the_users_own(inner: Server) -> None:
    url = f"gopher://{inner.authority}/0x"
    own, forged = line(url=url, origin=USER.as_dict()), line(url=url, origin=LISTING.as_dict())
    assert run("get", "--from", "-", input=own.encode()).exit_code == 0
    result = run("get", "--from", "-", "--came-from", "http://a.example/", input=f"{own}\n{forged}\n{url}".encode())
    assert (result.exit_code, result.stdout, result.stderr.count("Refused:")) == (5, "", 3)
    assert len(inner.received) == 1


@pytest.mark.promise("provenance")
@pytest.mark.parametrize("command", ["get", "ls", "stat", "search", "put", "append"])
def test_came_from_is_for_every_verb(inner: Server, tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_text("x")
    more = {"search": ["words"], "put": [str(tmp_path / "file")], "append": [str(tmp_path / "file")]}.get(command, [])
    url = f"gopher://{inner.authority}/1x"
    for explain in ([], ["--explain"]):
        result = run(command, "--came-from", "http://a.example/", *explain, url, *more)
        assert (result.exit_code, "may not lead there" in result.stderr) == (5, True)
    assert inner.received == []


def test_the_rest_is_got_and_the_first_failure_is_the_code(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    (tmp_path / "two").write_text("2")
    lines = f"# a list\n\nfile://{tmp_path}/one\r\nno URL\nfile://{tmp_path}/none\n  file://{tmp_path}/two  \n"
    (tmp_path / "list").write_text(lines)
    result = run("get", "--from", str(tmp_path / "list"))
    assert (result.exit_code, result.stdout) == (3, "12")
    assert len(result.stderr.splitlines()) > 2


def test_a_session_is_not_opened(inner: Server) -> None:
    result = run("get", "--from", "-", input=f"telnet://{inner.authority}/".encode())
    assert (result.exit_code, "service" in result.stdout, inner.received) == (0, True, [])


@pytest.mark.parametrize(
    "more", [["http://a.example/"], ["-o", "x"], ["--force"], ["--continue"], ["--view", "text/plain"], ["--explain"]]
)
def test_what_is_about_one_url_does_not_go_with_it(more: list[str]) -> None:
    result = run("get", "--from", "-", *more, input=b"")
    assert (result.exit_code, "an option for a single one" in result.stderr) == (2, True)


def test_something_has_to_be_got() -> None:
    assert run("get").exit_code == 2
    assert run("get", "--from", "/nonexistent/list").exit_code == 9
    assert run("get", "--from", "-", "--came-from", "no URL", input=b"").exit_code == 3


@pytest.mark.parametrize(("size", "codes", "got"), [(MAX_LINE, (9, False), "x"), (MAX_LINE + 1, (9, True), "")])
def test_a_line_has_an_end(tmp_path: Path, size: int, codes: tuple[int, bool], got: str) -> None:
    """Attack: what stands behind the limit would be a plain line, which is the user's own."""
    (tmp_path / "x").write_text("x")
    lines = "{".ljust(size - 1, " ") + "\n" + f"file://{tmp_path}/x\n"
    result = run("get", "--from", "-", input=lines.encode())
    assert ((result.exit_code, "is longer than 1,048,576 octets" in result.stderr), result.stdout) == (codes, got)


def test_what_find_read_by_a_grammar_is_got_by_it() -> None:
    """One text, two hosts: the second command goes where the first one said."""
    text = "https://127.0.0.1?@allowed.example/x"
    (found,) = records(run("find", "--json", "--grammar", "rfc1738", "-", input=text.encode()))
    url, _ = read_line(json.dumps(found), "line 1")
    assert (found["grammar"], url.grammar, url.host) == ("rfc1738", "rfc1738", "allowed.example")
    (found,) = records(run("find", "--json", "-", input=text.encode()))
    url, _ = read_line(json.dumps(found), "line 1", "rfc1738")
    assert (found["grammar"], url.grammar, url.host) == ("current", "current", "127.0.0.1")


def test_a_file_that_can_not_be_read_on_is_an_error_with_its_name() -> None:
    class Broken(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise OSError(errno.EIO, "broken")

    with pytest.raises(LocalFileError, match=r"^urls\.txt can't be read: input/output error\.$"):
        list(_lines(Broken(), "urls.txt"))


def test_lines_are_numbered_as_they_stand() -> None:
    octets = b"ftp://a/\n\n# a comment\r\n \t\r\n  ftp://b/ \r\nftp://\xff/"
    assert list(_lines(io.BytesIO(octets), "x")) == [(1, "ftp://a/"), (5, "ftp://b/"), (6, "ftp://\udcff/")]


@pytest.mark.parametrize(("length", "fits"), [(MAX_LINE - 1, True), (MAX_LINE, False)])
def test_a_line_is_no_longer_than_its_limit(length: int, fits: bool) -> None:
    file = io.BytesIO(b"ftp://a/\n" + b"x" * length)
    if fits:
        assert [number for number, _ in _lines(file, "x")] == [1, 2]
    else:
        with pytest.raises(LocalFileError, match=r"^Line 2 of x is longer than"):
            list(_lines(file, "x"))
