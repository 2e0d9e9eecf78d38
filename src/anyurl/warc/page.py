"""A listing as a page of links, so that readers of an archive can follow them.

Rule: text from servers is escaped, so that none of it runs. The page is a conversion; another record has the original.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from anyurl.dialogue import Entry
from anyurl.errors import escape
from anyurl.url.masking import mask
from anyurl.warc.block import RecordBlock
from anyurl.warc.known_secrets import KnownSecrets


class ListingPage:
    """A page, written piece by piece.

    Args:
        title: The listed URL.
        secrets: What no entry may show. Attack: a server lists the password that it was sent.
    """

    def __init__(self, title: str, secrets: KnownSecrets) -> None:
        self._block = RecordBlock()
        self._secrets = secrets
        shown = html.escape(escape(title))
        self._add(f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{shown}</title><h1>{shown}</h1><ul>\n')

    def _add(self, text: str) -> None:
        self._block.write(text.encode("utf-8", "replace"))

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries."""
        for entry in entries:
            shown = html.escape(escape(self._hidden(entry.title or entry.name)))
            if entry.url is not None:
                shown = f'<a href="{html.escape(self._hidden(mask(str(entry.url))))}">{shown}</a>'
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
