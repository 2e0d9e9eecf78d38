"""Files of rows: each format in and out, and no output under its name that is not whole."""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
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
    elif path.suffix in (".csv", ".tsv"):
        separator = "," if path.suffix == ".csv" else "\t"
        pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(delimiter=separator))
    elif path.suffix in (".arrow", ".feather"):
        pyarrow.feather.write_feather(table, str(path))
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
        3 if suffix not in (".csv", ".tsv") else 4 - (made[0]["url"].null_count > 1)
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
    with pytest.raises(
        ValueError, match=r"there are several columns in .*; it has 'id', 'url'; column=\.\.\. has to name"
    ):
        Table(path, None)
    with pytest.raises(TypeError, match="the column 'id' is of type int64"):
        Table(str(written(tmp_path / "in.parquet")), "id")
    with pytest.raises(ValueError, match=r"the name 'urls\.txt' ends with none of"):
        format_of("urls.txt")


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("late.jsonl", '{"url": null}\n' * 200 + '{"url": "http://h/"}\n'),
        ("date.jsonl", '{"url": "2026-01-01T00:00:00Z"}\n' * 90 + '{"url": "http://h/"}\n'),
        ("number.csv", "url\n" + "1738\n" * 700 + "http://h/\n"),
        ("date.tsv", "url\n" + "2026-01-01\n" * 300 + "http://h/\n"),
    ],
)
def test_urls_are_text_whatever_the_first_rows_look_like(tmp_path: Path, name: str, rows: str) -> None:
    """Else a file of URLs was refused as damaged, or as one of numbers, by the order of its rows."""
    (tmp_path / name).write_text(rows, encoding="utf-8")
    table = Table(str(tmp_path / name), None, batch_rows=16)
    read = [with_columns(batch, table.column, ["host"]) for batch in table]
    assert len(read) > 1
    assert read[-1]["url_host"].to_pylist()[-1] == "h"


