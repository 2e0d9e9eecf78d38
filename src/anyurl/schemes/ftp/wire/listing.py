"""Listings of FTP servers (MLSD, LIST, NLST), read into names and facts.

Rule: names are octets, exactly as the server wrote them; a line that is not understood is collected, never guessed at
and never an error. The style of LIST is detected line by line.
"""

from __future__ import annotations

from typing import Literal

from anyurl.errors import LimitError
from anyurl.schemes.ftp.wire.list import (
    ListedName,
    is_heading,
    is_vms_name,
    read_dos,
    read_eplf,
    read_facts,
    read_unix,
    read_vms,
)
from anyurl.schemes.kit.lines import LineReader
from anyurl.schemes.kit.unparsed import UnparsedLines

MAX_LISTING_LINE_BYTES = 4 * 1024
"""Octets of one line: PATH_MAX of Linux; a single name has at most 255."""

MAX_LISTING_BYTES = 32 * 1024 * 1024
"""Octets of one listing that need no entries for them. Attack: an endless listing of lines that say nothing."""

ENTRY_BYTES = 1024
"""Further octets for each entry. How many entries there may be, the policy says (`Limits.listing_entries`)."""

MAX_LISTING_ENTRIES = 10_000_000
"""Entries of a listing that is only searched for one name, and that no policy counts."""

Style = Literal["mlsd", "list", "nlst"]


class ListingReader:
    """Reads a listing incrementally: `feed` it, then `finish` it; both return the items that became complete.

    Args:
        style: The command that it is the reply to.
        now: Seconds since the epoch, for dates without a year in LIST.

    Attributes:
        odd: The lines that were not understood.
    """

    __slots__ = ("odd", "_style", "_now", "_lines", "_bytes", "_items", "_held", "_vms_name")

    def __init__(self, style: Style, *, now: float = 0.0) -> None:
        self.odd = UnparsedLines()
        self._style: Style = style
        self._now = now
        self._lines = LineReader(
            MAX_LISTING_LINE_BYTES, limit="MAX_LISTING_LINE_BYTES", what="a line of the listing", strict=False
        )
        self._bytes = 0
        self._items = 0
        self._held = b""
        self._vms_name = b""

    def feed(self, data: bytes) -> list[ListedName]:
        """Add octets of the data connection.

        Raises:
            LimitError: The listing, or a line of it, is too long.
        """
        self._bytes += len(data)
        if self._bytes > MAX_LISTING_BYTES + self._items * ENTRY_BYTES:
            raise LimitError(
                f"The listing has more than {self._bytes - len(data):,} octets for {self._items:,} entries: the limit "
                "allows no more.",
                limit="MAX_LISTING_BYTES",
            )
        self._lines.feed(data)
        return self._read(self._lines.lines())

    def finish(self) -> list[ListedName]:
        """The end of the data connection."""
        items = self._read(self._lines.lines())
        last = self._lines.finish()
        if last is not None:
            items += self._read([last])
        if self._held:
            self.odd.add(self._held)
            self._held = b""
        return items

    def _read(self, lines: list[bytes]) -> list[ListedName]:
        items: list[ListedName] = []
        for line in lines:
            if not line.strip():
                continue
            item = self._read_line(line)
            if item is not None and not _is_self_or_parent(item):
                items.append(item)
        self._items += len(items)
        if self._items > MAX_LISTING_ENTRIES:
            raise LimitError(
                f"The listing has more than {MAX_LISTING_ENTRIES:,} entries: the limit allows no more.",
                limit="MAX_LISTING_ENTRIES",
            )
        return items

    def _read_line(self, line: bytes) -> ListedName | None:
        if self._style == "nlst":
            return ListedName(line)
        if self._style == "mlsd":
            item = read_facts(line)
            if item is None:
                self.odd.add(line)
            return item
        return self._read_list_line(line)

    def _read_list_line(self, line: bytes) -> ListedName | None:
        if self._held:
            # VMS puts the rest of an entry with a long name on the next line, indented.
            held, self._held = self._held, b""
            if line[:1] in (b" ", b"\t"):
                joined = self._vms(held + b" " + line.strip())
                if joined is not None:
                    return joined
            self.odd.add(held)
        item = read_eplf(line) or read_unix(line, self._now) or read_dos(line) or self._vms(line)
        if item is not None:
            return item
        if is_vms_name(line):
            self._held = line.rstrip()
        elif not is_heading(line):
            self.odd.add(line)
        return None

    def _vms(self, line: bytes) -> ListedName | None:
        item = read_vms(line)
        if item is None:
            return None
        # VMS lists the versions of a file one by one, the highest first. The bare name means the highest.
        if item.name == self._vms_name:
            return ListedName(
                item.name + b";" + item.facts["version"].encode(), item.kind, item.size, item.modified, item.facts
            )
        self._vms_name = item.name
        return item


def _is_self_or_parent(item: ListedName) -> bool:
    """Whether this is the directory itself or its parent: not a child, and a cause of endless recursion."""
    return item.facts.get("type") in ("cdir", "pdir") or (item.name in (b".", b"..") and item.kind != "document")
