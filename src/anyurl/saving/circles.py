"""Circles in a mirror: a folder with the same listing as several folders above it leads back to one of them.

Rule: a server may show a link to a directory as a directory, so that paths through it never end. Detecting this costs
no request: the listing of a folder is compared with the listings of the folders above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anyurl.url import URL

if TYPE_CHECKING:
    from anyurl.dialogue import Entry
    from anyurl.text import Found

REPEATED = 2
"""Folders above with the same listing from which it counts as a circle: a single one may be a copy."""

MOST_HELD = 10_000
"""Links of one page that are held back: more would be a trap of another kind, and memory is bounded."""

MOST_WAITING = 1_000
"""Documents of one listing that are held back, until it is known whether it leads back."""

NOTE = "It lists the same as {count} folders above it, and seems to lead back to them: it is not entered."

PROVEN = "It leads back to a folder above it: it is not entered."


def circle_note(count: int, entries: Sequence[Entry] = ()) -> str:
    """The note for a folder that leads back; empty if it does not.

    Args:
        count: The folders above it that have the same listing.
        entries: Its entries. If the server tells its files apart (``unique``, RFC 3659 7.5.2), one such folder is
            proof; a server that gives all files the same does not.
    """
    if count >= REPEATED:
        return NOTE.format(count=count)
    marks = {entry.attributes.get("unique") for entry in entries}
    return PROVEN if count and None not in marks and len(marks) > 1 else ""


class Fingerprint:
    """An incremental hash of a folder's listing."""

    __slots__ = ("_hash",)

    def __init__(self) -> None:
        from hashlib import blake2b  # loads OpenSSL, which not every mirror needs

        self._hash = blake2b(digest_size=16)

    def add(self, *told: object) -> None:
        """Add one entry: everything that is known of it except its place."""
        self._hash.update(repr(told).encode("utf-8", "surrogatepass"))

    def __str__(self) -> str:
        return self._hash.hexdigest()


class FolderPage:
    """The index page of a web folder: its links to subfolders are held back.

    Attributes:
        folders: These links; empty if the page is not a folder's.
        listed: The fingerprint of its links to anything below itself.
    """

    __slots__ = ("folders", "listed", "_base")

    def __init__(self, page: URL) -> None:
        self.folders: list[Found] = []
        self.listed = Fingerprint()
        self._base = page.path if page.path.endswith("/") and page.query is None else None

    def sift(self, links: Sequence[Found]) -> Sequence[Found]:
        """Hold the links to subfolders back, and return the others."""
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
    """The paths of all folders above this path, starting with the root of the mirror (the empty path)."""
    parts = local.split("/") if local else []
    return ["/".join(parts[:count]) for count in range(len(parts))]
