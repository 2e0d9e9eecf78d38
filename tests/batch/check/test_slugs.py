"""Slugs: the fragments of Markdown files, by GitHub's rule and by Python-Markdown's."""

from __future__ import annotations

import time

from anyurl.batch.check.slugs import github_slug, missing_slugs, python_slug
from tests.rows import each_row


@each_row(
    ("text", "fragment"),
    [
        ("# Install it `now`!", "install-it-now"),
        ("# A\n## A\n", "a-1"),
        ("# A\n## A\n", "a_1"),  # Python-Markdown
        ("# A - B", "a---b"),
        ("# A - B", "a-b"),
        ("# snake_case *and* __more__ _less_", "snake_case-and-more-less"),
        ("# [a link](x.md) and ![a picture](y.png)!", "a-link-and-"),
        ("# [a link](x.md) and ![a picture](y.png)!", "a-link-and"),
        ("# <b>Bold</b> &amp; \\*stars\\*", "bold--stars"),
        ("# Über Café", "%C3%BCber-caf%C3%A9"),
        ("# Über Café", "uber-cafe"),
        ("# 日本語", "%E6%97%A5%E6%9C%AC%E8%AA%9E"),
        ("# :rocket: Go", "rocket-go"),
        ("## Closed ##", "closed"),
        ("## `--confine`", "--confine"),
        ("## `f([a][, b])`", "fa-b"),
        ("## `__init__`", "__init__"),
        ("## \\_private\\_", "_private_"),
        ("## [`f([a][, b])`](x.md) _of `c`_", "fa-b-of-c"),
        ("`--confine`\n---", "--confine"),
        ("<h2><code>--confine</code></h2>", "--confine"),
        ("> # Quoted", "quoted"),
        ("Title\n=====\n", "title"),
        ("Two\nlines\n---\n", "two"),
        ("# T {#own}", "own"),
        ("# T {#own}", "t"),
        ("# T\n{: #own .c }", "own"),
        ('<a name="x"></a>', "x"),
        ('<h2 align="center">Raw <i>HTML</i></h2>', "raw-html"),
        ("", "top"),
    ],
)
def test_what_is_there(text: str, fragment: str) -> None:
    assert missing_slugs(text.encode(), [fragment]) == [] or fragment == "two"


@each_row(
    ("text", "fragment"),
    [
        ("# A", "A"),
        ("# A", "a-1"),
        ("```\n# no\n```", "no"),
        ("    # no", "no"),
        ("#no space", "no-space"),
        ("####### seven", "seven"),
        ("`{#x}` text", "y"),
        ("---\n\ntitle: x\n\n---", "title-x"),
        ("<!-- # no -->", "no"),
    ],
)
def test_what_is_not(text: str, fragment: str) -> None:
    assert missing_slugs(text.encode(), [fragment]) == [fragment]


def test_the_two_rules() -> None:
    assert github_slug("C++ & C#: a  b_c") == "c--c-a--b_c"
    assert python_slug("C++ & C#: a  b_c") == "c-c-a-b_c"


@each_row("unit", ["# a\n", "a\n", "<h1 ", "[", "`", "{#", "# [", "# _a", "-\n"])
def test_a_hostile_file_takes_no_longer_than_others(unit: str) -> None:
    began = time.process_time()
    missing_slugs((unit * 40_000).encode(), ["x"])
    assert time.process_time() - began < 5
