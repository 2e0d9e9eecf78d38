"""A listing as a page of links, so that readers of an archive can follow them.

Rule: text from servers is escaped, so that none of it runs. The page is a conversion; another record has the original.
Links to the same server are relative: a browser follows them wherever the page is shown, and no browser follows gopher.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from anyurl.dialogue import Entry
from anyurl.errors import escape
from anyurl.url.masking import mask
from anyurl.warc.block import RecordBlock
from anyurl.warc.known_secrets import KnownSecrets


class _PageReferences:
    """References from a page, for a browser that has it below another address: all but the first "?" is a path to it.

    Args:
        page: Its URL.
    """

    def __init__(self, page: str) -> None:
        scheme, mark, rest = page.partition("://")
        authority, slash, path = rest.partition("/")
        folder = path[: path.rfind("/") + 1]
        self._root = f"{scheme}://{authority}/" if mark and slash and "?" not in path else None
        self._folder = f"{self._root}{folder}"
        self._up = "../" * folder.count("/")

    def reference(self, url: str) -> str:
        """A URL as a reference from the page: relative if it is on the same server."""
        if self._root is None or not url.startswith(self._root):
            return url
        if url.startswith(self._folder):
            return f"./{url[len(self._folder) :]}"
        return f"{self._up}{url[len(self._root) :]}"


class ListingPage:
    """A page, written piece by piece.

    Args:
        title: The listed URL.
        secrets: Secrets that no entry may show. Attack: a server lists the password that it was sent.
    """

    def __init__(self, title: str, secrets: KnownSecrets) -> None:
        self._block = RecordBlock()
        self._secrets = secrets
        self._links = _PageReferences(title)
        shown = html.escape(escape(title))
        self._add(f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{shown}</title><h1>{shown}</h1><ul>\n')

    def _add(self, text: str) -> None:
        self._block.write(text.encode("utf-8", "replace"))

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries."""
        for entry in entries:
            shown = html.escape(escape(self._hidden(entry.title or entry.name)))
            if entry.url is not None:
                shown = (
                    f'<a href="{html.escape(self._links.reference(self._hidden(mask(str(entry.url)))))}">{shown}</a>'
                )
            self._add(f"<li>{shown}\n")

    def _hidden(self, text: str) -> str:
        return self._secrets.field(text) if self._secrets else text

    def end(self) -> RecordBlock:
        """Complete the page; returns its octets."""
        self._add("</ul></html>\n")
        return self._block

    def close(self) -> None:
        """Release the buffer."""
        self._block.close()
