"""Markdown, reStructuredText and mail: what each adds to running text."""

from __future__ import annotations

import pytest

from anyurl.text import find
from tests.rows import each_row

BASE = "http://base.org/dir/page"


def told(text: str, format: str, base: str | None = BASE, **options: bool) -> list[tuple[str, str, str]]:
    found = list(find(text, format=format, base=base, **options))
    for item in found:
        assert text[slice(*item.span)] == item.raw
    return [(str(item), item.raw, item.context) for item in found]


@each_row(
    ("text", "expected"),
    [
        ("[t](a/b)", [("http://base.org/dir/a/b", "a/b")]),
        ("[t](/a)", [("http://base.org/a", "/a")]),
        ("[t](../a#f)", [("http://base.org/a#f", "../a#f")]),
        ("[t](#f)", [("http://base.org/dir/page#f", "#f")]),
        ('[t](a "title")', [("http://base.org/dir/a", "a")]),
        ("[t](<a b>)", [("http://base.org/dir/a%20b", "a b")]),
        ("[t](a_(b))", [("http://base.org/dir/a_(b)", "a_(b)")]),
        ("![p](p.png)", [("http://base.org/dir/p.png", "p.png")]),
        ("[![p](p.png)](q)", [("http://base.org/dir/p.png", "p.png"), ("http://base.org/dir/q", "q")]),
        ("[n]: a/b", [("http://base.org/dir/a/b", "a/b")]),
        ("x\n   [n]: a\ny", [("http://base.org/dir/a", "a")]),
        ("[t](http://h/)", [("http://h/", "http://h/")]),
        ("[t](//h/)", [("http://h/", "//h/")]),
        ("[t](mailto:a@b.org)", [("mailto:a@b.org", "mailto:a@b.org")]),
        ("[t]()", []),
        ("[t] (a)", []),
        ("x[0]: int", []),
        (
            "http://h/ [t](a) http://i/",
            [("http://h/", "http://h/"), ("http://base.org/dir/a", "a"), ("http://i/", "http://i/")],
        ),
    ],
)
def test_markdown_has_relative_links(text: str, expected: list[tuple[str, str]]) -> None:
    assert [row[:2] for row in told(text, "markdown")] == expected


@each_row(
    ("text", "expected"),
    [
        ("`text <a/b>`_", [("http://base.org/dir/a/b", "a/b")]),
        ("`text <a>`__", [("http://base.org/dir/a", "a")]),
        (".. _name: a/b", [("http://base.org/dir/a/b", "a/b")]),
        (".. image:: p.png", [("http://base.org/dir/p.png", "p.png")]),
        (".. figure:: p.png\n   :target: q", [("http://base.org/dir/p.png", "p.png"), ("http://base.org/dir/q", "q")]),
        (".. |x| image:: p.png", [("http://base.org/dir/p.png", "p.png")]),
        ("`text <http://h/>`_", [("http://h/", "http://h/")]),
        ("`code <a>`", []),
        (".. note:: a", []),
    ],
)
def test_restructuredtext_has_relative_links(text: str, expected: list[tuple[str, str]]) -> None:
    assert [row[:2] for row in told(text, "rst")] == expected


@pytest.mark.parametrize("format", ["markdown", "rst", "html"])
def test_without_a_base_a_relative_link_is_no_url(format: str) -> None:
    assert told('[t](a) `t <a>`_ <a href="a">', format, None) == []


MAILBOX = """\
From me@x.org Mon Jan  1
Subject: see http://subject.org/ now
List-Unsubscribe: <http://list.org/leave>,
 <mailto:leave@list.org?subject=x>
Message-ID: <abc@host.org>
In-Reply-To: <def@host.org>
 <ghi@host.org>

body http://body.org/ or write to a@b.org
> <URL:http://quoted.org/a-
> b>
X: http://still-body.org/

From you@y.org Tue Jan  2
X-URL: http://second.org/

From the second body: http://end.org/
From here on: http://past.org/
"""


def test_mail_has_a_header() -> None:
    assert told(MAILBOX, "mail", None) == [
        ("http://subject.org/", "http://subject.org/", "mail-header"),
        ("http://list.org/leave", "http://list.org/leave", "mail-header"),
        ("mailto:leave@list.org?subject=x", "mailto:leave@list.org?subject=x", "mail-header"),
        ("http://body.org/", "http://body.org/", "bare"),
        ("http://quoted.org/a-b", "http://quoted.org/a-\n> b", "URL:"),
        ("http://still-body.org/", "http://still-body.org/", "bare"),
        ("http://second.org/", "http://second.org/", "mail-header"),
        ("http://end.org/", "http://end.org/", "mail-header"),  # an empty line and From begin a message (RFC 4155)
        ("http://past.org/", "http://past.org/", "mail-header"),
    ]


def test_identifiers_of_messages_are_no_addresses() -> None:
    found = [row[1] for row in told(MAILBOX, "mail", None, emails=True) if "@" in row[1]]
    assert found == ["me@x.org", "mailto:leave@list.org?subject=x", "a@b.org", "you@y.org"]


def test_lines_of_the_network_end_a_header_too() -> None:
    text = "A: http://a/\r\nB: x\r\n\t http://b/\r\n\r\nhttp://c/\r\n"
    assert [(row[0], row[2]) for row in told(text, "mail", None)] == [
        ("http://a/", "mail-header"), ("http://b/", "mail-header"), ("http://c/", "bare"),
    ]  # fmt: skip


def test_a_line_without_end_is_read_all_the_same() -> None:
    text = "A: " + "x" * 70_000 + " http://a/ " + "y" * 70_000
    for format in ("mail", "markdown", "rst"):
        pieces = [text[at : at + 1000] for at in range(0, len(text), 1000)]
        assert [str(item) for item in find(pieces, format=format, base=BASE)] == ["http://a/"]
