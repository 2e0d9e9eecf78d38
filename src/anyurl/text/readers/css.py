r"""Style sheets (CSS Syntax 3): ``url()``, ``@import``, the strings of ``image-set()``, with ``\28`` as it is meant.

Rule: in comments, and in strings of other kinds, only whole URLs are found; a namespace is a name, not a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from anyurl.text.finder import Finder
from anyurl.text.readers.links import LinkReader
from anyurl.text.readers.registry import Reader
from anyurl.text.readers.verbatim import Verbatim
from anyurl.url import URL

_BEGIN = rb"(?:\burl\(\s*+|@import\b\s*+|\bimage-set\(\s*+)"

DESTINATION = re.compile(
    rb"(?P<silent>@namespace\b(?>(?:[^;{}@]|@(?!namespace\b))*);)"
    rb"|" + _BEGIN + rb"\"(?P<double>(?:(?>[^\"\\\n]|\\.))++)\""
    rb"|" + _BEGIN + rb"'(?P<single>(?:(?>[^'\\\n]|\\.))++)'"
    rb"|\burl\(\s*+(?P<plain>(?![\"'])(?:(?>[^\s\"'(){}\\]|\\[0-9A-Fa-f]{1,6}\s?+|\\.))++)\s*+\)"
    rb"|(?P<silent_url>\burl\((?>(?:[^)\n{}u]|u(?!rl\())*)\))"  # it is malformed, and dropped
    rb"|\"(?P<image>(?>[^\"\\\n]+))\"(?>\s+)(?>[0-9.]+)(?:x|dppx|dpi)\b",
    re.IGNORECASE | re.DOTALL,
)
"""URLs in CSS (CSS Values 4.5, CSS Cascade 2, CSS Images 4).

Attack: many beginnings without an end. The skipped text holds no other beginning, so each octet is read once."""

_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})\s?|\n|(.))", re.DOTALL)


class CssVerbatim(Verbatim):
    """Comments (CSS Syntax 3, 4.3.2)."""

    ends = re.compile(rb"\}\s*?\n")

    def __init__(self) -> None:
        super().__init__()
        self._is_open = False

    def end_of(self, data: bytes, start: int, most: int) -> int:
        """The end of a rule; in a style sheet of one line it is searched for only if there is too much."""
        return super().end_of(data, start, most) or (data.rfind(b"}", start) + 1 if len(data) - start >= most else 0)

    def read(self, data: bytes, stop: int) -> None:
        """Read up to the end of a rule."""
        place = self._read
        while place < stop:
            start = place if self._is_open else data.find(b"/*", place, stop)
            if start < 0:
                break
            end = data.find(b"*/", start if self._is_open else start + 2, stop)
            self._is_open = end < 0
            place = stop if end < 0 else end + 2
            self._spans.append((start, place))
        self._read = stop


def reference(text: str) -> str:
    """A URL without its escapes (CSS Syntax 3, 4.3.7)."""
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def _meant(match: re.Match[str]) -> str:
    if match[1]:
        number = int(match[1], 16)
        return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\N{REPLACEMENT CHARACTER}"
    return match[2] or ""


def look(finder: Finder, base: URL | None) -> Callable[[], None]:
    """Find URLs in the finder's buffer."""
    return LinkReader(
        finder, base, (DESTINATION.search,), None, reference, "css", verbatim=CssVerbatim(), has_tags=False
    ).read


READERS = (
    Reader(
        name="css", summary="style sheets: url(), @import and image-set(), relative ones, too", suffixes=(".css",),
        types=("text/css",), look=look,
    ),
)  # fmt: skip
