"""``anyurl put``: replace the resource of a URL (RFC 1738 2: replace)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.cli import upload
from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.options import url_argument
from anyurl.cli.request import RequestWords, field_options
from anyurl.cli.settings import Settings, access_options
from anyurl.cli.terminal.console import Console

if TYPE_CHECKING:
    from anyurl.url import URL


@as_command("put")
@url_argument
@Parameter("file", metavar="FILE", required=True)
@Parameter(
    "--continue",
    "go_on",
    is_flag=True,
    help="Continue an interrupted upload after the octets that the server has, if the last of them match (ftp).",
)
@Parameter("--no-times", is_flag=True, help="Leave the time to the server, where it could be that of FILE (ftp).")
@field_options
@access_options
def command(
    console: Console, settings: Settings, wanted: RequestWords, url: URL, file: str, go_on: bool, no_times: bool
) -> int:
    """Replace the content of URL with that of FILE.

    `-` as FILE is standard input.
    """
    return upload.send(
        console, settings, url, "put", file, fields=wanted.read(console), go_on=go_on, times=not no_times
    )
