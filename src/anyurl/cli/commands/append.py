"""``anyurl append``: append to the resource of a URL (RFC 1738 2: update)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.cli import upload
from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.options import url_argument
from anyurl.cli.settings import Settings, access_options
from anyurl.cli.terminal.console import Console

if TYPE_CHECKING:
    from anyurl.url import URL


@as_command("append", short_help="Append FILE to URL: a file, a newsgroup, a mailbox.")
@url_argument
@Parameter("file", metavar="FILE", required=True)
@Parameter("--type", "type", metavar="TYPE", help="The media type of FILE; the default depends on its suffix.")
@Parameter("--yes", is_flag=True, help="Deliver mail without showing it and asking first.")
@access_options
def command(console: Console, settings: Settings, url: URL, file: str, type: str | None, yes: bool) -> int:
    """Append the content of FILE to URL: a file, a newsgroup, a mailbox.

    `-` as FILE is standard input. Mail is shown before it is sent; an article is posted immediately.
    """
    return upload.send(console, settings, url, "append", file, type=type, yes=yes)
