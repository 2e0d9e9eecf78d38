"""Replay: web archives, served on loopback as http, as a browser's proxy or below its own address.

Rule: it connects nowhere; anything that is not in the files does not exist. Archived pages run no scripts (`CSP:
sandbox`), keep their declared types, and set no cookies. No foreign page can read it by a host name that leads here.
"""

from __future__ import annotations

import html
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from anyurl.errors import LocalFileError, URLSyntaxError, escape
from anyurl.schemes.http.fields import format_date
from anyurl.url import URL
from anyurl.world.listener import HOST, Listener
from anyurl.world.ranges import requested_range
from anyurl.world.warc_index import KeptUrl, RecordContent, WarcIndex

HEAD_OCTETS = 64 * 1024
"""Of a request: browsers send some kilobytes."""

LISTED_AT_ONCE = 1000
"""URLs on one page of the contents."""

FROM = "/?from="
"""The address of a further page of the contents."""

_LINK = re.compile(rb'(<a href=")([a-z][a-z0-9+.-]*:)')
"""A link of a listing as `anyurl.warc.page` writes it, if it is not relative."""

_MERGED = re.compile(r"\A/([a-z][a-z0-9+.-]*:)/(?!/)")
"""The beginning of a target whose two slashes became one."""

PATIENCE = 30.0
"""Seconds for a client to send its request, or to read the response."""

SANDBOX = (
    "sandbox; default-src 'none'; img-src {0} data:; media-src {0} data:; style-src {0} 'unsafe-inline'; "
    "font-src {0} data:; frame-src {0}; form-action 'none'"
)
"""No script, no form, no cookie; pictures and styles come from the archive as well: a browser that uses it as its proxy
requests nothing elsewhere, any other only URLs below the server's address."""

PASSED = (
    "content-type", "content-encoding", "content-language", "content-disposition", "content-range", "last-modified",
    "etag", "location",
)  # fmt: skip
"""Fields of an answer that are shown again; the others were about another connection, or another origin."""

PHRASES = {
    200: "OK", 206: "Partial Content", 300: "Multiple Choices", 302: "Found", 400: "Bad Request", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 416: "Range Not Satisfiable",
}  # fmt: skip


