"""FTP servers that nobody here wrote (vsftpd, pure-ftpd), and one of ours that writes down every octet it is sent.

Rule: each listens on loopback, on a port that the system chose, for one test; its processes are ended by their id. A
program that is not installed skips the test and is named.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import selectors
import socket
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from anyurl.schemes.ftp.wire.fake_server import FakeFtpServer
from tests.needs import need, program
from tests.servers import WAIT_SECONDS

HOST = "127.0.0.1"
DATA_PORTS = (49152, 65535)
"""Where the servers are told to open data ports: no other service has one there, so the policy refuses none."""

TREE: dict[bytes, bytes] = {
    b"pub/x.bin": bytes(range(256)) * 40,
    b"pub/x.txt": b"one\ntwo\nthree\rfour\n",
    b"pub/a;type=a": b"semicolon",
    b"pub/what?": b"question",
    b"pub/100%41": b"percent",
    b"pub/with  spaces": b"spaces",
    "pub/ü.bin".encode(): b"utf-8",
    b"pub/sub/empty.bin": b"",
    b"pub/sub/deeper/x": b"deep",
    b"motd": b"message of the day",
}
"""What the real servers serve, by path."""


def let_through(folder: Path) -> None:
    """Let every user pass through a folder and those above it, as far as they are of the tests."""
    for above in (folder, *folder.parents):
        if above == Path(tempfile.gettempdir()) or len(above.parts) < 3:
            return
        above.chmod(above.stat().st_mode | 0o711)


def write_tree(root: Path) -> None:
    """Write `TREE` below a folder."""
    for name, content in TREE.items():
        path = os.path.join(os.fsencode(root), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.utime(path, (786_240_000, 786_240_000))


class Accepting:
    """A listener on a free port, and what becomes of each connection.

    Args:
        serve: Called in the listener's thread with each connection; it must not take long.
    """

    def __init__(self, serve: Callable[[socket.socket], None]) -> None:
        self._serve = serve
        self._socket = socket.create_server((HOST, 0))
        self.port: int = self._socket.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._woken in ready:
                    return
                self._serve(self._socket.accept()[0])

    def close(self) -> None:
        """Accept no more."""
        self._wake.send(b".")
        self._thread.join()
        for end in (self._socket, self._wake, self._woken):
            end.close()


class Spawning:
    """Runs a program for each connection, which is its standard input and output, as inetd does.

    Attributes:
        command: What is run.
        port: Where it listens.
        connections: How many there were.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        self.command = argv
        self._children: list[subprocess.Popen[bytes]] = []
        self._listener = Accepting(self._spawn)
        self.port = self._listener.port

    @property
    def connections(self) -> int:
        return len(self._children)

    def _spawn(self, connection: socket.socket) -> None:
        with connection:
            child = subprocess.Popen(self.command, stdin=connection, stdout=connection, stderr=subprocess.DEVNULL)
        self._children.append(child)

    def close(self) -> None:
        """End every process that was started."""
        self._listener.close()
        for child in self._children:
            if child.poll() is None:
                child.terminate()
            try:
                child.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


class Vsftpd(Spawning):
    """vsftpd, for anonymous users, as root or as anybody else; it may be written to.

    Attributes:
        root: The folder that it begins in. Nobody is locked into it, so ``%2F`` is the root of the machine.
    """

    def __init__(self, folder: Path, certificate: Path | None = None, **settings: str) -> None:
        binary = program("vsftpd")
        self.root = folder / "root"
        write_tree(self.root)
        (folder / "empty").mkdir()
        self._log = folder / "vsftpd.log"
        facts = {
            "listen": "NO",
            "background": "NO",
            "run_as_launching_user": "YES",
            "ftp_username": getpass.getuser(),
            "secure_chroot_dir": str(folder / "empty"),
            "seccomp_sandbox": "NO",
            "anonymous_enable": "YES",
            "local_enable": "NO",
            "anon_root": str(self.root),
            "write_enable": "YES",
            "anon_upload_enable": "YES",
            "anon_other_write_enable": "YES",
            "anon_umask": "022",
            "ascii_download_enable": "YES",
            "ascii_upload_enable": "YES",
            "pasv_min_port": str(DATA_PORTS[0]),
            "pasv_max_port": str(DATA_PORTS[1]),
            "vsftpd_log_file": str(self._log),
            "xferlog_enable": "YES",
            "log_ftp_protocol": "YES",
        }
        if certificate is not None:
            facts |= {
                "ssl_enable": "YES",
                "allow_anon_ssl": "YES",
                "force_anon_logins_ssl": "YES",
                "force_anon_data_ssl": "YES",
                "require_ssl_reuse": "YES",
                "ssl_ciphers": "HIGH",
                "rsa_cert_file": str(certificate),
                "rsa_private_key_file": str(certificate),
            }
        config = folder / "vsftpd.conf"
        lines = (f"{key}={value}\n" for key, value in (facts | settings).items())
        config.write_text("".join(lines), encoding="utf-8")
        super().__init__([binary, str(config)])

    def commands(self) -> list[str]:
        """The commands that it logged, in order."""
        text = self._log.read_text(encoding="utf-8", errors="surrogateescape")
        return re.findall(r'FTP command: Client "[^"]*", "(.*)"$', text, re.MULTILINE)


