"""Frames of anyurl between a verb and the first touch of the network: how deep a trace is (``python bench/frames.py``).

Rule: counted on the pure package, where each function is a frame; a class's constructor that only stores is none, since
it has returned by then. The servers of the world answer on loopback.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from types import FrameType
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

import anyurl
from anyurl import Client, Policy
from anyurl.world import World

HOME = str(Path(anyurl.__file__).parent)

MOST = {"http": 10, "gopher": 12}
"""Frames that a get may have: to libcurl, and to `connect`."""


def names(frame: FrameType | None) -> Iterator[str]:
    """Anyurl's functions that are running, the innermost first."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(HOME):
            yield frame.f_code.co_qualname
        frame = frame.f_back


@contextmanager
def first_call(touches: Callable[[Any], bool]) -> Iterator[list[str]]:
    """The functions that run when one of these built-in functions is called for the first time."""
    found: list[str] = []

    def look(frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and not found and touches(called):
            found.extend(reversed(list(names(frame))))

    sys.setprofile(look)
    try:
        yield found
    finally:
        sys.setprofile(None)


def is_connect(called: Any) -> bool:
    """Whether this is `socket.connect` or one like it."""
    return isinstance(getattr(called, "__self__", None), socket) and called.__name__ in ("connect", "connect_ex")


def is_libcurl(called: Any) -> bool:
    """Whether this starts libcurl's work on a transfer."""
    return getattr(called, "__name__", "") == "socket_action"


def main() -> None:
    """Print the frames of a get by http (libcurl) and by gopher (connect); ends with 1 where there are too many."""
    broken = False
    with World(["http", "gopher"]) as world, Client(Policy.open()) as client:
        for scheme, touches in (("http", is_libcurl), ("gopher", is_connect)):
            with first_call(touches) as found:
                client.get(world.urls[scheme]).read()
            trace = " > ".join(name.rpartition(".")[2] for name in found)
            print(f"{scheme}: {len(found)} frames of at most {MOST[scheme]}: {trace}")
            broken |= not 0 < len(found) <= MOST[scheme]
    sys.exit(broken)


if __name__ == "__main__":
    main()
