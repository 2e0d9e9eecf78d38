"""gemini: the world's tree on a Gemini server, which is trusted on first use (the Gemini specification).

Rule: a folder is a page of links. Besides the tree there is one path for each kind of reply:

    /search     asks for words, and answers with the lines that contain them
    /door       asks for a secret word: `tree.PASSWORD`
    /old        has moved to the welcome note
    /members    wants a certificate, whatever it is shown
    /busy       wants to be left alone for five seconds
"""

from __future__ import annotations

import contextlib
import socket
import ssl

from anyurl.url import URL
from anyurl.url.cut import percent_decode, percent_encode
from anyurl.world.certificate import self_signed, server_context
from anyurl.world.listener import HOST, Listener
from anyurl.world.tree import PASSWORD, SAFE, content_type, tree

IDLE_SECONDS = 60.0
MAX_REQUEST = 1024 + 2
"""Octets of a request and its end."""

PAGE = "text/gemini; lang=en"
SECRET = "The word that everybody knows?"


class GeminiServer:
    """A Gemini server with the tree in memory.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, port: int = 0) -> None:
        """Raises MissingExtraError without the extra `world`."""
        self._context = server_context(*self_signed("the world"))
        self._files = tree()
        self._listener = Listener(self.serve, "gemini", port)
        self.port: int = self._listener.port

    @property
    def root(self) -> URL:
        """The page of its top folder."""
        return URL(f"gemini://{HOST}:{self.port}/")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo gets."""
        return {"gemini": URL(f"{self.root}pub/notes.txt")}

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """One request, one reply."""
        connection.settimeout(IDLE_SECONDS)
        with contextlib.suppress(ssl.SSLError):  # a client that does not trust the certificate
            secured = self._context.wrap_socket(connection.dup(), server_side=True)
            with secured:
                secured.settimeout(IDLE_SECONDS)
                secured.sendall(self._answer(_request(secured)))
                secured.unwrap()

    def _answer(self, request: bytes) -> bytes:
        line, end, _ = request.partition(b"\r\n")
        try:
            url = URL(line.decode("ascii"))
        except ValueError:
            return b"59 That is no URL\r\n"
        if not end or url.scheme != "gemini":
            return b"59 That is no request\r\n" if not end else b"53 Only gemini is spoken here\r\n"
        path = percent_decode(url.path.removeprefix("/")).decode("utf-8", "replace")
        words = None if url.query is None else percent_decode(url.query).decode("utf-8", "replace")
        return self._special(path, words) or self._found(path)

    def _special(self, path: str, words: str | None) -> bytes | None:
        if path == "search":
            return self._search(words) if words else b"10 Words to look for\r\n"
        if path == "door":
            right = words == PASSWORD
            return b"20 text/plain\r\nCome in.\r\n" if right else f"11 {SECRET}\r\n".encode()
        return {
            "old": b"31 /motd.txt\r\n",
            "members": b"60 Only those who are known by their certificate\r\n",
            "busy": b"44 5\r\n",
        }.get(path)

    def _found(self, path: str) -> bytes:
        if path in self._files:
            return f"20 {content_type(path)}\r\n".encode() + self._files[path]
        if path == "" or (path.endswith("/") and any(name.startswith(path) for name in self._files)):
            return self._page(path)
        if any(name.startswith(f"{path}/") for name in self._files):
            return f"31 /{_encoded(path)}/\r\n".encode()
        return b"51 There is no such thing here\r\n"

    def _page(self, folder: str) -> bytes:
        names = {name.removeprefix(folder).partition("/")[:2] for name in self._files if name.startswith(folder)}
        lines = [f"=> {_encoded(name)}{slash} {name}{slash}" for name, slash in sorted(names)]
        if not folder:
            lines += ["=> search Search the texts", "=> old The welcome note, where it was"]
        return _text(f"# {folder or 'The world'}", *lines)

    def _search(self, words: str) -> bytes:
        wanted = words.casefold().split()
        lines = []
        for path, data in sorted(self._files.items()):
            if path.endswith(".txt"):
                for line in data.decode("utf-8", "replace").splitlines():
                    if all(word in line.casefold() for word in wanted):
                        lines.append(f"=> /{_encoded(path)} {line.strip()}")
        return _text(f"# {len(lines)} lines", *lines)


def _request(connection: ssl.SSLSocket) -> bytes:
    data = b""
    while b"\r\n" not in data and len(data) < MAX_REQUEST and (piece := connection.recv(MAX_REQUEST - len(data))):
        data += piece
    return data


def _encoded(path: str) -> str:
    return percent_encode(path.encode(), SAFE + b"/")


def _text(*lines: str) -> bytes:
    return f"20 {PAGE}\r\n".encode() + "".join(f"{line}\n" for line in lines).encode()


def start(port: int = 0) -> GeminiServer:
    """Serve the tree by gemini. At a port of the system's choice, if 0; raises OSError if it is taken."""
    return GeminiServer(port)
