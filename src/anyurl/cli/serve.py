"""``anyurl serve``: run the servers of the world until somebody stops them."""

from __future__ import annotations

import time

from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.console import Console
from anyurl.cli.options import json_option


@as_command("serve")
@Parameter("schemes", many=True, metavar="[SCHEME]...")
@json_option
def command(console: Console, schemes: tuple[str, ...]) -> int:
    """Run small servers on this machine, and show their URLs.

    Each SCHEME gets a server with the same few files; without one, all that this installation can run. They listen on
    the loopback address only: nobody else can reach them; at the ports that the documents show, where these are free,
    and at any others else. Where a login may change things it is `guest`, with the
    password `welcome`. Ctrl-C stops them.
    """
    from anyurl.world import World

    with World(schemes or None, usual_ports=True) as world:
        for error in world.missing.values():
            console.say(str(error))
        if console.json:
            for scheme, url in world.roots.items():
                console.record({"scheme": scheme, "url": str(url)})
        else:
            console.fields((scheme, str(url)) for scheme, url in world.roots.items())
        console.flush()
        for name, value in world.settings.items():
            console.aside(f"--{name.replace('_', '-')} {value}")
        if console.is_terminal:
            console.aside("Ctrl-C stops them.")
        while True:
            # Not `signal.pause`: a signal that comes just before it would be heard only with the next one.
            time.sleep(0.5)
