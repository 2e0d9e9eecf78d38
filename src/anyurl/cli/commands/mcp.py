"""``anyurl mcp``: any URL for a language model, under the guard (Model Context Protocol)."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.commands.serve import tell_place
from anyurl.cli.options import json_option, plugin_option, to_octets, to_seconds
from anyurl.cli.settings import policy_options
from anyurl.cli.terminal.console import Console
from anyurl.errors import MissingExtraError

if TYPE_CHECKING:
    from anyurl.guard.policy import Policy

TOKEN = "ANYURL_MCP_TOKEN"
"""The environment variable with the token for ``--http``."""

TOKEN_OCTETS = 32
SHORTEST_TOKEN = 16

SECONDS = 60.0
"""The time limit of one transfer: clients abandon a tool after about a minute."""

OCTETS = 64 * 1024 * 1024

DEFAULT_PAGE = 20_000
PAGES = (1_000, 200_000)


@as_command("mcp")
@Parameter(
    "--http", "port", between=(0, 65535), metavar="PORT", help="Serve http on 127.0.0.1 instead; 0 is any free port."
)
@Parameter("--allow-write", "folder", metavar="DIR", help="Let fetch save files in this folder only.")
@Parameter("--allow-put", "may_put", is_flag=True, help="Offer the tool put, which uploads a text to a URL.")
@Parameter("--ignore-robots", is_flag=True, help="Also fetch what a server's robots.txt disallows.")
@Parameter(
    "--timeout", metavar="SECONDS", convert=to_seconds, help="The maximum time for a whole transfer; the default is 60."
)
@Parameter(
    "--max-bytes", metavar="BYTES", convert=to_octets, help="The maximum size of one resource; the default is 64M."
)
@Parameter(
    "--page", between=PAGES, metavar="CHARACTERS", help="The size of one page of an answer; the default is 20000."
)
@policy_options
@plugin_option
@json_option
def command(
    console: Console,
    policy: Policy,
    port: int | None,
    folder: str | None,
    may_put: bool,
    ignore_robots: bool,
    timeout: float | None,
    max_bytes: int | None,
    page: int | None,
) -> int:
    """Serve URL tools to a language model (MCP).

    Uses standard input and output, as started by the model's program; with --http it listens on this machine only, for
    clients with the token: ANYURL_MCP_TOKEN, or a generated one that is printed. The tools are fetch, list, search,
    find_urls, explain_url and check_url. Without further options only public addresses are reached, no file is written,
    nothing is sent, and robots.txt is obeyed; your passwords, proxies and settings are never used.
    """
    token = os.environ.get(TOKEN) or secrets.token_urlsafe(TOKEN_OCTETS)
    if port is not None and len(token) < SHORTEST_TOKEN:
        raise UsageError(f"The token in {TOKEN} is too short; {SHORTEST_TOKEN} characters are the minimum.")
    try:
        from anyurl.mcp.server import serve_http, serve_stdio
        from anyurl.mcp.tools import Rights, restricted
    except ImportError as error:
        raise MissingExtraError(
            f"The server needs {error.name}: in a clone of anyurl, pip install '.[mcp]'.",
            extra="mcp",
        ) from None
    rights = Rights(
        policy=restricted(policy), folder=folder, may_put=may_put, heeds_robots=not ignore_robots,
        page=DEFAULT_PAGE if page is None else page,
    )  # fmt: skip
    limits = {"timeout": timeout or SECONDS, "max_bytes": OCTETS if max_bytes is None else max_bytes}
    if port is None:
        if console.is_terminal:
            console.tell("This is for the program of a language model, not for a person. Ctrl-C stops it.")
        serve_stdio(rights, **limits)
        return exits.OK

    serve_http(rights, port, token, lambda url: tell_place(console, {"url": url, "token": token}), **limits)
    return exits.OK
