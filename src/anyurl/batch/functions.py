"""The fields of `columns` as functions of polars, duckdb and pandas: one line registers them.

Rule: the result of a function is the field of `columns` of its name; the engine's library is imported here only.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from anyurl.batch.arrays import arrow
from anyurl.batch.columns import FIELDS, KNOWN, columns
from anyurl.batch.derived import KNOWN as DERIVED
from anyurl.batch.derived import QUERY
from anyurl.batch.rows import join, normalize
from anyurl.url.arguments import checked

NAMES = tuple(name for name in (*KNOWN, *DERIVED) if name not in ("normal", "query_map", f"{QUERY}NAME"))
"""The fields that are a function of their own."""

NUMBERS = {"port": "INTEGER", "explicit_port": "INTEGER", "fault": "SMALLINT", "fault_at": "INTEGER"}
"""The types of duckdb of the fields that are not text."""


@checked
def register_duckdb(connection: Any, prefix: str = "url_") -> None:
    """Give a connection of duckdb a function of each field: ``url_host(url)``, ``url_registered_domain(url)`` ...

    There are also ``url_normalize(url)``, ``url_join(reference, base)``, and ``url_query_value(url, name)``: the first
    value of that name in the query. A row that is not a URL gives null.

    Args:
        connection: The result of ``duckdb.connect``.
        prefix: Of the names of the functions.

    >>> import duckdb
    >>> base = duckdb.connect()
    >>> register_duckdb(base)
    >>> base.sql("select url_registered_domain('http://www.bbc.co.uk/a'), url_port('no url')").fetchall()
    [('bbc.co.uk', None)]
    """

    def add(name: str, function: Any, arguments: int, kind: str = "VARCHAR") -> None:
        connection.create_function(
            f"{prefix}{name}", function, ["VARCHAR"] * arguments, kind, type="arrow", null_handling="special"
        )

    for field in NAMES:
        add(field, _one_of(field), 1, NUMBERS.get(field, "VARCHAR"))
    add("normalize", lambda urls: normalize(urls, layout="string"), 1)
    add("join", lambda references, bases: join(references, bases), 2)
    add("query_value", _query_value, 2)


def _one_of(field: str) -> Any:
    return lambda urls: _whole(columns(urls, [field], layout="string")).field(field)


def _whole(made: Any) -> Any:
    """A chunked array as one array."""
    return made.combine_chunks() if isinstance(made, arrow().ChunkedArray) else made


def _query_value(urls: Any, names: Any) -> Any:
    """The value of a name of its own for each row."""
    pa = arrow()
    wanted = names.to_pylist()
    fields = [f"{QUERY}{name}" for name in dict.fromkeys(wanted) if name]
    made = _whole(columns(urls, fields, layout="string"))
    values = {field: made.field(field).to_pylist() for field in fields}
    return pa.array([values[f"{QUERY}{name}"][row] if name else None for row, name in enumerate(wanted)], pa.string())


@cache
def register_polars() -> None:
    """Give the series and expressions of polars the namespace ``url``: ``polars.col("link").url.host()`` ...

    Each field is a method; ``query_value(name)`` is the first value of that name in the query, ``normalize()`` the
    normal form, and ``columns(fields)`` a struct of several fields, which cuts each URL once.

    >>> import polars
    >>> register_polars()
    >>> frame = polars.DataFrame({"link": ["http://www.bbc.co.uk/a?page=2", "no url"]})
    >>> frame.select(host=polars.col("link").url.host(), page=polars.col("link").url.query_value("page")).rows()
    [('www.bbc.co.uk', '2'), (None, None)]
    """
    import polars

    kinds = {"port": polars.Int32, "explicit_port": polars.Int32, "fault": polars.Int16, "fault_at": polars.Int32}

    def made(series: Any, fields: Iterable[str]) -> Any:
        return polars.Series(series.name, columns(series, fields))

    def of_expression(given: Any, fields: tuple[str, ...]) -> Any:
        kind = polars.Struct({field: kinds.get(field, polars.String) for field in fields})
        return given.map_batches(lambda series: made(series, fields), return_dtype=kind, is_elementwise=True)

    polars.api.register_series_namespace("url")(_namespace(made, lambda given: given.struct))
    polars.api.register_expr_namespace("url")(_namespace(of_expression, lambda given: given.struct))


@cache
def register_pandas() -> None:
    """Give the series of pandas the accessor ``url``: ``frame["link"].url.host()`` ..., as `register_polars` does.

    Text comes as a column of Arrow; ``columns(fields)`` is a data frame.

    >>> import pandas
    >>> register_pandas()
    >>> frame = pandas.DataFrame({"link": ["http://www.bbc.co.uk/a", "no url"]})
    >>> frame["link"].url.registered_domain().dropna().tolist()
    ['bbc.co.uk']
    """
    import pandas  # type: ignore[import-untyped]

    pa = arrow()

    def made(series: Any, fields: Iterable[str]) -> Any:
        table = pa.table({"url": pa.array(series, from_pandas=True)})
        made = pa.Table.from_struct_array(columns(table, fields, layout="string"))
        return made.to_pandas(types_mapper=pandas.ArrowDtype).set_axis(series.index)

    pandas.api.extensions.register_series_accessor("url")(_namespace(made, lambda given: _PandasFields(given)))


class _PandasFields:
    """The columns of a data frame, by the name of polars for the fields of a struct."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def field(self, name: str) -> Any:
        """The column of that name."""
        return self._frame[name]


def _namespace(made: Any, struct: Any) -> type:
    """The class of a namespace.

    Args:
        made: Makes the fields of a series, or of an expression.
        struct: An object with them as ``field``.
    """

    class Namespace:
        def __init__(self, given: Any) -> None:
            self._given = given

        def columns(self, fields: Iterable[str] = FIELDS) -> Any:
            return made(self._given, tuple(fields))

        def query_value(self, name: str) -> Any:
            return self._field(f"{QUERY}{name}")

        def normalize(self) -> Any:
            return self._field("normal")

        def _field(self, field: str) -> Any:
            return struct(made(self._given, (field,))).field(field)

    for name in NAMES:
        setattr(Namespace, name, lambda self, field=name: self._field(field))
    return Namespace
