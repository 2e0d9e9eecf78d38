"""Notebooks: the Markdown of their cells, and whole URLs in code and in what it has printed."""

from __future__ import annotations

import json

import pytest

from anyurl.text import find
from tests.text.readers.contract import Contract

NOTEBOOK = (
    b'{"cells": [{"cell_type": "markdown", "source": ["[t](http://h/a_\\\\(b\\\\)).\\n", "http:\\/\\/i\\/\\n"]},\n'
    b'{"cell_type": "code", "source": ["get(\\"http://j/\\")"]}], "nbformat": 4}'
)


class TestNotebook(Contract):
    format = "notebook"
    samples = [
        (
            NOTEBOOK,
            [
                ("http://h/a_(b)", "http://h/a_\\\\(b\\\\)", "markdown"),
                ("http://i/", "http:\\/\\/i\\/", "bare"),
                ("http://j/", "http://j/", "bare"),
            ],
        ),
    ]
    pieces = (
        b'"',
        b"\\",
        b"\\/",
        b"\\u0026",
        b"\\u00e9",
        b"\\ud83d",
        b"\\ude00",
        b"\\n",
        b"{",
        b"[",
        b",",
        b"](",
        b"[a](",
        b")",
        b"\\(",
        b"\\)",
        b"<",
        b">",
        b"[n]:",
        b"\n",
        b" ",
        b"(",
        b"&amp;",
        b"> ",
    )
    hostile = (b'"[a](\\n', b"\\\\(")


CELLS = {
    "cells": [
        {
            "cell_type": "markdown", "metadata": {"a": ["[m](no1)"]},
            "source": [
                "[a](ok1) [r][x]\n", "\n", "```\n", "[n](no2)\n", "```\n", "\n", "[x]: ok2\n", '<img src="ok3">',
            ],
        },
        {
            "cell_type": "code", "outputs": [{"text": ["[q](no3) http://out/ok"]}],
            "source": ["x[0](1)\n", "u = 'https://code/ok'\n", "~~~\n", "y[1](2)"],
        },
        {"cell_type": "markdown", "source": "[b](ok4)\n[c](http://h/é)"},
        {"cell_type": "raw", "source": "[d](no4)"},
        {"source": "[e](ok5)", "cell_type": "markdown"},  # not the order that Jupyter writes
    ],
    "metadata": {"x": "[m](no6)"}, "nbformat": 4,
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_relative_references_are_those_of_markdown_cells(indent: int | None, size: int) -> None:
    data = json.dumps(CELLS, indent=indent).encode()
    found = list(find([data[at : at + size] for at in range(0, len(data), size)], format="notebook", base="http://b/"))
    assert [str(one.url) for one in found] == [
        "http://b/ok1", "http://b/ok2", "http://b/ok3", "http://out/ok", "https://code/ok", "http://b/ok4",
        "http://h/%C3%A9", "http://b/ok5",
    ]  # fmt: skip
    for one in found[:6]:
        assert data[slice(*one.octet_span)].decode() == one.raw


def test_a_text_that_is_deep_or_no_notebook_is_read_to_its_end() -> None:
    deep = b"[" * 1000 + b'"http://h/a"' + b"]" * 2000 + b' {"cell_type": "markdown", "source": "http://h/b"'
    assert [str(one.url) for one in find(deep, format="notebook")] == ["http://h/a", "http://h/b"]
