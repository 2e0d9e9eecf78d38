"""What an FTP server says of one name (`ListedName`), and the one standard way of saying it: MLSD (RFC 3659 7).

Rule: names are octets, exactly as the server wrote them; facts that make no sense are left out, never an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from anyurl.schemes.ftp.wire.commands import MAX_SIZE, timestamp_of

ItemKind = Literal["document", "listing"]


class ListedName:
    """What a server says of one name.

    Attributes:
        name: Octets, as it is to be given back in a command.
        kind: ``document``, ``listing`` (a directory), or None for what may be either (links) or is neither (devices).
        size: Octets, or None.
        modified: Seconds since the epoch, or None. Servers mostly mean their own time zone in LIST; it is read as UTC.
        facts: What else was said, by name.
    """

    __slots__ = ("name", "kind", "size", "modified", "facts")

    def __init__(
        self,
        name: bytes,
        kind: ItemKind | None = None,
        size: int | None = None,
        modified: float | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.kind: ItemKind | None = kind
        self.size = size if size is None or size <= MAX_SIZE else None
        self.modified = modified
        self.facts: Mapping[str, str] = facts or {}

    def __repr__(self) -> str:
        return f"Item({self.name!r}, {self.kind!r}, size={self.size!r}, modified={self.modified!r}, {self.facts!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ListedName):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.size, self.modified))


def read_facts(line: bytes) -> ListedName | None:
    """One line of MLSD or MLST: ``Type=file;Size=3; name`` (RFC 3659 7.2); None when it is none.

    >>> read_facts(b"type=dir;modify=19941201000000; a name")
    Item(b'a name', 'listing', size=None, modified=786240000.0, {'type': 'dir', 'modify': '19941201000000'})
    """
    head, space, name = line.partition(b" ")
    # RFC 3659 7.2: every fact ends with ";", so a line whose first space comes before that has no facts in front.
    if not space or not name or (head and not head.endswith(b";")):
        return None
    facts: dict[str, str] = {}
    for fact in head.split(b";"):
        key, equals, value = fact.partition(b"=")
        if equals and key:
            facts[text(key).lower()] = text(value)
    kind: ItemKind | None = None
    type_ = facts.get("type", "").lower()
    if type_ in ("dir", "cdir", "pdir"):
        kind = "listing"
    elif type_ == "file":
        kind = "document"
    if "type" in facts:
        facts["type"] = type_ if kind else facts["type"]
    size = facts.get("size", "")
    return ListedName(
        name,
        kind,
        int(size) if size.isascii() and size.isdigit() and len(size) <= 19 else None,
        timestamp_of(facts.get("modify", "").encode("utf-8", "surrogateescape")),
        facts,
    )


def text(data: bytes) -> str:
    """Octets as text: UTF-8, other octets as surrogates."""
    return data.decode("utf-8", "surrogateescape")
