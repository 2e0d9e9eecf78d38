"""The documented path of `anyurl.client.article`: the parts of an article and the files in them."""

from __future__ import annotations

from anyurl.client.article import (
    MAX_ARTICLE_BYTES,
    MAX_FILE_BYTES,
    Article,
    Part,
    join_parts,
    read_article,
)

__all__ = ["MAX_ARTICLE_BYTES", "MAX_FILE_BYTES", "Article", "Part", "join_parts", "read_article"]
