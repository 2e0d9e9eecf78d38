"""Text tables: their rows come back octet for octet, and nothing in them is guessed."""

from __future__ import annotations

import csv
import io
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from anyurl import LocalFileError
from anyurl.batch import records
from anyurl.batch.arrays import as_octets
from anyurl.batch.tables import Table, json_lines, with_columns, write_table

URLS = (
    "http://h/a", "no url", "", "http://h/a,b", 'http://h/"q"', "http://h/\n2", "http://\u00e9/", "x:\r\ny", "'",
)  # fmt: skip
CELLS = (
    "007", "NA", "123456789012345678901", "1.10", "2024-01-01T00:00:00Z", "", "a\nb", 'x"y', ",", "null", "\u00e9",
    "-0", "\r\n", "\t", "true", "1e3",
)  # fmt: skip

FILES = 1_000
"""Random files of each of the three formats."""

EVERY = 1 if os.environ.get("ANYURL_SLOW") else 5
"""Which of them are tried: ANYURL_SLOW has them all. Each turn draws its share."""

PARTS = range(4)


def seeds(part: int) -> Iterator[int]:
    """Those of one part of the files."""
    first = random.randrange(EVERY)
    return (seed for seed in range(part, FILES, len(PARTS)) if seed // len(PARTS) % EVERY == first)


def csv_file(draw: random.Random, separator: str) -> bytes:
    """A CSV file of any form: some with quotation marks, a byte order mark, empty lines, octets of Latin-1."""
    names = ["zip", "url", "n"][: draw.choice((2, 3))]
    end, out = draw.choice(("\n", "\r\n")), io.StringIO(newline="")
    quoting = draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(names)
    for _ in range(draw.randint(0, 30)):
        writer.writerow([draw.choice(URLS if name == "url" else CELLS) for name in names])
        if draw.random() < 0.05:
            out.write(end)
    octets = out.getvalue().encode()
    if draw.random() < 0.3:
        octets = octets.replace("\u00e9".encode(), b"\xe9")
    if draw.random() < 0.3 and octets.count(b"\n") > 1:
        octets = octets[: -len(end)]
    return b"\xef\xbb\xbf" + octets if draw.random() < 0.2 else octets


def read_by_python(octets: bytes, separator: str) -> list[list[str]]:
    text = octets.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]


def carried(path: Path, rows: int, fields: list[str]) -> tuple[bytes, list[Any]]:
    """The file with the fields, and the batches that it was made of."""
    made = [*Table(str(path), "url", batch_rows=rows).carried(fields)]
    return b"".join(octets for octets, _ in made), [batch for _, batch in made if batch is not None]


@pytest.mark.parametrize("separator", [",", "\t"], ids=["csv", "tsv"])
@pytest.mark.parametrize("part", PARTS)
def test_what_is_added_to_csv_can_be_taken_away_and_leaves_the_file(tmp_path: Path, separator: str, part: int) -> None:
    path = tmp_path / ("in.csv" if separator == "," else "in.tsv")
    for seed in seeds(part):
        draw = random.Random(seed)
        octets = csv_file(draw, separator)
        path.write_bytes(octets)
        out, batches = carried(path, draw.choice((1, 2, 5, 65_536)), ["host", "path"])
        before, after = read_by_python(octets, separator), read_by_python(out, separator)
        assert [row[:-2] for row in after] == before, seed
        assert [row[-2:] for row in after[1:]] == [
            [row["url_host"] or "", row["url_path"] or ""] for batch in batches for row in only_made(batch)
        ]
        assert without_the_last(out, after, separator) == octets, seed


