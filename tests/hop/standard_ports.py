"""The cells of http at port 80 and https at 443, in a network of their own.

`python -m tests.hop.standard_ports FOLDER`
"""

from __future__ import annotations

import json
import socket
import sys
import warnings
from pathlib import Path
from unittest import mock

from tests.adapters.table import CLIENTS
from tests.hop.carriers import ALONE, FACTORIES
from tests.hop.places import look_up, places
from tests.hop.test_adapters import CARRIED, EVERY, try_cell, ways
from tests.hostile import namespace


def main() -> int:
    """Write which kinds of which clients leak, as JSON."""
    try:
        namespace.enter()
    except namespace.NotPermitted as error:
        sys.stderr.write(f"{error}\n")
        return 3
    warnings.simplefilter("ignore")
    found: dict[str, list[tuple[str, str]]] = {"factory": [], "alone": []}
    clients = CLIENTS if EVERY == 1 else [client for client in CLIENTS if "async" not in client]
    with places(Path(sys.argv[1]), (80, 8080, 443, 8443)) as world, mock.patch.object(socket, "getaddrinfo", look_up):
        for name, carriers in {"factory": FACTORIES, "alone": ALONE}.items():
            for client in clients:
                for kind in CARRIED:
                    for way in ways(kind, client):
                        is_known = (kind, client) in found[name]  # one way is enough
                        if not is_known and way.keys().isdisjoint({"cert", "keeps_cookies"}):
                            try_cell(world, carriers[client], "clear to TLS", way)
                            assert world.reached(), (client, kind, [each.head for each in world.heard])
                            if world.told():
                                found[name].append((kind, client))
    sys.stdout.write(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
