"""The figures of the house: how much there is to read, how many calls one request makes (``scripts/house``).

Rule: counted from the source and from one run, the same way each time, so that two versions can be compared.

- Words: places where the English is not plain (``tests/architecture/test_words.py``).
- Types: classes whose name does not begin with ``_``; a name that several have is one word for several things.
- Modules to know for one scheme: the files of its folder, and what they import, at any place, directly.
- Calls: frames of anyurl's own Python functions and generators that begin in the caller's thread between the verb and
  the last octet (``sys.setprofile``); what is compiled is not seen, so the figures are of the pure package. The servers
  of the world answer on loopback; *first* is over a new connection of a loaded client, *next* what follows it.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

import anyurl
from anyurl import Client, Policy
from anyurl.world import World
from tests.architecture.source import Module, modules
from tests.architecture.test_circles import circles, dotted, graph
from tests.architecture.test_words import places

HOME = str(Path(anyurl.__file__).parent)
SCHEMES = ("http", "ftp", "news", "gopher", "wais", "prospero", "mailto", "telnet", "file")
ASKED = ("http", "gopher", "ftp", "nntp", "wais", "file")


def names(module: Module) -> list[str]:
    """The classes of a module that are not private."""
    return [node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef) and node.name[0] != "_"]


def to_know(scheme: str, edges: dict[str, set[str]]) -> int:
    """The files of a scheme's folder and what they import."""
    home = f"anyurl.schemes.{scheme}"
    own = {name for name in edges if name == home or name.startswith(f"{home}.")}
    return len(own.union(*(edges[name] for name in own)))


def calls(client: Client, url: Any) -> int:
    """Frames of anyurl that one ``get`` begins in this thread."""
    counted = 0

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        if event == "call" and frame.f_code.co_filename.startswith(HOME):
            counted += 1

    sys.setprofile(profile)
    try:
        with client.get(url) as resource:
            resource.read()
    finally:
        sys.setprofile(None)
    return counted


def requests() -> dict[str, tuple[int, int]]:
    """By scheme, the calls of a first request over a new connection, and of the next one."""
    found: dict[str, tuple[int, int]] = {}
    with World(ASKED) as world:
        for scheme, url in world.urls.items():
            with Client(Policy.open(), **world.settings) as client:
                calls(client, url)  # what is loaded at the first use
            with Client(Policy.open(), **world.settings) as client:
                found[scheme] = calls(client, url), calls(client, url)
    return found


def main() -> None:
    """Print the figures."""
    found = modules()
    edges = graph(found)
    rooms: dict[str, Counter[str]] = {}
    for module in found:
        room = rooms.setdefault(module.room, Counter())
        room.update(files=1, lines=module.text.count("\n"), types=len(names(module)), words=sum(places(module)))
    rooms["all"] = sum(rooms.values(), Counter())
    print(f"{'room':<12}{'files':>8}{'lines':>8}{'types':>8}{'words':>8}")
    for name, room in rooms.items():
        print(f"{name:<12}{room['files']:>8}{room['lines']:>8}{room['types']:>8}{room['words']:>8}")
    shared = Counter(name for module in found for name in names(module))
    print(f"\nnames that more than one type has: {sum(count > 1 for count in shared.values())}")
    print(f"circles: {', '.join(str(len(circle)) for circle in circles(edges)) or 'none'}")
    tested = [dotted(module) for module in found if has_tests(module)]
    print(f"modules with the file that tests them: {len(tested)} of {sum(not is_door(module) for module in found)}")
    print("\nmodules to know: " + ", ".join(f"{scheme} {to_know(scheme, edges)}" for scheme in SCHEMES))
    asked = requests()
    print("\ncalls of one get, first and next: " + ", ".join(f"{name} {a} {b}" for name, (a, b) in asked.items()))
    print(f"({'compiled' if anyurl.url.cut.COMPILED else 'pure'} kernel, {threading.active_count()} thread)")


def is_door(module: Module) -> bool:
    """``__init__`` and its kin."""
    return module.path.rpartition("/")[2].startswith("_")


def has_tests(module: Module) -> bool:
    """Whether the test file of its name is there."""
    folder, _, name = module.path.rpartition("/")
    return not is_door(module) and (Path(__file__).parent.parent / "tests" / folder / f"test_{name}").exists()


if __name__ == "__main__":
    main()
