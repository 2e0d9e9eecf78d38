"""Gopher+ items: their attributes, and electronic forms (RFC 1738 3.4.5 to 3.4.9).

Rule: an answered form is sent only with the policy's consent, and only after the item's own +ASK was fetched and has as
many questions as there are answers. Attack: otherwise arbitrary lines could be sent to a server of another protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyurl.dialogue import Close, Consent, Describe, Dialogue, Emit, Entry, Follow, Note, Options, Steps
from anyurl.errors import LimitError, NotFoundError, RemoteProtocolError, sample
from anyurl.schemes.gopher.exchange import ReplyBody, ask, ask_plus, ask_surely, begin, check_begin, read_reply
from anyurl.schemes.gopher.items import Menu, media_type, name_of
from anyurl.schemes.gopher.parts import GopherParts, kind_of
from anyurl.schemes.gopher.wire import plus as gopherplus
from anyurl.schemes.gopher.wire.menus import read_item
from anyurl.schemes.gopher.wire.plus import DOTTED, MAX_BLOCKS, AttributeReader, Block, Question
from anyurl.schemes.kit.scheme import decoded, octets
from anyurl.url import URL

BATCH = 500
"""Entries per batch: with a few hundred the overhead per entry is small, and the first ones still arrive quickly."""

_ALL = "!"
_ASK = "!+ASK"


def read_blocks(
    body: ReplyBody, limit: int = gopherplus.MAX_ATTRIBUTES_BYTES, *, strict: bool = False
) -> Steps[list[Block]]:
    """All attributes of a reply.

    Args:
        strict: Odd lines are errors, and not left out: the lines of a form are counted.

    Raises:
        RemoteProtocolError: There is an odd line, with `strict` or without any attribute.
        Truncated: The end mark is missing.
        LimitError: There are more than `limit` octets, or more than `MAX_BLOCKS` attributes.
    """
    reader = AttributeReader(dotted=body.length == DOTTED)
    blocks: list[Block] = []
    size = 0
    while not reader.ended and (piece := (yield from body.receive())):
        size += len(piece)
        if size > limit:
            raise LimitError(
                f"The attributes have more than {limit:,} octets: the limit allows no more.",
                limit="MAX_ATTRIBUTES_BYTES",
            )
        blocks += reader.feed(piece)
        _check_count(blocks)
    blocks += reader.finish()
    _check_count(blocks)
    if reader.odd.count and (strict or not blocks):
        shown = sample(reader.odd.lines[0])
        what = "holds NUL or a bare CR, or belongs to no attribute"
        raise RemoteProtocolError(f"A line of Gopher+ attributes {what}: {shown}", sample=shown)
    yield from _tell_odd(reader)
    yield from body.tell_end(reader.ended)
    return blocks


def _tell_odd(reader: AttributeReader) -> Steps[None]:
    if reader.odd.count:
        yield from Note(reader.odd.remark("the attributes"))


def _check_count(blocks: Sequence[Block]) -> None:
    if len(blocks) > MAX_BLOCKS:
        raise LimitError(
            f"One item has more than {MAX_BLOCKS} attributes: the limit allows no more.", limit="MAX_BLOCKS"
        )


def facts_of(blocks: Sequence[Block]) -> dict[str, Any]:
    """Attributes as JSON values, by their names in lower case."""
    facts: dict[str, Any] = {}
    for block in blocks:
        lines = [decoded(line) for line in block.lines]
        if block.name == "ADMIN":
            pairs = (line.partition(":") for line in lines)
            facts["admin"] = {name.strip(): value.strip() for name, _, value in pairs if name.strip()}
        elif block.name == "VIEWS":
            views = [gopherplus.read_view(line) for line in lines if line.strip()]
            facts["views"] = [{"type": v.type, "language": v.language, "size": v.size} for v in views]
        elif block.name == "ASK":
            facts.setdefault("questions", []).extend(_question(line) for line in lines if line.strip())
        elif block.name == "INFO":
            facts["title"] = decoded(read_item(block.value).display)
        else:
            facts[block.name.lower()] = decoded(block.text)
    return facts


def _question(line: str) -> dict[str, object]:
    """A question as JSON values; one of an unknown kind as it is written, since it is only shown."""
    try:
        return gopherplus.read_question(line).as_dict()
    except RemoteProtocolError:
        kind, _, prompt = line.partition(":")
        return gopherplus.Question(kind.strip(), prompt.strip()).as_dict()


def modified_of(facts: dict[str, Any]) -> float | None:
    """The time of the last change, from +ADMIN."""
    said = facts.get("admin", {}).get("Mod-Date")
    return None if said is None else gopherplus.read_mod_date(said)


def questions_in(blocks: Sequence[Block]) -> list[Question]:
    """The questions of a form. Raises RemoteProtocolError for an unknown kind of question."""
    lines = (line for block in blocks if block.name == "ASK" for line in block.lines)
    return [gopherplus.read_question(decoded(line)) for line in lines if line.strip()]


# --- attributes (RFC 1738 3.4.6, 3.4.7) ----------------------------------------------------------------------------


def stat(url: URL, parts: GopherParts) -> Dialogue:
    """Describe the attributes that the URL names, by default all; without Gopher+ only the facts that the type
    implies."""
    string = parts.gopherplus or ""
    blocks = yield from _fetch_attributes(url, parts, string if string.startswith("!") else _ALL)
    if isinstance(blocks, Follow):
        return blocks
    kind = kind_of(parts.type, string) or "document"
    if blocks is None:
        yield from _see(url, parts)
        yield from Note(
            "the server has no attributes: only the facts in the URL are known, and that the server answers"
        )
        yield from Describe(kind, type=media_type(parts), name=name_of(parts))
        return None
    facts = facts_of(blocks)
    yield from Describe(
        "form" if "questions" in facts else kind,
        type=media_type(parts),
        modified=modified_of(facts),
        name=name_of(parts),
        attributes=facts,
    )
    return None


def _see(url: URL, parts: GopherParts) -> Steps[None]:
    """Request the item without Gopher+, and check the beginning of the reply.

    Raises:
        ReplyError: The server refuses.
    """
    body = yield from ask(url, parts)
    yield from check_begin(url, parts, body)
    yield from Close(body.channel)


def _fetch_attributes(url: URL, parts: GopherParts, string: str) -> Steps[list[Block] | Follow | None]:
    """Fetch the attributes that the string names; returns None if the server does not support Gopher+."""
    item = GopherParts(parts.type, parts.selector)
    reply = yield from ask_plus(url, item, string)
    names = {name.removeprefix("+").upper() for name in string[1:].split()}
    if reply is None and names:  # pygopherd only sends all attributes at once
        reply = yield from ask_plus(url, item, _ALL)
    if reply is None or isinstance(reply, Follow):
        return reply
    blocks = yield from read_blocks(reply)
    if any(block.name == "INFO" and not _is_about(block, parts) for block in blocks):
        return None  # a canned reply, or one about another item
    return [block for block in blocks if not names or block.name in names]


def _is_about(block: Block, parts: GopherParts) -> bool:
    """Whether +INFO describes the requested item; slashes at both ends are ignored."""
    selector = decoded(read_item(block.value).selector)
    return selector.strip("/") == parts.selector.strip("/")


def get_attributes(url: URL, parts: GopherParts) -> Dialogue:
    """``!...``: get the attributes as a document."""
    blocks = yield from _fetch_attributes(url, parts, parts.gopherplus or _ALL)
    if isinstance(blocks, Follow):
        return blocks
    if blocks is None:
        raise RemoteProtocolError(f"{url.host} has no attributes: it answers as a server without Gopher+ does.")
    facts = facts_of(blocks)
    yield from Describe("document", type="text/plain", modified=modified_of(facts), attributes=facts)
    for block in blocks:
        lines = [b"+%s: %s" % (block.name.encode(), block.value), *(b" " + line for line in block.lines)]
        yield from Emit(b"".join(line.rstrip() + b"\n" for line in lines))
    return None


def list_attributes(url: URL, parts: GopherParts) -> Dialogue:
    """``$...``: list the items of a directory with their attributes."""
    reply = yield from ask_surely(url, parts, parts.gopherplus or "$")
    if isinstance(reply, Follow):
        return reply
    yield from Describe("listing")
    menu = Menu(url)
    reader = AttributeReader(dotted=reply.length == DOTTED)
    held: list[Block] = []
    # The lone dot is announced, and nothing after it is read.
    while not reader.ended and (piece := (yield from reply.receive())):
        if new := reader.feed(piece):
            held = yield from _emit_items(menu, held + new)
    yield from _emit_items(menu, held + reader.finish(), last=True)
    yield from _tell_odd(reader)
    yield from reply.tell_end(reader.ended)
    return None


def _emit_items(menu: Menu, blocks: list[Block], *, last: bool = False) -> Steps[list[Block]]:
    """Emit the items whose blocks are complete; returns the blocks of the item that is still incomplete."""
    starts = [i for i, block in enumerate(blocks) if block.name == "INFO"]
    ends = [*starts[1:], *([len(blocks)] if last and starts else [])]
    entries: list[Entry] = []
    for start, end in zip(starts, ends, strict=False):
        _check_count(blocks[start:end])
        entry = menu.entry(read_item(blocks[start].value))
        facts = facts_of(blocks[start + 1 : end])
        entry.attributes = {**entry.attributes, **facts}
        entry.modified = modified_of(facts)
        entries.append(entry)
    if entries:
        yield from Emit(entries)
    rest = blocks[ends[-1] :] if ends else blocks
    _check_count(rest)
    return rest


# --- electronic forms (RFC 1738 3.4.5, 3.4.9) ----------------------------------------------------------------------


def fetch_questions(url: URL, parts: GopherParts) -> Steps[list[Question] | Follow]:
    """The questions in the item's +ASK, which is taken from all attributes if the server does not send it alone.

    Raises:
        NotFoundError: The item has no form.
    """
    item = GopherParts(parts.type, parts.selector)
    for string in (_ASK, _ALL):
        reply = yield from ask_plus(url, item, string)
        if isinstance(reply, Follow):
            return reply
        blocks = [] if reply is None else (yield from read_blocks(reply, strict=True))
        if any(block.name == "ASK" for block in blocks):
            return questions_in(blocks)
    raise NotFoundError(f"{url.masked} has no form: its server lists no +ASK attribute.")


def show_form(url: URL, parts: GopherParts) -> Dialogue:
    """``?``: show the form to be answered."""
    questions = yield from fetch_questions(url, parts)
    if isinstance(questions, Follow):
        return questions
    yield from Describe(
        "form", name=name_of(parts), attributes={"questions": [question.as_dict() for question in questions]}
    )
    return None


def submit(url: URL, parts: GopherParts, options: Options) -> Steps[ReplyBody | Follow]:
    """Answer the item's form with the answers in the URL, or with those of the options.

    Raises:
        RefusedError: The policy does not allow forms, or not on this port.
        LocalProtocolError: The answers do not match this form; they were not sent.
    """
    yield from Consent()
    questions = yield from fetch_questions(url, parts)
    if isinstance(questions, Follow):
        return questions
    if parts.answers is None:
        lines = gopherplus.answer_lines(questions, options.answers)
    else:
        lines = [octets(answer) for answer in parts.answers]
    gopherplus.check_lines(questions, lines)
    channel = yield from begin(url, gopherplus.form_request(octets(parts.selector), lines))
    reply = yield from read_reply(url, channel)
    if reply is None:
        raise RemoteProtocolError(f"{url.host} does not answer the form in Gopher+.")
    return reply
