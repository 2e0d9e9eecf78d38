"""WAIS source descriptions: nothing but errors of the tree, and a URL that can be written where one is named."""

from __future__ import annotations

from anyurl.schemes.wais.documents import source_facts, source_url
from anyurl.schemes.wais.wire.source import read_source
from anyurl.url import URL
from fuzz import kit


def fuzz(data: bytes) -> None:
    """The octets as they are, and as what stands in a description."""
    for text in (data, b"(:source " + data + b")"):
        source, _ = kit.outcome(lambda text=text: read_source(text))  # type: ignore[misc]
        if source is None:
            continue
        source_facts(source)
        url = source_url(source)
        if url is not None:
            kit.same(URL(str(url)), url, "the URL of a database")
            kit.same(url.parts.search, None, "a database, not a search")
