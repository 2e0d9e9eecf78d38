# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The URLs found in the rows of a text column, as one list per field.

Rule: each row is a separate text, read by `Finder.read_row`; positions count from the start of the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.text.found import Found
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.found import Found
    else:
        from anyurl.text.found import Found

from anyurl.text.finder import Finder

COMPILED: bool = cython.compiled

Fields = tuple[list[str], list[str | None], list[int], list[int], list[str]]
"""URL, fragment, start, end and context of each URL that was found."""


def read_rows(finder: Finder, numbers: list[int], texts: list[bytes], out: Fields, ends: list[int]) -> None:
    """Add the URLs found in some rows.

    Args:
        finder: The finder; it must report URLs only, no templates.
        numbers: The numbers of the rows.
        texts: The octets of each row.
        out: The lists to extend.
        ends: For each row from 0, the number of URLs found before it; extended up to the last of these rows.
    """
    urls: list[str] = out[0]
    fragments: list[str | None] = out[1]
    starts: list[int] = out[2]
    stops: list[int] = out[3]
    contexts: list[str] = out[4]
    found: Found
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = len(ends)
    row: cython.Py_ssize_t
    for i in range(len(numbers)):
        row = numbers[i]
        count = len(urls)
        while at <= row:
            ends.append(count)
            at += 1
        for found in finder.read_row(texts[i]):
            urls.append(str(found._url))
            fragments.append(found._fragment)
            starts.append(found._start)
            stops.append(found._end)
            contexts.append(found._context)
