"""What FTP servers that are full, or want TLS, say no with, and what that means: by each of them, in its own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.errors import DeniedError, NotFoundError, UnavailableError
from tests.peers.farm import JOE
from tests.peers.ftp_more import Proftpd, Pyftpdlib
from tests.peers.ftp_servers import HOST, Certificates, PureFtpd, Vsftpd
from tests.peers.proxies import running
from tests.servers import free_port


def url(port: int, user: str, path: str = "pub/x.bin") -> str:
    return f"ftp://{user}{HOST}:{port}/{path}"


@pytest.mark.parametrize("name", ["vsftpd", "pure-ftpd", "proftpd", "pyftpdlib"])
def test_a_server_that_demands_tls(tmp_path: Path, name: str) -> None:
    """Neither "not found" nor "who are you": the sentence says what helps."""
    known = Certificates(tmp_path)
    with ExitStack() as stack:
        server = stack.enter_context(
            closing(
                Vsftpd(tmp_path, known.certificate)
                if name == "vsftpd"
                else PureFtpd(tmp_path, known.certificate)
                if name == "pure-ftpd"
                else Proftpd(tmp_path, known.certificate)
                if name == "proftpd"
                else Pyftpdlib(tmp_path, tls=known.certificate)
            )
        )
        client = stack.enter_context(Client(Policy.open()))
        for verb in (client.get, client.stat):
            with pytest.raises(DeniedError, match=r"use ftps://") as caught:
                verb(url(server.port, "" if name == "vsftpd" else JOE))
            assert (caught.value.meaning, caught.value.stage) == ("tls", "login")


def test_a_server_that_is_full(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(closing(Pyftpdlib(tmp_path, most=1)))
        first, second = (stack.enter_context(Client(Policy.open())) for _ in range(2))
        held = stack.enter_context(first.get(url(server.port, JOE)))
        with pytest.raises(UnavailableError, match="Fewer connections at a time, or later, may succeed") as caught:
            second.get(url(server.port, JOE))
        assert caught.value.meaning == "connections"
        assert held.read() != b""


def test_forty_of_forty_from_a_server_that_takes_two(tmp_path: Path) -> None:
    """A real one, with commands that go out at once: those that are let in get what the others were refused."""
    with ExitStack() as stack:
        server = stack.enter_context(closing(Pyftpdlib(tmp_path, most=2)))
        for number in range(40):
            (server.root / str(number)).write_bytes(b"%d" % number * 100)
        client = stack.enter_context(Client(Policy.open()))
        urls = [url(server.port, JOE, str(number)) for number in range(40)]
        got = {str(each.url): each.resource and each.resource.read() for each in client.map(urls)}
        assert got == {each: b"%d" % number * 100 for number, each in enumerate(urls)}


NUMBERED = {str(number): b"%d" % number * 100 for number in range(40)}


@contextmanager
def takes_few(name: str, folder: Path, most: int) -> Iterator[int]:
    """A server that takes so many connections from one address; its port."""
    if name == "vsftpd":
        port = free_port()
        settings: dict[str, Any] = {
            "listen": "YES",
            "listen_address": HOST,
            "listen_port": str(port),
            "max_per_ip": str(most),
        }
        server: Vsftpd | PureFtpd = Vsftpd(folder, **settings)
        command = server.command
    else:
        port = free_port()
        server = PureFtpd(folder)
        command = [*server.command, "-S", f"{HOST},{port}", "-C", str(most)]
    with closing(server):
        for file, octets in NUMBERED.items():
            (server.root / file).write_bytes(octets)
        with running(command, port, folder / "none"):
            yield port


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("name", ["vsftpd", "pure-ftpd"])
def test_many_at_once_from_a_server_that_counts_addresses(tmp_path: Path, name: str, most: int) -> None:
    user = "" if name == "vsftpd" else JOE
    with takes_few(name, tmp_path, most) as port, Client(Policy.open()) as client:
        urls = {url(port, user, file): octets for file, octets in NUMBERED.items()}
        assert {str(each.url): each.resource and each.resource.read() for each in client.map(urls, 64)} == urls


def test_what_is_kept_for_one_login_is_not_in_the_way_of_another(tmp_path: Path) -> None:
    with takes_few("vsftpd", tmp_path, 1) as port, Client(Policy.open()) as client:
        # Whoever looked whether it listens may still count.
        assert [each.resource and each.resource.read() for each in client.map([url(port, "", "8")])] == [NUMBERED["8"]]
        for user in ("ftp:a@", "ftp:b@", ""):
            assert client.get(url(port, user, "7")).read() == NUMBERED["7"]


def test_a_server_that_takes_all_is_asked_for_some_at_once(tmp_path: Path) -> None:
    """Not for as many logins as there are transfers: each of the eight is used again."""
    with ExitStack() as stack:
        server = stack.enter_context(closing(Vsftpd(tmp_path)))
        for file, octets in NUMBERED.items():
            (server.root / file).write_bytes(octets)
        client = stack.enter_context(Client(Policy.open()))
        urls = {url(server.port, "", file): octets for file, octets in NUMBERED.items()}
        assert {str(each.url): each.resource and each.resource.read() for each in client.map(urls, 64)} == urls
        assert 1 <= server.connections <= 8


def test_directories_that_an_upload_needs_are_made(tmp_path: Path) -> None:
    with closing(Pyftpdlib(tmp_path)) as server:
        place = url(server.port, JOE, "new/below/x")
        with Client(Policy.open()) as client, pytest.raises(NotFoundError):
            client.put(place, b"abc")
        with Client(Policy.open(), ftp_create_dirs=True) as client:
            for _ in range(2):
                client.put(place, b"abc")
        assert (server.root / "new/below/x").read_bytes() == b"abc"
