"""news and nntp: a few groups on a news server (RFC 3977; RFC 1738 3.6 and 3.7).

Rule: the articles are the same on every machine. Anyone may read; posting requires a login as `tree.USER`, and articles
stay until the server is closed. It knows the commands of a reader, OVER and XOVER, HDR, NEWNEWS and COMPRESS DEFLATE
among them.
"""

from __future__ import annotations

import base64
import re
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterable

from anyurl.schemes.news.wire.headers import read_date, read_head
from anyurl.schemes.news.wire.lists import Wildmat
from anyurl.url import URL
from anyurl.world.listener import HOST, Listener
from anyurl.world.tree import GREETINGS, NOTES, PASSWORD, USER, picture

IDLE_SECONDS = 60.0
MAX_LINE = 2048
MAX_ARTICLE = 1024 * 1024
"""Octets of the largest article that may be posted."""

GROUPS = {
    "world.announce": ("n", "What is new in the world"),
    "world.notes": ("y", "Notes about locators"),
    "world.pictures": ("y", "Pictures of waves"),
}

CAPABILITIES = (
    "VERSION 2", "IMPLEMENTATION anyurl world", "READER", "POST", "OVER MSGID", "HDR", "NEWNEWS", "AUTHINFO USER",
    "LIST ACTIVE NEWSGROUPS OVERVIEW.FMT", "COMPRESS DEFLATE",
)  # fmt: skip

OVERVIEW = ("Subject:", "From:", "Date:", "Message-ID:", "References:", ":bytes", ":lines")

FIRST = "welcome@world.example"
"""The identifier of the article that the demo gets."""


def _article(group: str, subject: str, identifier: str, body: str, *more: str, date: str = "00") -> bytes:
    fields = (
        "Path: world.example!not-for-mail", "From: Nobody <nobody@world.example>", f"Newsgroups: {group}",
        f"Subject: {subject}", f"Date: Tue, 20 Dec 1994 {date}:00:00 GMT", f"Message-ID: <{identifier}>", *more,
    )  # fmt: skip
    return ("\n".join(fields) + "\n\n" + body).replace("\n", "\r\n").encode()


def articles() -> list[bytes]:
    """The articles that every news server of the world starts with."""
    text = "Content-Type: text/plain; charset=utf-8"
    encoded = base64.encodebytes(picture()).decode()
    mixed = (
        f"--wave\n{text}\n\nA picture of waves.\n"
        f'--wave\nContent-Type: image/png; name="picture.png"\nContent-Transfer-Encoding: base64\n\n{encoded}--wave--\n'
    )
    return [
        _article("world.announce", "Welcome to the world", FIRST, "This is a small world.\n.\nIt has news.\n"),
        _article("world.notes", "Notes", "notes@world.example", NOTES),
        _article(
            "world.notes", "Re: =?utf-8?q?Gr=C3=BC=C3=9Fe?=", "greetings@world.example", GREETINGS, text,
            "References: <notes@world.example>", date="01",
        ),
        _article(
            "world.pictures", "Waves", "waves@world.example", mixed, 'Content-Type: multipart/mixed; boundary="wave"'
        ),
    ]  # fmt: skip


