"""Servers that leave it to the client to close: a proved end ends at once, and silence ends what looks ended."""

from __future__ import annotations

import gzip
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from anyurl import AnyURLError, Client, Policy, consent_to_all
from anyurl.schemes.wais.wire.messages import WaisMessage
from anyurl.schemes.wais.wire.records import hit, search_response
from anyurl.world.certificate import self_signed, server_context
from tests.cli.runner import run
from tests.clocks import Slow, anew, delay
from tests.schemes.mailto.mail_script import Script
from tests.servers import Connection, Server, free_port

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
    """Raises Slow after more than that; what uses it is played anew."""
    started, waited = time.monotonic(), delay()
    yield
    if time.monotonic() - started - (delay() - waited) >= seconds:
        raise Slow


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
@anew
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


# --- servers that leave everything open ------------------------------------------------------------------------------


def talks(greeting: bytes, replies: dict[bytes, bytes], otherwise: bytes) -> Callable[[Connection], None]:
    """Replies by the first word, another one to all else, and none to QUIT."""

    def part(connection: Connection) -> None:
        connection.send(greeting)
        while line := connection.line():
            if line[:4] != b"QUIT":
                connection.send(replies.get(line.split()[0], otherwise))

    return part


def transfers(data: bytes, *, size: bool = True) -> Callable[[Connection], None]:
    """An FTP server that says that it closes the data connection (226), and does not."""

    def part(connection: Connection) -> None:
        known = {b"USER": b"230 in\r\n", b"TYPE": b"200 ok\r\n", b"CWD": b"250 ok\r\n"}
        known |= {b"SIZE": b"213 %d\r\n" % len(data)} if size else {}
        held: list[socket.socket] = []
        connection.send(b"220 small\r\n")
        while line := connection.line():
            verb = line.split()[0]
            if verb == b"EPSV":
                listener = socket.create_server(("127.0.0.1", 0))
                held.append(listener)
                connection.send(b"229 (|||%d|)\r\n" % listener.getsockname()[1])
            elif verb in (b"RETR", b"NLST", b"LIST"):
                connection.send(b"150 here\r\n")
                held.append(held[-1].accept()[0])
                held[-1].sendall(data)
                connection.send(b"226 closing the data connection\r\n")
            elif verb != b"QUIT":
                connection.send(known.get(verb, b"502 no\r\n"))
        for each in held:
            each.close()

    return part


def answers(reply: bytes) -> Callable[[Connection], None]:
    """The same to each request of HTTP."""

    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply)

    return part


def hits(connection: Connection) -> None:
    """One of WAIS."""
    found = hit(b"\1\1x", score=9, length=1, lines=1, types=[b"TEXT"], source=b"s", date=b"0", headline=b"a")
    while connection.take(25):
        connection.send(WaisMessage(search_response([found], status=0).octets()).octets())
        connection.drain()


DEFINED = b'150 1 found\r\n151 "x" a "A"\r\ntext\r\n.\r\n250 ok\r\n'
ARTICLE = b"220 5 <a@b>\r\nA: b\r\n\r\ntext\r\n.\r\n"
NAMES = b"-rw-r--r-- 1 a a 5 Jan 01 2020 a\r\n"
SILENT = [
    ("a definition", "get", "dict", "d:x", talks(b"220 hi <1@h>\r\n", {b"DEFINE": DEFINED}, b"250 ok\r\n"),
     b"From A [a]:\r\n\r\ntext\r\n"),
    ("an article", "get", "news", "a@b", talks(b"200 hi\r\n", {b"ARTICLE": ARTICLE}, b"500 no\r\n"),
     b"A: b\r\n\r\ntext\r\n"),
    ("a length of http", "get", "http", "a", answers(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"), b"one"),
    ("the last chunk", "get", "http", "a",
     answers(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"), b"one"),
    ("a file of a size", "get", "ftp", "a", transfers(b"one"), b"one"),
    ("an empty file", "get", "ftp", "a", transfers(b""), b""),
    ("a file", "get", "ftp", "a", transfers(b"one", size=False), b"one"),
    ("a text", "get", "ftp", "a;type=a", transfers(b"one\r\n"), b"one\n"),
    ("a directory", "list", "ftp", "", transfers(NAMES), ["a"]),
    ("hits", "list", "wais", "db?x", hits, ["a"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "scheme", "path", "part", "whole"), [row[1:] for row in SILENT], ids=[row[0] for row in SILENT]
)
@anew
def test_a_server_that_leaves_everything_open_is_not_waited_for(
    verb: str, scheme: str, path: str, part: Callable[[Connection], None], whole: object
) -> None:
    with Client(Policy.open()) as warm, pytest.raises(AnyURLError):  # what is imported is no wait
        getattr(warm, verb)(f"{scheme}://127.0.0.1:{free_port()}/{path}")
    with Server(part) as server, timed(AT_ONCE), Client(Policy.open()) as client:
        resource = getattr(client, verb)(f"{scheme}://{server.authority}/{path}")
        found = [entry.name for entry in resource.entries()] if verb == "list" else resource.read()
        assert found == whole
        assert list(resource.notes) == []


@anew
def test_a_mail_server_that_says_no_goodbye_is_not_waited_for() -> None:
    script = Script(replies={"QUIT": b"250-"})
    with Server(script.play) as server, timed(AT_ONCE):
        with Client(mail_server=server.authority, mail_from="me@b.example", ask_consent=consent_to_all) as client:
            client.append("mailto:a@b.example", b"text")
    assert len(script.messages) == 1


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


@anew
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


@pytest.mark.parametrize("pause", [0.0, 2.0])
def test_a_reply_that_a_definition_forges_is_never_read(pause: float) -> None:
    """A lone dot between bare LFs, and what looks like the reply behind it, are text of the dictionary."""

    def part(connection: Connection) -> None:
        connection.send(b"220 hi <1@h>\r\n")
        while line := connection.line():
            if line.startswith(b"DEFINE"):
                connection.send(b'150 1 found\r\n151 "x" a "A"\r\none\n.\n250 ok\n')
                time.sleep(pause)
                connection.send(b'151 "x" b "B"\ntwo\r\n.\r\n250 ok\r\n')
            elif not line.startswith(b"QUIT"):
                connection.send(b"250 ok\r\n")

    with Server(part) as server, Client(Policy.open()) as client:
        for _ in range(2):
            text = client.get(f"dict://{server.authority}/d:x").read()
            assert text == b'From A [a]:\r\n\r\none\n.\n250 ok\n151 "x" b "B"\ntwo\r\n'


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


@anew
def test_a_check_needs_the_status_only(tmp_path: Any) -> None:
    page = tmp_path / "page.md"
    with Server(says(b"20 text/gemini\r\n=> a"), context=server_context(*IDENTITY)) as server, timed(5):
        page.write_text(f"[a](gemini://{server.authority}/)\n")
        done = run("check", "--allow-private", str(page), env={"HOME": str(tmp_path)})
    assert done.exit_code == 0, done.output
