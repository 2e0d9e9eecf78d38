"""What is done to each row is what `URL` and `find` do to its text alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from anyurl import URL, URLSyntaxError
from anyurl.batch import join, normalize, registered_domain
from tests.batch.texts import WRITTEN, rows


def or_none(make: Callable[[], URL]) -> str | None:
    try:
        return str(make())
    except URLSyntaxError:
        return None


@pytest.mark.parametrize("layout", ["view", "string"])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_the_normal_form_is_that_of_the_url(layout: Any, kind: Any) -> None:
    texts = [
        *WRITTEN,
        *rows(3, 1_500),
        "http://h/a/./b",
        "http://h/.a",
        "http://h/a/.",
        "http://h?/.",
        "http://h/a?b/../c",
    ]
    made = normalize(pa.array(texts, kind)[2:], layout=layout)
    made.validate(full=True)
    assert made.to_pylist() == [
        None if text is None else or_none(lambda t=text: URL(t).normalize()) for text in texts[2:]
    ]


def test_a_normal_url_is_not_copied() -> None:
    array = pa.array(["http://host.dom/a/path/that/is/longer"])
    assert normalize(array).buffers()[2].address == array.buffers()[2].address


def test_what_references_lead_to() -> None:
    base = "http://a/b/c/d;p?q"
    references = ["g", "../g", "?y", "#s", "", "//g", "http://x/", ":", None, "g\u00e9", "../../../g"]
    expected = [None if one is None else or_none(lambda r=one: URL(base).join(r)) for one in references]
    assert join(references, base).to_pylist() == join(references, URL(base)).to_pylist() == expected
    chunked = pa.chunked_array([references[:4], references[4:]], pa.string())
    assert join(chunked, base).to_pylist() == expected


def test_every_row_has_its_base() -> None:
    bases = ["http://a/b/", "http://a/b/", "no url", None, "ftp://h/x/"]
    expected = ["http://a/b/g", "http://a/b/g", None, None, "ftp://h/x/g"]
    assert join(["g"] * 5, bases).to_pylist() == expected
    with pytest.raises(ValueError, match="there are 2 references and 1 bases"):
        join(["a", "b"], ["http://h/"])
    with pytest.raises(URLSyntaxError):
        join(["a"], "no url")


def test_registered_domains() -> None:
    rows = [
        ("http://www.bbc.co.uk/news", "bbc.co.uk"), ("http://bbc.co.uk", "bbc.co.uk"), ("http://co.uk/", None),
        ("http://A.B.Example.COM:8/x", "example.com"), ("http://127.0.0.1/", None), ("http://[::1]/", None),
        ("mailto:a@b.com", None), ("no url", None), (None, None), ("file:///x", None),
        ("http://a.github.io/", "a.github.io"),
        ("http://example.com./", "example.com"),
    ]  # fmt: skip
    given = [text for text, _ in rows]
    expected = [domain for _, domain in rows]
    assert registered_domain(given).to_pylist() == expected
    assert registered_domain(pa.chunked_array([given[:5], given[5:]])).to_pylist() == expected


def test_without_the_list_the_extra_is_named() -> None:
    code = "import sys; sys.modules['publicsuffixlist'] = None; from anyurl.batch import *; registered_domain(['x:'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (
        "Registered domains need publicsuffixlist: in a clone of anyurl, pip install '.[batch]'."
        in done.stderr.splitlines()[-1]
    )


def test_a_layout_is_known() -> None:
    with pytest.raises(ValueError, match="a layout is 'view' or 'string', not 'rows'"):
        normalize(["x:"], layout="rows")  # type: ignore[arg-type]
