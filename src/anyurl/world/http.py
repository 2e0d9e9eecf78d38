"""http: the world's tree on an HTTP/1.1 server (RFC 1738 3.3; RFC 9110, 9112), by the standard library.

Rule: every behaviour besides serving files has its own path, so that the URL selects it:

    /moved /found /hops/N /loop /to/URL    redirects; URL is percent-encoded and may lead anywhere
    /private/PATH                          Basic authentication, realm "world"
    /gzip/PATH /chunked/PATH               the same file, compressed or without a length
    /search?WORDS                          the search part of RFC 1738 3.3: the lines of the texts with all words
    /status/NNN                            an answer with that status
    /echo                                  POST and PATCH: the type of the content, and the content

Uploads by PUT stay in memory for as long as the server runs.
"""

from __future__ import annotations

import email.utils
import gzip
import hashlib
import html
import socket
from base64 import b64encode
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any

from anyurl.url import URL
from anyurl.url.cut import decode_text, encode_text
from anyurl.world.listener import HOST, Listener
from anyurl.world.tree import MODIFIED, PASSWORD, SAFE, USER, content_type, tree

MAX_STORED = 64 * 1024 * 1024
"""Octets that PUT may leave in memory, all files together: more than any demo, less than any machine has."""

MAX_CHUNK_LINE = 128
"""Octets of a chunk-size line, extensions included (a 64-bit size has 16 digits)."""

PIECE = 64 * 1024
IDLE_SECONDS = 60.0
REALM = "world"
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class _StoredBody:
    """One file as the server has it now."""

    __slots__ = ("data", "modified", "type", "etag")

    def __init__(self, data: bytes, modified: float, type: str) -> None:
        self.data = data
        self.modified = modified
        self.type = type
        self.etag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'


class _Refused(Exception):
    """Ends a request with a status."""

    def __init__(self, status: int, *headers: tuple[str, str]) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers


