"""``anyurl web``: every scheme in the browser, through a server on this machine (RFC 1738 section 4)."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import to_url
from anyurl.cli.settings import browsing_options
from anyurl.cli.terminal.console import Console
from anyurl.errors import MissingExtraError

if TYPE_CHECKING:
    from anyurl.cli.settings import Settings
    from anyurl.guard.policy import Policy
    from anyurl.url import URL
    from anyurl.web.app import StartPlace


def _to_url(console: Console, value: str | None) -> URL | None:
    return None if value is None else to_url(console, value)


def _guessed(console: Console, value: str | None) -> URL | None:
    from anyurl.grammar import guess

    return None if value is None else guess(value).url


@as_command("web")
@Parameter("url", metavar="[URL]", convert=_guessed)
@Parameter("--port", between=(0, 65535), metavar="PORT", default="0", help="The port to listen on; 0 is any free port.")
@Parameter("--world", is_flag=True, help="Also run the demo's servers, and show them on the start page.")
@Parameter("--open", "opens", is_flag=True, help="Open the link in your browser.")
@Parameter(
    "--handle", "handed", metavar="URL", convert=_to_url, help="Offer this URL on the start page, as an untrusted one."
)
@Parameter("--no-history", is_flag=True, help="Do not keep the history after this run.")
@Parameter(
    "--install", is_flag=True, help="Register as the desktop's handler for ftp, gopher, news, wais ..., and stop."
)
@Parameter("--uninstall", is_flag=True, help="Remove that registration, and stop.")
@browsing_options
def command(
    console: Console,
    settings: Settings,
    url: URL | None,
    port: int,
    world: bool,
    opens: bool,
    handed: URL | None,
    no_history: bool,
    install: bool,
    uninstall: bool,
) -> int:
    """Show URL, or any other, in the browser.

    Runs a server on this machine, for you alone: open the link that it prints. Its address bar accepts a URL of any
    scheme; directories, menus, newsgroups, searches, texts and pictures become pages. Ctrl-C stops it.
    """
    if install and uninstall:
        raise UsageError("--install and --uninstall exclude each other.")
    try:
        from anyurl.files.folders import state_folder
        from anyurl.web import desktop
        from anyurl.web.app import StartPlace
        from anyurl.web.server import serve
        from anyurl.web.visits import Visits
    except ImportError as error:
        raise MissingExtraError(
            f"The gateway needs {error.name}: in a clone of anyurl, pip install '.[web]'.",
            extra="web",
        ) from None

    if install or uninstall:
        console.lines(desktop.install() if install else desktop.uninstall())
        return exits.OK

    def tell(link: str) -> None:
        if console.json:
            console.record({"url": link})
        else:
            console.fields([("open", link)])
            if console.is_terminal:
                console.aside("Ctrl-C stops it.")
        console.flush()
        if opens and not desktop.open_browser(link):
            console.say("No browser was found.")

    given = settings.arguments()
    places: list[StartPlace] = []
    with ExitStack() as stack:
        if world:
            given |= _world(console, stack, places, StartPlace)
            given["policy"] = _with_forms(given["policy"], places)
        serve(given, port, tell, places, handed, Visits(state_folder(), not no_history), url)
    return exits.OK


def _with_forms(policy: Policy, places: list[StartPlace]) -> Policy:
    """The policy, with the port of the demo's gopher server allowed, so that its form can be answered."""
    ports = [place.url.port for place in places if place.url.scheme == "gopher" and place.url.port is not None]
    return policy.replace(allow_ports=(*policy.allow_ports, *ports))


def _world(console: Console, stack: ExitStack, places: list[StartPlace], make: type[StartPlace]) -> dict[str, Any]:
    """Start the servers of the demo; returns the client arguments for them."""
    from anyurl.world import World

    world = stack.enter_context(World())
    for error in world.missing.values():
        console.say(str(error))
    places += [make(scheme, url) for scheme, url in world.roots.items()]
    return world.settings
