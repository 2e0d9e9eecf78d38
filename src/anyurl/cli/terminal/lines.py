"""The lines of a text that a user gives: in UTF-8, or in what its byte order mark says.

Rule: Windows writes that mark, and PowerShell files in UTF-16; neither may end up in a URL. A line has a limit.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from anyurl.errors import LimitError
from anyurl.url.charsets import codec_marked_by, decoder_of

MAX_LINE = 1024 * 1024
"""Octets of a line with its end: the longest URLs in use have some 100 KB."""


def lines_of(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines, without their ends; octets that are not UTF-8 as surrogates.

    Args:
        pieces: The text, cut after each LF or anywhere else.

    Raises:
        LimitError: A line is longer than `MAX_LINE`.
    """
    decoder: codecs.IncrementalDecoder | None = None
    begun: list[str] = []
    size = 0
    for piece in pieces:
        if decoder is None:
            decoder = _decoder(piece)
        first, *more = decoder.decode(piece).split("\n")
        begun.append(first)
        if more:
            yield "".join(begun).removesuffix("\r")
            yield from (line.removesuffix("\r") for line in more[:-1])
            begun, size = [more[-1]], 0
        size += len(begun[-1])
        if size > MAX_LINE:
            much = f"A line has more than {MAX_LINE:,} characters"
            raise LimitError(f"{much}: the limit allows no more.", limit="MAX_LINE")
    last = "".join(begun) + ("" if decoder is None else decoder.decode(b"", True))
    if last:
        yield last.removesuffix("\r")


def _decoder(first: bytes) -> codecs.IncrementalDecoder:
    codec = codec_marked_by(first)
    return decoder_of("utf-8-sig", "surrogateescape") if codec is None else decoder_of(codec)
