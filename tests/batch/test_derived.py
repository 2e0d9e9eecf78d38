"""Fields that are made of the URL of each row: what `URL` says, in each form of a column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anyurl import URL
from anyurl.batch import columns, fault_names
from anyurl.batch.arrays import text_column
from anyurl.batch.derived import FIELDS, HOSTS, derived
from anyurl.batch.tables import Table, only, with_columns
from tests.rows import each_row

URLS = [
    "http://www.bbc.co.uk:80/a/b%20c.txt?page=1&utm_source=x+y&page=2#f", "HTTP://H.dom/a/../%7eb", "no url", None,
    "ftp://127.0.0.1/x;type=i", "mailto:a@b.dom?subject=x+y", "http://[::1]/?q=%ff", "", "http://co.uk",
]  # fmt: skip
NAMES = ("registered_domain", "public_suffix", "origin", "name", "suffix", "normal", "key", "query:page", "query_map")


def of_url(text: str | None) -> dict[str, Any] | None:
    """What `URL` says of a row."""
    try:
        url = URL(text or "")
    except ValueError:
        return None if text is None else dict.fromkeys(NAMES)
    items = [(name, value.replace("\udcff", "\ufffd")) for name, value in url.query_items]
    suffix = {"http://www.bbc.co.uk:80": "co.uk", "HTTP://H.dom": "dom", "http://co.uk": "co.uk"}
    return {
        "registered_domain": url.registered_domain,
        "public_suffix": next((value for begun, value in suffix.items() if str(url).startswith(begun)), None),
        "origin": url.origin, "name": url.name, "suffix": url.suffix, "normal": str(url.normalize()),
        "key": str(url.without_fragment().normalize()), "query:page": dict(reversed(items)).get("page"),
        "query_map": items,
    }  # fmt: skip


def forms() -> dict[str, Any]:
    """The same rows as different columns."""
    plain = pa.array(URLS, pa.string())
    return {
        "list": URLS, "string": plain, "large": plain.cast(pa.large_string()), "view": plain.cast(pa.string_view()),
        "dictionary": plain.dictionary_encode(), "chunked": pa.chunked_array([URLS[:2], [], URLS[2:]], pa.string()),
        "sliced": pa.array(["http://z/", *URLS, "http://z/"])[1:-1],
        "sliced dictionary": pa.array(["http://z/", *URLS]).dictionary_encode()[1:],
        "table": pa.table({"url": plain}), "binary": plain.cast(pa.binary()),
    }  # fmt: skip


@each_row("layout", ["view", "string"])
@each_row("form", forms())
def test_each_row_is_what_url_says(form: str, layout: Any) -> None:
    made = columns(forms()[form], ["host", *NAMES, "fault"], layout=layout)
    assert made.to_pylist() == [
        row and {"host": here["host"], **row, "fault": here["fault"]}
        for row, here in zip(map(of_url, URLS), columns(URLS, ["host", "fault"]).to_pylist(), strict=True)
    ]
    texts = {field.type for field in made.type if field.name in NAMES and field.name != "query_map"}
    assert texts == {pa.string_view() if layout == "view" else pa.string()}


def test_a_table_from_a_file_of_several_groups(tmp_path: Path) -> None:
    table = pa.table({"url": pa.array(URLS * 3).dictionary_encode(), "id": range(3 * len(URLS))})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=4)
    read = pq.read_table(tmp_path / "in.parquet", read_dictionary=["url"])
    assert read["url"].num_chunks > 1
    assert columns(read["url"], NAMES).to_pylist() == [of_url(text) for text in URLS * 3]
    made = [
        row
        for batch in Table(str(tmp_path / "in.parquet"), "url", batch_rows=5)
        for row in with_columns(batch, "url", ["registered_domain", "query:page"]).to_pylist()
    ]
    assert [row["url_query:page"] for row in made[: len(URLS)]] == ["1", *[None] * (len(URLS) - 1)]
    assert [row["id"] for row in made] == [*range(3 * len(URLS))]


def test_a_text_is_read_once_for_all_fields() -> None:
    read: list[bytes] = []

    def counting(text: bytes) -> URL:
        read.append(text)
        return URL(text)

    (texts,), _ = text_column(URLS)
    made = derived(texts, NAMES, "view", counting)
    assert list(made) == list(NAMES)
    assert read == [text.encode() for text in URLS if text is not None]


def test_the_fault_in_a_word() -> None:
    for form in forms().values():
        made = columns(form, ["fault", "fault_name"]).to_pylist()
        assert {row["fault_name"] for row in made if row} == {None, "space", "empty"}
        assert all(row["fault_name"] == (fault_names()[row["fault"]] if row["fault"] else None) for row in made if row)


def test_rows_by_their_fault() -> None:
    batch = with_columns(pa.RecordBatch.from_pydict({"url": URLS}), "url", ["fault"])
    valid, faulty = only(batch, "url", "valid"), only(batch, "url", "faulty")
    assert faulty["url"].to_pylist() == ["no url", ""]
    assert valid["url"].to_pylist() == [url for url in URLS if url not in (None, "no url", "")]


def test_names_of_fields_that_are_unknown() -> None:
    for field in ("query:", "registered", "query_maps"):
        with pytest.raises(ValueError, match=f"there is no field '{field}'; there are scheme, .*, query:NAME"):
            columns(URLS, [field])
    assert columns([], [*HOSTS, *FIELDS]).to_pylist() == []
    assert columns(pa.chunked_array([], pa.string()), [*HOSTS, *FIELDS, "query:a"]).to_pylist() == []
