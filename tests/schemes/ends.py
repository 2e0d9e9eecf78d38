"""What the end of TLS means to each scheme, as rows; also a program, for other Pythons than that of the tests.

Rule: it needs the library, idna and, for https, pycurl: no pytest, since a system's own Python has none.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import ssl
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anyurl import Client, Policy
from anyurl.errors import AnyURLError
from tests.servers import Connection, Server

Ending = Callable[[Connection], None]

TEXT = b"one\r\ntwo\r\n"


# --- how a connection ends -------------------------------------------------------------------------------------------


def mark(connection: Connection) -> None:
    """In order, by close_notify."""
    assert isinstance(connection.sock, ssl.SSLSocket)
    with contextlib.suppress(OSError):
        connection.sock.unwrap()


def cut(connection: Connection) -> None:
    """TCP ends in order, and TLS does not: what an attacker on the path can do, and what careless servers do."""
    connection.sock = bare = socket.socket(fileno=connection.sock.detach())
    bare.settimeout(10)
    connection.hang_up()


def reset(connection: Connection) -> None:
    """TCP breaks, after the client's system has received what was sent."""
    connection.sock = bare = socket.socket(fileno=connection.sock.detach())
    bare.settimeout(10)
    until = 1000
    while until and _unread(bare):
        until -= 1
    bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    bare.close()


def _unread(sock: socket.socket) -> bool:
    """Whether the peer's system has not confirmed all octets yet."""
    import fcntl
    import termios

    return struct.unpack("i", fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(4)))[0] > 0


ENDINGS: dict[str, Ending] = {"mark": mark, "cut": cut, "reset": reset}


# --- servers ---------------------------------------------------------------------------------------------------------


def saying(data: bytes) -> Callable[[Ending, ssl.SSLContext], Server]:
    """One line or head in, these octets out."""

    def make(end: Ending, context: ssl.SSLContext) -> Server:
        def part(connection: Connection) -> None:
            first = connection.line()
            if first.endswith(b"HTTP/1.1"):
                connection.head()
            connection.send(data)
            end(connection)

        return Server(part, context=context)

    return make


def news(data: bytes) -> Callable[[Ending, ssl.SSLContext], Server]:
    """An article, and what follows it."""

    def make(end: Ending, context: ssl.SSLContext) -> Server:
        def part(connection: Connection) -> None:
            connection.send(b"200 hello\r\n")
            while line := connection.line():
                if line.startswith((b"ARTICLE", b"BODY")):
                    connection.send(data)
                    end(connection)
                    return
                connection.send(b"211 1 1 1 g\r\n" if line.startswith(b"GROUP") else b"500 no\r\n")

        return Server(part, context=context)

    return make


def ftp(data: bytes, size: int | None, last: bytes) -> Callable[[Ending, ssl.SSLContext], Server]:
    """A file or a listing, announced with this size, and confirmed or not."""

    def make(end: Ending, context: ssl.SSLContext) -> Server:
        replies = {
            b"USER": b"230 in", b"PBSZ": b"200 ok", b"PROT": b"200 ok", b"TYPE": b"200 ok", b"CWD": b"250 ok",
            b"SIZE": b"550 no" if size is None else b"213 %d" % size, b"QUIT": b"221 bye",
        }  # fmt: skip

        def part(connection: Connection) -> None:
            connection.send(b"220 hello\r\n")
            with socket.create_server(("127.0.0.1", 0)) as listener:
                listener.settimeout(10)
                while line := connection.line():
                    verb = line.split()[0]
                    if verb == b"AUTH":
                        connection.send(b"234 go\r\n")
                        connection.sock = context.wrap_socket(connection.sock, server_side=True)
                    elif verb == b"EPSV":
                        connection.send(b"229 here (|||%d|)\r\n" % listener.getsockname()[1])
                    elif verb in (b"RETR", b"LIST", b"MLSD", b"NLST"):
                        connection.send(b"150 here it is\r\n")
                        raw, _ = listener.accept()
                        raw.settimeout(10)
                        given = Connection(context.wrap_socket(raw, server_side=True), bytearray())
                        given.send(data)
                        end(given)
                        given.sock.close()
                        if not last:
                            return
                        connection.send(last + b"\r\n")
                    else:
                        connection.send(replies.get(verb, b"500 no") + b"\r\n")

        return Server(part)

    return make


