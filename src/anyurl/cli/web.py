"""``anyurl web``: every scheme in the browser, through a server on this machine (RFC 1738 section 4)."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.console import Console
from anyurl.cli.settings import browsing_options
from anyurl.errors import MissingExtraError

if TYPE_CHECKING:
    from anyurl.cli.settings import Settings
    from anyurl.web.app import StartPlace


@as_command("web")
@Parameter("--port", between=(0, 65535), metavar="PORT", default="0", help="Where to listen; 0 is any free port.")
@Parameter("--world", is_flag=True, help="Also run the servers of the demo, and show them on the start page.")
@browsing_options
def command(console: Console, settings: Settings, port: int, world: bool) -> int:
    """Show any URL in the browser.

    Runs a server on this machine, for you alone: open the link that it prints. Its address bar takes a URL of any
    scheme; directories, menus, newsgroups, searches, texts and pictures become pages. Ctrl-C stops it.
    """
    try:
        from anyurl.web.app import StartPlace
        from anyurl.web.server import serve
    except ImportError as error:
        raise MissingExtraError(
            f"The gateway needs {error.name}, which the extra `web` brings: pip install 'anyurl[web]'.", extra="web"
        ) from None

    def tell(link: str) -> None:
        if console.json:
            console.record({"url": link})
        else:
            console.fields([("open", link)])
            if console.is_terminal:
                console.aside("Ctrl-C stops it.")
        console.flush()

    given = settings.arguments()
    places: list[StartPlace] = []
    with ExitStack() as stack:
        if world:
            given |= _world(console, stack, places, StartPlace)
        serve(given, port, tell, places)
    return exits.OK


def _world(console: Console, stack: ExitStack, places: list[StartPlace], make: type[StartPlace]) -> dict[str, Any]:
    """Start the servers of the demo; what a client has to be told about them."""
    from anyurl.world import World

    world = stack.enter_context(World())
    for error in world.missing.values():
        console.say(str(error))
    places += [make(scheme, url) for scheme, url in world.roots.items()]
    return world.settings
