"""Limits of unpacking, against decompression bombs.

Rule: the unpacked octets are counted, and sizes in headers are never trusted.
"""

from __future__ import annotations

from anyurl.errors import LimitError
from anyurl.url.arguments import checked
from anyurl.values import shown

MAX_OCTETS = 4 << 30
"""Octets unpacked from one archive, including nested ones."""
MAX_RATIO = 1000
"""Unpacked octets per packed octet; deflate reaches 1,032 for a file of zeros, and 200 for a log of equal lines."""
FREE_OCTETS = 16 << 20
"""Octets of one member that are exempt from the ratio."""
MAX_BARREN = 8 << 20
"""Consecutive packed octets without output: empty streams, blocks and padding could continue forever."""
MAX_MEMBERS = 100_000
"""Members in all."""
MAX_DIRECTORY = 32 << 20
"""Octets of the central directory of a zip, which is held in memory."""
MAX_NESTING = 2
"""The nesting of archives, and of compressed files in compressed files."""


class Budget:
    """The remaining unpacking budget of one search.

    Args:
        octets: Unpacked octets in all.
        ratio: Unpacked octets per packed octet.
        members: Members in all.
        nesting: The nesting of archives.
    """

    def __repr__(self) -> str:
        return shown(self, "octets", "members")

    @checked
    def __init__(
        self,
        octets: int = MAX_OCTETS,
        ratio: int = MAX_RATIO,
        members: int = MAX_MEMBERS,
        nesting: int = MAX_NESTING,
    ) -> None:
        self.octets: int = octets
        self.ratio: int = ratio
        self.members: int = members
        self.nesting: int = nesting

    def member(self) -> None:
        """Count a member. Raises LimitError if there are too many."""
        self.members -= 1
        if self.members < 0:
            raise LimitError("The archive has too many members: the limit allows no more.", limit="MAX_MEMBERS")

    def take(self, octets: int, out: int, read: int) -> None:
        """Count unpacked octets.

        Args:
            octets: The new octets.
            out: All octets unpacked from this member.
            read: The packed octets read for it.

        Raises:
            LimitError: There are too many, in all or for the packed octets.
        """
        self.octets -= octets
        if self.octets < 0:
            raise LimitError("The archive unpacks to too much: the limit allows no more.", limit="MAX_OCTETS")
        if out > FREE_OCTETS and out > self.ratio * max(read, 1):
            raise LimitError("The archive unpacks to far more than it holds: it may be a bomb.", limit="MAX_RATIO")