class HttpServer:
    """An HTTP/1.1 server with the tree in memory.

    Attributes:
        port: Where it listens.
        files: Its documents, by path without the leading slash.
    """

    def __init__(self, port: int = 0) -> None:
        self.files = {path: _StoredBody(data, MODIFIED, content_type(path)) for path, data in tree().items()}
        self._listener = Listener(self._serve, "http", port)
        self.port = self._listener.port

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(IDLE_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        server: Any = self  # the handler uses nothing of it but `files`
        _Handler(connection, connection.getpeername(), server)  # its constructor serves the whole connection

    @property
    def root(self) -> URL:
        """The top folder."""
        return URL(f"http://{HOST}:{self.port}/")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo gets: a picture."""
        return {"http": URL(f"{self.root}pub/picture.png")}

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "anyurl-world"
    sys_version = ""
    server: Any

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the terminal belongs to the command that runs the server."""

    def do_GET(self) -> None:
        self._answer(self._get)

    do_HEAD = do_GET

    def do_PUT(self) -> None:
        self._answer(self._put)

    def do_POST(self) -> None:
        self._answer(self._post)

    do_PATCH = do_POST

    def _answer(self, act: Callable[[str, str], None]) -> None:
        path, _, query = self.path.partition("?")
        try:
            act(path, query)
        except _Refused as refused:
            if self.command in ("PUT", "POST", "PATCH"):
                self.close_connection = True  # its body may still arrive, and must not be read as the next request
            self._status_page(refused.status, *refused.headers)

    def _get(self, path: str, query: str) -> None:
        self._skip_body()
        first, _, rest = path.removeprefix("/").partition("/")
        special = _SPECIAL.get(first)
        if special is not None:
            special(self, rest, query)
        else:
            self._file(decode_text(path.removeprefix("/")))

    # --- files -----------------------------------------------------------------------------------------------------

    def _find(self, name: str) -> _StoredBody:
        files = self.server.files
        if name in files:
            stored: _StoredBody = files[name]
            return stored
        folder = f"{name.rstrip('/')}/" if name else ""
        if not any(path.startswith(folder) for path in list(files)):
            raise _Refused(404)
        if folder != name:
            raise _Refused(301, ("Location", f"/{_encoded(folder)}"))
        return _StoredBody(_menu(folder, files), MODIFIED, "text/html; charset=utf-8")

    def _file(self, name: str) -> None:
        stored = self._find(name)
        if self.headers.get("If-None-Match") == stored.etag:
            self._head(304, stored, None)
            return
        span = self._range(stored)
        if span is None:
            self._head(200, stored, len(stored.data))
            self._body(stored.data)
            return
        start, end = span
        self._head(206, stored, end - start, ("Content-Range", f"bytes {start}-{end - 1}/{len(stored.data)}"))
        self._body(stored.data[start:end])

    def _range(self, stored: _StoredBody) -> tuple[int, int] | None:
        """The one requested range (RFC 9110 14.2), or None for the whole file, also if there are several ranges."""
        unit, _, spec = self.headers.get("Range", "").partition("=")
        condition = self.headers.get("If-Range")
        if unit != "bytes" or "," in spec:
            return None
        if condition is not None and condition not in (stored.etag, _date(stored.modified)):
            return None
        first, dash, last = spec.strip().partition("-")
        if not dash or not (first or last) or not (first + last).isdecimal():
            return None
        size = len(stored.data)
        start = int(first) if first else max(0, size - int(last))
        end = min(size, int(last) + 1) if first and last else size
        if start >= size or end <= start:
            raise _Refused(416, ("Content-Range", f"bytes */{size}"))
        return start, end

    def _head(self, status: int, stored: _StoredBody, length: int | None, *more: tuple[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", stored.type)
        self.send_header("Last-Modified", _date(stored.modified))
        self.send_header("ETag", stored.etag)
        self.send_header("Accept-Ranges", "bytes")
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()

    def _body(self, data: bytes) -> None:
        if self.command != "HEAD":
            self.wfile.write(data)

    def _plain(self, status: int, text: str, *headers: tuple[str, str]) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self._body(data)

    # --- paths that do something -----------------------------------------------------------------------------------

    def _redirect(self, status: int, target: str) -> None:
        self._plain(status, f"It is at {target}\n", ("Location", target))

    def _moved(self, rest: str, query: str) -> None:
        self._redirect(301, "/motd.txt")

    def _found(self, rest: str, query: str) -> None:
        self._redirect(302, "/motd.txt")

    def _hops(self, rest: str, query: str) -> None:
        left = int(rest) if rest.isdecimal() and len(rest) < 4 else 0
        self._redirect(302, f"/hops/{left - 1}" if left > 1 else "/motd.txt")

    def _loop(self, rest: str, query: str) -> None:
        self._redirect(302, "/loop")

    def _to(self, rest: str, query: str) -> None:
        # Encoded again: a decoded %0D%0A would add a header to the response.
        target = encode_text(decode_text(rest), SAFE + b":/?#[]@;=&%~")
        self._redirect(302, target)

    def _private(self, rest: str, query: str) -> None:
        login = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {login}":
            self._plain(401, "A login is needed.\n", ("WWW-Authenticate", f'Basic realm="{REALM}", charset="UTF-8"'))
            return
        self._file(decode_text(rest))

    def _gzip(self, rest: str, query: str) -> None:
        stored = self._find(decode_text(rest))
        if "gzip" not in self.headers.get("Accept-Encoding", ""):
            self._file(decode_text(rest))
            return
        data = gzip.compress(stored.data, mtime=0)
        coded = _StoredBody(data, stored.modified, stored.type)
        self._head(200, coded, len(data), ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
        self._body(data)

    def _chunked(self, rest: str, query: str) -> None:
        stored = self._find(decode_text(rest))
        self._head(200, stored, None, ("Transfer-Encoding", "chunked"))
        step = max(1, len(stored.data) // 3)
        for start in range(0, len(stored.data), step):
            piece = stored.data[start : start + step]
            self._body(b"%x\r\n%b\r\n" % (len(piece), piece))
        self._body(b"0\r\n\r\n")

    def _search(self, rest: str, query: str) -> None:
        words = [word.casefold() for word in decode_text(query.replace("+", " ")).split()]
        found = list(_search(words, self.server.files)) if words else []
        rows = "".join(f'<li><a href="/{_encoded(path)}">{html.escape(line)}</a></li>\n' for path, line in found)
        page = f"<!DOCTYPE html>\n<title>{len(found)} found</title>\n<ul>\n{rows}</ul>\n".encode()
        stored = _StoredBody(page, MODIFIED, "text/html; charset=utf-8")
        self._head(200, stored, len(page))
        self._body(page)

    def _status(self, rest: str, query: str) -> None:
        status = int(rest) if rest.isdecimal() and 200 <= int(rest[:4]) <= 599 else 400
        if status in (204, 304):  # RFC 9110 15: these have no content
            self.send_response(status)
            self.end_headers()
        else:
            self._status_page(status)

    def _status_page(self, status: int, *headers: tuple[str, str]) -> None:
        self._plain(status, f"{status} {_REASONS.get(status, '')}\n", *headers)

    # --- PUT ---------------------------------------------------------------------------------------------------------

    def _put(self, path: str, query: str) -> None:
        name = decode_text(path.removeprefix("/"))
        if not name or name.endswith("/") or name.partition("/")[0] in _SPECIAL:
            raise _Refused(405)
        files = self.server.files
        room = MAX_STORED - sum(len(stored.data) for stored in files.values())
        data = b"".join(self._upload(room))
        status = 204 if name in files else 201
        files[name] = _StoredBody(data, MODIFIED + len(files), self.headers.get("Content-Type") or content_type(name))
        self.send_response(status)
        self.send_header("ETag", files[name].etag)
        if status == 201:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def _post(self, path: str, query: str) -> None:
        if path != "/echo":
            raise _Refused(405)
        data = b"".join(self._upload(MAX_STORED))
        self._plain(200, f"{self.headers.get('Content-Type', '')}\n{data.decode('utf-8', 'replace')}\n")

    def _skip_body(self) -> None:
        for _ in self._upload(MAX_STORED):
            pass

    def _upload(self, room: int) -> Iterator[bytes]:
        """The body of the request, by its length or in chunks (RFC 9112 6); more than `room` ends it with 413."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := self._chunk_size():
                room -= size
                if room < 0:
                    raise _Refused(413)
                yield from self._exactly(size)
                self.rfile.readline(MAX_CHUNK_LINE)
            while self.rfile.readline(MAX_CHUNK_LINE).strip():
                pass
            return
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal():
            raise _Refused(400)
        if int(length) > room:
            raise _Refused(413)
        yield from self._exactly(int(length))

    def _chunk_size(self) -> int:
        digits = self.rfile.readline(MAX_CHUNK_LINE).partition(b";")[0].strip()
        try:
            return int(digits, 16)
        except ValueError:
            raise _Refused(400) from None

    def _exactly(self, size: int) -> Iterator[bytes]:
        while size:
            piece = self.rfile.read(min(size, PIECE))
            if not piece:
                raise _Refused(400)
            size -= len(piece)
            yield piece


_SPECIAL: dict[str, Callable[[_Handler, str, str], None]] = {
    "moved": _Handler._moved,
    "found": _Handler._found,
    "hops": _Handler._hops,
    "loop": _Handler._loop,
    "to": _Handler._to,
    "private": _Handler._private,
    "gzip": _Handler._gzip,
    "chunked": _Handler._chunked,
    "search": _Handler._search,
    "status": _Handler._status,
}


def _date(seconds: float) -> str:
    return email.utils.formatdate(seconds, usegmt=True)


def _encoded(path: str) -> str:
    return encode_text(path, SAFE + b"/")


def _menu(prefix: str, files: dict[str, _StoredBody]) -> bytes:
    """The page that lists a folder; its name ends with a slash, and the top folder's is empty."""
    names: dict[str, None] = {}
    for path in sorted(files):
        if path.startswith(prefix):
            name, slash, _ = path.removeprefix(prefix).partition("/")
            names[name + slash] = None
    rows = "".join(f'<li><a href="{_encoded(name)}">{html.escape(name)}</a></li>\n' for name in names)
    return f"<!DOCTYPE html>\n<title>/{html.escape(prefix)}</title>\n<ul>\n{rows}</ul>\n".encode()


def _search(words: list[str], files: dict[str, _StoredBody]) -> Iterator[tuple[str, str]]:
    for path, stored in sorted(files.items()):
        if stored.type.startswith("text/plain"):
            for line in stored.data.decode("utf-8", "replace").splitlines():
                if all(word in line.casefold() for word in words):
                    yield path, line


def start(port: int = 0) -> HttpServer:
    """Serve the tree by HTTP. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return HttpServer(port=port)
