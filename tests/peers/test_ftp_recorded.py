"""What goes over the wire, octet for octet: the table of RFC 1738 3.2.2 as a server sees it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from anyurl.client.client import Client
from anyurl.dialogue import Secret, Verb
from anyurl.errors import (
    AccessError,
    AuthRequiredError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    SecretNeededError,
    Truncated,
)
from anyurl.guard.policy import Policy
from anyurl.schemes.ftp.wire.fake_server import FILE
from anyurl.schemes.kit import line_session
from tests.peers.ftp_servers import HOST, Recording

Start = Callable[..., Recording]
LOGIN = [b"USER anonymous", b"PASS anonymous@"]


@pytest.fixture
def start() -> Iterator[Start]:
    servers: list[Recording] = []

    def begin(answers: dict[bytes, bytes] | None = None, **how: Any) -> Recording:
        servers.append(Recording(answers, **how))
        return servers[-1]

    yield begin
    for server in servers:
        server.close()


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """One that takes no server of a busy machine, silent for some seconds, for one that waits for TLS."""
    monkeypatch.setattr(line_session, "PROBE_SECONDS", 60.0)
    with Client(Policy.open()) as client:
        yield client


def around(name: bytes, type_: bytes = b"I") -> list[bytes]:
    size = [b"SIZE " + name] if type_ == b"I" else []
    return [b"TYPE " + type_, *size, b"MDTM " + name, b"EPSV", b"RETR " + name]


TABLE: list[tuple[str, str, str, list[bytes]]] = [
    ("ftp://h/etc/motd", "file", "etc/motd", [b"CWD etc", *around(b"motd")]),
    ("ftp://h/%2Fetc/motd", "file", "%2Fetc/motd", [b"CWD /etc", *around(b"motd")]),
    ("ftp://h//etc/motd", "file", "/etc/motd", [b"CWD ", b"CWD etc", *around(b"motd")]),
    ("ftp://h/a%2Fb/c;type=a", "file", "a%2Fb/c;type=a", [b"CWD a/b", *around(b"c", b"A")]),
    ("ftp://h/pub/x;type=d", "names", "pub/x;type=d", [b"CWD pub", b"EPSV", b"NLST x"]),
    ("ftp://h", "directory", "", [b"FEAT", b"EPSV", b"MLSD"]),
    ("ftp://h/a/", "directory", "a/", [b"CWD a", b"FEAT", b"EPSV", b"MLSD"]),
    ("a .. segment is a CWD argument", "file", "a/../b/x", [b"CWD a", b"CWD ..", b"CWD b", *around(b"x")]),
    ("; ? and spaces decoded", "file", "a%3Bb?/c%20d", [b"CWD a;b?", *around(b"c d")]),
    ("octets decoded", "file", "%E9/%09%1B", [b"CWD \xe9", *around(b"\t\x1b")]),
    ("0xFF doubled", "file", "%FF", around(b"\xff\xff")),
    ("UTF-8", "file", "%C3%BC", [b"FEAT", b"OPTS UTF8 ON", *around(b"\xc3\xbc")]),
    ("a suffix of text", "file", "x.txt", [b"SYST", *around(b"x.txt")]),
]


@pytest.mark.parametrize(("holds", "path", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_server_sees(start: Start, client: Client, holds: str, path: str, expected: list[bytes]) -> None:
    server = start(holds=holds)
    with client.open(f"ftp://{HOST}:{server.port}/{path}") as resource:
        if resource.kind == "listing":
            assert [entry.name for entry in resource.entries()] == ["README", "pub"]
        else:
            assert resource.read() == FILE
    assert [bytes(octets) for octets in server.received] == [b"".join(line + b"\r\n" for line in LOGIN + expected)]


LOGINS: list[tuple[str, str, list[bytes]]] = [
    ("no user", "", [b"USER anonymous", b"PASS me@example.org"]),
    ("a user whose password is asked for", "user@", [b"USER user", b"PASS asked"]),
    ("an empty user", "@", [b"USER ", b"PASS "]),
    ("an empty password", "u:@", [b"USER u", b"PASS "]),
    ("both", "u:p%2F@", [b"USER u", b"PASS p/"]),
]


@pytest.mark.parametrize(("userinfo", "expected"), [row[1:] for row in LOGINS], ids=[row[0] for row in LOGINS])
def test_the_login_that_the_server_sees(start: Start, userinfo: str, expected: list[bytes]) -> None:
    server = start()
    asked: list[tuple[str, str, str]] = []

    def ask(host: str, user: str, kind: str) -> Secret:
        asked.append((host, user, kind))
        return Secret("asked")

    with Client(Policy.open(), identity="me@example.org", ask_secret=ask) as client:
        assert client.open(f"ftp://{userinfo}{HOST}:{server.port}/x").read() == FILE
    assert server.lines[:2] == expected
    assert asked == ([(HOST, "user", "ftp password")] if userinfo == "user@" else [])


def test_nothing_is_asked_for_when_the_server_wants_no_password(start: Start) -> None:
    server = start({b"USER": b"230 come in\r\n"})
    with Client(Policy.open(), ask_secret=lambda *_: pytest.fail("asked")) as client:
        assert client.open(f"ftp://user@{HOST}:{server.port}/x").read() == FILE


def test_without_anybody_to_ask_it_is_said(start: Start, client: Client) -> None:
    server = start()
    with pytest.raises(SecretNeededError):
        client.open(f"ftp://user@{HOST}:{server.port}/x")
    assert server.lines == [b"USER user"]


@pytest.mark.parametrize(("verb", "command"), [("put", b"STOR x"), ("append", b"APPE x")])
def test_what_is_written_arrives(start: Start, client: Client, verb: Verb, command: bytes) -> None:
    server = start()
    url = f"ftp://{HOST}:{server.port}/pub/x"
    content = bytes(range(256)) * 4000
    resource = client.put(url, content) if verb == "put" else client.append(url, content)
    assert resource.size == len(content)
    assert server.uploaded == [content]
    assert server.lines == [*LOGIN, b"CWD pub", b"TYPE I", b"EPSV", command]


def test_what_is_written_as_text_has_network_line_ends(start: Start, client: Client) -> None:
    server = start()
    client.put(f"ftp://{HOST}:{server.port}/x;type=a", b"a\nb\n")
    assert server.uploaded == [b"a\r\nb\r\n"]


def test_kept_connections_are_used_again_only_where_that_is_safe(start: Start, client: Client) -> None:
    server = start()
    base = f"ftp://{HOST}:{server.port}/"
    for path in ("a/x", "a/y", "a/b/z", "a/y"):
        assert client.open(base + path).read() == FILE
    first, second = (bytes(octets).split(b"\r\n")[:-1] for octets in server.received)
    assert first == [
        *LOGIN, b"CWD a", b"TYPE I", b"SIZE x", b"MDTM x", b"EPSV", b"RETR x",
        b"SIZE y", b"MDTM y", b"EPSV", b"RETR y",
        b"CWD b", b"SIZE z", b"MDTM z", b"EPSV", b"RETR z", b"QUIT",
    ]  # fmt: skip
    # From a/b nothing leads to a (RFC 1738 3.2.5): "CWD .." is a guess about somebody else's file system.
    assert second == [*LOGIN, b"CWD a", *around(b"y")]


def test_logins_never_share_a_connection(start: Start, client: Client) -> None:
    server = start()
    for userinfo in ("", "u:p@", "u:q@", "v:p@"):
        client.open(f"ftp://{userinfo}{HOST}:{server.port}/x").read()
    assert len(server.received) == 4


def test_an_asked_password_is_not_lent_to_the_next_who_comes(start: Start) -> None:
    server = start()
    with Client(Policy.open(), ask_secret=lambda *_: Secret("s")) as client:
        for _ in range(2):
            client.open(f"ftp://u@{HOST}:{server.port}/x").read()
    assert len(server.received) == 2
    # QUIT is sent, but not waited for.
    assert server.lines.count(b"PASS s") == 2


def test_g7_a_227_that_names_another_host_is_not_followed(start: Start, client: Client) -> None:
    server = start({b"EPSV": b"502 no\r\n", b"PASV": b"227 Entering (10,9,8,7,192,0)\r\n"})
    assert client.open(f"ftp://{HOST}:{server.port}/x").read() == FILE
    assert server.lines[-2:] == [b"PASV", b"RETR x"]


@pytest.mark.parametrize("port", [0, 21, 22, 1023, 3306, 6379])
def test_g8_a_data_port_of_another_service_is_refused(start: Start, client: Client, port: int) -> None:
    server = start({b"EPSV": b"229 (|||%d|)\r\n" % port})
    with pytest.raises((RefusedError, RemoteProtocolError)):
        client.open(f"ftp://{HOST}:{server.port}/x")
    assert b"RETR x" not in server.lines


@pytest.mark.parametrize("path", ["a%0D%0ADELE%20b", "a%0Ab/c", "%00"])
@pytest.mark.parametrize("verb", ["get", "list", "stat", "put", "append"])
def test_g10_nothing_reaches_the_server_of_a_url_that_would_end_a_command(
    start: Start, client: Client, verb: Verb, path: str
) -> None:
    server = start()
    with pytest.raises(RefusedError):
        client.open(f"ftp://{HOST}:{server.port}/{path}", verb, source=b"" if verb in ("put", "append") else None)
    assert server.received == []


def test_a_refused_empty_cwd_can_be_left_out(start: Start) -> None:
    server = start({b"CWD ": b"550 No.\r\n"})
    with Client(Policy.open()) as client, pytest.raises(NotFoundError, match="lenient=True"):
        client.open(f"ftp://{HOST}:{server.port}//etc/motd")
    with Client(Policy.open(), lenient=True) as client:
        assert client.open(f"ftp://{HOST}:{server.port}//etc/motd").read() == FILE
    said = [line for line in server.lines if line != b"QUIT"]  # heard or not when the client is closed
    assert said[-6:] == [b"CWD etc", *around(b"motd")]


def test_c4_a_transfer_that_the_server_calls_broken_is_no_success(start: Start, client: Client) -> None:
    server = start({b"RETR": b"150 Here.\r\n426 Aborted.\r\n"})
    resource = client.open(f"ftp://{HOST}:{server.port}/x")
    with pytest.raises(Truncated, match="426 Aborted"):
        resource.read()


def test_c1_fewer_octets_than_announced_are_no_success(start: Start, client: Client) -> None:
    server = start({b"SIZE": b"213 1000\r\n"})
    resource = client.open(f"ftp://{HOST}:{server.port}/x")
    with pytest.raises(Truncated) as caught:
        resource.read()
    assert (caught.value.received, caught.value.expected) == (len(FILE), 1000)


def test_a_login_refused_names_no_password(start: Start, client: Client) -> None:
    server = start({b"PASS": b"530 hunter2 is not it\r\n"})
    with pytest.raises(AuthRequiredError) as caught:
        client.open(f"ftp://u:hunter2@{HOST}:{server.port}/x")
    assert "hunter2" not in f"{caught.value!r} {caught.value} {caught.value.url} {caught.value.text}"


def test_a_server_that_closes_kept_connections_is_asked_again(start: Start, client: Client) -> None:
    server = start({b"SIZE again": b"421 Idle too long.\r\n"})
    base = f"ftp://{HOST}:{server.port}/"
    assert client.open(base + "x").read() == FILE
    with pytest.raises(Exception, match="421 Idle"):
        client.open(base + "again")
    # The kept connection said 421 and was replaced; the fresh one said it too, and that counts.
    assert len(server.received) == 2


def test_f10_failing_transfers_leave_no_connection_behind(start: Start, client: Client) -> None:
    bad = [
        start({b"RETR": b"150 Here.\r\n426 Aborted.\r\n"}),
        start({b"SIZE": b"213 1000\r\n"}),
        start({b"USER": b"530 No.\r\n"}),
        start({b"TYPE": b"\x80\x81\r\n"}),
        start({b"EPSV": b"229 (|||0|)\r\n"}),
    ]
    good = start()

    ports = {server.port for server in (*bad, good)}

    def open_connections() -> int:
        for server in bad:
            with pytest.raises(AccessError):
                client.open(f"ftp://{HOST}:{server.port}/x").read()
        assert client.open(f"ftp://{HOST}:{good.port}/x").read() == FILE
        return len([fd for fd in os.listdir("/proc/self/fd") if _peer_port(int(fd)) in ports])

    # What stays is the kept connection to the good server.
    assert [open_connections() for _ in range(3)] == [1, 1, 1]


def _peer_port(fd: int) -> int | None:
    try:
        copy = os.dup(fd)
    except OSError:  # the descriptor that listed them
        return None
    try:
        sock = socket.socket(fileno=copy)
    except OSError:  # it is no socket
        os.close(copy)
        return None
    with sock:
        try:
            address = sock.getpeername()
        except OSError:
            return None
    return address[1] if isinstance(address, tuple) else None
