"""Check as a function of tables: the rows come back as they went, with what became of each URL."""

from __future__ import annotations

from importlib import import_module

import pyarrow as pa
import pytest

from anyurl import Client, Policy
from anyurl.batch.check import check
from anyurl.batch.check.table import FIELDS
from tests.batch.check.site import Site, page


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_each_row_has_what_became_of_its_url(kind: pa.DataType) -> None:
    with Site({"/a": page("x")}) as site, Client(Policy.open()) as client:
        urls = [f"{site.root}/a", None, f"{site.root}/gone", "no url", f"{site.root}/a#part"]
        table = pa.table({"id": range(5), "url": pa.chunked_array([urls[:2], urls[2:]], pa.string())})
        table = table.set_column(1, "url", table["url"].cast(kind) if kind != pa.string() else table["url"])
        made = check(table, "url", client=client)
        assert site.asked.count("HEAD /a") == 1, "each distinct URL is requested once"
    assert made.column_names == ["id", "url", *(f"url_{field}" for field in FIELDS)]
    assert made.select(["id", "url"]).equals(table)
    assert made["url_outcome"].to_pylist() == ["ok", None, "broken", "broken", "ok"]
    assert made["url_status"].to_pylist() == [None, None, 404, None, None]
    assert made["url_error"].to_pylist() == [None, None, "NotFoundError", "URLSyntaxError", None]
    assert made["url_permanent"].to_pylist() == [False, None, False, False, False]


def test_a_batch_comes_back_as_a_batch_with_its_metadata() -> None:
    schema = pa.schema([pa.field("url", pa.string(), False, {"a": "b"})], {"c": "d"})
    batch = pa.RecordBatch.from_pylist([{"url": "x:"}], schema)
    made = check(batch, "url")
    assert isinstance(made, pa.RecordBatch)
    assert made.schema.field("url").equals(schema.field("url"), check_metadata=True)
    assert made.schema.metadata == schema.metadata
    assert made["url_outcome"].to_pylist() == ["refused"]
    assert check(batch.slice(1), "url").num_rows == 0


def test_the_urls_of_a_table_lead_to_public_addresses_only() -> None:
    with Site({"/a": page("x")}) as site:
        table = pa.table({"url": [f"{site.root}/a"]})
        assert check(table, "url")["url_outcome"].to_pylist() == ["refused"]
        with Client() as client:  # whose own URLs may lead to private addresses
            assert check(table, "url", client=client)["url_outcome"].to_pylist() == ["refused"]
        assert site.asked == []


def test_what_is_no_table_of_urls() -> None:
    with pytest.raises(ValueError, match="there is no one column 'u'; there are 'url'"):
        check(pa.table({"url": ["x:"]}), "u")
    with pytest.raises(ValueError, match="there is a column 'url_status' already"):
        check(pa.table({"url": ["x:"], "url_status": [1]}), "url")
    with pytest.raises(TypeError):
        check(pa.table({"url": [1]}), "url")
    series = import_module("polars").Series(["x:"])
    for one in (series, pa.array(["x:"]), pa.chunked_array([["x:"]]), ["x:"]):
        with pytest.raises(TypeError, match=f"a table is a record batch or table .*, not {type(one).__name__}"):
            check(one, "url")


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_data_frame_is_a_table(library: str) -> None:
    frame = import_module(library).DataFrame
    made = check(frame({"id": [1, 2, 3], "url": ["mailto:me@host.dom", None, "no url"]}), "url")
    assert made.select(["id", "url_outcome"]).to_pydict() == {"id": [1, 2, 3], "url_outcome": ["ok", None, "broken"]}


def test_codes_that_are_accepted() -> None:
    with Site({}) as site, Client(Policy.open()) as client:
        table = pa.table({"url": [f"{site.root}/gone"]})
        assert check(table, "url", client=client, accept=[404], limit=1)["url_outcome"].to_pylist() == ["ok"]
