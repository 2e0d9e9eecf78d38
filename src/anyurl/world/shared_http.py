"""http: the user's own folder (RFC 9110), by the standard library.

Rule: GET and HEAD, and nothing else. Attack: a page of the Web whose name is made to lead to this machine (DNS
rebinding) would read the folder; so on loopback a request names localhost or an address.
"""

from __future__ import annotations

import html
import ipaddress
import socket
from http.server import BaseHTTPRequestHandler
from typing import Any, BinaryIO

from anyurl.dates import parse_date
from anyurl.errors import AnyURLError
from anyurl.files.shared import SharedFolder, SharedName
from anyurl.schemes.http.fields import format_date
from anyurl.url import URL
from anyurl.url.cut import percent_decode, percent_encode
from anyurl.world.listener import HOST, Listener
from anyurl.world.ranges import requested_range
from anyurl.world.shared_documents import open_document, type_of
from anyurl.world.tree import SAFE

IDLE_SECONDS = 60.0
PIECE = 256 * 1024
INDEX = "index.html"


class HttpFolder:
    """An HTTP/1.1 server of one folder.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, folder: SharedFolder, address: str = HOST, port: int = 0) -> None:
        self.folder: SharedFolder = folder
        self.is_local: bool = ipaddress.ip_address(address).is_loopback
        self._listener = Listener(self._serve, "http", port, address)
        self.port: int = self._listener.port

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(IDLE_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        server: Any = self
        _FolderHandler(connection, connection.getpeername(), server)  # its constructor serves the whole connection

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()


class _FolderHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "anyurl"
    sys_version = ""
    server: Any

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the terminal belongs to the command that runs the server."""

    def do_GET(self) -> None:
        if self.server.is_local and not _names_this_machine(self.headers.get("Host", "")):
            self._say(421, "This server is for its own machine: localhost, or an address.")
            return
        raw, _, query = self.path.partition("?")
        path = percent_decode(raw).decode("utf-8", "surrogateescape")
        names = self.server.folder.names(path)
        if names is not None and not raw.endswith("/"):
            self._say(301, "It is a folder.", ("Location", f"/{raw.strip('/')}/"))  # never //host
            return
        found = open_document(self.server.folder, path if names is None else path + INDEX, query)
        if found is not None:
            with found[0] as file:
                self._file(file, found[1])
        elif names is not None:
            self._page(_listing(path, names))
        else:
            self._say(404, "There is no such thing here.")

    do_HEAD = do_GET

    def _file(self, file: BinaryIO, entry: SharedName) -> None:
        etag = f'"{entry.size:x}-{int(entry.modified * 1_000_000):x}"'
        date = format_date(entry.modified)
        fields = [("ETag", etag), ("Last-Modified", date), ("Accept-Ranges", "bytes")]
        since = parse_date(self.headers.get("If-Modified-Since", ""))
        known = self.headers.get("If-None-Match")
        if known == etag or (known is None and since is not None and int(entry.modified) <= since):
            self._head(304, None, *fields)
            return
        start, end = 0, entry.size
        span = (
            requested_range(self.headers.get("Range", ""), entry.size)
            if self.headers.get("If-Range") in (None, etag, date)
            else None
        )
        if span is not None:
            start, end = span
            if start >= end:
                self._say(416, "The file ends before.", ("Content-Range", f"bytes */{entry.size}"))
                return
            fields.append(("Content-Range", f"bytes {start}-{end - 1}/{entry.size}"))
        head = file.read(PIECE)
        type = type_of(entry.name, head)
        self._head(200 if span is None else 206, end - start, ("Content-Type", type), *fields)
        if self.command == "GET":
            self._send(file, start, end)

    def _send(self, file: BinaryIO, start: int, end: int) -> None:
        file.seek(start)
        while start < end and (piece := file.read(min(PIECE, end - start))):
            start += len(piece)
            self.wfile.write(piece)
        if start < end:  # it has become shorter: the client must see that this is not all
            self.close_connection = True

    def _say(self, status: int, text: str, *fields: tuple[str, str]) -> None:
        self._page(f"<!DOCTYPE html>\n<title>{status}</title>\n<p>{text}</p>\n", status, *fields)

    def _page(self, text: str, status: int = 200, *fields: tuple[str, str]) -> None:
        data = text.encode("utf-8", "replace")
        self._head(status, len(data), ("Content-Type", "text/html; charset=utf-8"), *fields)
        if self.command == "GET":
            self.wfile.write(data)

    def _head(self, status: int, length: int | None, *fields: tuple[str, str | None]) -> None:
        self.send_response(status)
        for name, value in fields:
            if value is not None:
                self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()


def _names_this_machine(host: str) -> bool:
    try:
        named = URL(f"http://{host}/").host or ""
    except AnyURLError:
        return False
    if named == "localhost":
        return True
    try:
        ipaddress.ip_address(named)
    except ValueError:
        return False
    return True


def _listing(path: str, names: list[SharedName]) -> str:
    rows = []
    for entry in names:
        slash = "/" if entry.is_folder else ""
        link = percent_encode(entry.name.encode("utf-8", "surrogateescape"), SAFE)
        rows.append(f'<li><a href="{link}{slash}">{html.escape(entry.name)}{slash}</a></li>\n')
    return f"<!DOCTYPE html>\n<title>{html.escape(path)}</title>\n<ul>\n{''.join(rows)}</ul>\n"
