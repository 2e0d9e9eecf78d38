"""Gophermap: a gopher menu as a file, from which servers make the menu again, with its titles, order and texts.

Rule: links to mirrored documents lead into the mirror, from its top on and without a host, so that any server may serve
the copy; all others are unchanged. A title is one field of one line, whatever a server puts into it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from anyurl.dialogue import Entry
from anyurl.saving.tree import MENUS
from anyurl.url import URL
from anyurl.url.masking import mask
from anyurl.url.stored import from_stored, is_echo, to_stored

IN_MEMORY = 256 * 1024
"""Octets of a menu that are held in memory; a longer one is held in a temporary file."""

INFO = "i"

SESSIONS = ("8", "T")
"""Types whose selector is the name to log in with (RFC 1436 3.8)."""

NOWHERE = "fake\t(NULL)\t0"
"""Selector, host and port of a line that leads nowhere, as most servers write them."""


class Gophermap:
    """One menu, collected piece by piece; used in ``with``."""

    def __init__(self) -> None:
        self._lines = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by `__exit__`

    def __enter__(self) -> Gophermap:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._lines.close()

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries, in the order of the menu."""
        for entry in entries:
            url = None if entry.url is None or is_echo(entry.url) else to_stored(entry.url)
            type = str(entry.attributes.get("gopher_type", INFO))
            row = (type, entry.title or entry.name, url)
            self._lines.write(json.dumps(row).encode("ascii") + b"\n")

    @contextmanager
    def written(self, place_of: Callable[[URL], str | None]) -> Iterator[BinaryIO]:
        """The file, at its start.

        Args:
            place_of: The path of a URL in the mirror, or None.
        """
        self._lines.seek(0)
        with SpooledTemporaryFile(IN_MEMORY) as file:
            for line in self._lines:
                type, title, stored = json.loads(line)
                url = None if stored is None else from_stored(stored)
                text = _line(type, title, url, None if url is None else place_of(url))
                file.write(text.encode("utf-8", "surrogateescape") + b"\r\n")
            file.seek(0)
            yield cast("BinaryIO", file)


def _line(type: str, title: str, url: URL | None, place: str | None) -> str:
    title = "".join(" " if char in "\t\r\n\0" else char for char in title)
    if url is None:
        return f"{INFO}{title}\t{NOWHERE}"
    if place is not None:
        return f"{type}{title}\t/{place}"
    if type in SESSIONS:
        return f"{type}{title}\t{url.user or ''}\t{url.host}\t{url.port}"
    if url.scheme not in MENUS:
        return f"h{title}\tURL:{mask(str(url))}\t{url.host or ''}\t{url.port or 0}"
    parts = url.parts
    return f"{type}{title}\t{getattr(parts, 'selector', '')}\t{url.host}\t{url.port}"
