"""Articles: fetching them or their parts, describing and posting them (RFC 3977 6.2, 6.3.1; RFC 5536; RFC 5537 3.4).

Rule: an article is delivered octet for octet, with its CR LF line ends; only the dot-stuffing is undone. It is parsed
only if the caller wants a part of it: in memory, within limits.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Mapping
from functools import partial
from typing import Any

from anyurl.dialogue import Consent, Describe, Emit, Note, Options, Steps, Take
from anyurl.dialogue.asks import Told
from anyurl.errors import LimitError, LocalProtocolError, NotFoundError, PeerText, Truncated
from anyurl.guard.verdict import option
from anyurl.schemes.kit.lines import capital
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.kit.scheme import octets, quoted, text_of
from anyurl.schemes.news.entries import ARTICLE_TYPE
from anyurl.schemes.news.session import NewsSession
from anyurl.schemes.news.wire import commands
from anyurl.schemes.news.wire.article import MAX_ARTICLE_BYTES, Article, Part
from anyurl.schemes.news.wire.commands import DotStuffer
from anyurl.schemes.news.wire.headers import MAX_HEAD_BYTES, decode_field, read_date, read_head
from anyurl.schemes.news.wire.lists import number_in, read_header_line
from anyurl.url import URL
from anyurl.url.charsets import codec_of

PIECE_BYTES = 64 * 1024

_SHOWN = ("subject", "from", "newsgroups", "date", "organization", "followup-to", "content-type")
"""Header fields that `stat` shows unchanged."""


def get_article(url: URL, session: NewsSession, reference: bytes, options: Options) -> Steps[None]:
    """Get an article by number or message identifier (ARTICLE, RFC 3977 6.2.1), or one part of it if a view is given.

    Raises:
        NotFoundError: The server has no such article, or the article has no such part.
        Truncated: The connection ended before the article did.
    """
    if options.view == "body":
        yield from _get_body(session, reference)
        return
    reply = yield from _fetch(session, "ARTICLE", 220, reference)
    head, rest = yield from _head(session, reply)
    fields = read_head(head)
    if options.view is not None:
        yield from _get_part(url, session, head + rest, options.view)
        return
    yield from Describe("document", attributes=partial(attributes_of, fields, reply), later=partial(_told, fields))
    yield from Emit(head + rest)
    while data := (yield from session.octets()):
        yield from Emit(data)
    yield from session.leave()


def _get_body(session: NewsSession, reference: bytes) -> Steps[None]:
    """Get the body of an article unchanged (BODY, RFC 3977 6.2.3)."""
    reply = yield from _fetch(session, "BODY", 222, reference)
    yield from Describe("document", attributes=attributes_of({}, reply))
    while data := (yield from session.octets()):
        yield from Emit(data)
    yield from session.leave()


def stat_article(session: NewsSession, reference: bytes) -> Steps[None]:
    """Describe an article by its head (HEAD, RFC 3977 6.2.2) and its size (HDR, 8.5).

    If the server does not support HEAD, STAT (RFC 3977 6.2.4) at least tells whether the article exists.
    """
    reply = yield from session.command("HEAD", reference)
    if reply.code in (500, 501, 502, 503):
        reply = yield from session.command("STAT", reference)
        if reply.code != 223:
            raise session.refusal(reply, f"{session.host} does not describe the article {quoted(reference)}")
        yield from Describe("document", type=ARTICLE_TYPE, attributes=attributes_of({}, reply))
        yield from session.leave()
        return
    if reply.code != 221:
        raise session.refusal(reply, f"{session.host} does not describe the article {quoted(reference)}")
    session.begin_block(reply)
    head, rest = yield from _head(session, reply)
    while data := (yield from session.octets()):
        rest += data
        _check_head(rest)
    fields = read_head(head + rest)
    size = yield from _size(session, reference)
    yield from Describe(
        "document", size=size, attributes=partial(attributes_of, fields, reply), later=partial(_told, fields)
    )
    yield from session.leave()


def _size(session: NewsSession, reference: bytes) -> Steps[int | None]:
    """The size of the article as in the overview, if the server offers it."""
    if "HDR" not in session.capabilities:
        return None
    reply = yield from session.command("HDR", b":bytes", reference)
    if reply.code != 225:
        return None
    session.begin_block(reply)
    line = b""
    while data := (yield from session.octets()):
        line += data
        _check_head(line)
    found = read_header_line(line.strip())
    return None if found is None else number_in(found[1])


def _fetch(session: NewsSession, verb: str, code: int, reference: bytes) -> Steps[Reply]:
    reply = yield from session.command(verb, reference)
    if reply.code != code:
        raise session.refusal(reply, f"{session.host} does not give the article {quoted(reference)}")
    session.begin_block(reply)
    return reply


def _head(session: NewsSession, reply: Reply) -> Steps[tuple[bytes, bytes]]:
    """The head of the article, including the empty line after it, and the octets received beyond it."""
    data = b""
    mark = reply.end * 2
    while (end := data.find(mark)) < 0:
        _check_head(data)
        piece = yield from session.octets()
        if not piece:
            end = len(data)
            break
        data += piece
    head = data[: end + len(mark)]
    _check_head(head)
    if b"\0" in head or b"\r" in head.replace(b"\r\n", b""):
        # The article is handed out octet for octet, and archives of the eighties have both. Attack: a client that ends
        # lines at CR would see other header fields than anyurl.
        octet = "NUL" if b"\0" in head else "a CR without LF"
        yield from Note(f"the head of the article holds {octet}: other programs may read other fields there")
    return head, data[end + len(mark) :]


def _check_head(data: bytes) -> None:
    if len(data) > MAX_HEAD_BYTES:
        raise LimitError(
            f"The head of the article has more than {MAX_HEAD_BYTES:,} octets: the limit allows no more.",
            limit="MAX_HEAD_BYTES",
        )


def _told(fields: Mapping[str, bytes]) -> Told:
    """The further description of an article from its head."""
    sent = read_date(fields.get("injection-date", fields.get("date", b"")))
    return ARTICLE_TYPE, sent, None, _file_name(fields)


def attributes_of(fields: Mapping[str, bytes], reply: Reply | None = None) -> dict[str, Any]:
    """The attributes of an article from its head, by field name."""
    found: dict[str, Any] = {name: decode_field(fields[name]) for name in _SHOWN if name in fields}
    said = reply.arguments if reply is not None else []
    identifier = fields.get("message-id", said[1] if len(said) > 1 else b"").strip(b"<> ")
    if b"@" in identifier:
        found["message_id"] = text_of(identifier)
    if "references" in fields:
        found["references"] = [text_of(word.strip(b"<>")) for word in fields["references"].split()]
    number = number_in(said[0]) if said else None
    if number:
        found["number"] = number
    charset = _charset(fields.get("content-type", b""))
    if charset is not None:
        found["charset"] = charset
    return found


def _charset(content_type: bytes) -> str | None:
    """The charset of an article whose whole body is text."""
    name = content_type.lower().partition(b"charset=")[2].strip(b" \"'").split(b";")[0].strip(b" \"'")
    if not content_type.lower().startswith(b"text/") or not name:
        return None
    try:
        codec_of(name.decode("ascii"))
    except (LookupError, ValueError):
        return None
    return name.decode("ascii")


def _file_name(fields: Mapping[str, bytes]) -> str | None:
    """The subject, as a suggested name. Hostile, like every name from a server."""
    subject = decode_field(fields.get("subject", b"")).strip()
    return f"{subject}.eml" if subject else None


# --- parts -----------------------------------------------------------------------------------------------------------


def _get_part(url: URL, session: NewsSession, data: bytes, view: str) -> Steps[None]:
    pieces = [data]
    size = len(data)
    while piece := (yield from session.octets()):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_ARTICLE_BYTES:
            raise LimitError(
                f"The article has more than {MAX_ARTICLE_BYTES:,} octets: the limit allows no more.",
                limit="MAX_ARTICLE_BYTES",
            )
    parts = Article(b"".join(pieces)).parts()
    part = choose(parts, view)
    if part is None:
        there = ", ".join(f"{part.number} {part.type}{f' {part.name!r}' if part.name else ''}" for part in parts)
        raise NotFoundError(f"{url.masked} has no part {view!r}; it has {there or 'none'}.")
    attributes: dict[str, Any] = {"part": part.number, "coding": part.coding}
    if part.charset is not None:
        attributes["charset"] = part.charset
    if part.fault is not None:
        attributes["fault"] = part.fault
    if part.span is not None:
        attributes["of_file"] = dict(zip(("part", "total", "offset"), part.span, strict=True))
        yield from _tell_span(part)
    portion = _piece_of(part)
    name = part.name if portion is None else f"{part.name}.part{portion[0]}"
    yield from Describe("document", type=part.type, size=len(part.data), name=name, attributes=attributes)
    for at in range(0, len(part.data), PIECE_BYTES):
        yield from Emit(part.data[at : at + PIECE_BYTES])
    yield from session.leave()
    if part.fault is not None:
        what = f"the file {PeerText(part.name)}" if part.name else f"part {part.number}"
        raise Truncated(f"{capital(what)} in the article is damaged: {part.fault}.", received=len(part.data))


def _piece_of(part: Part) -> tuple[int, int | None] | None:
    """The number and the total of the pieces, if the article holds a piece of a file only."""
    return None if part.span is None or part.span[:2] == (1, 1) else part.span[:2]


def _tell_span(part: Part) -> Steps[None]:
    if (piece := _piece_of(part)) is not None:
        number, total = piece
        of = "" if total is None else f" of {total:,}"
        yield from Note(f"this is part {number:,}{of} of the file {PeerText(part.name or '')}, and not all of it")


def choose(parts: list[Part], view: str) -> Part | None:
    """The part with this number or name, or else the first one of this media type (``text`` matches any text)."""
    for part in parts:
        if view == str(part.number) or view == part.name:
            return part
    wanted = view.lower()
    return next((part for part in parts if wanted in (part.type, part.type.partition("/")[0])), None)


# --- posting ---------------------------------------------------------------------------------------------------------


def post(url: URL, session: NewsSession, group: str, options: Options) -> Steps[None]:
    """Post the caller's article (RFC 3977 6.3.1); missing fields come from the URL and the configured identity.

    Raises:
        RefusedError: The policy does not allow posting.
        LocalProtocolError: The article is invalid: it has no From or Subject, or names other groups.
        DeniedError: The server does not accept it.
    """
    yield from Consent("delivery")
    data = b""
    while not _body_of(data) and len(data) <= MAX_HEAD_BYTES and (piece := (yield from Take())):
        data += piece
    # An empty source of unknown size is left to the server: a dry run has no source at all.
    data = _completed(data, group, options) if data or options.upload_size == 0 else data
    yield from session.converse(_hand_over(session, data, group))


def _hand_over(session: NewsSession, data: bytes, group: str) -> Steps[None]:
    """Send the article: first `data`, its beginning, then the rest of the caller's source."""
    reply = yield from session.command("POST")
    if reply.code != 340:
        raise session.refusal(reply, f"{session.host} accepts no articles")
    stuffer = DotStuffer()
    size = len(data)
    while data:
        yield from session.send(stuffer.feed(data))
        data = yield from Take()
        size += len(data)
    yield from session.send(stuffer.finish())
    reply = yield from session.reply()
    if reply.code != 240:
        raise session.refusal(reply, f"{session.host} does not post the article to {quoted(octets(group))}")
    yield from session.leave()
    identifier = reply.lines[0].partition(b"<")[2].partition(b">")[0]
    attributes = {"message_id": text_of(identifier)} if b"@" in identifier else {}
    yield from Describe("document", type=ARTICLE_TYPE, size=size, attributes={"group": group, **attributes})


