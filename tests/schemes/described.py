"""All that a scheme tells of the small world, as lines of text: what it describes, and each entry whole.

``python -m tests.schemes.described`` writes ``tests/data/schemes/described`` anew. Whoever changes what is told
reads the difference: each line of it is something that a user sees otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from anyurl import Client, Policy
from anyurl.errors import AnyURLError
from anyurl.world import World

FOLDER = Path(__file__).resolve().parent.parent / "data" / "schemes" / "described"
VERBS = ("stat", "list", "get", "search")
MOST = {"gemini": 4}
"""URLs of one scheme that are asked for, if not fourteen: each of its requests makes a connection with TLS."""

MOST_LINES = 150
"""Of one scheme."""

_RESOURCE = ("kind", "type", "charset", "name", "size", "modified")
_ENTRY = ("name", "url", "kind", "size", "modified", "title", "type", "score")
_CHANGING = (
    (re.compile(r"127\.0\.0\.1(:|%3A|\()\d+"), r"127.0.0.1\g<1>PORT"),
    (re.compile(r"\b20[23]\d{11}\b"), "NOW"),
    (re.compile(r"(unique|mode)='\w+'"), r"\g<1>=HERE"),
    (re.compile(r"size=('?)4096'?"), r"size=\g<1>FOLDER\g<1>"),
    (re.compile(r":tcp-port \d+"), ":tcp-port PORT"),
    (re.compile(r"\b(?:1[789]\d{8}|2\d{9})(?:\.\d+)?\b"), "NOW"),
    (re.compile(r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d GMT"), "TODAY"),
)
"""What is different each time, or on another file system."""


def told(client: Client, world: World, scheme: str) -> Iterator[str]:
    """The first `MOST_LINES` of them, in UTF-8."""
    for line in islice(_lines(client, world, scheme), MOST_LINES):
        yield line.encode("utf-8", "backslashreplace").decode()


def _lines(client: Client, world: World, scheme: str) -> Iterator[str]:
    """What is told of each URL that one of the world's servers names, from its root on, by every verb."""
    root = world.roots.get(scheme)
    left, seen = [str(url) for url in (root, world.urls.get(scheme)) if url is not None], set[str]()
    while left and len(seen) < MOST.get(scheme, 14):
        url = left.pop(0)
        if url in seen:
            continue
        seen.add(url)
        for verb in VERBS:
            for line, named in _told(client, url, verb):
                text = f"{verb} {url}\t{line}"
                if scheme == "file" and root is not None:
                    text = text.replace(root.path.strip("/").rpartition("/")[2], "ROOT")
                for pattern, what in _CHANGING:
                    text = pattern.sub(what, text)
                yield text
                left += [named] if named.startswith(f"{scheme}:") else []


def _told(client: Client, url: str, verb: str) -> Iterator[tuple[str, str]]:
    try:
        with client.search(url, "small") if verb == "search" else getattr(client, verb)(url) as resource:
            yield _line({name: getattr(resource, name) for name in _RESOURCE}, resource.attributes), ""
            if verb == "get" and resource.kind == "document":
                yield f"text: {resource.read()[:300]!r}", ""
            if verb in ("list", "search"):
                for entry in resource.entries():
                    facts = {name: getattr(entry, name) for name in _ENTRY}
                    yield f"entry: {_line(facts, entry.attributes)}", str(entry.url or "")
            for note in resource.notes:
                yield f"note: {note}", ""
    except AnyURLError as error:
        yield f"{type(error).__name__}: {error}", ""


def _line(facts: dict[str, Any], attributes: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value!r}" for name, value in [*facts.items(), *attributes.items()] if value is not None)


def main() -> None:
    """Write them."""
    FOLDER.mkdir(exist_ok=True)
    with World() as world, Client(Policy.open()) as client:
        for scheme in world.urls:
            text = "".join(f"{line}\n" for line in told(client, world, scheme))
            (FOLDER / f"{scheme}.tsv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
