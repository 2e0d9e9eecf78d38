"""The FTP server against ftplib and curl: logins, listings, sizes, times, resuming, storing, both passive modes."""

from __future__ import annotations

import errno
import ftplib
import io
import socket
import subprocess
from collections.abc import Iterator

import pytest

from anyurl.world import tree
from anyurl.world.ftp import FtpServer
from tests import needs

pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")


@pytest.fixture(scope="module")
def server() -> Iterator[FtpServer]:
    server = FtpServer()
    yield server
    server.close()


@pytest.fixture
def anonymous(server: FtpServer) -> Iterator[ftplib.FTP]:
    with ftplib.FTP() as client:
        client.connect("127.0.0.1", server.port, timeout=10)
        client.login()
        yield client


@pytest.fixture
def user(server: FtpServer) -> Iterator[ftplib.FTP]:
    with ftplib.FTP() as client:
        client.connect("127.0.0.1", server.port, timeout=10)
        client.login(tree.USER, tree.PASSWORD)
        yield client


def retrieve(client: ftplib.FTP, path: str, rest: int | None = None) -> bytes:
    data = io.BytesIO()
    client.retrbinary(f"RETR {path}", data.write, rest=rest)
    return data.getvalue()


def test_anonymous_reads_the_tree(anonymous: ftplib.FTP) -> None:
    assert {path: retrieve(anonymous, path) for path in tree.tree()} == tree.tree()


def test_mlsd_tells_kinds_sizes_and_times(anonymous: ftplib.FTP) -> None:
    entries = dict(anonymous.mlsd("pub"))
    assert sorted(entries) == ["names", "notes.txt", "picture.png"]
    assert entries["notes.txt"]["size"] == str(len(tree.NOTES.encode()))
    assert entries["notes.txt"]["modify"] == "19941220000000"
    assert entries["names"]["type"] == "dir"


def test_size_mdtm_and_rest(anonymous: ftplib.FTP) -> None:
    picture = tree.picture()
    anonymous.voidcmd("TYPE I")
    assert anonymous.size("pub/picture.png") == len(picture)
    assert anonymous.sendcmd("MDTM pub/picture.png") == "213 19941220000000"
    assert retrieve(anonymous, "pub/picture.png", rest=1000) == picture[1000:]


def test_passive_mode_of_rfc_959_works_as_well_as_epsv(anonymous: ftplib.FTP) -> None:
    assert anonymous.sendcmd("EPSV").startswith("229 ")
    anonymous.af = socket.AF_INET  # ftplib says PASV then
    assert retrieve(anonymous, "motd.txt") == tree.MOTD.encode()


def test_anonymous_changes_nothing(anonymous: ftplib.FTP) -> None:
    for command in ("STOR x", "APPE motd.txt", "DELE motd.txt", "MKD x"):
        with pytest.raises(ftplib.error_perm, match="550"):
            anonymous.sendcmd(command)


def test_the_user_stores_and_appends(user: ftplib.FTP, server: FtpServer) -> None:
    user.storbinary("STOR new.txt", io.BytesIO(b"one\n"))
    user.storbinary("APPE new.txt", io.BytesIO(b"two\n"))
    assert (server.folder / "new.txt").read_bytes() == b"one\ntwo\n"
    user.delete("new.txt")


def test_a_wrong_password_is_refused(server: FtpServer) -> None:
    with ftplib.FTP() as client:
        client.connect("127.0.0.1", server.port, timeout=10)
        with pytest.raises(ftplib.error_perm, match="530"):
            client.login(tree.USER, "wrong")


def test_curl_reads_the_demo_url(server: FtpServer) -> None:
    needs.need("curl")
    done = subprocess.run(["curl", "-sS", str(server.urls["ftp"])], capture_output=True, timeout=20, check=True)
    assert done.stdout.replace(b"\r\n", b"\n") == tree.NOTES.encode()


def test_nothing_is_logged_to_the_terminal(server: FtpServer, capfd: pytest.CaptureFixture[str]) -> None:
    with ftplib.FTP() as client:
        client.connect("127.0.0.1", server.port, timeout=10)
        client.login()
        with pytest.raises(ftplib.error_perm):
            client.cwd("nowhere")
    assert capfd.readouterr() == ("", "")


def test_a_session_that_cannot_begin_leaves_the_listener_open(
    server: FtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(server._server, "handler", fail)
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as refused:
            assert not refused.recv(1)
    with ftplib.FTP() as client:
        assert client.connect("127.0.0.1", server.port, timeout=10).startswith("220")
