"""``anyurl mcp``: any URL for a language model, under the guard (Model Context Protocol)."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.console import Console
from anyurl.cli.options import json_option, plugin_option, to_octets, to_seconds
from anyurl.cli.serve import tell_place
from anyurl.cli.settings import policy_options
from anyurl.errors import MissingExtraError

if TYPE_CHECKING:
    from anyurl.guard.policy import Policy

TOKEN = "ANYURL_MCP_TOKEN"
"""The variable of the environment that has the token of ``--http``."""

TOKEN_OCTETS = 32
SHORTEST_TOKEN = 16

SECONDS = 60.0
"""For one transfer: clients give a tool up after a minute or so."""

OCTETS = 64 * 1024 * 1024

DEFAULT_PAGE = 20_000
PAGES = (1_000, 200_000)


@as_command("mcp")
@Parameter("--http", "port", between=(0, 65535), metavar="PORT", help="Serve http on 127.0.0.1 instead; 0 is any port.")
@Parameter(
    "--allow-host", "hosts", metavar="HOST", multiple=True, help="Reach these alone, as *.example.org. Repeatable."
)
@Parameter("--allow-write", "folder", metavar="DIR", help="Let fetch save files in this folder, and nowhere else.")
@Parameter("--allow-put", "may_put", is_flag=True, help="Offer the tool put, which sends a text to a URL.")
@Parameter("--ignore-robots", is_flag=True, help="Fetch what the robots.txt of a server asks programs not to.")
@Parameter("--timeout", metavar="SECONDS", convert=to_seconds, help="For one transfer in all; 60 if not said.")
@Parameter(
    "--max-bytes", metavar="BYTES", convert=to_octets, help="The most that may come of one URL; 64M if not said."
)
@Parameter("--page", between=PAGES, metavar="CHARACTERS", help="Of one page of an answer; 20000 if not said.")
@policy_options
@plugin_option
@json_option
def command(
    console: Console,
    policy: Policy,
    port: int | None,
    hosts: tuple[str, ...],
    folder: str | None,
    may_put: bool,
    ignore_robots: bool,
    timeout: float | None,
    max_bytes: int | None,
    page: int | None,
) -> int:
    """Serve tools for URLs to a language model (MCP).

    Over standard input and output, as the program of a model starts it; with --http on this machine alone, to who has
    the token: that of ANYURL_MCP_TOKEN, or one that is made up and told. The tools are fetch, list, search, find_urls,
    explain_url and check_url. Without further options only public addresses are reached, no file is written, nothing is
    sent, and robots.txt is heeded; passwords, proxies and settings of yours are never used.
    """
    token = os.environ.get(TOKEN) or secrets.token_urlsafe(TOKEN_OCTETS)
    if port is not None and len(token) < SHORTEST_TOKEN:
        raise UsageError(f"The token in {TOKEN} is too short; {SHORTEST_TOKEN} characters would do.")
    try:
        from anyurl.mcp.server import serve_http, serve_stdio
        from anyurl.mcp.tools import Rights, restricted
    except ImportError as error:
        raise MissingExtraError(
            f"The server needs {error.name}, which the extra `mcp` brings: pip install 'anyurl[mcp]'.", extra="mcp"
        ) from None
    try:
        policy = restricted(policy, hosts)
    except ValueError as error:
        raise UsageError(str(error)) from None
    rights = Rights(
        policy=policy, folder=folder, may_put=may_put, heeds_robots=not ignore_robots,
        page=DEFAULT_PAGE if page is None else page,
    )  # fmt: skip
    limits = {"timeout": timeout or SECONDS, "max_bytes": OCTETS if max_bytes is None else max_bytes}
    if port is None:
        if console.is_terminal:
            console.tell("The program of a language model speaks to this, not a person. Ctrl-C stops it.")
        serve_stdio(rights, **limits)
        return exits.OK

    serve_http(rights, port, token, lambda url: tell_place(console, {"url": url, "token": token}), **limits)
    return exits.OK