def _body_of(data: bytes) -> bool:
    """Whether the head is complete."""
    return b"\n\n" in data or b"\n\r\n" in data


def _completed(data: bytes, group: str, options: Options) -> bytes:
    """The article with all mandatory fields (RFC 5536 3.1).

    Raises:
        LocalProtocolError: One of them is missing, and there is no value to fill in.
    """
    if not _body_of(data):
        raise LocalProtocolError("This is not an article: it has no empty line after its header (From, Subject ...).")
    head = data.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    fields = read_head(head)
    added: list[bytes] = []
    if "from" not in fields:
        if not options.identity:
            way = option("identity", options.reader)
            raise LocalProtocolError(
                f"The article has no From, and no identity is configured: {way} says who writes it."
            )
        if any(octet in options.identity for octet in "\r\n\0"):
            raise LocalProtocolError("The identity holds CR, LF or NUL, which would end its line: it is never sent.")
        added.append(b"From: " + octets(options.identity))
    if not fields.get("subject"):
        raise LocalProtocolError("The article has no Subject, which every article must have (RFC 5536 3.1.6).")
    if "newsgroups" not in fields:
        added.append(b"Newsgroups: " + octets(group))
    elif octets(group) not in [name.strip() for name in fields["newsgroups"].split(b",")]:
        raise LocalProtocolError(
            f"The article is for {quoted(fields['newsgroups'])}, and the URL names {quoted(octets(group))}."
        )
    if not fields.keys() & {"mime-version", "content-type"} and _is_utf8(data):
        added += MIME
    return b"".join(line + b"\r\n" for line in added) + data


MIME = (b"MIME-Version: 1.0", b"Content-Type: text/plain; charset=utf-8", b"Content-Transfer-Encoding: 8bit")
"""The fields that declare a text as UTF-8 (RFC 5536 2.3); an article in ASCII, or with its own fields, needs none."""


def _is_utf8(data: bytes) -> bool:
    """Whether the beginning of an article, which may end within a character, has text in UTF-8 beyond ASCII."""
    try:
        return not data.isascii() and bool(getincrementaldecoder("utf-8")().decode(data))
    except UnicodeDecodeError:
        return False


def reference_of(identifier: str) -> bytes:
    """A message identifier in the form that commands need. Raises LocalProtocolError if it is invalid."""
    return commands.message_id(octets(identifier))
