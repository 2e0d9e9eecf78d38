"""Which URLs a pattern is for, and which of two is the more exact one."""

from __future__ import annotations

import pytest

from anyurl import URL
from anyurl.client.patterns import URLPattern
from tests.rows import each_row


@each_row(
    ("pattern", "url", "matches"),
    [
        ("doi", "DOI:10.1/x", True),
        ("DOI", "doi:10.1/x", True),
        ("doi", "doi://h/x", True),
        ("doi", "urn:doi:x", False),
        ("urn:ietf", "urn:ietf:rfc:1738", True),
        ("urn:ietf:", "urn:IETF:rfc:1738", True),  # RFC 8141 2.1: the name of a namespace has no case
        ("urn:ietf", "urn:ietf", True),
        ("urn:ietf", "urn:ietfx:rfc:1738", False),  # it ends at a colon or a slash
        ("urn:ietf", "urn:isbn:ietf", False),
        ("http://h/a/", "http://h/a", True),  # a slash at its end says nothing
        ("http://h/a///", "http://h/a/b", True),
        ("afs:/afs/cell", "afs:/afs/cell/x", True),
        ("afs:/afs/cell", "afs://afs/afs/cell/x", False),  # another place
        ("ftp://h", "ftp://h/a", True),
        ("ftp://H.", "ftp://h/a", True),
        ("ftp://h", "ftp://h./a", True),  # the root's dot is no other host
        ("ftp://h", "ftp://h:2121/a", True),
        ("ftp://h:21", "ftp://h/a", True),  # the effective port
        ("ftp://h:21", "ftp://h:2121/a", False),
        ("ftp://h", "ftp://x.h/a", False),
        ("ftp://h", "ftp://u@x/h", False),
        ("ftp://*.h", "ftp://x.y.h/a", True),
        ("ftp://*.h", "ftp://h/a", False),
        ("ftp://h/pub", "ftp://h/pub", True),
        ("ftp://h/pub/", "ftp://h/pub/x", True),
        ("ftp://h/pub", "ftp://h/public", False),
        ("ftp://h/pub", "ftp://h/PUB/x", False),
        ("*://h", "gopher://h/", True),
        ("*://h", "file://h/x", False),  # a file is this machine's own
        ("*://*", "news:a.b", False),  # it names no host
        ("ftp://[::1]", "ftp://[0:0::1]/x", True),
        ("ftp://127.0.0.1", "ftp://127.0.0.1/x", True),
    ],
)
def test_which_urls_it_is_for(pattern: str, url: str, matches: bool) -> None:
    assert (URLPattern(pattern).matches(URL(url)) is not None) is matches


def test_the_more_exact_one() -> None:
    order = [
        "*://*",
        "ftp://*",
        "*://*.dom",
        "ftp://*.h.dom",
        "ftp://x.h.dom",
        "ftp://x.h.dom:21",
        "*://*/a",
        "ftp://*/a/b",
    ]
    found = [URLPattern(text).matches(URL("ftp://x.h.dom/a/b")) for text in order]
    assert None not in found
    assert found == sorted(found)  # type: ignore[type-var]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("text", ["doi", "urn:ietf", "afs:/afs/cell", "ftp://*.h:21/a", "*://h", "ftp://[::1]:21"])
def test_it_writes_itself(text: str) -> None:
    assert str(URLPattern(text)) == text
    assert str(URLPattern(str(URLPattern(text.upper() if ":" not in text else text)))) == text


@each_row(
    "text",
    ["", "*", "*:x", "1x", "a b", "ftp://", "ftp:///x", "ftp://h:x", "ftp://h:0", "ftp://h:70000", "ftp://h:0000800000"]
    + ["ftp://u@h", "ftp://h/a?b", "ftp://h/a?", "ftp://h/a#b", "ftp://h/a#", "ftp://h*", "ftp://h..dom", "urn:ä"],
)
def test_what_is_no_pattern(text: str) -> None:
    with pytest.raises(ValueError):
        URLPattern(text)
