"""``anyurl search``: ask an index (RFC 1738 2: access; 3.3 search parts, 3.4 gopher indexes, 3.8 WAIS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from anyurl.cli import content, exits
from anyurl.cli.console import Console
from anyurl.cli.options import url_argument
from anyurl.cli.settings import Settings, access_options

if TYPE_CHECKING:
    from anyurl.url import URL


@click.command("search")
@url_argument
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@access_options
@click.pass_obj
def command(console: Console, settings: Settings, url: URL, words: tuple[str, ...]) -> int:
    """Search the index at URL for WORDS.

    What is found is shown as `ls` shows a listing; an answer that is a page is shown as `get` shows it.
    """
    asked = " ".join(words)
    if settings.explain:
        content.show_plan(console, settings, url, "search", asked)
        return exits.OK
    with settings.client(console) as client, client.search(url, asked) as resource:
        if resource.kind == "listing" or console.json:
            content.show_entries(console, resource.entries())
            content.tell_remarks(console, resource)
        else:
            content.hand_over(console, resource)
    return exits.OK
