"""``anyurl append``: add to what a URL points at (RFC 1738 2: update)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from anyurl.cli import upload
from anyurl.cli.console import Console
from anyurl.cli.options import url_argument
from anyurl.cli.settings import Settings, access_options

if TYPE_CHECKING:
    from anyurl.url import URL


@click.command("append")
@url_argument
@click.argument("file", metavar="FILE")
@access_options
@click.pass_obj
def command(console: Console, settings: Settings, url: URL, file: str) -> int:
    """Add the content of FILE to what URL points at.

    `-` as FILE is standard input.
    """
    return upload.send(console, settings, url, "append", file)
