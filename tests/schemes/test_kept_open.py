"""Servers that leave it to the client to close: a proved end ends at once, and silence ends what looks ended."""

from __future__ import annotations

import gzip
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.world.certificate import self_signed, server_context
from tests.cli.runner import run
from tests.servers import Connection, Server

IDENTITY = self_signed("an end")
AT_ONCE = 1.0
"""Seconds that an end may take that is proved."""


def says(data: bytes) -> Callable[[Connection], None]:
    """One line in, these octets out; then the client closes."""

    def part(connection: Connection) -> None:
        connection.line()
        connection.send(data)
        connection.line()

    return part


def closes_tls(data: bytes) -> Callable[[Connection], None]:
    """The end of TLS, and of nothing else."""

    def part(connection: Connection) -> None:
        connection.line()
        connection.send(data)
        assert isinstance(connection.sock, ssl.SSLSocket)
        connection.sock.setblocking(False)
        try:
            connection.sock.unwrap()
        except OSError:
            pass
        time.sleep(3)

    return part


@contextmanager
def timed(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds


MENU = b"0a\ta\th\t70\r\n"
ROWS = [
    ("a text", "get", "gopher", "0a", says(b"one\r\ntwo\r\n.\r\n"), b"one\ntwo\n"),
    ("an empty text", "get", "gopher", "0a", says(b".\r\n"), b""),
    ("a text of bare LF", "get", "gopher", "0a", says(b"one\n.\n"), b"one\n"),
    ("a text over TLS", "get", "gophers", "0a", says(b"one\r\n.\r\n"), b"one\n"),
    ("a menu", "list", "gopher", "1", says(MENU + b".\r\n"), ["a"]),
    ("an empty menu", "list", "gopher", "1", says(b".\r\n"), []),
    ("results", "list", "gopher", "7a%09b", says(MENU + b".\r\n"), ["a"]),
    ("a length", "get", "gopher", "9a%09%09+", says(b"+3\r\none"), b"one"),
    ("no octets", "get", "gopher", "9a%09%09+", says(b"+0\r\n"), b""),
    ("a text with a length", "get", "gopher", "0a%09%09+", says(b"+5\r\none\r\n"), b"one\r\n"),
    ("a menu with a length", "list", "gopher", "1a%09%09+", says(b"+%d\r\n" % len(MENU) + MENU), ["a"]),
    ("a text with a dot announced", "get", "gopher", "0a%09%09+", says(b"+-1\r\none\r\n.\r\n"), b"one\n"),
    ("a menu with a dot announced", "list", "gopher", "1a%09%09+", says(b"+-1\r\n" + MENU + b".\r\n"), ["a"]),
    ("attributes", "list", "gopher", "1a%09%09$", says(b"+-1\r\n+INFO: " + MENU + b".\r\n"), ["a"]),
    ("a page", "get", "gemini", "", closes_tls(b"20 text/gemini\r\n=> a A\r\n"), b"=> a A\r\n"),
    ("links", "list", "gemini", "", closes_tls(b"20 text/gemini\r\n=> a A\r\n"), ["a"]),
]


@pytest.mark.parametrize(
    ("verb", "scheme", "path", "part", "whole"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_an_end_that_is_proved_is_the_end_at_once(
    verb: str, scheme: str, path: str, part: Callable[[Connection], None], whole: object, tmp_path: Any
) -> None:
    context = None if scheme == "gopher" else server_context(*IDENTITY)
    trusted = tmp_path / "ca.pem"
    trusted.write_bytes(IDENTITY[0])
    with (
        Server(part, context=context) as server,
        Client(Policy.open(), ca_file=trusted) as client,
        timed(AT_ONCE),
    ):
        resource = getattr(client, verb)(f"{scheme}://{server.authority}/{path}")
        found = [entry.name for entry in resource.entries()] if verb == "list" else resource.read()
        assert found == whole
        assert list(resource.notes) == []


# --- silence ---------------------------------------------------------------------------------------------------------

LF_LINES = b"5\tfive\tme\t\t<5@h>\t\t9\t1\n6\tsix\tme\t\t<6@h>\t\t9\t1\n.\n"
"""Of a server that ends its replies with CR LF."""


def news(block: bytes, *more: bytes, pause: float = 0.0, heard: list[bytes]) -> Callable[[Connection], None]:
    """An overview, an article, or the capabilities with these lines; then after a pause more of them."""

    def part(connection: Connection) -> None:
        connection.send(b"200 hello\r\n")
        while line := connection.line():
            heard.append(line)
            if line.startswith((b"OVER", b"ARTICLE")):
                connection.send((b"224 these\r\n" if line.startswith(b"OVER") else b"220 5 <a@b>\r\n") + block)
                for piece in more:
                    time.sleep(pause)
                    connection.send(piece)
            elif line.startswith(b"GROUP"):
                connection.send(b"211 2 5 6 g\r\n")
            elif line.startswith(b"CAPABILITIES"):
                connection.send(b"101 these\r\nVERSION 2\nREADER\nOVER\n.\r\n")
            else:
                connection.send(b"500 no\r\n")

    return part


def test_a_news_server_whose_lines_end_with_lf_is_not_waited_for() -> None:
    heard: list[bytes] = []
    with Server(news(LF_LINES, heard=heard)) as server, Client(Policy.open()) as client:
        with timed(5):
            resource = client.list(f"nntp://{server.authority}/g")
            assert [entry.title for entry in resource.entries()] == ["five", "six"]
        assert len([note for note in resource.notes if "ends replies with CR LF" in note]) == 1
        # The connection is not kept: what comes later on it could be anything.
        before = len(server.received)
        list(client.list(f"nntp://{server.authority}/g").entries())
        assert len(server.received) == before + 1


FORGED = b"A: b\r\n\r\nan article with\n.\n"
"""An article whose text looks ended, for who takes a bare LF for a line end."""


@pytest.mark.parametrize("pause", [0.0, 2.0])
def test_a_reply_that_an_article_forges_is_never_read(pause: float) -> None:
    heard: list[bytes] = []
    rest = b"220 5 <a@b>\r\nforged\r\n.\r\n"
    part = news(FORGED, rest, pause=pause, heard=heard)
    with Server(part) as server, Client(Policy.open()) as client:
        first = client.get(f"nntp://{server.authority}/g/5")
        content = first.read()
        if pause:
            assert (content, "more may be missing" in first.notes[0]) == (FORGED.removesuffix(b".\n"), True)
        else:
            assert (content, list(first.notes)) == (FORGED + rest.removesuffix(b".\r\n"), [])
        again = client.get(f"nntp://{server.authority}/g/5").read()
        assert again == content


def test_a_file_that_ends_by_silence_is_saved_with_the_note_and_marked_in_an_archive(tmp_path: Any) -> None:
    saved, archive = tmp_path / "saved", tmp_path / "a.warc"
    with Server(news(FORGED, heard=[])) as server:
        done = run("get", "--allow-private", "-o", str(saved), "--warc", str(archive), f"nntp://{server.authority}/g/5")
    assert (done.exit_code, done.stderr.startswith("anyurl: note: the server ends replies with CR LF")) == (0, True)
    assert saved.read_bytes() == FORGED.removesuffix(b".\n")
    assert b"WARC-Truncated: unspecified" in gzip.decompress(archive.read_bytes())


def test_what_follows_an_end_by_silence_is_asked_on_another_connection() -> None:
    heard: list[list[bytes]] = []

    def part(connection: Connection) -> None:
        heard.append([])
        connection.send(b"200 hello\r\n")
        while line := connection.line():
            heard[-1].append(line.split()[0] + line.split()[-1])
            if line.startswith(b"LIST NEWSGROUPS"):
                connection.send(b"215 these\r\na.b\tA\n.\n")
            elif line.startswith(b"LIST ACTIVE"):
                connection.send(b"215 these\r\na.b 2 1 y\r\n.\r\n")
            else:
                connection.send(b"500 no\r\n")

    with Server(part) as server, Client(Policy.open()) as client:
        resource = client.list(f"news://{server.authority}/*")
        assert [(entry.name, entry.title) for entry in resource.entries()] == [("a.b", "A")]
    asked = [[each for each in lines if each.startswith(b"LIST")] for lines in heard]
    assert asked == [[b"LIST*"], [b"LIST*"]]


def test_a_connection_that_closes_behind_what_looks_ended_is_cut() -> None:
    def part(connection: Connection) -> None:
        connection.send(b"200 hello\r\n")
        while line := connection.line():
            if line.startswith(b"ARTICLE"):
                connection.send(b"220 5 <a@b>\r\n" + FORGED)
                return
            connection.send(b"211 2 5 6 g\r\n" if line.startswith(b"GROUP") else b"500 no\r\n")

    with Server(part) as server:
        done = run("get", "--allow-private", f"nntp://{server.authority}/g/5")
    assert (done.exit_code, "before the lone dot" in done.stderr) == (7, True)


# --- the status alone ------------------------------------------------------------------------------------------------


def test_a_check_needs_the_status_only(tmp_path: Any) -> None:
    page = tmp_path / "page.md"
    with Server(says(b"20 text/gemini\r\n=> a"), context=server_context(*IDENTITY)) as server, timed(5):
        page.write_text(f"[a](gemini://{server.authority}/)\n")
        done = run("check", "--allow-private", str(page), env={"HOME": str(tmp_path)})
    assert done.exit_code == 0, done.output
