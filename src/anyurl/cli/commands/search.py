"""``anyurl search``: search an index (RFC 1738 2: access; 3.3 search parts, 3.4 gopher indexes, 3.8 WAIS)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyurl.cli import content, exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import charset_option, to_urls, typed_url_argument
from anyurl.cli.settings import Settings, access_options
from anyurl.cli.terminal.console import Console

if TYPE_CHECKING:
    from anyurl.url import URL

MATCHES = (
    "exact", "substring", "case", "regex", "exact-substring", "exact-case", "exact-regex", "strings", "strings-case",
    "strings-regex",
)  # fmt: skip
"""The kinds of match of archie (`anyurl.schemes.prospero.archie.TYPES`), repeated so that the command starts fast."""


@as_command("search")
@typed_url_argument
@Parameter("words", many=True, metavar="WORDS...")
@Parameter(
    "--like",
    metavar="URL",
    multiple=True,
    convert=to_urls,
    help="Find more documents like this one, or like its lines with #line=2,5 (WAIS). Repeatable.",
)
@Parameter("--limit", between=(1, 10_000), metavar="N", help="The maximum number of results.")
@Parameter(
    "--match",
    metavar="SORT",
    choices=MATCHES,
    is_case_sensitive=False,
    help="The kind of match (archie): the name equals the words, contains them, or matches them as a regular "
    "expression.",
)
@charset_option
@access_options
def command(
    console: Console,
    settings: Settings,
    url: URL,
    words: tuple[str, ...],
    like: tuple[URL, ...],
    limit: int | None,
    match: str | None,
) -> int:
    """Search the index at URL for WORDS.

    Results are shown like a listing of `ls`; a response that is a page is shown like `get` shows it.
    """
    if not words and not like:
        raise UsageError("There is nothing to search for; give words, or --like URL.")
    asked = " ".join(words)
    how: dict[str, Any] = {"like": like, "limit": limit, "match": match}
    if settings.explain:
        content.show_plan(console, settings, url, "search", asked, **how)
        return exits.OK
    with settings.client(console) as client, client.search(url, asked, came_from=settings.origin, **how) as resource:
        if resource.kind == "listing" or console.json:
            content.show_entries(console, resource.entries(), resource.url, asked)
            content.tell_notes(console, resource)
        else:
            content.hand_over(console, resource)
    return exits.OK
