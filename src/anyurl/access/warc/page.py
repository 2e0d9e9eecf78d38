"""A listing as a page of links, so that whoever opens an archive can go on from it.

Rule: what a server has said is escaped; nothing of it may run. It is a conversion: what came stands in another record.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from anyurl.access.warc.block import RecordBlock
from anyurl.dialogue import Entry
from anyurl.errors import escape
from anyurl.url.masking import mask


class ListingPage:
    """A page under way.

    Args:
        title: What it is a listing of.
    """

    def __init__(self, title: str) -> None:
        self._block = RecordBlock()
        shown = html.escape(escape(title))
        self._add(f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{shown}</title><h1>{shown}</h1><ul>\n')

    def _add(self, text: str) -> None:
        self._block.write(text.encode("utf-8", "replace"))

    def add(self, entries: Sequence[Entry]) -> None:
        """Add these."""
        for entry in entries:
            shown = html.escape(escape(entry.title or entry.name))
            if entry.url is not None:
                shown = f'<a href="{html.escape(mask(str(entry.url)))}">{shown}</a>'
            self._add(f"<li>{shown}\n")

    def end(self) -> RecordBlock:
        """The whole page."""
        self._add("</ul></html>\n")
        return self._block

    def close(self) -> None:
        """It is not needed any more."""
        self._block.close()
