"""What is found in a column is what is found in each of its rows alone."""

from __future__ import annotations

import gzip
import random
from typing import Any

import pyarrow as pa
import pytest

import anyurl
from anyurl.batch import find
from tests.batch.texts import rows
from tests.rows import each_row
from tests.text.soup import soups

TEXTS = [
    "see http://a.dom/x, and <URL:ftp://b.dom/y>", "", None, "no link",
    "\u00e9\u00e9 http://c.dom/\u00e9 \u00fc ftp://d.dom/",
    "write to me@e.dom or www.f.dom", "http:", "http://g", "//h.dom/x", "<URL:http://i.dom/a\n b>", "http://j.dom/",
    "k.dom/", "www.l.dom/", "m@n.dom", "URL:o.dom", "@p", "ftp.q.dom",
    "go to gnu.org or hxxp://evil[.]com/x", "<a href='/y'>y</a> <a href=http://z.dom/#a>z</a>", "[x](../x.md)",
]  # fmt: skip

OPTIONS: list[dict[str, Any]] = [
    {}, {"emails": True}, {"www": True}, {"schemes": ["FTP"]}, {"bare": True}, {"refang": True},
    {"format": "html", "base": "http://base.dom/a/b"}, {"format": "markdown", "base": "http://base.dom/a/b"},
    {"grammar": "browser", "emails": True}, {"format": "auto", "schemes": ["http"]},
]  # fmt: skip


@each_row("options", OPTIONS, ids=str)
@each_row("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_what_is_found_is_what_is_found_in_the_row_alone(options: dict[str, Any], kind: Any) -> None:
    expected = [
        None if text is None else [
            {"url": str(one.url), "fragment": one.fragment, "start": one.span[0], "end": one.span[1],
             "context": one.context}
            for one in anyurl.find(text, **options)
        ]
        for text in TEXTS
    ]  # fmt: skip
    made = find(pa.array(TEXTS, kind), **options)
    made.validate(full=True)
    assert made.to_pylist() == expected
    assert (
        find(pa.chunked_array([pa.array(TEXTS[:3], kind), pa.array(TEXTS[3:], kind)]), **options).to_pylist()
        == expected
    )


def found_in(text: str | bytes | None, options: dict[str, Any]) -> list[tuple[object, ...]] | None:
    if text is None:
        return None
    each = anyurl.find(text, **options)
    return [(str(one.url), one.fragment, *one.span, one.context) for one in each]


def shapes(kind: Any, texts: list[str | None]) -> list[tuple[Any, list[str | None]]]:
    """A column as it comes, and its rows: whole, beginning within an octet of its bitmap, in pieces of which some are
    empty."""
    array = pa.array(texts, kind)
    pieces = pa.chunked_array([array[:0], array[:7], array[7:7], array[7:100], array[100:]], kind)
    return [(array, texts), (array[3:-2], texts[3:-2]), (array[5:5], []), (pieces, texts)]


@each_row("options", [{}, {"emails": True}, {"www": True}, {"schemes": ["http", "mailto"]}], ids=str)
@each_row("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary()], ids=str)
def test_generated_rows_are_searched_as_if_each_were_alone(options: dict[str, Any], kind: Any) -> None:
    """Most have no URL, so that nearly every row lies between two that nobody looks at."""
    chance = random.Random(str(kind))
    texts: list[str | None] = [text for text, _ in soups(7, 150)]
    texts += ["see: that, std::list", "", None, "one <URL: http://h/x> two", "a\u00e9: \u00fcber: http://h/\u00e9"] * 40
    texts += [f"see {text}, too" for text in rows(8, 100) if text is not None]
    chance.shuffle(texts)
    for given, expected in shapes(kind, texts):
        made = find(given, **options)
        made.validate(full=True)
        told = [None if row is None else [tuple(one.values()) for one in row] for row in made.to_pylist()]
        assert told == [found_in(text, options) for text in expected]


def test_octets_that_are_no_text_are_searched() -> None:
    texts = [b"\xff\xfe http://h/\xff\xe9 x", b"\xe2\x82", b"\xac://h/", None, b"http://\x00/", b"a\x80b: ftp://h/\xc3"]
    made = find(pa.array(texts, pa.binary()))
    assert [row and [one["url"] for one in row] for row in made.to_pylist()] == [
        None if text is None else [str(one.url) for one in anyurl.find(text)] for text in texts
    ]


def test_no_url_spans_two_rows() -> None:
    """The rows lie behind each other in memory: ``http://a.do`` and ``m/x`` are not one URL."""
    assert [len(row) for row in find(["http://a.do", "m/x", "<URL:http:", "//b.dom/>"]).to_pylist()] == [1, 0, 0, 0]


def test_rows_that_are_archives() -> None:
    whole = gzip.compress(b"see http://h.dom/")
    made = find(pa.array([whole, whole[:-9], b"no archive", None], pa.binary()), format="gzip").to_pylist()
    assert [row and row[0]["url"] for row in made] == ["http://h.dom/", None, None, None]


def test_options_are_checked_even_if_there_is_no_row() -> None:
    for options, error in (
        ({"format": "htm"}, ValueError), ({"grammar": "html"}, anyurl.errors.UnsupportedError),
        ({"base": "no url"}, anyurl.URLSyntaxError), ({"schemes": "ftp"}, TypeError),
    ):  # fmt: skip
        with pytest.raises(error):
            find(pa.array([], pa.string()), **options)  # type: ignore[arg-type]
