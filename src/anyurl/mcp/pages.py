"""Texts in pages of a size that a model can take, each with the cursor of the next.

Rule: all pages are of one text: it is kept and not fetched again. Cursors are issued here; the kept texts have a limit,
and the least recently read ones are dropped.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping

from anyurl.errors import RefusedError
from anyurl.guard.verdict import Verdict

PAGE = 20_000
"""Characters of a page: some 5,000 tokens."""

SMALLEST_PAGE = 1_000
LARGEST_PAGE = 200_000

MAX_KEPT = 32 * 1024 * 1024
"""Characters of all texts that are kept for reading on."""

_CURSOR = re.compile(r"([\w-]{16})\.([0-9]{1,10})", re.ASCII)


class Pages:
    """The texts whose next pages may be requested.

    Args:
        size: Characters of a page.
        most: Characters of all texts that are kept.
    """

    def __init__(self, size: int = PAGE, most: int = MAX_KEPT) -> None:
        self._size = size
        self._most = most
        self._kept: OrderedDict[str, tuple[dict[str, object], str]] = OrderedDict()
        self._held = 0

    def first(self, facts: Mapping[str, object], text: str) -> tuple[dict[str, object], str]:
        """The facts with the place of this page, and the first page; the rest is kept if there is one."""
        if len(text) <= self._size:
            return self._page("", dict(facts), text, 0)
        name = secrets.token_urlsafe(12)
        self._kept[name] = (dict(facts), text)
        self._held += len(text)
        while self._held > self._most and len(self._kept) > 1:
            _, (_, old) = self._kept.popitem(last=False)
            self._held -= len(old)
        return self._page(name, dict(facts), text, 0)

    def next(self, cursor: str) -> tuple[dict[str, object], str]:
        """The page of a cursor. Raises RefusedError when there is none, or its text is no longer kept."""
        found = _CURSOR.fullmatch(cursor)
        kept = self._kept.get(found[1]) if found else None
        if found is None or kept is None or int(found[2]) >= len(kept[1]):
            message = "this cursor leads to nothing that is kept"
            remedy = "the same call without `cursor` fetches it anew when asked for directly"
            raise RefusedError(f"Refused: {message}.", verdict=Verdict(False, "cursor", message, "cursor", remedy))
        self._kept.move_to_end(found[1])
        return self._page(found[1], dict(kept[0]), kept[1], int(found[2]))

    def _page(self, name: str, facts: dict[str, object], text: str, start: int) -> tuple[dict[str, object], str]:
        end = min(start + self._size, len(text))
        if end < len(text):
            line = text.rfind("\n", start + self._size // 2, end)
            end = end if line < 0 else line + 1
        facts["page"] = {"start": start, "end": end, "of": len(text)}
        facts["cursor"] = None if end == len(text) else f"{name}.{end}"
        return facts, text[start:end]
