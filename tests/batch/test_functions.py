"""The fields as functions of engines, registered by one line, on tables as engines have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anyurl.batch import columns, register_duckdb, register_pandas, register_polars
from anyurl.batch.functions import NAMES

URLS = ["http://www.bbc.co.uk:81/a.txt?page=2#f", "no url", None, "ftp://u@h.dom/", "http://www.bbc.co.uk/b"]
NUMBERS = ("port", "explicit_port", "fault", "fault_at")


@pytest.fixture(scope="module")
def polars() -> Any:
    """The library, which takes half a second to load, with a namespace of URLs."""
    library = pytest.importorskip("polars")
    register_polars()
    return library


@pytest.fixture(scope="module")
def pandas() -> Any:
    """The library, which takes half a second to load, with an accessor of URLs."""
    library = pytest.importorskip("pandas")
    register_pandas()
    return library


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of several row groups, with a dictionary."""
    path = tmp_path_factory.mktemp("tables") / "links.parquet"
    pq.write_table(pa.table({"n": range(15), "link": pa.array(URLS * 3)}), path, row_group_size=4)
    return path


def known(field: str) -> list[Any]:
    """The values of a field."""
    return [row and row[field] for row in columns(URLS * 3, [field]).to_pylist()]


@pytest.mark.parametrize("field", NAMES)
def test_duckdb_has_a_function_of_each_field(parquet: Path, field: str) -> None:
    base = duckdb.connect()
    register_duckdb(base)
    rows = base.sql(f"select url_{field}(link) from '{parquet}' order by n").fetchall()
    assert [row[0] for row in rows] == known(field)


def test_what_duckdb_has_beside_the_fields(parquet: Path) -> None:
    base = duckdb.connect()
    register_duckdb(base, prefix="u_")
    rows = base.sql(
        f"select u_normalize('HTTP://H/%7e'), u_join('../x', 'http://h/a/b'), u_query_value(link, 'page'),"
        f" u_query_value(link, null) from '{parquet}' where n < 5 order by n"
    ).fetchall()
    assert rows == [
        ("http://h/~", "http://h/x", "2" if number == 0 else None, None) for number in range(len(URLS))
    ]  # fmt: skip
    base.sql(
        "create table t as select * from (values ('http://h/?a=1&b=2', 'a'), ('http://h/?a=1&b=2', 'b')) as v(u, k)"
    )
    assert base.sql("select u_query_value(u, k) from t order by k").fetchall() == [("1",), ("2",)]


def frames(polars: Any, parquet: Path) -> dict[str, Any]:
    read = polars.read_parquet(parquet)
    whole = polars.DataFrame({"link": URLS * 3})
    return {
        "file": read,
        "chunked": polars.concat([whole[:4], whole[4:]], rechunk=False),
        "sliced": polars.DataFrame({"link": ["x:", *URLS * 3, "x:"]})[1:-1],
        "categorical": whole.with_columns(polars.col("link").cast(polars.Categorical)),
    }


@pytest.mark.parametrize("form", ["file", "chunked", "sliced", "categorical"])
def test_polars_has_a_namespace(polars: Any, parquet: Path, form: str) -> None:
    frame = frames(polars, parquet)[form]
    for field in NAMES:
        kind = (
            polars.Int32 if field in NUMBERS[:2] + NUMBERS[3:] else polars.Int16 if field == "fault" else polars.String
        )
        made = frame.lazy().select(getattr(polars.col("link").url, field)()).collect().to_series()
        assert (made.to_list(), made.dtype) == (known(field), kind), field
        assert getattr(frame["link"].url, field)().to_list() == known(field)
    link: Any = polars.col("link")
    made = frame.select(
        link.url.query_value("page").alias("page"), link.url.normalize(), link.url.columns(["host", "port"])
    )
    assert made["page"].to_list() == [value for _ in range(3) for value in ("2", None, None, None, None)]
    assert made["normal"].to_list() == known("normal")
    assert made["link"].struct.field("port").to_list() == known("port")


@pytest.mark.parametrize("form", ["file", "object", "category", "arrow", "sliced"])
def test_pandas_has_an_accessor(pandas: Any, parquet: Path, form: str) -> None:
    links: Any = {
        "file": lambda: pandas.read_parquet(parquet)["link"],
        "object": lambda: pandas.Series(URLS * 3, dtype=object),
        "category": lambda: pandas.Series(URLS * 3).astype("category"),
        "arrow": lambda: pandas.concat(
            [pandas.Series([url], dtype=pandas.ArrowDtype(pa.string())) for url in URLS * 3]
        ),
        "sliced": lambda: pandas.Series(["x:", *URLS * 3])[1:],
    }[form]()
    for field in NAMES:
        made = getattr(links.url, field)()
        assert [None if value is pandas.NA else value for value in made] == known(field), field
        assert list(made.index) == list(links.index)
    assert list(links.url.columns(["host", "port"]).columns) == ["host", "port"]
    assert links.url.query_value("page").dropna().tolist() == ["2"] * 3
    assert links.url.normalize().dropna().tolist() == [value for value in known("normal") if value]


def test_a_column_without_rows_has_its_fields(tmp_path: Path, polars: Any, pandas: Any) -> None:
    """A library asks for the types of a result with one, and an empty file has no chunk."""
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        for given in (pa.nulls(0, kind), pa.chunked_array([], kind)):
            assert pa.Table.from_struct_array(columns(given, ["host", "port", "key"])).num_rows == 0, kind
    pq.write_table(pa.table({"link": pa.array([], pa.string())}), tmp_path / "empty.parquet")
    assert pandas.read_parquet(tmp_path / "empty.parquet")["link"].url.host().tolist() == []
    frame = polars.read_parquet(tmp_path / "empty.parquet")
    assert frame.select(polars.col("link").url.port()).schema == {"port": polars.Int32}  # type: ignore[attr-defined]
    base = duckdb.connect()
    register_duckdb(base)
    assert base.sql(f"select url_host(link) from '{tmp_path / 'empty.parquet'}'").fetchall() == []
