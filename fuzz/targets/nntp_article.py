"""Articles taken apart: MIME parts, yEnc, uuencode: never more out than in."""

from __future__ import annotations

from anyurl.schemes.news.wire.article import Article, Part
from anyurl.schemes.news.wire.binaries import find_files
from fuzz import kit


def fuzz(data: bytes) -> None:
    """An article as a server sends it."""
    assert sum(len(found.data) for found in find_files(data)) <= len(data)
    article = Article(data)
    parts, _ = kit.outcome(article.parts)
    for number, part in enumerate(parts or (), 1):
        assert isinstance(part, Part)
        assert part.number == number
        assert len(part.data) <= len(data) * 2 + 64
        assert isinstance(part.text, str)
    kit.outcome(lambda: article.text)
