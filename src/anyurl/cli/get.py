"""``anyurl get``: get what a URL points at (RFC 1738 2: access)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from anyurl.cli import content, exits, records
from anyurl.cli.console import Console
from anyurl.cli.options import url_argument
from anyurl.cli.settings import Settings, access_options
from anyurl.errors import AnyURLError

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.url import URL

STANDARD_OUTPUT = "-"


@click.command("get")
@url_argument
@click.option("-o", "--output", "target", metavar="FILE", help="Write it to FILE; `-` is standard output.")
@click.option("--force", is_flag=True, help="Replace FILE if there is one.")
@click.option(
    "--continue", "go_on", is_flag=True, help="Get the rest of a download that broke off, if nothing changed."
)
@access_options
@click.pass_obj
def command(console: Console, settings: Settings, url: URL, target: str | None, force: bool, go_on: bool) -> int:
    """Get what URL points at.

    Without -o a text is shown on a terminal, with control characters escaped, and a pipe gets the octets unchanged; a
    listing is a table on a terminal and one URL a line in a pipe. With -o FILE it is written beside FILE and renamed
    when it is whole.
    """
    saves = target not in (None, STANDARD_OUTPUT)
    if console.json and target == STANDARD_OUTPUT:
        raise click.UsageError("--json and -o - would both write to standard output; -o FILE keeps them apart")
    if (force or go_on) and not saves:
        raise click.UsageError("--force and --continue are about a file: they need -o FILE")
    if settings.explain:
        content.show_plan(console, settings, url, "get")
        return exits.OK
    if target is not None and saves:
        _save(console, settings, url, target, force=force, go_on=go_on)
        return exits.OK
    with settings.client(console) as client, client.get(url) as resource:
        content.hand_over(console, resource, octets=target == STANDARD_OUTPUT)
    return exits.OK


def _save(console: Console, settings: Settings, url: URL, target: str, *, force: bool, go_on: bool) -> None:
    from anyurl.access.save import Destination

    with Destination(target, force=force, go_on=go_on) as destination, settings.client(console) as client:
        wanted = destination.resume(url)
        try:
            with client.get(url, resume=wanted) as resource:
                with console.progress(resource.url.masked, resource.size, start=resource.start) as progress:
                    size = destination.save(resource, progress=progress.advance)
                _tell_saved(console, resource, target, size)
        except (AnyURLError, KeyboardInterrupt):
            kept = destination.resume(url)
            if kept is not None:
                console.say(f"note: the first {kept.start:,} octets are kept; the same command gets the rest")
            raise


def _tell_saved(console: Console, resource: Resource, target: str, size: int) -> None:
    if console.json:
        console.record({**records.resource_record(resource, target), "size": size})
    elif console.has_audience:
        before = f", of which {resource.start:,} were there" if resource.start else ""
        console.aside(f"{target}: {size:,} octets{before}")
    content.tell_remarks(console, resource)
