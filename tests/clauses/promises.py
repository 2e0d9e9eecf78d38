"""Promises of SECURITY.md to break, one at a time: a test that says that it holds the promise must then fail.

Rule: the rows are those of ``mutations.py``, with the names of promises instead of statements: each puts a fault back
that the promise rules out.
"""

from __future__ import annotations

PROMISES: tuple[tuple[str, str, str, str, str, str], ...] = ()
