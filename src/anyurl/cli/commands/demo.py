"""``anyurl demo``: servers on this machine, a text that mentions their URLs, and a download of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.options import json_option
from anyurl.cli.records import error_record, resource_record
from anyurl.cli.terminal.console import Console
from anyurl.client.sizes import human_size
from anyurl.client.texts import is_text
from anyurl.errors import AnyURLError

if TYPE_CHECKING:
    from anyurl.access import Client
    from anyurl.dialogue import Verb
    from anyurl.text import Found

HEADINGS = ("URL", "kind", "size", "type", "content")

GLIMPSE = 36
"""Characters of a text that are shown in the table."""

GREETING_SECONDS = 10.0
"""The time limit for the greeting of a service on this machine."""

PICTURES = ((b"\x89PNG\r\n\x1a\n", "PNG"), (b"GIF8", "GIF"), (b"\xff\xd8\xff", "JPEG"))


@as_command("demo")
@Parameter("schemes", many=True, metavar="[SCHEME]...")
@json_option
def command(console: Console, schemes: tuple[str, ...]) -> int:
    """Show what anyurl does, on this machine only.

    Starts a small server for each SCHEME (all of them by default), finds their URLs in a text, downloads each, and
    shows a table. Exits with a code other than 0 if a download fails.
    """
    from anyurl.access import Client, consent_to_all
    from anyurl.world import World
    from anyurl.world.world import ROWS

    code = exits.OK
    rows: list[list[str]] = []
    failures: list[str] = []
    # The message of the demo is sent to its own mailbox, on this machine.
    with World(schemes or None) as world, Client(ask_consent=consent_to_all, **world.settings) as client:
        if not console.json:
            console.lines([*world.text.splitlines(), ""])
        found = _urls_in(world.text)
        for scheme in world.urls:
            place = found.get(scheme)
            if place is None:
                raise AnyURLError(f"The text of the world mentions no {scheme} URL.")
            row, failure = _get(console, client, place, ROWS[scheme].verb)
            rows.append(row)
            if failure:
                failures.append(f"{scheme}: {row[-1]}")
            code = code or failure
        for scheme, error in world.missing.items():
            if console.json:
                console.record(error_record(error, None))
            rows.append([f"{scheme}:", "", "", "", f"not started: {error}"])
            failures.append(" ".join(filter(None, rows[-1])))
            code = code or exits.exit_code(error)
    if not console.json:
        console.page(HEADINGS, rows, elastic=("URL", "content"), spare=("kind", "type"), right=("size",))
    if console.is_terminal:  # the table has no room for a sentence
        for sentence in failures:
            console.say(sentence)
    return code


def _urls_in(text: str) -> dict[str, Found]:
    from anyurl.text import find
    from anyurl.values import USER

    # The text was written by this program, so its URLs count as typed. Nothing else gets `USER`.
    return {found.url.scheme: found for found in find(text, came_from=USER)}


def _get(console: Console, client: Client, place: Found, verb: Verb) -> tuple[list[str], int]:
    """Access one URL; returns its row of the table, and an exit code."""
    url = place.url
    try:
        # The message to a mailbox is the one in its URL.
        with client.open(place, verb, source=b"" if verb == "append" else None) as resource:
            data = _greeting(client, place) if resource.kind == "service" else resource.read()
            if console.json:
                console.record(resource_record(resource, None, len(data)))
            return [
                url.masked,
                resource.kind,
                human_size(len(data)),
                resource.content_type or "",
                _glimpse(resource, data) if verb == "get" else f"delivered: {resource.attributes['reply']}",
            ], 0
    except AnyURLError as error:
        if console.json:
            console.record(error_record(error, url.masked))
        return [url.masked, "", "", "", f"failed: {error}"], exits.exit_code(error)


def _greeting(client: Client, place: Found) -> bytes:
    """The greeting of a service."""
    with client.session(place) as session:
        return session.read(GREETING_SECONDS)


def _glimpse(resource: Any, data: bytes) -> str:
    """A short description of the content."""
    for start, name in PICTURES:
        if data.startswith(start):
            return f"a picture ({name})"
    if not is_text(resource, data):
        return f"octets, beginning {data[:8].hex(' ')}"
    lines = resource.decode(data).splitlines()
    first = next((line for line in lines if line.strip()), "")
    short = first if len(first) <= GLIMPSE else f"{first[: GLIMPSE - 3]}..."
    return f'{len(lines)} {"line" if len(lines) == 1 else "lines"}: "{short}"'
