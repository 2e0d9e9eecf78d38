"""How much may come out of what is packed: limits against bombs.

Rule: what is counted is what has come out, never what a header says will.
"""

from __future__ import annotations

from anyurl.errors import LimitError
from anyurl.url.taken import checked

MAX_OCTETS = 4 << 30
"""Octets in all that come out of one archive and of those in it."""
MAX_RATIO = 1000
"""Octets that come out for each that goes in; deflate reaches 1,032 for a file of zeros, and a log of one line 200."""
FREE_OCTETS = 16 << 20
"""Octets of one member before its ratio is looked at."""
MAX_BARREN = 8 << 20
"""Octets in a row that nothing comes out of: empty streams, blocks and padding could go on for ever."""
MAX_MEMBERS = 100_000
"""Members in all."""
MAX_DIRECTORY = 32 << 20
"""Octets of the list of members with which a zip ends: it is held whole."""
MAX_NESTING = 2
"""Archives inside each other; what is compressed counts when it stands in what is compressed."""


class Budget:
    """The remaining unpacking budget of one search.

    Args:
        octets: Octets in all.
        ratio: Octets that come out for each that goes in.
        members: Members in all.
        nesting: Archives inside each other.
    """

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
        """Count a member. Raises LimitError for one too many."""
        self.members -= 1
        if self.members < 0:
            raise LimitError("The archive has too many members: the limit allows no more.", limit="MAX_MEMBERS")

    def take(self, octets: int, out: int, read: int) -> None:
        """Count octets that came out.

        Args:
            octets: How many came now.
            out: How many have come out of this member.
            read: How many of the archive have gone into it.

        Raises:
            LimitError: They are too many, in all or for what went in.
        """
        self.octets -= octets
        if self.octets < 0:
            raise LimitError("The archive unpacks to too much: the limit allows no more.", limit="MAX_OCTETS")
        if out > FREE_OCTETS and out > self.ratio * max(read, 1):
            raise LimitError("The archive unpacks to far more than it holds: it may be a bomb.", limit="MAX_RATIO")