class Shelf:
    """The articles of one server, by group and by identifier."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.groups: dict[str, list[bytes]] = {name: [] for name in GROUPS}
        self.by_id: dict[bytes, bytes] = {}
        for article in articles():
            self.add(article)

    def add(self, article: bytes) -> str | None:
        """Accept an article; return why it was rejected, or None."""
        fields = read_head(article.partition(b"\r\n\r\n")[0])
        identifier = fields.get("message-id", b"")
        groups = [name.strip().decode("utf-8", "replace") for name in fields.get("newsgroups", b"").split(b",")]
        known = [name for name in groups if name in self.groups]
        if not all(fields.get(name) for name in ("from", "subject")) or not re.fullmatch(
            rb"<[^<>@\s]+@[^<>\s]+>", identifier
        ):
            return "it lacks From, Subject or Message-ID"
        with self.lock:
            if not known:
                return "none of its groups is here"
            if identifier in self.by_id:
                return "it is here already"
            self.by_id[identifier] = article
            for name in known:
                self.groups[name].append(article)
        return None


class NewsConversation:
    """One connection: its selected group, its login, its compression."""

    def __init__(self, connection: socket.socket, shelf: Shelf) -> None:
        self._socket = connection
        self._shelf = shelf
        self._buffer = b""
        self._group: str | None = None
        self._current = 0
        self._user = ""
        self._logged_in = False
        self._deflate: zlib._Compress | None = None
        self._inflate: zlib._Decompress | None = None

    # --- octets ------------------------------------------------------------------------------------------------------

    def _send(self, data: bytes) -> None:
        if self._deflate is not None:
            data = self._deflate.compress(data) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        self._socket.sendall(data)

    def _say(self, line: str) -> None:
        self._send(line.encode("utf-8", "surrogateescape") + b"\r\n")

    def _say_block(self, line: str, lines: Iterable[bytes]) -> None:
        block = b"".join((b"." if each.startswith(b".") else b"") + each + b"\r\n" for each in lines)
        self._send(line.encode() + b"\r\n" + block + b".\r\n")

    def _line(self, limit: int = MAX_LINE) -> bytes | None:
        """The next line without its end; None if the client is gone or the line is too long."""
        while b"\n" not in self._buffer:
            data = self._socket.recv(65536)
            if not data or len(self._buffer) > limit:
                return None
            self._buffer += data if self._inflate is None else self._inflate.decompress(data, MAX_ARTICLE)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.removesuffix(b"\r")

    # --- commands ----------------------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Until the client quits."""
        self._say("200 anyurl world, posting allowed")
        while (line := self._line()) is not None:
            verb, *arguments = line.decode("utf-8", "surrogateescape").split() or [""]
            verb = verb.lower()
            if verb == "quit":
                self._say("205 Goodbye")
                return
            command = getattr(self, f"_do_{verb}", None)
            if command is None or not verb.isalpha():
                self._say("500 What?")
                continue
            try:
                command(*arguments)
            except (TypeError, ValueError):  # too few or too many arguments, or of the wrong kind
                self._say("501 Not with these arguments")

    def _do_capabilities(self, _keyword: str = "") -> None:
        self._say_block("101 What this server can do", (line.encode() for line in CAPABILITIES))

    def _do_mode(self, _which: str) -> None:
        self._say("200 anyurl world, posting allowed")

    def _do_date(self) -> None:
        self._say(time.strftime("111 %Y%m%d%H%M%S", time.gmtime()))

    def _do_help(self) -> None:
        self._say_block("100 Commands", (name[4:].encode() for name in dir(self) if name.startswith("_do_")))

    def _do_list(self, what: str = "active", wildmat: str = "*") -> None:
        takes = [name for name in GROUPS if Wildmat(wildmat).matches(name)]
        if what.lower() == "active":
            counts = ((name, len(self._shelf.groups[name])) for name in takes)
            self._say_block("215 Groups", (f"{name} {count} 1 {GROUPS[name][0]}".encode() for name, count in counts))
        elif what.lower() == "newsgroups":
            self._say_block("215 Descriptions", (f"{name}\t{GROUPS[name][1]}".encode() for name in takes))
        elif what.lower() == "overview.fmt":
            self._say_block("215 Order of fields", (field.encode() for field in OVERVIEW))
        else:
            self._say("503 There is no such list")

    def _do_group(self, name: str) -> None:
        if name not in self._shelf.groups:
            self._say("411 There is no such group")
            return
        self._say(self._select(name))

    def _select(self, name: str) -> str:
        count = len(self._shelf.groups[name])
        self._group, self._current = name, min(1, count)
        return f"211 {count} 1 {count} {name}"

    def _do_listgroup(self, name: str = "", which: str = "1-") -> None:
        name = name or self._group or ""
        if name not in self._shelf.groups:
            self._say("411 There is no such group" if name else "412 No group is selected")
            return
        said = self._select(name)
        found = self._range(which if "-" in which else f"{which}-{which}")
        self._say_block(said, () if isinstance(found, str) else (b"%d" % number for number, _ in found))

    def _do_newgroups(self, _date: str, _time: str, _zone: str = "") -> None:
        self._say_block("231 New groups", ())

    def _do_newnews(self, wildmat: str, date: str, clock: str, _zone: str = "") -> None:
        since = read_date(f"{date[-2:]} {_month(date)} {date[:-4]} {clock[:2]}:{clock[2:4]}:{clock[4:]}".encode())
        takes = Wildmat(wildmat)
        found = {
            identifier: None
            for name, articles in self._shelf.groups.items() if takes.matches(name)
            for identifier, when in map(_identity, articles) if since is None or when >= since
        }  # fmt: skip
        self._say_block("230 New articles", found)

    def _do_article(self, which: str = "") -> None:
        self._give("220", which, lambda article: article)

    def _do_head(self, which: str = "") -> None:
        self._give("221", which, lambda article: article.partition(b"\r\n\r\n")[0] + b"\r\n")

    def _do_body(self, which: str = "") -> None:
        self._give("222", which, lambda article: article.partition(b"\r\n\r\n")[2])

    def _do_stat(self, which: str = "") -> None:
        self._give("223", which, None)

    def _give(self, code: str, which: str, part: Callable[[bytes], bytes] | None) -> None:
        found = self._find(which)
        if isinstance(found, str):
            self._say(found)
            return
        number, article = found
        line = f"{code} {number} {_identity(article)[0].decode()}"
        if part is None:
            self._say(line)
        else:
            self._say_block(line, part(article).removesuffix(b"\r\n").split(b"\r\n"))

    def _find(self, which: str) -> tuple[int, bytes] | str:
        """Number and article, or the reply that says why not (RFC 3977 6.2.1)."""
        if which.startswith("<"):
            article = self._shelf.by_id.get(which.encode("utf-8", "surrogateescape"))
            return "430 There is no such article" if article is None else (0, article)
        if self._group is None:
            return "412 No group is selected"
        articles = self._shelf.groups[self._group]
        number = int(which) if which.isdigit() and len(which) < 10 else self._current if not which else 0
        if not 1 <= number <= len(articles):
            return "423 There is no article of that number" if which else "420 There is no current article"
        self._current = number
        return number, articles[number - 1]

    def _do_next(self) -> None:
        self._step(1, "421 There is no next article")

    def _do_last(self) -> None:
        self._step(-1, "422 There is no previous article")

    def _step(self, by: int, otherwise: str) -> None:
        if self._group is None:
            self._say("412 No group is selected")
        elif 1 <= self._current + by <= len(self._shelf.groups[self._group]):
            self._current += by
            self._do_stat()
        else:
            self._say(otherwise)

    def _range(self, which: str) -> list[tuple[int, bytes]] | str:
        if which.startswith("<") or "-" not in which:
            found = self._find(which)
            return found if isinstance(found, str) else [found]
        if self._group is None:
            return "412 No group is selected"
        low, _, high = which.partition("-")
        articles = list(enumerate(self._shelf.groups[self._group], 1))
        found_all = articles[max(0, int(low) - 1) : int(high) if high else None]
        return found_all or "423 There are no articles in that range"

    def _do_over(self, which: str = "") -> None:
        found = self._range(which)
        if isinstance(found, str):
            self._say(found)
        else:
            self._say_block("224 Overview", (_overview(number, article) for number, article in found))

    _do_xover = _do_over

    def _do_hdr(self, field: str, which: str = "") -> None:
        found = self._range(which)
        if isinstance(found, str):
            self._say(found)
        else:
            self._say_block("225 Fields", (b"%d %s" % (n, _field(article, field.lower())) for n, article in found))

    # --- login, compression, posting ---------------------------------------------------------------------------------

    def _do_authinfo(self, kind: str, text: str) -> None:
        if kind.lower() == "user":
            self._user = text
            self._say("381 And the password?")
        elif kind.lower() == "pass" and (self._user, text) == (USER, PASSWORD):
            self._logged_in = True
            self._say("281 Welcome")
        else:
            self._say("481 That is not it")

    def _do_compress(self, algorithm: str) -> None:
        if algorithm.lower() != "deflate" or self._deflate is not None:
            self._say("503 Not so")
            return
        self._say("206 Compressed from here on")
        self._deflate, self._inflate = zlib.compressobj(wbits=-15), zlib.decompressobj(-15)

    def _do_post(self) -> None:
        if not self._logged_in:
            self._say("480 Who are you?")
            return
        self._say("340 Send it")
        lines: list[bytes] = []
        size = 0
        while (line := self._line(MAX_ARTICLE)) != b".":
            if line is None or size > MAX_ARTICLE:
                return
            size += len(line)
            lines.append(line.removeprefix(b".") + b"\r\n")
        article = b"".join(lines)
        if b"message-id" not in article.partition(b"\r\n\r\n")[0].lower():
            number = len(self._shelf.by_id) + 1
            article = b"Message-ID: <%d@world.example>\r\n" % number + article
        if b"\ndate:" not in b"\n" + article.partition(b"\r\n\r\n")[0].lower():
            article = time.strftime("Date: %d %b %Y %H:%M:%S GMT\r\n", time.gmtime()).encode() + article
        refused = self._shelf.add(article)
        self._say(f"441 {refused}" if refused else f"240 {_identity(article)[0].decode('utf-8', 'replace')}")