class Replay:
    """Serves files of WARC and WACZ until it is closed.

    Args:
        paths: The files.
        port: Where; the system's choice when 0.

    Attributes:
        index: The index of the files.
        url: Where it is served.

    Raises:
        MissingExtraError, LocalFileError: As `WarcIndex`.
        OSError: The port is taken.
    """

    def __init__(self, *paths: str | os.PathLike[str], port: int = 0) -> None:
        self.index: WarcIndex = WarcIndex(*paths)
        try:
            self._listener = Listener(self._serve, "warc", port)
        except BaseException:
            self.index.close()
            raise
        self.url: URL = URL(f"http://{HOST}:{self._listener.port}/")

    def __enter__(self) -> Replay:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop; no thread, socket or file is left."""
        self._listener.close()
        self.index.close()

    # --- one request -------------------------------------------------------------------------------------------------

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.recv(HEAD_OCTETS)
            if not piece or len(head) > HEAD_OCTETS:
                return
            head += piece
        first, _, rest = head.decode("utf-8", "surrogateescape").partition("\r\n")
        method, _, target = first.partition(" ")
        target = target.rpartition(" ")[0]
        fields = [
            (name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in rest.split("\r\n"))
        ]
        try:
            self._answer(connection, method, target, fields)
        except LocalFileError as error:
            _page(connection, method, 404, [escape(str(error))])

    def _answer(self, connection: socket.socket, method: str, target: str, asked: Sequence[tuple[str, str]]) -> None:
        hosts = [value for name, value in asked if name == "host"]
        if method not in ("GET", "HEAD"):
            _page(connection, method, 405, ["An archive is only read: GET and HEAD."])
            return
        below = target.startswith("/")
        own = [f"{name}:{self._listener.port}" for name in (HOST, "localhost")]
        if below and (len(hosts) != 1 or hosts[0].lower() not in own):
            # Attack: a foreign host name that leads to this machine makes a foreign page one of the same origin.
            _page(connection, method, 403, ["This address was reached by another name than its own."])
            return
        if target == "/" or target.startswith(FROM):
            count = target.removeprefix(FROM)
            self._contents(connection, method, int(count) if count.isascii() and count.isdigit() else 0)
            return
        wanted = target[1:] if below else target
        kept = self.index.find(wanted)
        if kept is None:
            self._led(connection, method, target, self.index.at_path(target) if below else [])
            return
        with self.index.open(kept) as content:
            _send(connection, method, kept, content, dict(asked), below=below)

    def _led(self, connection: socket.socket, method: str, target: str, there: list[KeptUrl]) -> None:
        """The URL meant by a path: a page's link to ``/x`` has lost the host below this server's address, and
        programs that join URLs, or pass a request on, make one slash of two (``/ftp:/host/x``)."""
        whole = _MERGED.sub(r"/\1//", target)
        if whole != target and self.index.find(whole[1:]) is not None:
            _head(connection, 302, [("location", whole), ("content-length", "0")])
        elif not there:
            _page(connection, method, 404, [f"{escape(target.removeprefix('/'))} is not in this archive."])
        elif len(there) == 1:
            _head(connection, 302, [("location", f"/{there[0].url}"), ("content-length", "0")])
        else:
            _links(connection, method, 300, "Several hosts have this path", there)

    def _contents(self, connection: socket.socket, method: str, first: int) -> None:
        title = ", ".join(map(os.path.basename, self.index.paths))
        there = self.index.some(first, LISTED_AT_ONCE)
        _links(connection, method, 200, title, there, len(self.index), first)


def _send(
    connection: socket.socket,
    method: str,
    kept: KeptUrl,
    content: RecordContent,
    asked: Mapping[str, str],
    *,
    below: bool,
) -> None:
    fields = [(name, value) for name, value in content.fields if name in PASSED]
    if below:
        fields = [(name, _below(value, kept.url) if name == "location" else value) for name, value in fields]
    fields.append(("memento-datetime", _http_date(kept.date)))
    leads_below = below and content.is_listing
    size = None if leads_below else content.size
    status, start, end = content.status, 0, size
    if content.cut:
        # A truncated response is truncated again: a chunked body without its end, which no client takes for the whole.
        fields += [("transfer-encoding", "chunked"), ("warc-truncated", content.cut)]
    elif size is not None:
        span = _span(asked, content, size)
        if span is not None:
            (start, end), status = span, 206
            if start >= end:
                told = [f"The document has only {size:,} octets."]
                _page(connection, method, 416, told, ("content-range", f"bytes */{size}"))
                return
            fields.append(("content-range", f"bytes {start}-{end - 1}/{size}"))
        fields += [("content-length", str((end or 0) - start))]
        fields += [("accept-ranges", "bytes")] if content.status == 200 else []
    _head(connection, status, fields, sources="'self'" if below else "*")
    if method == "HEAD" or status in (204, 304):
        return
    for piece in _links_below(content.pieces()) if leads_below else content.pieces(start, end):
        connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if content.cut else piece)


def _links_below(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """A listing, whose links lead below our own address as well: no browser follows gopher."""
    rest = b""
    for piece in pieces:
        whole, end, rest = (rest + piece).rpartition(b"\n")
        if len(rest) > HEAD_OCTETS:  # of another program: `anyurl.warc.page` writes a line for each link
            whole, end, rest = whole + end, rest, b""
        if whole or end:  # an empty chunk would end the body
            yield _LINK.sub(rb"\1/\2", whole + end)
    if rest:
        yield _LINK.sub(rb"\1/\2", rest)


def _span(asked: Mapping[str, str], content: RecordContent, size: int) -> tuple[int, int] | None:
    """The octets from and to that are asked for: a browser seeks in sound and video; None for the whole."""
    told = dict(content.fields)
    is_same = asked.get("if-range", "") in ("", told.get("etag"), told.get("last-modified"))
    if content.status != 200 or not is_same or "range" not in asked:
        return None
    return requested_range(asked["range"], size)


def _below(location: str, base: str) -> str:
    """Where a redirection leads, below our own address."""
    try:
        return f"/{URL(base).join(location)}"
    except URLSyntaxError:
        return "/"


def _http_date(date: str) -> str:
    try:
        return format_date(time.mktime(time.strptime(date[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone) or ""
    except (ValueError, OverflowError):
        return ""


def _head(connection: socket.socket, status: int, fields: Iterable[tuple[str, str]], sources: str = "'self'") -> None:
    lines = [f"HTTP/1.1 {status} {PHRASES.get(status, 'Archived')}"]
    fixed = (
        ("content-security-policy", SANDBOX.format(sources)),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("connection", "close"),
    )
    for name, value in (*fields, *fixed):
        if value:
            lines.append(f"{name}: {''.join(char if char.isprintable() else '?' for char in value)}")
    connection.sendall("\r\n".join([*lines, "", ""]).encode("utf-8", "replace"))


def _links(
    connection: socket.socket,
    method: str,
    status: int,
    title: str,
    there: list[KeptUrl],
    count: int | None = None,
    first: int = 0,
) -> None:
    """A page of links by place, of `count` in all, from the one with the number `first` on."""
    count = len(there) if count is None else count
    _head(connection, status, [("content-type", "text/html; charset=utf-8")])
    if method == "HEAD":
        return
    title = html.escape(escape(title))
    connection.sendall(
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title><h1>{title}</h1>'
        f"<p>{count:,} resource{'' if count == 1 else 's'}.</p>\n".encode()
    )
    places: dict[str, list[tuple[str, KeptUrl]]] = {}
    for kept in there:
        place, path = _cut(kept.url)
        places.setdefault(place, []).append((path, kept))
    for place, below in places.items():
        connection.sendall(f"<h2>{html.escape(escape(place))}</h2><ul>\n".encode())
        for path, kept in below:
            shown = html.escape(escape(path))
            line = f'<li><a href="/{html.escape(kept.url)}">{shown}</a> {html.escape(escape(kept.date))}\n'
            connection.sendall(line.encode("utf-8", "replace"))
        connection.sendall(b"</ul>\n")
    next = first + LISTED_AT_ONCE
    more = f'<p><a href="{FROM}{next}">More</a>' if next < count else ""
    connection.sendall(f"{more}</html>\n".encode())


def _cut(url: str) -> tuple[str, str]:
    """A URL as the place that has it, and the rest, or the whole: only a text of a record, which may be no URL."""
    place = re.match("[^:]*:?(?://[^/?#]*)?", url)
    cut = 0 if place is None else place.end()
    return url[:cut], url[cut:] or url


def _page(
    connection: socket.socket, method: str, status: int, sentences: Iterable[str], *fields: tuple[str, str]
) -> None:
    """A few words of our own."""
    text = "".join(f"{sentence}\n" for sentence in sentences).encode("utf-8", "replace")
    length = ("content-length", str(len(text)))
    _head(connection, status, [("content-type", "text/plain; charset=utf-8"), length, *fields])
    if method != "HEAD":
        connection.sendall(text)
