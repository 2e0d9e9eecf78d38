"""What the formats have in common that escape by a backslash: JSON, roff and LaTeX.

Rule: text is copied up to each backslash; what follows it is judged when the longest escape there is would be in hand.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import ClassVar

from anyurl.text.runs import Runs


class BackslashDecoder(ABC):
    """Undoes the escapes of a format.

    Attributes:
        escape: An escape, from its backslash on.
        longest: Octets of the longest one.
        unknown: Octets that are copied where no escape stands: 2 when the next one can't begin an escape either.
    """

    escape: ClassVar[re.Pattern[bytes]]
    longest: ClassVar[int]
    unknown: ClassVar[int] = 1

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Copy up to each backslash, and write what it escapes."""
        start = 0
        while (place := data.find(b"\\", start)) >= 0:
            out.copy(data, start, place)
            if len(data) - place < self.longest and not final:
                return place
            match = self.escape.match(data, place)
            if match is None:
                start = min(place + self.unknown, len(data))
                out.copy(data, place, start)
            else:
                start = self.write(match, place, out)
        out.copy(data, start, len(data))
        return len(data)

    @abstractmethod
    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write what stands for an escape at `place`; where it ends."""