class PureFtpd(Spawning):
    """pure-ftpd, for one virtual user who is locked into his folder; only root can run it."""

    USER = "joe"
    PASSWORD = "s3cret pass"
    # Of that password, and cheap to check: what pure-pw makes takes five seconds at each login.
    HASH = "$5$rounds=1000$anyurl$HVuHelgGAsj0mo.Efk//iQGnZ0S9F0SyqmD7VYJqQaC"
    OWNER = 65534

    def __init__(self, folder: Path, certificate: Path | None = None) -> None:
        binary, pw = program("pure-ftpd"), program("pure-pw")
        need("root")  # it changes its user at login
        self.root = folder / "root"
        write_tree(self.root)
        for path in (self.root, *self.root.rglob("*")):
            os.chown(path, self.OWNER, self.OWNER)
        passwords, database = folder / "passwords", folder / "passwords.pdb"
        account = (self.USER, self.HASH, str(self.OWNER), str(self.OWNER), "", f"{self.root}/./", *[""] * 12)
        passwords.write_text(":".join(account) + "\n", encoding="ascii")
        subprocess.run([pw, "mkdb", database, "-f", passwords], check=True)
        let_through(folder)
        tls = [] if certificate is None else ["--tls=2", f"--certfile={certificate}"]
        ports = f"--passiveportrange={DATA_PORTS[0]}:{DATA_PORTS[1]}"
        super().__init__([binary, "-E", "-H", "-l", f"puredb:{database}", "-u", "1", ports, *tls])


class Recording:
    """An FTP server of ours that does as the ideal one does, over real connections, and keeps every octet it is sent.

    Args:
        answers: Replies by whole command line or by verb, in place of the ideal ones.
        holds: What its URL designates (see `FakeFtpServer`).
        features: What it answers to FEAT.

    Attributes:
        port: Where it listens.
        received: The octets of each control connection, in order.
        uploaded: The octets of each data connection that was written to.
    """

    def __init__(
        self,
        answers: dict[bytes, bytes] | None = None,
        *,
        holds: str = "file",
        features: tuple[str, ...] | None = None,
    ) -> None:
        self._answers = answers or {}
        self._holds = holds
        self._features = features
        self.received: list[bytearray] = []
        self.uploaded: list[bytes] = []
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._listener = Accepting(self._accept)
        self.port = self._listener.port

    @property
    def lines(self) -> list[bytes]:
        """All command lines, without their ends."""
        return [line for octets in self.received for line in bytes(octets).split(b"\r\n")[:-1]]

    def _accept(self, connection: socket.socket) -> None:
        octets = bytearray()
        self.received.append(octets)
        self._open.append(connection)
        thread = threading.Thread(target=self._serve, args=(connection, octets), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self, connection: socket.socket, octets: bytearray) -> None:
        more = {} if self._features is None else {"features": self._features}
        fake_server = FakeFtpServer(self._holds, **more)  # type: ignore[arg-type]
        passive: socket.socket | None = None
        with connection, contextlib.suppress(OSError):
            connection.sendall(fake_server.connected(1))
            rest = b""
            while data := connection.recv(4096):
                octets += data
                *lines, rest = (rest + data).split(b"\r\n")
                for line in lines:
                    passive = self._answer(connection, fake_server, line, passive)
        if passive is not None:
            passive.close()

    def _answer(
        self, connection: socket.socket, fake_server: FakeFtpServer, line: bytes, passive: socket.socket | None
    ) -> socket.socket | None:
        verb = line.partition(b" ")[0]
        reply = self._answers.get(line, self._answers.get(verb)) or fake_server.received(1, line + b"\r\n")
        if verb in (b"EPSV", b"PASV") and reply[:2] == b"22":
            if passive is not None:
                passive.close()
            passive = socket.create_server((HOST, 0))
            port: int = passive.getsockname()[1]
            reply = reply.replace(b"49152", b"%d" % port).replace(b"192,0", b"%d,%d" % divmod(port, 256))
        first, _, last = reply.partition(b"\r\n")
        connection.sendall(first + b"\r\n" if passive is not None and verb in _TRANSFERS else reply)
        if verb in _TRANSFERS and passive is not None and reply[:1] == b"1":
            self._transfer(passive, verb, fake_server)
            passive.close()
            connection.sendall(last)
            return None
        return passive

    def _transfer(self, passive: socket.socket, verb: bytes, fake_server: FakeFtpServer) -> None:
        data, _ = passive.accept()
        with data:
            if verb in (b"STOR", b"APPE"):
                pieces = []
                while piece := data.recv(65536):
                    pieces.append(piece)
                self.uploaded.append(b"".join(pieces))
            else:
                data.sendall(fake_server.connected(2))

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(WAIT_SECONDS)


_TRANSFERS = (b"RETR", b"STOR", b"APPE", b"LIST", b"NLST", b"MLSD")


@contextlib.contextmanager
def running(server: Spawning | Recording) -> Iterator[None]:
    """Close the server at the end."""
    try:
        yield
    finally:
        server.close()


class Certificates:
    """A certificate authority of the test, and a certificate of 127.0.0.1 with its key in one file."""

    def __init__(self, folder: Path) -> None:
        trustme = pytest.importorskip("trustme")
        authority = trustme.CA()
        self.authority = folder / "authority.pem"
        self.certificate = folder / "server.pem"
        authority.cert_pem.write_to_path(str(self.authority))
        authority.issue_cert(HOST).private_key_and_cert_chain_pem.write_to_path(str(self.certificate))
        assert ssl.create_default_context(cafile=str(self.authority))
