"""Groups as listings of articles, servers as listings of groups (RFC 3977 6.1, 7.4, 7.6, 8.3).

Rule: entries are emitted as they arrive, hundreds at a time; only the descriptions of groups are collected. Groups are
long: without a range only the newest articles are listed. Each article has two URLs: by its identifier (news:), which
RFC 1738 3.7 prefers because it is the same on every server, and by its number on this server (nntp:).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from anyurl.dates import timestamp
from anyurl.dialogue import Describe, Emit, Entry, Note, Steps
from anyurl.errors import UnsupportedError
from anyurl.schemes.kit.scheme import octets, quoted, text_of
from anyurl.schemes.kit.unparsed import UnparsedLines
from anyurl.schemes.news.entries import ArticleEntry, UrlWriter
from anyurl.schemes.news.session import NewsSession
from anyurl.schemes.news.wire.headers import decode_field
from anyurl.schemes.news.wire.lists import (
    MAX_COLLECTED_BYTES,
    MAX_COLLECTED_LINES,
    Group,
    GroupListReader,
    Wildmat,
    read_active,
    read_description,
    read_overview,
)
from anyurl.url import URL

NEWEST = 1_000
"""Articles listed for a group if no range is given: news readers ask the user before they fetch more headers."""

BATCH = 500

_SINCE = re.compile(r"since:(\d{4})-(\d{2})-(\d{2})\Z")


# --- articles of a group ---------------------------------------------------------------------------------------------


class Wanted:
    """The search terms for articles of a group.

    Args:
        words: Words that subject or author must contain, ignoring case; ``since:1994-12-20`` is a date.
    """

    __slots__ = ("words", "since")

    def __init__(self, words: str) -> None:
        self.words: list[str] = []
        self.since: float | None = None
        for word in words.split():
            found = _SINCE.match(word)
            day = None if found is None else timestamp(int(found[1]), int(found[2]), int(found[3]))
            if day is None:
                self.words.append(word.casefold())
            else:
                self.since = day

    def takes(self, entry: Entry) -> bool:
        """Whether the entry matches."""
        if self.since is not None and (entry.modified is None or entry.modified < self.since):
            return False
        if not self.words:
            return True
        text = f"{entry.title} {entry.attributes.get('from', '')}".casefold()
        return all(word in text for word in self.words)


def list_articles(
    url: URL, session: NewsSession, group: bytes, first: int | None, last: int | None, wanted: Wanted | None = None
) -> Steps[None]:
    """List the articles of a group: those from `first` to `last`, or the newest, and of these only those `wanted`.

    Raises:
        NotFoundError: The server has no such group.
        ReplyError: The server refuses the overview.
    """
    found = yield from session.select(group)
    names = UrlWriter(url, session, group)
    low, high = found.low or 0, found.high or 0
    if first is None:
        first, last = max(low, high - NEWEST + 1), high
        if found.count and first > low:
            _, whole = names.both(f"{low}-{high}", "")
            yield from Note(f"the newest {NEWEST:,} of about {found.count:,} articles; a range names others: {whole}")
    last = high if last is None else min(last, high)  # INN refuses ranges with a number above 2^31 - 1
    empty = not found.count or last < first
    reader = None
    if not empty:
        yield from session.compress(last - max(first, low) + 1)
        reader = yield from _overview(session, b"%d-%d" % (first, last))
    yield from Describe("listing", name=text_of(group), attributes=_facts(found))
    if reader is not None:
        yield from _emit_articles(session, names, reader, wanted)
    yield from session.leave()


def _overview(session: NewsSession, span: bytes) -> Steps[GroupListReader | None]:
    """Send OVER, or XOVER to servers older than RFC 3977; returns None if the range is empty."""
    verb, other = ("OVER", "XOVER") if "OVER" in session.capabilities else ("XOVER", "OVER")
    reply = yield from session.command(verb, span)
    if reply.code in (500, 501, 502, 503):
        reply = yield from session.command(other, span)
    if reply.code in (420, 423):  # RFC 2980 2.8, RFC 3977 8.3: none in the range
        return None
    if reply.code != 224:
        raise session.refusal(reply, f"{session.host} gives no overview of the group")
    session.begin_block(reply)
    return GroupListReader()


def _emit_articles(
    session: NewsSession, names: UrlWriter, reader: GroupListReader, wanted: Wanted | None
) -> Steps[None]:
    odd = UnparsedLines()
    while data := (yield from session.octets()):
        entries: list[Entry] = [ArticleEntry(fields, names) for fields in odd.read(reader.feed(data), read_overview)]
        if wanted is not None:
            entries = [entry for entry in entries if wanted.takes(entry)]
        for at in range(0, len(entries), BATCH):
            yield from Emit(entries[at : at + BATCH])
    yield from _tell(odd, "the overview")


def _tell(odd: UnparsedLines, listing: str) -> Steps[None]:
    if odd.count:
        yield from Note(odd.remark(listing))


# --- groups ----------------------------------------------------------------------------------------------------------


def stat_group(session: NewsSession, group: bytes) -> Steps[None]:
    """Describe a group: article numbers, description, whether posting is allowed (RFC 3977 6.1.1, 7.6)."""
    found = yield from session.select(group)
    facts, odd = _facts(found), UnparsedLines()
    descriptions = yield from _descriptions(session, group, odd)
    if descriptions.get(group):
        facts["description"] = decode_field(descriptions[group])
    reply = yield from session.command("LIST", b"ACTIVE", group)
    if reply.code == 215:
        for active in (yield from _read_all(session, reply, read_active, odd)):
            if active.name == group:
                facts["posting"] = _posting(active.status)
    yield from Describe("listing", name=text_of(group), attributes=facts)
    yield from _tell(odd, "the server's lists of groups")
    yield from session.leave()


def stat_server(session: NewsSession) -> Steps[None]:
    """Describe a server by its capabilities (RFC 3977 5.2)."""
    said = {label.lower(): list(arguments) for label, arguments in session.capabilities.items()}
    yield from Describe("listing", name=session.host, attributes={"capabilities": said, "posting": session.may_post})
    yield from session.leave()


def list_groups(url: URL, session: NewsSession, wildmat: str, words: str = "") -> Steps[None]:
    """List the groups that match a wildmat, with their descriptions; with words, only those that contain all."""
    pattern, odd = octets(wildmat), UnparsedLines()
    descriptions = yield from _descriptions(session, pattern, odd)
    yield from session.compress(len(descriptions))
    reply = yield from session.command("LIST", b"ACTIVE", pattern)
    if reply.code in (500, 501):  # RFC 977 3.6: LIST has no arguments, and lists them all
        reply = yield from session.command("LIST")
    if reply.code != 215:
        raise session.refusal(reply, f"{session.host} does not list its groups")
    session.begin_block(reply)
    yield from Describe("listing", name=wildmat)
    takes, names, reader = Wildmat(wildmat), UrlWriter(url, session), GroupListReader()
    wanted = words.casefold().split()
    while data := (yield from session.octets()):
        # A server without support for wildmats lists all of its groups (RFC 2980 2.1.2).
        read = odd.read(reader.feed(data), read_active)
        groups = [group for group in read if takes.matches(text_of(group.name))]
        entries = [_group_entry(group, names, descriptions.get(group.name)) for group in groups]
        if wanted:
            entries = [entry for entry in entries if _holds(entry, wanted)]
        for at in range(0, len(entries), BATCH):
            yield from Emit(entries[at : at + BATCH])
    yield from _tell(odd, "the list of groups")
    yield from session.leave()


def _holds(entry: Entry, words: list[str]) -> bool:
    text = f"{entry.name} {entry.title or ''}".casefold()
    return all(word in text for word in words)


def _group_entry(group: Group, names: UrlWriter, description: bytes | None) -> Entry:
    return Entry(
        text_of(group.name),
        names.group(group.name),
        kind="listing",
        title=decode_field(description) if description else None,
        attributes={**_facts(group), "posting": _posting(group.status)},
    )


def _facts(group: Group) -> dict[str, object]:
    return {"articles": group.count, "first": group.low, "last": group.high}


def _posting(status: str) -> str:
    """RFC 3977 7.6.3, and INN's active(5) for the rest."""
    meanings = {"y": "open", "n": "closed", "m": "moderated", "j": "junk", "x": "closed"}
    return f"see {status[1:]}" if status.startswith("=") else meanings.get(status, status)