def _month(date: str) -> str:
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    return months[(int(date[-4:-2]) - 1) % 12]


def _identity(article: bytes) -> tuple[bytes, float]:
    fields = read_head(article.partition(b"\r\n\r\n")[0])
    return fields["message-id"], read_date(fields.get("date", b"")) or 0.0


def _field(article: bytes, name: str) -> bytes:
    """A field of the header or an item of metadata; a tab becomes a space (RFC 3977 8.1)."""
    head, _, body = article.partition(b"\r\n\r\n")
    if name == ":bytes":
        return b"%d" % len(article)
    if name == ":lines":
        return b"%d" % body.count(b"\r\n")
    return re.sub(rb"\s", b" ", read_head(head).get(name.rstrip(":"), b""))


def _overview(number: int, article: bytes) -> bytes:
    return b"\t".join((b"%d" % number, *(_field(article, name.lower()) for name in OVERVIEW)))


class NewsServer:
    """A news server with its articles in memory.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, port: int = 0) -> None:
        self._shelf = Shelf()
        self._listener = Listener(self.serve, "news", port)
        self.port = self._listener.port

    @property
    def root(self) -> URL:
        """All of its groups."""
        return URL(f"news://{HOST}:{self.port}/")

    @property
    def urls(self) -> dict[str, URL]:
        """The URLs that the demo gets: an article by its identifier, and one by its number."""
        return {
            "news": URL(f"{self.root}{FIRST}"),
            "nntp": URL(f"nntp://{HOST}:{self.port}/world.notes/1"),
        }

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """One reader."""
        connection.settimeout(IDLE_SECONDS)
        NewsConversation(connection, self._shelf).serve()


def start(port: int = 0) -> NewsServer:
    """Serve the articles. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return NewsServer(port=port)
