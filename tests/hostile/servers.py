"""The process that is the whole Internet of the crawl: ``servers LEDGER RECEIVED CERTIFICATE AUTHORITY CANARY SEED``.

Rule: it answers at every address; what it receives is written down by address, port and scheme, and what it names goes
into the ledger first. It says ``ready`` when all of it listens, and ends when its input does.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import random
import re
import select
import socket
import ssl
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote_to_bytes

from tests.hostile import replies, udp
from tests.hostile.graph import CERTIFICATE, MARK, OTHER_PORTS, PORTS, SECRET, SECURE, TRAPS, Ledger, Origin

PATIENCE = 5.0
"""Seconds that a server waits for a client."""

_TOKEN = re.compile(rb"[A-Za-z0-9+/]{8,}={0,2}")


class Received:
    """What came, as lines of JSON: where, and which marks and secrets were in it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="ascii")
        self._lock = threading.Lock()

    def note(self, origin: Origin, secure: bool, data: bytes) -> None:
        """One connection, or one request of several on it."""
        texts = [data, unquote_to_bytes(data)]
        for token in _TOKEN.findall(data):
            with contextlib.suppress(ValueError):
                texts.append(base64.b64decode(token + b"=" * (-len(token) % 4)))
        marks = sorted({found.decode() for text in texts for found in MARK.findall(text)})
        secrets = sorted({found.decode() for text in texts for found in SECRET.findall(text)})
        with self._lock:
            self._file.write(json.dumps([*origin, secure, len(data), marks, secrets]) + "\n")
            self._file.flush()


class Talk:
    """One connection, for those who answer it."""

    def __init__(self, sock: socket.socket, origin: Origin, internet: Internet, secure: bool) -> None:
        self.sock = sock
        self.origin = origin
        self.internet = internet
        self.ledger = internet.ledger
        self.source = internet.ledger.source
        self.secure = secure
        self.kept = b""
        self._buffer = b""
        self._shown = b""

    def line(self, end: bytes = b"\n") -> bytes:
        """The next line with its end; raises EOFError when there is none."""
        while end not in self._buffer:
            self._more()
        line, _, self._buffer = self._buffer.partition(end)
        return line + end

    def take(self, count: int) -> bytes:
        """So many octets."""
        while len(self._buffer) < count:
            self._more()
        data, self._buffer = self._buffer[:count], self._buffer[count:]
        return data

    def piece(self) -> bytes:
        """Whatever comes next."""
        if not self._buffer:
            self._more()
        data, self._buffer = self._buffer, b""
        return data

    def _more(self) -> None:
        data = self.sock.recv(65536)
        if not data:
            raise EOFError
        self.kept += data
        self._buffer += data

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def done(self) -> None:
        """What was received until now belongs together."""
        if self.kept:
            self.internet.received.note(self.origin, self.secure, self.kept + self._shown)
        self.kept = b""

    def secure_it(self) -> None:
        """Begin TLS; whoever shows a certificate is known by it in all that follows."""
        self.sock = secured = self.internet.context.wrap_socket(self.sock, server_side=True)
        self.secure = True
        if secured.getpeercert(binary_form=True):
            self._shown = b" " + CERTIFICATE


class Internet:
    """All servers. Args: see the module."""

    def __init__(self, ledger: Ledger, received: Received, certificate: str, authority: str) -> None:
        self.ledger = ledger
        self.received = received
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        self.context.load_verify_locations(authority)
        self.context.verify_mode = ssl.CERT_OPTIONAL  # everybody is asked who they are
        self._listeners: dict[int, tuple[socket.socket, str]] = {}
        for ports in (PORTS, OTHER_PORTS):
            for scheme, port in ports.items():
                if scheme != "prospero" and port not in (listener[1] for listener in self._ports()):
                    self._listen(port, scheme)
        for port in TRAPS:
            self._listen(port, "trap")
        self._datagrams = {}
        for port in (PORTS["prospero"], OTHER_PORTS["prospero"]):
            server = udp.Server(port, ledger, received.note)
            self._datagrams[server.sock.fileno()] = server

    def _ports(self) -> list[tuple[str, int]]:
        return [(scheme, sock.getsockname()[1]) for sock, scheme in self._listeners.values()]

    def _listen(self, port: int, scheme: str) -> None:
        sock = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=512)
        self._listeners[sock.fileno()] = (sock, scheme)

    def serve(self) -> None:
        """Until the input ends."""
        poll = select.poll()
        for fd in (0, *self._listeners, *self._datagrams):
            poll.register(fd, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                if fd == 0:
                    return
                if fd in self._datagrams:
                    self._datagrams[fd].serve_one()
                    continue
                listener, scheme = self._listeners[fd]
                with contextlib.suppress(OSError):
                    sock = listener.accept()[0]
                    threading.Thread(target=self._run, args=(sock, scheme), daemon=True).start()

    def _run(self, sock: socket.socket, scheme: str) -> None:
        address, port = sock.getsockname()[:2]
        talk = Talk(sock, Origin(plain(address), port, scheme), self, secure=False)
        try:
            sock.settimeout(PATIENCE)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if scheme == "gopher" and sock.recv(1, socket.MSG_PEEK) == b"\x16":  # TLS has no port of its own there
                scheme = "gophers"
                talk.origin = Origin(*talk.origin[:2], scheme)
            if scheme in SECURE and (scheme != "ftps" or port == PORTS["ftps"]):
                talk.secure_it()
            _PARTS[scheme](talk)
        except (OSError, EOFError, ValueError):
            pass
        finally:
            talk.done()
            with contextlib.suppress(OSError):
                talk.sock.settimeout(0.2)
                if isinstance(talk.sock, ssl.SSLSocket):
                    talk.sock = talk.sock.unwrap()
                talk.sock.shutdown(socket.SHUT_WR)
                while talk.sock.recv(65536):
                    pass
            talk.sock.close()
            sock.close()


def plain(address: str) -> str:
    """An IPv4 address that a socket of both families has seen."""
    return address.removeprefix("::ffff:") if "." in address else address


_PARTS: dict[str, Callable[[Talk], None]] = {
    "http": replies.http, "https": replies.http, "gopher": replies.gopher, "gophers": replies.gopher,
    "ftp": replies.ftp, "ftps": replies.ftp, "nntp": replies.news, "nntps": replies.news, "news": replies.news,
    "snews": replies.news, "wais": replies.wais, "telnet": replies.telnet, "trap": replies.trap,
    "dict": replies.dictionary, "gemini": replies.gemini,
}  # fmt: skip


def _give_up(fault: threading.ExceptHookArgs) -> None:
    """A server that is broken, and not hostile, proves nothing."""
    sys.__excepthook__(fault.exc_type, fault.exc_value or fault.exc_type(), fault.exc_traceback)
    os._exit(70)


def main(ledger: str, received: str, certificate: str, authority: str, canary: str, seed: str) -> None:
    """The program."""
    threading.excepthook = _give_up
    book = Ledger(Path(ledger), random.Random(int(seed)), 0, canary)
    internet = Internet(book, Received(Path(received)), certificate, authority)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    internet.serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
