"""Circles: a folder that lists what folders above it list leads back to one of them.

Rule: a server may show a linked directory as a directory, and a path through it grows for ever. Nothing is asked for
this: what a folder lists is compared with what those on the way to it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anyurl.url import URL

if TYPE_CHECKING:
    from anyurl.text import Found

REPEATED = 2
"""Folders above that list the same, from which it is taken for a circle: one alone may be a copy."""

MOST_HELD = 10_000
"""Links of one page: one with more of them is a trap of another kind, and its memory is bounded."""

NOTE = "It lists what {count} folders above it list, and seems to lead back: what is below it is left out."


class Fingerprint:
    """What a folder lists, as it comes, in a few octets."""

    __slots__ = ("_hash",)

    def __init__(self) -> None:
        try:
            from _blake2 import blake2b
        except ImportError:
            from hashlib import blake2b  # OpenSSL comes with it, which takes as long as 20 small files

        self._hash = blake2b(digest_size=16)

    def add(self, *told: object) -> None:
        """One entry, by all that is told of it but its place."""
        self._hash.update(repr(told).encode("utf-8", "surrogatepass"))

    def __str__(self) -> str:
        return self._hash.hexdigest()


class FolderPage:
    """The page that shows a folder of the web: its links to folders below it are held back.

    Attributes:
        folders: Those links; none of a page that is no folder's.
        listed: What it links to below itself.
    """

    __slots__ = ("folders", "listed", "_base")

    def __init__(self, page: URL) -> None:
        self.folders: list[Found] = []
        self.listed = Fingerprint()
        self._base = page.path if page.path.endswith("/") and page.query is None else None

    def sift(self, links: Sequence[Found]) -> Sequence[Found]:
        """The links that are not held back."""
        if self._base is None or len(self.folders) > MOST_HELD:
            return links
        others: list[Found] = []
        for link in links:
            path = link.url.path
            is_below = path.startswith(self._base) and path != self._base
            if is_below:
                self.listed.add(path[len(self._base) :], link.url.query)
            (self.folders if is_below and path.endswith("/") else others).append(link)
        return others


def above(local: str) -> list[str]:
    """The paths of the folders above one, from the root of the mirror, whose path is empty."""
    parts = local.split("/") if local else []
    return ["/".join(parts[:count]) for count in range(len(parts))]
