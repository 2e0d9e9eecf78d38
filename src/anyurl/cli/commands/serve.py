"""``anyurl serve``: run the servers of the world, or serve a web archive, until interrupted."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import json_option
from anyurl.cli.terminal.console import Console
from anyurl.errors import AnyURLError

if TYPE_CHECKING:
    from anyurl.url import URL


@as_command("serve")
@Parameter("schemes", many=True, metavar="[SCHEME]...")
@Parameter(
    "--warc", metavar="FILE", multiple=True,
    help="Serve a web archive instead, WARC or WACZ; no connections are made. Repeatable.",
)  # fmt: skip
@Parameter(
    "--folder", metavar="DIR", help="Serve this folder instead, read only: by http, gopher and gemini, or each SCHEME."
)
@Parameter(
    "--listen",
    metavar="ADDRESS",
    help="The address for a folder: one of this machine, or 0.0.0.0 for all, which others reach; the default is "
    "127.0.0.1.",
)
@Parameter(
    "--port",
    between=(0, 65535),
    metavar="PORT",
    help="The port for an archive, or for a folder with one SCHEME; 0 is any free port.",
)
@json_option
def command(
    console: Console,
    schemes: tuple[str, ...],
    warc: tuple[str, ...],
    folder: str | None,
    listen: str | None,
    port: int | None,
) -> int:
    """Run small servers on this machine, and show their URLs.

    Each SCHEME gets a server with the same few files; by default all that this installation can run. They listen on the
    loopback address only, so no other machine can reach them; on the ports used in the documentation if these are free,
    else on other ports. To change things, log in as `guest` with the password `welcome`. Ctrl-C stops them.

    With --warc, the contents of FILE are served at one address: the URL http://host/page at /http://host/page, and
    unchanged to clients that use that address as their http proxy.

    With --folder, others may read the folder DIR: files and folders whose names do not begin with a dot; links are not
    followed. index.html, index.gmi and gophermap are the pages of their folders. The certificate for gemini is made
    once and kept.
    """
    if folder is not None:
        _share(console, folder, schemes, warc, listen, port)
    if listen is not None:
        raise UsageError("--listen is the address for a folder of your own: it needs --folder.")
    if warc:
        if schemes:
            raise UsageError("--warc serves an archive: it takes no SCHEME.")
        _show(console, warc, port or 0)
    if port is not None:
        raise UsageError("--port is the port of an archive or a folder: it needs --warc or --folder.")
    from anyurl.world import World

    with World(schemes or None, usual_ports=True) as world:
        for error in world.missing.values():
            console.say(str(error))
        _tell_roots(console, world.roots)
        for name, value in world.settings.items():
            console.aside(f"--{name.replace('_', '-')} {value}")
        if console.is_terminal:
            console.aside("Ctrl-C stops it." if len(world.roots) == 1 else "Ctrl-C stops them.")
        _wait()


def _share(
    console: Console, folder: str, schemes: tuple[str, ...], warc: tuple[str, ...], listen: str | None, port: int | None
) -> NoReturn:
    """Serve a folder until interrupted. Raises UsageError."""
    import ipaddress

    from anyurl.world.listener import HOST
    from anyurl.world.shared import SharedWorld

    if warc:
        raise UsageError("--warc serves an archive, and --folder a folder: one of them.")
    if port and len(schemes) != 1:
        raise UsageError("--port is for one SCHEME: http, gopher or gemini.")
    try:
        ipaddress.ip_address(listen or HOST)
    except ValueError:
        raise UsageError(f"{listen!r} is not an address to listen on; 127.0.0.1, 0.0.0.0 or ::1 would be.") from None
    with SharedWorld(folder, schemes, address=listen or HOST, port=port) as world:
        for error in world.missing.values():
            console.say(str(error))
        _tell_roots(console, world.roots)
        if console.is_terminal:
            console.aside("Ctrl-C stops it." if len(world.roots) == 1 else "Ctrl-C stops them.")
        _wait()


def _tell_roots(console: Console, roots: Mapping[str, URL]) -> None:
    if console.json:
        for scheme, url in roots.items():
            console.record({"scheme": scheme, "url": str(url)})
    else:
        console.fields((scheme, str(url)) for scheme, url in roots.items())
    console.flush()


def _show(console: Console, paths: tuple[str, ...], port: int) -> NoReturn:
    """Serve archives until interrupted."""
    from anyurl.files.channel import local_error
    from anyurl.world.replay import Replay

    try:
        replay = Replay(*paths, port=port)
    except OSError as error:
        if isinstance(error, AnyURLError):
            raise
        raise local_error(error, f"Listening at port {port}") from error
    with replay:
        for note in replay.index.notes:
            console.aside(note)
        if console.json:
            served = paths[0] if len(paths) == 1 else list(paths)
            console.record({"warc": served, "url": str(replay.url), "resources": len(replay.index)})
        else:
            console.fields([("warc", str(replay.url))])
        console.flush()
        console.aside(f"{len(replay.index):,} resource{'' if len(replay.index) == 1 else 's'}.")
        if console.is_terminal:
            console.aside("Ctrl-C stops it.")
        _wait()


def tell_place(console: Console, facts: dict[str, str]) -> None:
    """Report the address of a server, as soon as it listens."""
    if console.json:
        console.record(facts)
    else:
        console.fields(facts.items())
        if console.is_terminal:
            console.aside("Ctrl-C stops it.")
    console.flush()


def _wait() -> NoReturn:
    while True:
        # Not `signal.pause`: a signal that arrives just before it would be handled only with the next one.
        time.sleep(0.5)
