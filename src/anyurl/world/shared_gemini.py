"""gemini: the user's own folder, with a certificate that is trusted on first use (the Gemini specification).

Rule: a folder's page is its ``index.gmi``, or the list of its names.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Iterator

from anyurl.files.shared import SharedFolder
from anyurl.url import URL
from anyurl.url.cut import percent_decode, percent_encode
from anyurl.world.certificate import over_tls, server_context
from anyurl.world.listener import HOST, Listener
from anyurl.world.shared_documents import open_document, type_of
from anyurl.world.tree import SAFE

MAX_REQUEST = 1024 + 2
"""Octets of a request and its end."""

IDLE_SECONDS = 60.0
PIECE = 64 * 1024
INDEXES = ("index.gmi", "index.gemini")
PAGE = b"20 text/gemini\r\n"


class GeminiFolder:
    """A gemini server of one folder.

    Args:
        certificate: The certificate and its key, as PEM.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, folder: SharedFolder, address: str = HOST, port: int = 0, certificate: bytes = b"") -> None:
        self._folder = folder
        self._context = server_context(certificate, b"")
        self._listener = Listener(self.serve, "gemini", port, address)
        self.port: int = self._listener.port

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """One request, one reply."""
        connection.settimeout(IDLE_SECONDS)
        with contextlib.suppress(ssl.SSLError), over_tls(connection, self._context) as secured:
            secured.settimeout(IDLE_SECONDS)
            for piece in self._reply(_request(secured)):
                secured.sendall(piece)

    def _reply(self, request: bytes) -> Iterator[bytes]:
        line, end, _ = request.partition(b"\r\n")
        try:
            url = URL(line.decode("ascii"))
        except ValueError:
            yield b"59 That is no URL\r\n"
            return
        if not end or url.scheme != "gemini":
            yield b"53 Only gemini is served here\r\n" if end else b"59 That is no request\r\n"
            return
        path = percent_decode(url.path).decode("utf-8", "surrogateescape")
        names = self._folder.names(path)
        if names is not None and not path.endswith("/"):
            yield f"31 {url.path}/\r\n".encode()
            return
        for name in ("",) if names is None else INDEXES:
            found = open_document(self._folder, path + name, url.query or "")
            if found is not None:
                with found[0] as file:
                    head = file.read(PIECE)
                    yield f"20 {type_of(found[1].name, head)}\r\n".encode()
                    yield head
                    yield from iter(lambda: file.read(PIECE), b"")
                return
        if names is None:
            yield b"51 There is no such thing here\r\n"
            return
        yield PAGE + f"# {path}\n".encode("utf-8", "replace")
        for entry in names:
            slash = "/" if entry.is_folder else ""
            link = percent_encode(entry.name.encode("utf-8", "surrogateescape"), SAFE)
            yield f"=> {link}{slash} {entry.name}{slash}".replace("\n", "?").encode("utf-8", "replace") + b"\n"


def _request(connection: ssl.SSLSocket) -> bytes:
    data = b""
    while b"\r\n" not in data and len(data) < MAX_REQUEST and (piece := connection.recv(MAX_REQUEST - len(data))):
        data += piece
    return data
