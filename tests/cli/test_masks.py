"""A mask is no password: what a command has written is read again without one, and an empty password is shown empty."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.cli.terminal import caret
from anyurl.url import URL
from tests.cli.runner import records, run
from tests.servers import Connection, Server

pytestmark = pytest.mark.promise("refusal")

NOTE = "is a mask, not the password"


def ftp(connection: Connection) -> None:
    """A server that wants a login, and takes none."""
    connection.send(b"220 hi\r\n")
    while line := connection.line():
        connection.send(b"331 and the password?\r\n" if line.startswith(b"USER") else b"530 no\r\n")


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(ftp) as server:
        yield server


COMMANDS: dict[str, Callable[[str], tuple[list[str], bytes]]] = {
    "get": lambda url: (["get", url], b""),
    "get -o": lambda url: (["get", "-o", "-", url], b""),
    "get --from": lambda url: (["get", "--from", "-"], f"{url}\n".encode()),
    "get --from, JSON": lambda url: (["get", "--from", "-"], json.dumps({"url": url, "origin": None}).encode()),
    "ls": lambda url: (["ls", url], b""),
    "stat": lambda url: (["stat", url], b""),
    "put": lambda url: (["put", url, "-"], b"x"),
    "append": lambda url: (["append", url, "-"], b"x"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_mask_is_never_sent_as_a_password(name: str, server: Server) -> None:
    args, given_ = COMMANDS[name](f"ftp://joe:***@{server.authority}/a")
    result = run(*args, input=given_)
    assert result.exit_code != 0
    assert b"***" not in b"".join(server.received)
    assert not any(b"PASS" in octets for octets in server.received)
    assert NOTE in result.stderr or "JSON" in name


def test_a_password_of_asterisks_may_be_written_in_another_way(server: Server) -> None:
    run("get", f"ftp://joe:%2A%2A%2A@{server.authority}/a")
    assert b"PASS ***" in b"".join(server.received)


def test_a_mirror_does_not_send_it_either(server: Server, tmp_path: Path) -> None:
    result = run("mirror", f"ftp://joe:***@{server.authority}/a/", str(tmp_path / "copy"))
    assert NOTE in result.stderr
    assert not any(b"PASS" in octets for octets in server.received)


def test_what_find_and_fix_wrote_goes_back_in_without_it(server: Server) -> None:
    text = f"see <URL:ftp://joe:s3cret@{server.authority}/a>"
    found = run("find", "-", input=text.encode()).stdout
    assert ":***@" in found
    assert NOTE in run("get", "--from", "-", input=found.encode()).stderr
    fixed = run("fix", f"ftp://joe:s3cret@{server.authority}/a b").stdout.strip()
    assert ":***@" in fixed
    assert NOTE in run("get", fixed).stderr
    assert not any(b"PASS" in octets for octets in server.received)


EMPTY = "ftp://foo:@host.com/"


def test_an_empty_password_is_shown_empty() -> None:
    assert URL(EMPTY).masked == EMPTY
    (parsed,) = records(run("parse", "--json", EMPTY))
    assert (parsed["text"], parsed["password"], parsed["user"]) == (EMPTY, "", "foo")
    (found,) = records(run("find", "--json", "-", input=f"<URL:{EMPTY}>".encode()))
    assert (found["url"], found["raw"]) == (EMPTY, EMPTY)
    assert "password  (empty)" in run("parse", EMPTY).stdout
    drawn = run("explain", EMPTY).stdout
    assert drawn.startswith(EMPTY)
    assert "*" not in drawn
    assert "host host.com, user foo, password (empty), port 21, path /" in drawn


def test_only_the_empty_one_is_shown() -> None:
    for text in ("ftp://foo:x@host.com/", "ftp://foo:%00@host.com/", "ftp://foo:@bar@host.com/", "ftp://:x@h/"):
        for shown in (caret.masked(text), caret.masked_everywhere(f"in {text}"), run("explain", text).stdout):
            assert "***" in shown


@given(st.text("abc:@/?#%+", max_size=12))
def test_no_letter_of_a_password_is_shown(password: str) -> None:
    text = f"ftp://u:Q{password}@host.com/"
    assert "Q" not in caret.masked(text)
    assert "Q" not in caret.masked_everywhere(text)