def _descriptions(session: NewsSession, pattern: bytes, odd: UnparsedLines) -> Steps[Mapping[bytes, bytes]]:
    """Descriptions of groups (LIST NEWSGROUPS): not every server has them, and not for every group."""
    reply = yield from session.command("LIST", b"NEWSGROUPS", pattern)
    if reply.code != 215:
        return {}
    return dict((yield from _read_all(session, reply, read_description, odd)))


def _read_all(session: NewsSession, reply: Any, read: Callable[[bytes], Any], odd: UnparsedLines) -> Steps[list[Any]]:
    session.begin_block(reply)
    reader = GroupListReader(MAX_COLLECTED_BYTES, MAX_COLLECTED_LINES)
    found: list[Any] = []
    while data := (yield from session.octets()):
        found += odd.read(reader.feed(data), read)
    return found


# --- new articles ----------------------------------------------------------------------------------------------------


def list_new(url: URL, session: NewsSession, wildmat: str, since: float) -> Steps[None]:
    """List the identifiers of articles that arrived since then in groups that match (NEWNEWS, RFC 3977 7.4).

    Raises:
        UnsupportedError: The server does not support NEWNEWS.
    """
    if session.capabilities and "NEWNEWS" not in session.capabilities:
        raise UnsupportedError(
            f"{session.host} does not report new articles in {quoted(octets(wildmat))} (NEWNEWS); the articles of one "
            "group can be searched.",
            scheme=url.scheme,
            verb="search",
        )
    reply = yield from session.command("NEWNEWS", octets(wildmat), _day(since), b"000000", b"GMT")
    if reply.code != 230:
        raise session.refusal(reply, f"{session.host} does not report new articles")
    session.begin_block(reply)
    yield from Describe("listing", name=wildmat)
    names, reader, odd = UrlWriter(url, session), GroupListReader(), UnparsedLines()
    while data := (yield from session.octets()):
        entries = list(odd.read(reader.feed(data), names.new))
        for at in range(0, len(entries), BATCH):
            yield from Emit(entries[at : at + BATCH])
    yield from _tell(odd, "the list of new articles")
    yield from session.leave()


def _day(seconds: float) -> bytes:
    import time

    return time.strftime("%Y%m%d", time.gmtime(seconds)).encode("ascii")