# --- rows ------------------------------------------------------------------------------------------------------------

WHOLE, NOTED, BROKEN = "whole", "noted", "broken"
EITHER = "whole or broken"
"""A reset discards what the client has not read yet; if it had read all, the end was proved."""

GEMTEXT = b"=> a A\r\n=> b B\r\n"
_GEMINI = b"20 text/gemini\r\n" + GEMTEXT
_ARTICLE = b"220 0 <a@b>\r\nSubject: s\r\n\r\nhi\r\n"
_HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PAGE = b"<a href=x>x</a>"
_GZIPPED = gzip.compress(PAGE)
_GZIP = _HTTP + b"Content-Encoding: gzip\r\n\r\n"
_LENGTH = _HTTP + b"Content-Length: "
_CHUNKED = _HTTP + b"Transfer-Encoding: chunked\r\n\r\n"
_LIST = b"-rw-r--r-- 1 a a 5 Jan 01 2020 x\r\n"
_FACTS = b"type=file;size=5; x\r\n"

Row = tuple[str, str, str, Callable[[Ending, ssl.SSLContext], Server], tuple[str, str, str]]

ROWS: tuple[Row, ...] = (
    # name, verb, URL, server, what it is where the end is marked, cut, reset
    ("gemini", "get", "gemini://{}/", saying(_GEMINI), (WHOLE, NOTED, BROKEN)),
    ("gemini, empty", "get", "gemini://{}/", saying(b"20 text/plain\r\n"), (WHOLE, NOTED, BROKEN)),
    ("gemini, head cut", "get", "gemini://{}/", saying(b"20 text/pl"), (BROKEN, BROKEN, BROKEN)),
    ("gemini links", "list", "gemini://{}/", saying(_GEMINI), (WHOLE, NOTED, BROKEN)),
    ("gopher text, dot", "get", "gophers://{}/0a", saying(TEXT + b".\r\n"), (WHOLE, WHOLE, EITHER)),
    ("gopher text", "get", "gophers://{}/0a", saying(TEXT), (WHOLE, NOTED, BROKEN)),
    ("gopher file", "get", "gophers://{}/9a", saying(TEXT), (WHOLE, NOTED, BROKEN)),
    ("gopher menu, dot", "list", "gophers://{}/1", saying(b"0a\ta\th\t70\r\n.\r\n"), (WHOLE, WHOLE, EITHER)),
    ("gopher menu", "list", "gophers://{}/1", saying(b"0a\ta\th\t70\r\n"), (NOTED, NOTED, BROKEN)),
    ("gopher+ length", "get", "gophers://{}/9a%09%09+", saying(b"+10\r\n" + TEXT), (WHOLE, WHOLE, EITHER)),
    ("gopher+ short", "get", "gophers://{}/9a%09%09+", saying(b"+11\r\n" + TEXT), (BROKEN, BROKEN, BROKEN)),
    ("gopher+ dot", "get", "gophers://{}/0a%09%09+", saying(b"+-1\r\n" + TEXT + b".\r\n"), (WHOLE, WHOLE, EITHER)),
    ("gopher+ no dot", "get", "gophers://{}/0a%09%09+", saying(b"+-1\r\n" + TEXT), (BROKEN, BROKEN, BROKEN)),
    ("gopher+ close", "get", "gophers://{}/9a%09%09+", saying(b"+-2\r\n" + TEXT), (WHOLE, NOTED, BROKEN)),
    ("nntp, dot", "get", "nntps://{}/g/1", news(_ARTICLE + b".\r\n"), (WHOLE, WHOLE, EITHER)),
    ("nntp, no dot", "get", "nntps://{}/g/1", news(_ARTICLE), (BROKEN, BROKEN, BROKEN)),
    # The reply over the protected control connection proves the end of the data; a reset contradicts it.
    ("ftp", "get", "ftps://{}/x;type=i", ftp(TEXT, None, b"226 done"), (WHOLE, WHOLE, BROKEN)),
    ("ftp, empty", "get", "ftps://{}/x;type=i", ftp(b"", None, b"226 done"), (WHOLE, WHOLE, BROKEN)),
    ("ftp text", "get", "ftps://{}/x;type=a", ftp(TEXT, None, b"226 done"), (WHOLE, WHOLE, BROKEN)),
    ("ftp, size", "get", "ftps://{}/x;type=i", ftp(TEXT, 10, b"226 done"), (WHOLE, WHOLE, EITHER)),
    ("ftp, short", "get", "ftps://{}/x;type=i", ftp(TEXT, 11, b"226 done"), (BROKEN, BROKEN, BROKEN)),
    ("ftp, refused", "get", "ftps://{}/x;type=i", ftp(TEXT, None, b"426 no"), (BROKEN, BROKEN, BROKEN)),
    ("ftp, silent", "get", "ftps://{}/x;type=i", ftp(TEXT, None, b""), (BROKEN, BROKEN, BROKEN)),
    ("ftp listing", "list", "ftps://{}/d/", ftp(_LIST, None, b"226 done"), (WHOLE, WHOLE, BROKEN)),
    ("ftp listing, silent", "list", "ftps://{}/d/", ftp(_LIST, None, b""), (BROKEN, BROKEN, BROKEN)),
    ("http", "get", "https://{}/", saying(_HTTP + b"\r\n" + PAGE), (WHOLE, NOTED, BROKEN)),
    ("http, empty", "get", "https://{}/", saying(_HTTP + b"\r\n"), (WHOLE, NOTED, BROKEN)),
    ("http links", "list", "https://{}/", saying(_HTTP + b"\r\n" + PAGE), (WHOLE, NOTED, BROKEN)),
    ("http, length", "get", "https://{}/", saying(_LENGTH + b"15\r\n\r\n" + PAGE), (WHOLE, WHOLE, EITHER)),
    ("http, short", "get", "https://{}/", saying(_LENGTH + b"16\r\n\r\n" + PAGE), (BROKEN,) * 3),
    ("http, chunk", "get", "https://{}/", saying(_CHUNKED + b"3\r\nabc\r\n"), (BROKEN,) * 3),
    ("http, head cut", "get", "https://{}/", saying(_HTTP), (BROKEN,) * 3),
    ("http, gzip", "get", "https://{}/", saying(_GZIP + _GZIPPED), (WHOLE, NOTED, BROKEN)),
    ("http, gzip cut", "get", "https://{}/", saying(_GZIP + _GZIPPED[:-5]), (BROKEN,) * 3),
)  # fmt: skip


def end_of(certificate: Path, row: Row, ending: str) -> tuple[str, str]:
    """What a client makes of it, and in which words.

    Args:
        certificate: That of the server, with its key; the client trusts it.
    """
    _, verb, url, server, _ = row
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with server(ENDINGS[ending], context) as at, Client(Policy.open(), ca_file=certificate) as client:
        try:
            resource: Any = getattr(client, verb)(url.format(at.authority))
            list(resource.entries()) if verb == "list" else resource.read()
        except AnyURLError as error:
            return BROKEN, f"{type(error).__name__}: {error}"
        said = [note for note in resource.notes if "incomplete" in note]
        return (NOTED if said else WHOLE), "; ".join(resource.notes)


def ends(certificate: Path) -> dict[str, list[str]]:
    """What each row comes to; those of https are left out where pycurl is missing."""
    rows = [row for row in ROWS if not row[2].startswith("https:") or _has_pycurl()]
    return {row[0]: [end_of(certificate, row, ending)[0] for ending in ENDINGS] for row in rows}


def _has_pycurl() -> bool:
    try:
        import pycurl  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    sys.stdout.write(json.dumps(ends(Path(sys.argv[1]))))
