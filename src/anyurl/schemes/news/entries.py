"""Entries in listings of articles and groups, and their URLs.

Rule: a group may have a hundred thousand articles, of which the user looks at ten: everything expensive (URLs, dates,
encoded words) is computed lazily.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from anyurl.dialogue import Entry
from anyurl.errors import AnyURLError, LocalProtocolError
from anyurl.schemes.kit.scheme import encode, octets, text_of
from anyurl.schemes.news.session import NewsSession
from anyurl.schemes.news.wire import commands
from anyurl.schemes.news.wire.headers import decode_field, read_date
from anyurl.schemes.news.wire.lists import count_in
from anyurl.url import URL, syntax

ARTICLE_TYPE = "message/rfc822"

_PLAIN_ID = re.compile(r"[A-Za-z0-9$\-_.+!*'(),@&=;:~]+\Z").match
_MESSAGE_ID_SAFE = b"$+!*'(),@&=;:"
_GROUP_SAFE = b"+"


class UrlWriter:
    """Writes the URLs of the entries of a listing.

    Args:
        url: The URL being listed; entries get the same scheme and server.
    """

    __slots__ = ("_url", "_news", "_nntp", "_own")

    def __init__(self, url: URL, session: NewsSession, group: bytes = b"") -> None:
        secure = url.scheme in ("snews", "nntps") or session.port == syntax.row("snews").port
        news, nntp = ("snews", "nntps") if secure else ("news", "nntp")
        port = "" if session.port == syntax.row(nntp).port else f":{session.port}"
        authority = f"//{written(session.host)}{port}/"
        self._url = url
        self._news = f"{news}:"
        self._nntp = f"{nntp}:{authority}{encode(text_of(group), _GROUP_SAFE)}/"
        # Under nntp URLs, articles are named by number; else by identifier, on the server that the URL names, if any.
        self._own = "" if url.scheme in ("nntp", "nntps") else f"{url.scheme}:{authority if url.host else ''}"

    def article(self, number: str, identifier: str) -> URL | None:
        """The URL of an article in the scheme of its listing; by its number where its identifier makes none."""
        path = _path(identifier) if self._own else None
        return _url(self._nntp + number if path is None else f"{self._own}{path}")

    def both(self, number: str, identifier: str) -> tuple[str | None, str]:
        """Its news: URL, which is the same on every server, and its nntp: URL."""
        path = _path(identifier)
        return None if path is None else self._news + path, self._nntp + number

    def new(self, line: bytes) -> Entry | None:
        """The entry of an article of which the identifier alone is known; None if it is invalid."""
        identifier = text_of(line.strip())
        news, _ = self.both("0", identifier)
        if news is None:
            return None
        found, facts = self.article("0", identifier), {"news_url": news}
        return Entry(identifier[1:-1], found, kind="document", type=ARTICLE_TYPE, attributes=facts)

    def group(self, name: bytes) -> URL | None:
        """The URL of a group."""
        return _url(f"{self._own}{encode(text_of(name), _GROUP_SAFE)}")


def written(host: str) -> str:
    """A host as written in a URL."""
    return f"[{host}]" if ":" in host else host


def _path(identifier: str) -> str | None:
    """A message identifier as written in a news URL: without its brackets; None if it is invalid."""
    bare = identifier[1:-1]
    if identifier[:1] != "<" or identifier[-1:] != ">" or "@" not in bare:
        return None
    if len(identifier) <= commands.MAX_MESSAGE_ID_BYTES and _PLAIN_ID(bare):
        return bare
    try:
        commands.encode_command("ARTICLE", commands.message_id(octets(bare)))
    except LocalProtocolError:
        return None
    return encode(bare, _MESSAGE_ID_SAFE)


def _url(text: str) -> URL | None:
    try:
        return URL(text)
    except AnyURLError:
        return None


class ArticleEntry(Entry):
    """An article as an entry of its group; its name is the subject from the overview.

    Args:
        fields: As `anyurl.schemes.news.wire.lists.read_overview` returns them.
        names: Writes its URLs.
    """

    __slots__ = ("_fields", "_names")

    def __init__(self, fields: list[str], names: UrlWriter) -> None:
        self._fields = fields
        self._names = names

    def __getattr__(self, name: str) -> Any:
        # Called for a slot without a value: the value is computed and stored, so this happens once per slot.
        make = _MAKERS.get(name)
        if make is None:
            raise AttributeError(f"an entry has no {name!r}")
        value = make(self._fields, self._names)
        setattr(self, name, value)
        return value


def _attributes(fields: list[str], names: UrlWriter) -> dict[str, object]:
    number, _subject, author, _date, identifier, references, _size, lines = fields[:8]
    news, nntp = names.both(number, identifier)
    found: dict[str, object] = {
        "number": int(number),
        "from": decode_field(author),
        "news_url": news,
        "nntp_url": nntp,
        "lines": count_in(lines),
    }
    if references:
        found["references"] = [word[1:-1] for word in references.split()]
    return found


_MAKERS: dict[str, Callable[[list[str], UrlWriter], Any]] = {
    "name": lambda fields, names: fields[1],
    "url": lambda fields, names: names.article(fields[0], fields[4]),
    "kind": lambda fields, names: "document",
    "size": lambda fields, names: count_in(fields[6]),
    "modified": lambda fields, names: read_date(fields[3]),
    "title": lambda fields, names: decode_field(fields[1]),
    "type": lambda fields, names: ARTICLE_TYPE,
    "score": lambda fields, names: None,
    "attributes": _attributes,
}
