"""``anyurl stat``: find the attributes of a resource (RFC 1738 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.cli import content, exits
from anyurl.cli.arguments import as_command
from anyurl.cli.options import typed_url_argument
from anyurl.cli.request import RequestWords, field_options
from anyurl.cli.settings import Settings, access_options
from anyurl.cli.terminal.console import Console

if TYPE_CHECKING:
    from anyurl.url import URL


@as_command("stat")
@typed_url_argument
@field_options
@access_options
def command(console: Console, settings: Settings, wanted: RequestWords, url: URL) -> int:
    """Show the attributes of URL without downloading it."""
    if settings.explain:
        content.show_plan(console, settings, wanted.url(url), "stat", http=wanted.http(console))
        return exits.OK
    with settings.client(console) as client:
        resource = client.stat(url, came_from=settings.origin, **wanted.read(console))
        content.show_facts(console, resource)
        content.tell_notes(console, resource)
    return exits.OK