def only_made(batch: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = batch.select(["url_host", "url_path"]).to_pylist()
    return rows


def without_the_last(out: bytes, rows: list[list[str]], separator: str) -> bytes:
    """The file without the last two fields of each row, which are written between quotation marks, or are nothing."""
    kept = b""
    for row in rows:
        added = ""
        for field in row[-2:]:
            quoted = field.replace('"', '""')
            added += separator + (f'"{quoted}"' if field else "")
        written = added.encode("utf-8", "surrogateescape")
        begun = separator.join(row[:-2]).encode("utf-8", "surrogateescape")
        at = out.index(written, max(0, len(begun) - 2))  # with its quotation marks a row is longer still
        while added and not out.startswith((b"\n", b"\r"), at + len(written)) and at + len(written) < len(out):
            at = out.index(written, at + 1)
        kept += out[:at]
        out = out[at + len(written) :]
        while out.startswith((b"\n", b"\r")):
            kept, out = kept + out[:1], out[1:]
    return kept + out


@pytest.mark.parametrize("part", PARTS)
def test_what_is_added_to_json_lines_stands_behind_what_was_there(tmp_path: Path, part: int) -> None:
    path = tmp_path / "in.jsonl"
    for seed in seeds(part):
        draw = random.Random(seed)
        lines = []
        for _ in range(draw.randint(1, 30)):
            values = ("12345678901234567890123", "1", "1.10", "-0", '"2024-01-01T00:00:00Z"', "[1, {}]", "null", "NaN")
            members = [f'"k{n}" :{draw.choice(values)}' for n in range(draw.randint(0, 3))]
            members.insert(0, f'"url":{draw.choice((json.dumps(draw.choice(URLS)), "null"))}')
            draw.shuffle(members)
            space = draw.choice(("", " ", "\t"))
            lines.append(f"{space}{{{space}{', '.join(members)}{space}}}{space}{draw.choice(('', chr(13)))}\n")
            if draw.random() < 0.1:
                lines.append(draw.choice(("\n", "{}\n", "  \r\n")))
        octets = "".join(lines).encode().removesuffix(draw.choice((b"\n", b"")))
        path.write_bytes(octets)
        out, batches = carried(path, draw.choice((1, 2, 65_536)), ["host", "fault"])
        added = iter([line for batch in batches for line in json_lines(batch.select(["url_host", "url_fault"]))])
        for was, became in zip(octets.split(b"\n"), out.split(b"\n"), strict=True):
            row = was.rstrip()
            if not row:
                assert became == was
                continue
            comma = b"" if json.loads(row) == {} else b", "
            assert became == row[:-1] + comma + next(added)[1:].encode() + was[len(row) :], seed


@pytest.mark.parametrize(
    ("name", "octets", "zips", "hosts"),
    [
        ("a.csv", b"zip,url\n007,http://h/\nNA,http://i/\n", ["007", "NA"], ["h", "i"]),
        ("a.csv", b"zip,url\n12345678901234567890,http://h/\n", ["12345678901234567890"], ["h"]),
        ("a.csv", b"zip,url\n7,http://h/\n,x:\n-12,y:\n", [7, None, -12], ["h", None, None]),
        ("a.csv", b"zip,url\n7,http://h/\n2024-01-01,x:\n", ["7", "2024-01-01"], ["h", None]),
        ("a.csv", b"zip,url\n\xe9,http://h/\n", [b"\xe9"], ["h"]),
        ("a.csv", b'zip,url\n"a\nb",http://h/\n5" disk,http://i/\n', ["a\nb", '5" disk'], ["h", "i"]),
        ("a.jsonl", b'{"zip":12345678901234567890,"url":"http://h/"}\n', ["12345678901234567890"], ["h"]),
        ("a.jsonl", b'{"zip":1,"url":"http://h/"}\n{"url":"x:"}\n', [1, None], ["h", None]),
        ("a.jsonl", b'{"zip":1,"url":"http://h/"}\n{"zip":1.10,"url":"x:"}\n', ["1", "1.10"], ["h", None]),
        ("a.jsonl", b'{"zip":"2024-01-01T00:00:00Z","url":"x:"}\n', ["2024-01-01T00:00:00Z"], [None]),
        ("a.jsonl", b'{"zip":{"a": [1.50]},"url":"x:"}\n', ['{"a": [1.50]}'], [None]),
        ("a.jsonl", b'{"zip":true,"url":"x:"}\n{"zip":"true","url":"x:"}\n', ["true", "true"], [None, None]),
    ],
)
def test_for_another_format_values_are_text_as_they_are_written(
    tmp_path: Path, name: str, octets: bytes, zips: list[Any], hosts: list[str | None]
) -> None:
    """Integers only where each value of the column is written as one."""
    (tmp_path / name).write_bytes(octets)
    table = Table(str(tmp_path / name), "url")
    out = str(tmp_path / "out.parquet")
    made = [with_columns(batch, "url", ["host"]) for batch in table]
    write_table(made, made[0].schema, out)
    (batch,) = Table(out, "url")
    values = batch["zip"] if batch["zip"].type == pa.int64() else as_octets(batch["zip"])
    assert values.to_pylist() == [zip.encode() if isinstance(zip, str) else zip for zip in zips]
    assert batch["url_host"].to_pylist() == hosts


def test_a_record_is_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    path, page = tmp_path / "in.csv", 'a "quoted" line,\n' * 100_000
    row = '"' + page.replace('"', '""') + '"'
    path.write_text(f"url,page\nhttp://h/,{row}\nhttp://i/,x\n", encoding="utf-8")
    for rows in (200, 65_536):
        out, batches = carried(path, rows, ["host"])
        assert [host for batch in batches for host in batch["url_host"].to_pylist()] == ["h", "i"]
        assert out == f'url,page,"url_host"\nhttp://h/,{row},"h"\nhttp://i/,x,"i"\n'.encode()


@pytest.mark.parametrize(
    ("name", "octets", "why"),
    [
        ("in.csv", b'url\n"http://h/\nhttp://i/\n', "it ends between quotation marks"),
        ("in.csv", "url\nhttp://h/\n".encode("utf-16"), "it is UTF-16; CSV is read as UTF-8"),
        ("in.csv", b"\n\n", "it is empty"),
        ("in.csv", b"a,url\n1\n", "a row has 1 fields where there are 2 columns"),
        ("in.jsonl", b'{"url": "x:"}\n{"url"', "a row is not JSON from its character 7 on"),
        ("in.jsonl", b'{"url": "x:"}\n' + b"[" * 100_000 + b"\n", "a row is nested too deep"),
        ("in.jsonl", b'{"url": [1]}\n', "'url' is of type array in a row, not a string"),
    ],
)
def test_what_is_no_such_table_is_told(tmp_path: Path, name: str, octets: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(octets)
    for read in (lambda: carried(tmp_path / name, 2, ["host"]), lambda: [*Table(str(tmp_path / name), "url")]):
        with pytest.raises(LocalFileError) as caught:
            read()
        assert str(caught.value).endswith(f": {why}.")


def test_a_row_without_end_is_told_before_memory_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_RECORD", 1 << 20)
    for name, octets in (("in.csv", b'url\n"' + b"x\n" * (1 << 20)), ("in.jsonl", b'{"url": "' + b"x" * (2 << 20))):
        (tmp_path / name).write_bytes(octets)
        with pytest.raises(LocalFileError, match="a row has more than 1 MiB"):
            carried(tmp_path / name, 1_000, ["host"])


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl"])
def test_a_field_that_is_there_already_is_told(tmp_path: Path, name: str) -> None:
    text = "url,url_host\nx:,\n" if name == "in.csv" else '{"url": "x:"}\n{"url": "x:", "url_host": 1}\n'
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="there is a column 'url_host' already"):
        carried(tmp_path / name, 65_536, ["host"])


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """Its columns are text: it can't be read twice."""
    path = tmp_path / "in.csv"
    os.mkfifo(path)
    if not os.fork():
        path.write_bytes(b"id,url\n7,http://h/\n")
        os._exit(0)
    (batch,) = Table(str(path), "url")
    assert batch.to_pylist() == [{"id": "7", "url": "http://h/"}]
    os.wait()
