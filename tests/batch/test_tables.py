"""Files of rows: each format in and out, and no output under its name that is not whole."""

from __future__ import annotations

import json
import os
import resource
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from anyurl import LocalFileError
from anyurl.batch.tables import FORMATS, Table, count_faults, format_of, json_lines, with_columns, write_table
from tests.batch.test_columns import said

URLS = ["http://h/a", "ftp://u@h:2/b", "no url", None, "", 'http://h/"']


def written(path: Path) -> Path:
    table = pa.table({"id": list(range(len(URLS))), "url": pa.array(URLS)})
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_every_format_becomes_every_other(tmp_path: Path, suffix: str, target: str) -> None:
    table = Table(str(written(tmp_path / f"in{suffix}")), "url")
    made = [with_columns(batch, "url", ["host", "port", "fault"]) for batch in table]
    out = tmp_path / f"out{target}"
    assert write_table(made, made[0].schema, str(out)) == len(URLS)
    assert sum(count_faults(batch, "url") for batch in made) == (
        3 if suffix != ".csv" else 4 - (made[0]["url"].null_count > 1)
    )
    back = pa.concat_tables([pa.Table.from_batches([batch]) for batch in Table(str(out), "url")]).to_pylist()
    expected = [said(row["url"]) or {} for batch in made for row in batch.to_pylist()]
    assert [row["url_host"] or None for row in back] == [row.get("host") for row in expected]
    assert [row["url_port"] for row in back] == [row.get("port") for row in expected]
    assert os.listdir(tmp_path) in ([f"in{suffix}", f"out{target}"], [f"out{target}", f"in{suffix}"])


def test_the_file_is_read_batch_by_batch(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pyarrow.parquet.write_table(pa.table({"url": [f"http://h/{i}" for i in range(1_000)]}), path)
    assert [batch.num_rows for batch in Table(str(path), None, batch_rows=300)] == [300, 300, 300, 100]


def test_what_can_not_be_read_is_told(tmp_path: Path) -> None:
    whole = written(tmp_path / "in.parquet").read_bytes()
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(whole[:-20])
    with pytest.raises(LocalFileError, match=r"cut\.parquet can't be read"):
        Table(str(cut), "url")
    with pytest.raises(LocalFileError, match=r"none\.csv can't be read: no such file or directory\."):
        Table(str(tmp_path / "none.csv"), "url")
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"url": "http://h/"}\n' * 200_000 + '{"url": "http:', encoding="utf-8")
    with pytest.raises(LocalFileError, match=r"in\.jsonl can't be read to its end"):
        list(Table(str(lines), "url"))


def test_the_column_is_judged_before_a_row_is_read(tmp_path: Path) -> None:
    path = str(written(tmp_path / "in.csv"))
    with pytest.raises(ValueError, match=r"there is no column 'x' in .*; it has 'id', 'url'"):
        Table(path, "x")
    with pytest.raises(ValueError, match=r"there are several columns in .*; it has 'id', 'url'"):
        Table(path, None)
    with pytest.raises(TypeError, match="the column 'id' is of type int64"):
        Table(str(written(tmp_path / "in.parquet")), "id")
    with pytest.raises(ValueError, match=r"the name 'urls\.txt' ends with none of"):
        format_of("urls.txt")


def test_a_name_that_is_taken_is_not_written_over() -> None:
    batch = pa.RecordBatch.from_pydict({"url": ["http://h/"], "url_host": ["x"]})
    with pytest.raises(ValueError, match=r"there is a column 'url_host' already"):
        with_columns(batch, "url")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: Path, suffix: str) -> None:
    """The limit on the size of a file stands for the full disk."""
    out = tmp_path / f"out{suffix}"
    out.write_bytes(b"of yesterday")
    batch = pa.RecordBatch.from_pydict({"url": [os.urandom(20).hex() for _ in range(20_000)]})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(LocalFileError, match=r"can't be written: file too large\."):
            write_table([batch], batch.schema, str(out))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert os.listdir(tmp_path) == [out.name]
    assert out.read_bytes() == b"of yesterday"


@pytest.mark.parametrize("held", [[["a"]], [b"\xff"]], ids=["list", "octets"])
def test_what_a_format_has_no_place_for_is_told(tmp_path: Path, held: list[object]) -> None:
    batch = pa.record_batch({"held": held})
    with pytest.raises(LocalFileError, match=r"out\.csv can't be written: csv has no place for what a column holds"):
        write_table([batch], batch.schema, str(tmp_path / "out.csv"))
    assert [*tmp_path.iterdir()] == []


def test_octets_are_text_in_json() -> None:
    assert [*json_lines(pa.record_batch({"url": [b"http://h/", b"\xff", None]}))] == [
        '{"url": "http://h/"}', '{"url": "\\\\xff"}', '{"url": null}',
    ]  # fmt: skip
