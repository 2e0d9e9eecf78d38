"""The links of a page, found as its octets arrive: each once, with its origin.

Rule: memory is bounded for a page of any length. Links to the page itself are left out: its fragments, and the other
sort orders of an index of files, which differ in the query.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterator
from typing import BinaryIO

from anyurl.text.found import Found
from anyurl.text.kinds import MALFORMED, Kinds
from anyurl.text.search import TextSearch
from anyurl.text.source import LEAST_PIECE, PIECE
from anyurl.url import URL
from anyurl.url.charsets import codec_of, decoder_of
from anyurl.values import STRANGER, Provenance

REMEMBERED = 10_000
"""Links that are remembered as reported; with more, one may be reported again."""


class PageLinks:
    """Finds the links of one page.

    Args:
        page: The URL of the page, the base of its links.
        format: Its format, one of `anyurl.text.formats`.
        charset: Its charset; if it is missing or unknown, UTF-8 is assumed.
        origin: The origin of its links.
        schemes: Report only these schemes; None for all.
        malformed: Also report links whose destination is not a URL (`Found.kind`).
    """

    def __init__(
        self,
        page: URL,
        format: str = "html",
        charset: str | None = None,
        *,
        origin: Provenance = STRANGER,
        schemes: Collection[str] | None = None,
        malformed: bool = False,
    ) -> None:
        decoder = _decoder(charset or "utf-8")
        self._decoder: codecs.IncrementalDecoder | None = decoder
        search = TextSearch(
            schemes=None if schemes is None else frozenset(schemes), base=page, parse=None, origin=origin,
            kinds=Kinds(served=True, malformed=malformed),
        )  # fmt: skip
        self._stage = search.stage(format, "surrogateescape" if decoder is None else "surrogatepass")
        self._page = page if page.fragment is None else page.without_fragment()
        self._place = (page.scheme, page.host, page.port, page.path)
        self._told: set[URL | str] = set()

    def accept(self, piece: bytes) -> Iterator[Found]:
        """The links that these octets complete."""
        return self._take(piece, False)

    def finish(self) -> Iterator[Found]:
        """The links that the end of the page completes."""
        return self._take(b"", True)

    def read(self, file: BinaryIO) -> Iterator[Found]:
        """The links of a page in a file."""
        while piece := file.read(PIECE):
            yield from self.accept(piece)
        yield from self.finish()

    def _take(self, piece: bytes, final: bool) -> Iterator[Found]:
        if self._decoder is not None:
            piece = self._decoder.decode(piece, final).encode()
        for start in range(0, max(len(piece), 1), LEAST_PIECE):
            some = piece[start : start + LEAST_PIECE]
            for found, *_ in self._stage.feed(some, final and start + LEAST_PIECE >= len(piece)):
                if self._is_new(found.raw if found.kind == MALFORMED else found.url):
                    yield found

    def _is_new(self, link: URL | str) -> bool:
        if link in self._told or (isinstance(link, URL) and self._is_own(link)):
            return False
        if len(self._told) >= REMEMBERED:
            self._told.clear()
        self._told.add(link)
        return True

    def _is_own(self, url: URL) -> bool:
        own = (url.scheme, url.host, url.port, url.path) == self._place
        return url == self._page or (own and url.query is not None)


def _decoder(charset: str) -> codecs.IncrementalDecoder | None:
    """The decoder of a charset; None for UTF-8, which the finder reads, and for unknown ones."""
    try:
        name = codec_of(charset)
    except LookupError:
        return None
    return None if name in ("utf-8", "ascii") else decoder_of(name)