@pytest.mark.parametrize("name", ["in.csv", "in.parquet"])
@pytest.mark.parametrize("names", [["url", "url"], ["x", "x", "url"]])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, name: str, names: list[str]) -> None:
    """Of one of them JSON has no place, and which holds the URLs nobody knows."""
    table = pa.Table.from_arrays([pa.array(["http://h/"])] * len(names), names=names)
    write = pyarrow.csv.write_csv if name == "in.csv" else pyarrow.parquet.write_table
    write(table, str(tmp_path / name))
    with pytest.raises(ValueError, match=rf"there is more than one column '{names[0]}' in .*; it has '{names[0]}'"):
        Table(str(tmp_path / name), "url")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_name_is_that_of_a_file_of_this_machine(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Left to itself, pyarrow looks up the name of a server for ``s3://bucket/x.parquet``, and asks it."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LocalFileError, match=r"s3://b/x\.\w+ can't be read: no such file or directory\."):
        Table(f"s3://b/x{suffix}", "url")
    (tmp_path / f"folder{suffix}").mkdir()
    with pytest.raises(LocalFileError, match=r"folder\.\w+ can't be read: is a directory\."):
        Table(f"folder{suffix}", "url")
    written(tmp_path / f"in{suffix}").rename(os.fsdecode(b"\xff" + suffix.encode()))
    assert [len(batch) for batch in Table(os.fsdecode(b"\xff" + suffix.encode()), "url")] == [len(URLS)]


@pytest.mark.parametrize(
    ("name", "octets", "why"),
    [
        ("in.parquet", b"PAR1" + bytes(100) + b"PAR1", "it is damaged, or not what its name says"),
        ("in.arrow", b"ARROW1", "it is damaged, or not what its name says"),
        ("in.parquet", b"", "it is empty"),
        ("in.csv", b"", "it is empty"),
        ("in.jsonl", b"", "it is empty"),
        ("in.jsonl", b'["http://h/"]\n', "a row is not a JSON object"),
        ("in.jsonl", b'{"url": "x:", "url": "y:"}\n', "a row has 'url' twice"),
        ("in.jsonl", b'{"url": "x:"}\n{"url": 5}\n', "'url' is of type string in one row, and number in another"),
    ],
)
def test_why_a_file_can_not_be_read_is_told(tmp_path: Path, name: str, octets: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(octets)
    with pytest.raises(LocalFileError) as caught:
        Table(str(tmp_path / name), "url")
    assert str(caught.value).endswith(f"{name} can't be read: {why}.")


def test_a_row_with_more_than_the_first_ones_is_told(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": 1, "url": "a:b"}\n' * 100 + '{"id": 1, "url": "a:b", "more": 2}\n', encoding="utf-8")
    with pytest.raises(LocalFileError) as caught:
        list(Table(str(path), "url", batch_rows=16))
    assert str(caught.value).endswith("in.jsonl can't be read to its end: a row has a field that the first rows lack.")


OFFSETS = [(0, 12, 24, 2_000_000_000), (0, 2_000_000_000, 24, 36), (0, -5, 24, 36), (0, 24, 12, 36), (0, 12, 24, 5_000)]


@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.large_string(), pa.large_binary()], ids=str)
@pytest.mark.parametrize("offsets", OFFSETS, ids=str)
@pytest.mark.parametrize("bent", ["url", "other"])
def test_offsets_that_lead_out_of_the_file_are_told(
    tmp_path: Path, kind: Any, offsets: tuple[int, ...], bent: str
) -> None:
    """pyarrow itself compares nothing; such a file of strangers ended the process."""
    texts = [f"http://h.{letter}/" for letter in "abc"]
    others = [text.replace("h", "o") + "x" for text in texts]
    table = pa.table({"url": pa.array(texts, kind), "other": pa.array(others, kind)})
    path, width = tmp_path / "in.arrow", 4 if kind in (pa.string(), pa.binary()) else 8
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    length = len(texts[0]) if bent == "url" else len(others[0])
    good = b"".join((n * length).to_bytes(width, "little") for n in range(4))
    octets = path.read_bytes()
    assert octets.count(good) == 1
    path.write_bytes(octets.replace(good, b"".join(n.to_bytes(width, "little", signed=True) for n in offsets)))
    opened = Table(str(path), "url")
    with pytest.raises(LocalFileError) as caught:
        list(opened)
    assert str(caught.value).endswith("in.arrow can't be read to its end: it is damaged, or not what its name says.")


def test_octets_that_are_not_text_are_no_damage(tmp_path: Path) -> None:
    """They are the fault of their row, in any format, and written as they came."""
    path = tmp_path / "in.arrow"
    table = pa.table({"url": pa.array([b"http://h/\xe9", b"\xff"]).view(pa.string())})
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    (batch,) = Table(str(path), None)
    made = with_columns(batch, "url", ["host"])
    assert made["url_host"].to_pylist() == ["h", None]
    assert [json.loads(line)["url"] for line in json_lines(made)] == ["http://h/\\xe9", "\\xff"]
    for suffix in (".parquet", ".arrow", ".csv"):
        write_table([made], made.schema, str(tmp_path / f"out{suffix}"))
        back = pa.Table.from_batches([*Table(str(tmp_path / f"out{suffix}"), "url")])["url"].combine_chunks()
        assert back.view(pa.binary()).to_pylist() == [b"http://h/\xe9", b"\xff"]


@pytest.mark.parametrize("kind", ["compressed", "stream"])
def test_arrow_that_can_not_be_mapped_is_read_batch_by_batch(tmp_path: Path, kind: str) -> None:
    batches = [pa.record_batch([pa.array([f"http://h/{n}"] * 5)], ["url"]) for n in range(3)]
    path = str(tmp_path / "in.arrow")
    make = pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression="zstd" if kind == "compressed" else None)
    with make(path, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    assert [*Table(path, "url")] == batches


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_what_is_added_can_be_taken_away_and_leaves_the_table(tmp_path: Path, suffix: str) -> None:
    """With the metadata of the schema and of each column, such as the index of pandas and the numbers of Iceberg."""
    rows = 1_000
    arrays = [
        pa.array([f"http://h/{n}" for n in range(rows)]),
        pa.array([None if n % 3 else f"{n:03}" for n in range(rows)]).dictionary_encode(),
        pa.array(range(rows), pa.timestamp("us", "Asia/Kolkata")),
        pa.array([[{"a": n, "b": [b"\xff"]}] for n in range(rows)]),
        pa.array(range(1 << 63, (1 << 63) + rows), pa.uint64()),
    ]
    fields = [
        pa.field(name, array.type, nullable=name != "url", metadata={b"PARQUET:field_id": b"%d" % (n + 7), b"x": b"y"})
        for n, (name, array) in enumerate(zip(("url", "zip", "at", "list", "hash"), arrays, strict=True))
    ]
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata={b"pandas": b"{}", b"of": b"mine"}))
    source, target = str(tmp_path / f"in{suffix}"), str(tmp_path / f"out{suffix}")
    if suffix == ".parquet":
        pyarrow.parquet.write_table(table, source, compression="zstd")
    else:
        with pa.ipc.new_file(source, table.schema) as writer:
            writer.write_table(table)
    opened = Table(source, "url", batch_rows=300)
    made = [with_columns(batch, "url") for batch in opened]
    write_table(made, made[0].schema, target, opened.compression)
    back = pa.Table.from_batches([*Table(target, "url")])
    expected = pa.Table.from_batches([*Table(source, "url")])
    assert back.num_columns > table.num_columns
    assert back.select(table.schema.names).equals(expected, check_metadata=True)
    assert expected.equals(table)
    if suffix == ".parquet":
        assert pyarrow.parquet.ParquetFile(target).metadata.row_group(0).column(0).compression == "ZSTD"


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_breaks_off_leaves_nothing_and_is_silent(
    tmp_path: Path, suffix: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A Parquet writer that is forgotten closes itself later, into a file that is closed, and complained to stderr."""
    batch = pa.record_batch({"url": ["x:"]})

    def batches() -> Iterator[Any]:
        yield batch
        raise LocalFileError("in.csv can't be read to its end: it ends too early.")

    with pytest.raises(LocalFileError, match="to its end"):
        write_table(batches(), batch.schema, str(tmp_path / f"out{suffix}"))
    gc.collect()
    assert [*tmp_path.iterdir()] == []
    assert capfd.readouterr().err == ""


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
    with pytest.raises(LocalFileError, match=r"out\.csv can't be written: csv cannot hold the values of a column"):
        write_table([batch], batch.schema, str(tmp_path / "out.csv"))
    assert [*tmp_path.iterdir()] == []


def test_octets_are_text_in_json() -> None:
    assert [*json_lines(pa.record_batch({"url": [b"http://h/", b"\xff", None]}))] == [
        '{"url": "http://h/"}', '{"url": "\\\\xff"}', '{"url": null}',
    ]  # fmt: skip


def test_a_number_that_json_can_not_write_is_null() -> None:
    """RFC 8259 6: infinity and what is no number are not permitted; readers refuse the line."""
    odd = [float("nan"), float("inf"), 1.5]
    batch = pa.record_batch({"x": odd, "y": [[one] for one in odd], "z": [{"a": one} for one in odd]})
    assert [json.loads(line, parse_constant=pytest.fail) for line in json_lines(batch)] == [
        {"x": None, "y": [None], "z": {"a": None}}, {"x": None, "y": [None], "z": {"a": None}},
        {"x": 1.5, "y": [1.5], "z": {"a": 1.5}},
    ]  # fmt: skip
