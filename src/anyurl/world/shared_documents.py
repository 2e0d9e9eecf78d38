"""The documents of a shared folder, for the servers that show them: also those of a mirror whose URLs have a query."""

from __future__ import annotations

from typing import BinaryIO

from anyurl.files.shared import SharedFolder, SharedName
from anyurl.saving.tree import place_with_query
from anyurl.schemes.kit.media import guess_type, is_binary

GEMTEXT = (".gmi", ".gemini")

PAGE_BEGINNINGS = (b"<!doctype html", b"<html")


def open_document(folder: SharedFolder, path: str, query: str) -> tuple[BinaryIO, SharedName] | None:
    """A file as `SharedFolder.open_file`: the one that a mirror made of this query, or else that of the path."""
    place = place_with_query(path, query) if query else None
    found = None if place is None else folder.open_file(place)
    return folder.open_file(path) if found is None else found


def type_of(name: str, head: bytes) -> str:
    """The media type of a file.

    Args:
        name: Its name.
        head: Its first octets.
    """
    plain, mark, _ = name.partition("?")
    if plain.endswith(GEMTEXT):
        return "text/gemini"
    type = guess_type(plain)
    if type is None and mark and head.lstrip().lower().startswith(PAGE_BEGINNINGS):  # `page?id=1` of a mirror
        type = "text/html"
    return type or ("application/octet-stream" if is_binary(head) else "text/plain")
