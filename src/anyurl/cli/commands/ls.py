"""``anyurl ls``: list a directory, menu or group (RFC 1738 2: access)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.cli import content, exits
from anyurl.cli.arguments import as_command
from anyurl.cli.numbers import follow, number_option, refuse_with_numbers
from anyurl.cli.options import charset_option, typed_url_argument
from anyurl.cli.settings import Settings, access_options
from anyurl.cli.terminal.console import Console
from anyurl.cli.terminal.questions import answer

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.url import URL


@as_command("ls")
@typed_url_argument
@number_option
@charset_option
@access_options
def command(console: Console, settings: Settings, url: URL, numbers: tuple[int, ...]) -> int:
    """List the entries at URL.

    On a terminal it prints a table, whose numbers -n follows, here and in `get`; in a pipe one entry per line: kind,
    size, time (UTC), name and URL, separated by tabs.
    """
    if settings.explain:
        if numbers:
            refuse_with_numbers(settings.explain)
        content.show_plan(console, settings, url, "list")
        return exits.OK
    with settings.client(console) as client:
        url, origin = follow(client, url, settings.origin, numbers)

        def again(there: URL, asked: Resource) -> Resource:
            return client.list(there, came_from=origin if asked.url == url else asked)

        with answer(console.ask_words, client.list(url, came_from=origin), again) as resource:
            content.show_entries(console, resource.entries(), resource.url, numbered=True)
            content.tell_notes(console, resource)
    return exits.OK
