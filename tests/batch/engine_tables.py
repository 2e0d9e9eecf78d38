"""The example of an engine, and then what it registers on tables from files: chunked, dictionary-encoded, sliced.

Run by `test_engines.py` with the engine's name and a file with its example; exits with the tables that differ.
"""

from __future__ import annotations

import doctest
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from anyurl import URL

URLS = ["http://www.a.dom/x?q", "no url", "ftp://b.dom/", None, "http://www.a.dom/y", "HTTP://C.dom"] * 3
ROWS = len(URLS)
HOSTS = {"no url": None, None: None} | {url: URL(url).host for url in URLS if url not in ("no url", None)}

Names = dict[str, Any]
Hosts = dict[int, str | None]
"""The number of each row, and its host."""


def written(folder: Path) -> list[Path]:
    """Files of the same rows: of several row groups, with a dictionary, of several batches, and without types."""
    plain = pa.table({"n": pa.array(range(ROWS), pa.int64()), "url": pa.array(URLS)})
    encoded = plain.set_column(1, "url", plain["url"].dictionary_encode())
    chunked, dictionary, csv = (folder / name for name in ("chunked.parquet", "dictionary.parquet", "typeless.csv"))
    pa.parquet.write_table(plain, chunked, row_group_size=4)
    pa.parquet.write_table(encoded, dictionary, row_group_size=5)
    pa.csv.write_csv(plain, csv)
    return [chunked, dictionary, csv]


def table_of(path: Path) -> Any:
    """A file as pyarrow reads it: a column of text in chunks, or of a dictionary."""
    options = pa.csv.ConvertOptions(column_types={"url": pa.string()}, strings_can_be_null=True)
    return pa.csv.read_csv(path, convert_options=options) if path.suffix == ".csv" else pa.parquet.read_table(path)


def of_polars(names: Names, path: Path, first: int, rows: int) -> Hosts:
    polars = names["polars"]
    read = polars.read_csv(path) if path.suffix == ".csv" else polars.read_parquet(path)
    if "dictionary" in path.name:
        read = read.with_columns(polars.col("url").cast(polars.Categorical))
    made = read.slice(first, rows).lazy().select("n", host=polars.col("url").url.host()).collect()
    assert made["host"].to_list() == read.slice(first, rows)["url"].url.host().to_list()
    return dict(made.iter_rows())


def of_duckdb(names: Names, path: Path, first: int, rows: int) -> Hosts:
    base = names["base"]
    base.register("links", table_of(path).slice(first, rows))
    found = dict(base.sql(f"select n, url_host(url) from '{path}' limit {rows} offset {first}").fetchall())
    assert dict(base.sql("select n, url_host(url) from links").fetchall()) == found, "as a table of Arrow"
    return found


def of_pandas(names: Names, path: Path, first: int, rows: int) -> Hosts:
    pandas = names["pandas"]
    read = pandas.read_csv(path) if path.suffix == ".csv" else pandas.read_parquet(path)
    part = read[first : first + rows]
    return {n: None if host is pandas.NA else host for n, host in zip(part["n"], part["url"].url.host(), strict=True)}


def of_dask(names: Names, path: Path, first: int, rows: int) -> Hosts:
    dask, with_host = names["dask"].dataframe, names["with_host"]
    read = dask.read_csv(path) if path.suffix == ".csv" else dask.read_parquet(path, split_row_groups=True)
    part = read[(read["n"] >= first) & (read["n"] < first + rows)]
    made = part.map_partitions(with_host, meta=with_host(part._meta)).compute(scheduler="threads")
    return {n: host if isinstance(host, str) else None for n, host in zip(made["n"], made["host"], strict=True)}


def of_datafusion(names: Names, path: Path, first: int, rows: int) -> Hosts:
    context = names["datafusion"].SessionContext()
    context.register_udf(names["datafusion"].udf(names["host"], [pa.string()], pa.string(), "stable", name="url_host"))
    (context.register_csv if path.suffix == ".csv" else context.register_parquet)("links", str(path))
    asked = f"select n, url_host(cast(url as varchar)) as host from links order by n limit {rows} offset {first}"
    found = context.sql(asked).to_pydict()
    return dict(zip(found["n"], found["host"], strict=True))


def of_daft(names: Names, path: Path, first: int, rows: int) -> Hosts:
    daft = names["daft"]
    read = daft.read_csv(str(path)) if path.suffix == ".csv" else daft.read_parquet(str(path))
    made = read.where((read["n"] >= first) & (read["n"] < first + rows))
    found = made.select(made["n"], names["host"](made["url"]).alias("host")).to_pydict()
    return dict(zip(found["n"], found["host"], strict=True))


def of_chdb(names: Names, path: Path, first: int, rows: int) -> Hosts:
    table = table_of(path).slice(first, rows)
    parts = pa.Table.from_struct_array(names["columns"](table["url"], ["host"], layout="string"))
    links = parts.append_column("n", table["n"])  # chdb finds it by the name of its variable
    asked = names["chdb"].query("select n, host from Python(links)", "ArrowTable")
    assert links.num_rows == rows, "no row is lost"
    return dict(zip(asked["n"].to_pylist(), asked["host"].to_pylist(), strict=True))


def of_pyspark(names: Names, path: Path, first: int, rows: int) -> Hosts:
    spark = names["builder"].getOrCreate()
    read = spark.read.csv(str(path), header=True, schema="n long, url string")
    read = read if path.suffix == ".csv" else spark.read.parquet(str(path))
    part = read.filter(f"n >= {first} and n < {first + rows}")
    made = part.mapInArrow(names["parts"], "n long, url string, url_host string, url_port int, url_fault short")
    return {row["n"]: row["url_host"] for row in made.collect()}


def of_ray(names: Names, path: Path, first: int, rows: int) -> Hosts:
    ray = names["ray"]
    if not ray.is_initialized():
        ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", logging_level="error")
    read = ray.data.from_arrow(table_of(path).slice(first, rows))
    return {row["n"]: row["url_host"] for row in read.map_batches(names["parts"], batch_format="pyarrow").take_all()}


ENGINES: dict[str, Callable[[Names, Path, int, int], Hosts]] = {
    "chdb": of_chdb, "daft": of_daft, "dask": of_dask, "datafusion": of_datafusion, "duckdb": of_duckdb,
    "pandas": of_pandas, "polars": of_polars, "pyspark": of_pyspark, "ray": of_ray,
}  # fmt: skip


def main(engine: str, example: str) -> str | None:
    """What failed."""
    text = Path(example).read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, engine, example, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, clear_globs=False)
    if runner.failures or not test.examples:
        return "the example on the page"
    differ = []
    with tempfile.TemporaryDirectory() as folder:
        for path in written(Path(folder)):
            for first, rows in ((0, ROWS), (3, 7), (ROWS - 1, 1)):
                found = ENGINES[engine](test.globs, path, first, rows)
                if found != {n: HOSTS[URLS[n]] for n in range(first, first + rows)}:
                    differ.append(f"{path.name}, {rows} rows from {first}: {found}")
    return "\n".join(differ) or None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
