"""What a server says of a resource."""

from __future__ import annotations

import re
from typing import Any

import pytest

from anyurl.web.app import MAX_SHOWN, flat
from anyurl.world import World
from tests.web.running import Browser


@pytest.mark.parametrize(
    ("attributes", "pairs"),
    [
        ({"a": "x\x1b", "b": None, "c": ""}, [("a", "x\\x1b")]),
        ({"a": {"b": 1, "c": {"d": 2}}}, [("a b", "1"), ("a c d", "2")]),
        ({"a": [1, 2], "b": [{"c": 1}, {"c": 2}]}, [("a", "1, 2"), ("b c", "1"), ("b c", "2")]),
        ({"a": "one\ntwo"}, [("a", "one\ntwo")]),
    ],
)
def test_attributes_as_pairs(attributes: dict[str, Any], pairs: list[tuple[str, str]]) -> None:
    assert flat(attributes) == pairs


def test_attributes_have_an_end() -> None:
    nested: Any = 1
    for _ in range(50):
        nested = {"a": nested}
    assert flat(nested) == []
    assert len(flat({str(number): number for number in range(MAX_SHOWN + 5)})) == MAX_SHOWN


def test_the_views_of_a_gopher_item(browser: Browser, world: World) -> None:
    document = browser.go(f"{world.roots['gopher']}00/pub/names/gr%C3%BC%C3%9Fe.txt")
    attributes = browser.get(browser.get(document.links["About this URL"]).links["Ask the server for its attributes"])
    assert attributes.title == "Attributes"
    assert "Nobody &lt;nobody@localhost&gt;" in attributes.text
    german = browser.get(attributes.links["text/plain De_DE (1k)"])
    assert re.search(r'<pre class="text[^>]*>(.*?)</pre>', german.text, re.DOTALL)[1].strip() == (  # type: ignore[index]
        "Guten Tag, Gr\u00fc\u00dfe aus K\u00f6ln"
    )
    octets = browser.get(german.links["Save"])
    assert octets.text.strip() == "Guten Tag, Gr\u00fc\u00dfe aus K\u00f6ln"
