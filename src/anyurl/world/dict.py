"""dict: two small dictionaries on a dictionary server (RFC 2229).

Rule: the words are the same on every machine. Anyone may look them up; a login as `tree.USER` succeeds.
"""

from __future__ import annotations

import os

from anyurl.schemes.dict.wire.server import Dictionary, DictServer
from anyurl.world.listener import SchemeListener
from anyurl.world.tree import PASSWORD, USER

SAME = "It is the same on every machine."

DICTIONARIES = {
    "world": Dictionary(
        "What the small world is made of",
        {
            "locator": "locator\n  What says where something is, and how to get it.",
            "note": "note\n  A short text. The smallest is a lone dot:\n.",
            "wave": "wave\n  What the picture shows.",
            "small world": "small world\n  A few files, and a server for each scheme.",
            "Grüße": "Grüße\n  How a letter ends.",
        },
        SAME,
    ),
    "places": Dictionary(
        "Where things are",
        {"locator": "locator\n  Points at places; see {place}.", "place": "place\n  Where a locator points."},
        SAME,
    ),
}


def start(port: int = 0) -> SchemeListener:
    """Serve the dictionaries. At a port of the system's choice, if 0; raises OSError if it is taken."""
    server = DictServer(
        DICTIONARIES, host="world.example", information="A small world.", serial=os.getpid(), user=(USER, PASSWORD)
    )
    return SchemeListener(lambda _port: server, "dict", port, "dict://{}/", {"dict": "dict://{}/d:locator:*"})
