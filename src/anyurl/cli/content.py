"""Showing a resource to a person, or writing it to a pipe: its attributes, entries, text or octets.

Rule: a terminal gets escaped text, never raw octets; a pipe gets octets without decoration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from anyurl.cli import numbers, records
from anyurl.cli.arguments import UsageError
from anyurl.cli.terminal.console import Console
from anyurl.client.sizes import human_size

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.cli.settings import Settings
    from anyurl.dialogue import Entry, Verb
    from anyurl.url import URL


def show_entries(
    console: Console, entries: Iterable[Entry], url: URL, words: str | None = None, *, numbered: bool = False
) -> None:
    """Show a listing or search results: as JSON objects, a table, or lines of kind, size, time, name and URL.

    Args:
        url: The listed URL; the table omits the URL of an entry that is this URL followed by its name.
        words: The words that were searched for, or None.
        numbered: The table has the numbers that ``-n`` follows.
    """
    if console.json:
        for entry in entries:
            console.record(records.entry_record(entry))
    elif console.is_terminal:
        shown = [_in_charset(entry, console.charset) for entry in entries]
        if not shown:
            # Not that it is empty: it may be a folder, or a page with text but without links.
            found = "Nothing is listed at" if words is None else f'Nothing was found for "{words}" in'
            console.nothing(f"{found} {url.masked}.")
            return
        ranked = any(entry.score is not None for entry in shown)
        headings = (
            numbers.HEADING, *(("score", "lines") if ranked else ()), "kind", "size", "modified (UTC)", "name",
        )  # fmt: skip
        rows = [
            [str(number) if numbered and number else "", *(_rank(entry) if ranked else ()), *_row(entry, is_read=True)]
            for number, entry in numbers.numbered(shown)
        ]
        below = [_place(entry, url) for entry in shown]
        told = [column for column in range(len(headings)) if any(row[column] for row in rows)]
        console.table(
            [headings[column] for column in told],
            [[row[column] for column in told] for row in rows],
            right=(numbers.HEADING, "score", "lines", "size"),
            below=below,
        )
        if console.has_audience:
            console.tell(_count(shown))
    else:
        for entry in (_in_charset(entry, console.charset) for entry in entries):
            place = "" if entry.url is None else entry.url.masked
            console.table((), [[*_row(entry, is_read=False), place]])


def _in_charset(entry: Entry, charset: str | None) -> Entry:
    """The entry with its name, as the server wrote it, read in this charset."""
    if charset is None or entry.name.isascii():
        return entry
    from anyurl.dialogue import Entry as Made

    octets = entry.name.encode("utf-8", "surrogateescape")
    return Made(
        entry.name, entry.url, kind=entry.kind, size=entry.size, modified=entry.modified, type=entry.type,
        title=octets.decode(charset, "replace"), score=entry.score, attributes=entry.attributes,
    )  # fmt: skip


def _count(shown: list[Entry]) -> str:
    """The number of entries and their total size; menu lines without a URL are not counted."""
    there = [entry for entry in shown if entry.url is not None]
    sizes = [entry.size for entry in there if entry.size is not None and entry.kind != "listing"]
    total = f", {human_size(sum(sizes))}" if sizes else ""
    return f"{len(there):,} {'entry' if len(there) == 1 else 'entries'}{total}"


def _place(entry: Entry, listed: URL) -> str:
    """The URL of an entry, unless it follows from the name; that of menu items does not. Or why it has no URL."""
    from anyurl.schemes.kit.scheme import decode, why_no_url

    if entry.url is None:
        why = why_no_url(entry)
        return why and f"no URL: {why}"
    parent, _, last = str(entry.url).rstrip("/").rpartition("/")
    is_told = parent == str(listed).rstrip("/") and decode(last) == (entry.title or entry.name).rstrip("/")
    return "" if is_told else entry.url.masked


def _rank(entry: Entry) -> list[str]:
    """The score and the number of lines of a search result."""
    score = "" if entry.score is None else f"{entry.score:g}"
    return [score, str(entry.attributes.get("lines", ""))]


def _row(entry: Entry, *, is_read: bool) -> list[str]:
    """The columns of an entry, for a person (`is_read`) or for a program."""
    size = human_size(entry.size) if is_read else "" if entry.size is None else str(entry.size)
    modified = records.timestamp(entry.modified) or ""
    if is_read:
        modified = modified[:16].replace("T", " ")
    name = entry.title or entry.name
    # A title may be the name with a place in parentheses; the description of a newsgroup is not a folder's name.
    is_name = name == entry.name or name.startswith(f"{entry.name} (")
    if is_read and entry.kind == "listing" and is_name and not name.endswith("/"):
        end = len(entry.name)
        name = f"{name[:end]}/{name[end:]}"
    return [entry.kind or "", size, modified, name]


def show_facts(console: Console, resource: Resource) -> None:
    """Show the attributes of a resource, one per line."""
    record = records.resource_record(resource, None)
    if console.json:
        console.record(record)
        return
    console.fields(_facts(record))


def _facts(record: dict[str, object]) -> Iterator[tuple[str, str]]:
    attributes, history = record.pop("attributes"), record.pop("history")
    for name, value in record.items():
        if value is not None:
            yield name, f"{value:,}" if isinstance(value, int) else str(value)
    if isinstance(attributes, dict):
        for name, value in attributes.items():
            if value == record.get(name):
                continue  # shown above
            label = f"  {name}"
            for line in _flat(value).split("\n") if value not in ("", None, [], {}) else ():
                yield label, line
                label = ""
    if isinstance(history, list):
        for hop in history:
            yield "came from", f"{hop['url']} ({hop['reason']})"


def _flat(value: object) -> str:
    if isinstance(value, list):
        separator = "\n" if any(isinstance(item, dict) for item in value) else ", "
        return separator.join(filter(None, map(_flat, value)))
    if isinstance(value, dict):
        items = ((name, _flat(item)) for name, item in value.items())
        return ", ".join(f"{name}={text}" if text else str(name) for name, text in items)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def tell_notes(console: Console, resource: Resource, of: str = "") -> None:
    """Write the notes of the dialogue to standard error, each after what it is about, if that is given."""
    for note in resource.notes:
        console.say(f"note: {of}: {note}" if of else f"note: {note}")


def show_text(console: Console, resource: Resource, pieces: Iterable[bytes]) -> None:
    """Show a text on a terminal as it arrives."""
    from anyurl.client.text_decoder import TextDecoder

    decoder = TextDecoder(resource.content_type, resource.charset, console.charset)
    held = ""
    at_line_start = True
    for text in decoder.read(pieces):
        text = held + text
        held = "\r" if text.endswith("\r") else ""  # CR LF may be split between pieces
        text = text[: len(text) - len(held)].replace("\r\n", "\n")
        console.shown(text)
        at_line_start = text.endswith("\n") if text else at_line_start
    console.shown(held)
    if held or not at_line_start:
        console.shown("\n")  # so that the prompt begins on a new line


def hand_over(console: Console, resource: Resource, *, octets: bool = False) -> None:
    """Write the content: a JSON object about it, a display for a person at a terminal, or its octets to a pipe.

    Args:
        octets: Write its octets in any case.

    Raises:
        UsageError: The content can't be shown on a terminal.
    """
    if console.json:
        size = sum(map(len, resource.iter_bytes()))
        console.record(records.resource_record(resource, None, size))
    elif console.is_terminal and not octets:
        _show(console, resource)
    else:
        with console.progress(resource.url.masked, resource.size, hidden=console.is_terminal) as progress:
            for piece in resource.iter_bytes():
                console.octets(piece)
                progress.advance(len(piece))
    tell_notes(console, resource)


def _show(console: Console, resource: Resource) -> None:
    if resource.kind == "listing":
        show_entries(console, resource.entries(), resource.url, numbered=True)
        return
    from anyurl.client.texts import is_text

    pieces = resource.iter_bytes()
    first = next(pieces, b"")
    if resource.kind != "document" and not first:  # services and mailboxes have no content: show their attributes
        show_facts(console, resource)
    elif is_text(resource, first):
        show_text(console, resource, chain((first,), pieces))
    else:
        size = "" if resource.size is None else f", {resource.size:,} octets"
        what = resource.content_type or "no text"
        raise UsageError(
            f"The content ({what}{size}) can't be shown on a terminal; save it with -o FILE, or use a pipe."
        )


def show_plan(console: Console, settings: Settings, url: URL, verb: Verb, words: str = "", **more: Any) -> None:
    """Show the requests, without connecting; `more` are fields of `anyurl.dialogue.Options`."""
    from anyurl.client.dry_run import dry_run
    from anyurl.guard.hops import without_login

    policy, gateways, origin = settings.policy(), settings.gateways(), settings.origin
    url, note = without_login(url, origin)
    if note is not None:
        console.say(f"note: {note}")
    options = settings.options(words=words, **more)
    lead = gateways.lead(url, verb, policy, origin, options)
    (policy.judge_url(url, origin) if lead is None else policy.judge_url(lead.url)).check()
    step = None
    for step in dry_run(url, verb, options, gateways, origin):
        if console.json:
            console.record({"step": step})
        else:
            console.line(step)
    if step is None:
        console.say("note: nothing would be opened or sent")
