"""A table that one test walks.

A test costs some milliseconds before it has tried anything, and each worker collects all of them; a row that takes
microseconds is no test of its own. ``@each_row`` takes what ``@pytest.mark.parametrize`` takes, and makes one test.

Rule: no row hides another. The test fails once, at its end, and names each row that failed with its own error.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
Rows = Iterable[Any]
Ids = Iterable[object] | Callable[[Any], object] | None

_Parameter = type(pytest.param(None))

LONGEST_NAME = 200
"""Characters of a row in the name that it has by itself."""


class RowsFailed(AssertionError):
    """Some rows of a table failed; the message has each of them."""


def each_row(names: str | Sequence[str], rows: Rows | Callable[[], Rows], *, ids: Ids = None) -> Callable[[Test], Test]:
    """Make a test that runs for each row of a table.

    Args:
        names: The parameters that are columns, as in ``parametrize``; the others stay fixtures, the same for all rows.
        rows: A value for each row where there is one name, else a value for each name. A function makes them when the
            test runs, so that no worker reads a corpus which another one tries.
        ids: What the rows are called: a name each, or what makes one of a value. Else a row is called by its values.

    Raises:
        ValueError: There is no row, a row has not one value for each name, it has a mark, or there is not one id a row.
            Of rows that a function makes the test raises it.
    """
    is_single = isinstance(names, str) and "," not in names
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    made = None if callable(rows) else _Table(columns, rows, ids, is_single=is_single)

    def walks(test: Test) -> Test:
        @functools.wraps(test)
        def walk(*arguments: Any, **fixtures: Any) -> None:
            table = made or _Table(columns, rows() if callable(rows) else rows, ids, is_single=is_single)
            table.walk(functools.partial(test, *arguments, **fixtures))

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in columns]
        if len(left) + len(columns) != len(signature.parameters):
            raise ValueError(f"{test.__name__} has not all parameters of its table: {', '.join(columns)}")
        walk.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return walk

    return walks


class _Table:
    """Rows of the same columns, at least one."""

    def __init__(self, columns: Sequence[str], rows: Rows, ids: Ids, *, is_single: bool) -> None:
        self._columns, self._name = columns, ids if callable(ids) else None
        self._titles: list[object] = []
        self._rows: list[tuple[Any, ...]] = []
        for row in rows:
            self._add(row, is_single=is_single)
        if not self._rows:
            raise ValueError(f"a table of {', '.join(columns)} has no row: its test would try nothing")
        if ids is not None and not callable(ids):
            self._titles = list(ids)
            if len(self._titles) != len(self._rows):
                raise ValueError(f"{len(self._titles)} ids for {len(self._rows)} rows of {', '.join(columns)}")

    def _add(self, row: Any, *, is_single: bool) -> None:
        if isinstance(row, _Parameter):
            if row.marks:
                raise ValueError(f"{row} has a mark; a row of a table that one test walks can't have any")
            title, values = row.id, tuple(row.values)
        else:
            title, values = None, (row,) if is_single else tuple(row)
        if len(values) != len(self._columns):
            raise ValueError(f"{values} has not one value for each of {', '.join(self._columns)}")
        self._titles.append(title)
        self._rows.append(values)

    def walk(self, test: Callable[..., None]) -> None:
        """Run the test with each row, and fail at the end with all that failed."""
        failed: list[tuple[str, BaseException]] = []
        for title, values in zip(self._titles, self._rows, strict=True):
            try:
                test(**dict(zip(self._columns, values, strict=True)))
            except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # a row can't skip
                failed.append((self._called(title, values), error))
        if failed:
            told = [f"{name}\n{textwrap.indent(f'{type(error).__name__}: {error}', '    ')}" for name, error in failed]
            raise RowsFailed("\n".join([f"{len(failed)} of {len(self._rows)} rows failed", *told])) from failed[0][1]

    def _called(self, title: object, values: tuple[Any, ...]) -> str:
        if title is not None:
            return str(title)
        given = [None if self._name is None else self._name(value) for value in values]
        text = ", ".join(repr(value) if each is None else str(each) for each, value in zip(given, values, strict=True))
        return text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME] + "..."
