"""A news server without I/O (RFC 3977): it has the articles of a shelf, and takes more.

Rule: it knows the commands of a reader, OVER and XOVER, HDR, NEWNEWS and COMPRESS DEFLATE among them. Anyone may read;
posting requires a login where the server has one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.schemes.news.wire.headers import read_date, read_head
from anyurl.schemes.news.wire.lists import Wildmat

MAX_LINE = 2048
MAX_ARTICLE = 1024 * 1024
"""Octets of the largest article that may be posted."""

INFLATED_AT_ONCE = 64 * 1024
"""Octets of compressed commands that are inflated at once: a few may become a thousand times as many."""

CAPABILITIES = ("VERSION 2", "READER", "POST", "OVER MSGID", "HDR", "NEWNEWS", "LIST ACTIVE NEWSGROUPS OVERVIEW.FMT")
"""Those that need neither a login nor compression."""

OVERVIEW = ("Subject:", "From:", "Date:", "Message-ID:", "References:", ":bytes", ":lines")

_IDENTIFIER = re.compile(rb"<[^<>@\s]+@[^<>\s]+>")


class Shelf:
    """The articles of a server, by group and by identifier.

    Args:
        groups: By name, whether anyone may post there (``y`` or ``n``), and a description.
        articles: The articles; a group has those that name it.

    Attributes:
        groups: As the argument.
        articles: The articles by group; their numbers begin with 1.
        by_id: The articles by identifier.
    """

    def __init__(self, groups: Mapping[str, tuple[str, str]], articles: Iterable[bytes]) -> None:
        self.groups = groups
        self.articles: dict[str, list[bytes]] = {name: [] for name in groups}
        self.by_id: dict[bytes, bytes] = {}
        for article in articles:
            self.add(article)

    def find(self, identifier: bytes) -> bytes | None:
        """The article of an identifier."""
        return self.by_id.get(identifier)

    def numbered(self, group: str, number: int) -> bytes | None:
        """The article of a number in a group."""
        articles = self.articles[group]
        return articles[number - 1] if 1 <= number <= len(articles) else None

    def add(self, article: bytes) -> str | None:
        """Accept an article; return why it was rejected, or None."""
        fields = read_head(article.partition(b"\r\n\r\n")[0])
        identifier = fields.get("message-id", b"")
        names = [name.strip().decode("utf-8", "replace") for name in fields.get("newsgroups", b"").split(b",")]
        known = [name for name in names if name in self.groups]
        if not all(fields.get(name) for name in ("from", "subject")) or not _IDENTIFIER.fullmatch(identifier):
            return "it lacks From, Subject or Message-ID"
        if not known:
            return "none of its groups is here"
        if identifier in self.by_id:
            return "it is here already"
        self.by_id[identifier] = article
        for name in known:
            self.articles[name].append(article)
        return None


class IdealShelf(Shelf):
    """A group of two articles, one of which it gives for every identifier and number; it accepts everything.

    Args:
        group: The name of the group.
    """

    def __init__(self, group: str) -> None:
        super().__init__({group: ("y", "An ideal group")}, ())
        for number in (1, 2):
            self.articles[group].append(
                b"From: Nobody <nobody@ideal.example>\r\nNewsgroups: ideal.group\r\nSubject: An ideal article\r\n"
                b"Date: Thu, 01 Dec 1994 00:0%d:00 GMT\r\nMessage-ID: <%d@ideal.example>\r\n\r\n"
                b"It has two lines,\r\nand a dot.\r\n" % (number, number)
            )

    def find(self, identifier: bytes) -> bytes | None:
        """The first article."""
        return self.numbered(next(iter(self.articles)), 1)

    def numbered(self, group: str, number: int) -> bytes | None:
        """The article of this number, or the first one."""
        return super().numbered(group, number) or self.articles[group][0]

    def add(self, article: bytes) -> str | None:
        """Accept it."""
        return None


class NewsServer(WireServer):
    """A news server.

    Args:
        shelf: Its articles.
        now: Seconds since the epoch.
        host: Its own name.
        greeting: Its first line, with the code.
        capabilities: Its capabilities, one per line.
        login: The name and the password of those who may post; None if everyone may.
    """

    def __init__(
        self,
        shelf: Shelf,
        now: Callable[[], float] = lambda: 0.0,
        *,
        host: str = "ideal.example",
        greeting: str = "200 Ideal news server, posting allowed",
        capabilities: Sequence[str] = CAPABILITIES,
        login: tuple[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.shelf = shelf
        self.host = host
        self.greeting = greeting
        self.capabilities = capabilities
        self.login = login
        self._now = now

    def moment(self) -> datetime:
        """The time, in UTC."""
        return datetime.fromtimestamp(self._now(), UTC)

    def serve(self, client: ServedClient) -> Conversation[None]:
        """One reader, until it quits."""
        yield from _NewsConversation(self, client).run()


class _NewsConversation:
    """One connection: its selected group, its login, its compression."""

    def __init__(self, server: NewsServer, client: ServedClient) -> None:
        self._server = server
        self._shelf = server.shelf
        self._client = client
        self._buffer = bytearray()
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
        self._client.send(data)

    def _say(self, line: str) -> None:
        self._send(line.encode("utf-8", "surrogateescape") + b"\r\n")

    def _say_block(self, line: str, lines: Iterable[bytes]) -> None:
        block = b"".join((b"." if each.startswith(b".") else b"") + each + b"\r\n" for each in lines)
        self._send(line.encode() + b"\r\n" + block + b".\r\n")

    def _line(self, limit: int = MAX_LINE) -> Conversation[bytes | None]:
        """The next line without its end; None if the client is gone or the line is too long."""
        yield from self._client.give_way()
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if start > limit or not (yield from self._read()):
                return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def _read(self) -> Conversation[bool]:
        """Read more of what the client wrote; whether there was some."""
        received, before = self._client.buffer, len(self._buffer)
        while len(self._buffer) == before:
            data = bytes(received)
            received.clear()
            if self._inflate is not None:
                if self._inflate.eof:  # zlib would only collect what follows
                    return False
                if data:
                    yield  # other connections have their turn, before it becomes a thousand times as much
                try:
                    data = self._inflate.decompress(data, INFLATED_AT_ONCE)
                except zlib.error:  # what follows can't be read any more
                    return False
                received += self._inflate.unconsumed_tail
            self._buffer += data
            if not data and not (yield from self._client.more()):
                return False
        return True

    # --- commands ----------------------------------------------------------------------------------------------------

    def run(self) -> Conversation[None]:
        """Until the client quits."""
        self._say(self._server.greeting)
        while (line := (yield from self._line())) is not None:
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
                posting = command(*arguments)
            except (TypeError, ValueError):  # too few or too many arguments, or of the wrong kind
                self._say("501 Not with these arguments")
                continue
            if posting is not None and not (yield from posting):
                return

    def _do_capabilities(self, _keyword: str = "") -> None:
        self._say_block("101 What this server can do", (line.encode() for line in self._server.capabilities))

    def _do_mode(self, _which: str) -> None:
        self._say(self._server.greeting)

    def _do_date(self) -> None:
        self._say(f"{self._server.moment():111 %Y%m%d%H%M%S}")

    def _do_help(self) -> None:
        self._say_block("100 Commands", (name[4:].encode() for name in dir(self) if name.startswith("_do_")))

    def _do_list(self, what: str = "active", wildmat: str = "*") -> None:
        groups = self._shelf.groups
        takes = [name for name in groups if Wildmat(wildmat).matches(name)]
        if what.lower() == "active":
            counts = ((name, len(self._shelf.articles[name])) for name in takes)
            self._say_block("215 Groups", (f"{name} {count} 1 {groups[name][0]}".encode() for name, count in counts))
        elif what.lower() == "newsgroups":
            self._say_block("215 Descriptions", (f"{name}\t{groups[name][1]}".encode() for name in takes))
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
        count = len(self._shelf.articles[name])
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
            for name, articles in self._shelf.articles.items()
            if takes.matches(name)
            for identifier, when in map(_identity, articles)
            if since is None or when >= since
        }
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
            article = self._shelf.find(which.encode("utf-8", "surrogateescape"))
            return "430 There is no such article" if article is None else (0, article)
        if self._group is None:
            return "412 No group is selected"
        number = int(which) if which.isdigit() and len(which) < 10 else self._current if not which else 0
        article = self._shelf.numbered(self._group, number)
        if article is None:
            return "423 There is no article of that number" if which else "420 There is no current article"
        self._current = number
        return number, article

    def _do_next(self) -> None:
        self._step(1, "421 There is no next article")

    def _do_last(self) -> None:
        self._step(-1, "422 There is no previous article")

    def _step(self, by: int, otherwise: str) -> None:
        if self._group is None:
            self._say("412 No group is selected")
        elif 1 <= self._current + by <= len(self._shelf.articles[self._group]):
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
        articles = list(enumerate(self._shelf.articles[self._group], 1))
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
        elif kind.lower() == "pass" and self._server.login in (None, (self._user, text)):
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

    def _do_post(self) -> Conversation[bool] | None:
        if self._server.login is not None and not self._logged_in:
            self._say("480 Who are you?")
            return None
        return self._post()

    def _post(self) -> Conversation[bool]:
        """Take an article; whether it came to its end, and a command follows."""
        self._say("340 Send it")
        lines: list[bytes] = []
        size = 0
        while (line := (yield from self._line(MAX_ARTICLE))) != b".":
            if line is None or size > MAX_ARTICLE:
                return False
            size += len(line) + 2
            lines.append(line.removeprefix(b".") + b"\r\n")
        article = b"".join(lines)
        if b"message-id" not in article.partition(b"\r\n\r\n")[0].lower():
            article = f"Message-ID: <{len(self._shelf.by_id) + 1}@{self._server.host}>\r\n".encode() + article
        if b"\ndate:" not in b"\n" + article.partition(b"\r\n\r\n")[0].lower():
            article = f"{self._server.moment():Date: %d %b %Y %H:%M:%S GMT}\r\n".encode() + article
        refused = self._shelf.add(article)
        self._say(f"441 {refused}" if refused else f"240 {_identity(article)[0].decode('utf-8', 'replace')}")
        return True


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
