"""Articles and messages, taken apart: the message, its text, its attachments (RFC 5536; MIME, yEnc, uuencode).

Rule: this module reads at most `MAX_ARTICLE_BYTES`, in memory, and writes nothing. File names given by a sender are
untrusted: `anyurl.saving.save.safe_name` makes them safe.

>>> article = Article(b"Subject: hello\\r\\n\\r\\nWell.\\r\\n")
>>> article.message["Subject"], article.text
('hello', 'Well.\\n')
"""

from __future__ import annotations

from collections.abc import Iterable

from anyurl.client.resource import Resource
from anyurl.errors import LimitError, Truncated
from anyurl.schemes.news.wire.article import MAX_ARTICLE_BYTES, Article, Part
from anyurl.url.arguments import several_of

__all__ = ["MAX_ARTICLE_BYTES", "MAX_FILE_BYTES", "Article", "Part", "join_parts", "read_article"]

MAX_FILE_BYTES = 1024 * 1024 * 1024
"""Octets of a file that is assembled in memory."""


def read_article(resource: Resource) -> Article:
    """Read an article from an open resource of type message/rfc822, to its end.

    Raises:
        LimitError: It has more than `MAX_ARTICLE_BYTES`.
        AnyURLError: The transfer failed.
    """
    if not hasattr(resource, "read"):
        raise TypeError(f"resource is a Resource, not {type(resource).__name__}")
    return Article(resource.read(MAX_ARTICLE_BYTES))


def join_parts(parts: Iterable[Part]) -> bytes:
    """Assemble a file that was posted in several articles, by the offsets of its yEnc parts.

    Args:
        parts: The parts of one file, in any order; of two at the same offset the first counts.

    Raises:
        Truncated: A part is missing, or damaged.
        LimitError: The file has more than `MAX_FILE_BYTES`.
    """
    known: dict[int, Part] = {}
    for part in several_of(parts, "parts", Part):
        known.setdefault(0 if part.span is None else part.span[2], part)
    size = sum(len(part.data) for part in known.values())
    if size > MAX_FILE_BYTES:
        raise LimitError(
            f"The file has more than {MAX_FILE_BYTES:,} octets: the limit allows no more.", limit="MAX_FILE_BYTES"
        )
    pieces: list[bytes] = []
    at = 0
    damaged = next((part for part in known.values() if part.fault is not None), None)
    if damaged is not None:
        raise Truncated(f"A part of the file is damaged: {damaged.fault}.")
    for offset, part in sorted(known.items()):
        if offset != at:
            raise Truncated(f"A part is missing at octet {at:,}: the next one begins at {offset:,}.", received=at)
        pieces.append(part.data)
        at += len(part.data)
    total = max((part.span[1] or 0 for part in known.values() if part.span is not None), default=0)
    if total > len(known):
        raise Truncated(f"Only {len(known)} of the {total} parts of the file are here.", received=at)
    return b"".join(pieces)
