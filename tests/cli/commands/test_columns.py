"""``anyurl columns``: columns of URLs in files, and what is said of what can't be read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet
import pytest

from anyurl.batch.tables import FORMATS
from tests.cli.runner import records, run


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "in.csv"
    path.write_text("id,url\n1,http://joe:secret@h:8/a?b\n2,no url\n3,ftp://h/\n", encoding="utf-8")
    return str(path)


def test_the_columns_stand_behind_those_of_the_file(file: str) -> None:
    result = run("columns", file, "--column", "url")
    assert result.exit_code == 1
    first, second, third = records(result)
    assert list(first) == [
        "id", "url", "url_scheme", "url_user", "url_host", "url_path", "url_query", "url_fragment", "url_port",
        "url_fault", "url_fault_at",
    ]  # fmt: skip
    assert [first["url_user"], first["url_host"], first["url_port"], first["url_query"]] == ["joe", "h", 8, "b"]
    assert [second["url_host"], second["url_fault"], second["url_fault_at"]] == [None, 7, 2]
    assert [third["url_port"], third["url_fault"]] == [21, 0]


def test_a_file_is_written_whole(file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out.parquet")
    result = run("columns", file, "--column", "url", "-o", out, "--fields", "scheme, password", "--threads", "2")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"{out}: 3 rows, 1 of them no URL.\n")
    assert pyarrow.parquet.read_table(out).to_pylist()[0] == {
        "id": 1, "url": "http://joe:secret@h:8/a?b", "url_scheme": "http", "url_password": "secret",
    }  # fmt: skip
    result = run("columns", out, "--column", "url", "-o", str(tmp_path / "again.jsonl"), "--fields", "host", "--json")
    assert records(result) == [{"rows": 3, "faults": 1, "written": 3, "saved": str(tmp_path / "again.jsonl")}]
    lines = (tmp_path / "again.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["url_host"] for line in lines] == ["h", None, "h"]


def test_all_urls_end_well(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"url": "http://h/"}\n{"url": null}\n', encoding="utf-8")
    result = run("columns", str(path), "--fields", "host")
    assert (result.exit_code, records(result)) == (
        0,
        [{"url": "http://h/", "url_host": "h"}, {"url": None, "url_host": None}],
    )


TYPES = "string, large_string, string_view or a binary of these"
FIELDS = "scheme, user, password, host, path, query, fragment, port, fault, fault_at, explicit_port"
DERIVED = "registered_domain, public_suffix, origin, name, suffix, normal, key, query_map, fault_name, query:NAME"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("IN --column urx", 2, "There is no column 'urx' in IN; it has 'id', 'url'."),
        ("IN", 2, "There are several columns in IN; it has 'id', 'url'; --column has to name that of the URLs."),
        ("IN --column id", 2, f"The column 'id' is of type int64; it has to be {TYPES}."),
        ("IN --column url --fields hosd", 2, f"There is no field 'hosd'; there are {FIELDS}, {DERIVED}."),
        (
            "IN --column url -o out.xls",
            2,
            f"The name 'out.xls' ends with none of {', '.join(FORMATS)}, which tell the format.",
        ),
        ("none.csv --column url", 9, "none.csv can't be read: no such file or directory."),
        ("IN --column url -o /none/out.csv", 9, "/none/out.csv can't be written: no such file or directory."),
        ("IN --column url --threads 0", 2, "Invalid value for '--threads': '0' is not a number from 1 to 64."),
    ],
)
def test_what_does_not_work_is_told(tmp_path: Path, words: str, code: int, sentence: str) -> None:
    file = str(tmp_path / "in.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"id": [1], "url": ["x:"]}), file)
    result = run("columns", *(file if word == "IN" else word for word in words.split()))
    assert result.exit_code == code
    assert result.stderr.splitlines()[0] == f"anyurl: {sentence.replace('IN', file)}"


def test_a_file_that_is_cut_short_leaves_no_output(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"url": "http://h/"}\n' * 300_000 + '{"url"', encoding="utf-8")
    result = run("columns", str(path), "-o", str(tmp_path / "out.csv"))
    assert result.exit_code == 9
    assert result.stderr.startswith(f"anyurl: {path} can't be read to its end: ")
    assert os.listdir(tmp_path) == ["in.jsonl"]


def test_fields_that_are_made_of_each_url(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("n,url\n007,http://www.bbc.co.uk/?page=2\nNA,no url\n1,\n", encoding="utf-8")
    done = run("columns", str(path), "--column", "url", "--fields", "registered_domain,query:page")
    assert [json.loads(line)["url_query:page"] for line in done.stdout.splitlines()] == ["2", None, None]
    for only, rows in (("valid", ["007"]), ("faulty", ["NA", "1"])):
        done = run("columns", str(path), "--column", "url", "--fields", "registered_domain", "--only", only)
        assert [json.loads(line)["n"] for line in done.stdout.splitlines()] == rows
        out = tmp_path / f"{only}.csv"
        done = run("columns", str(path), "--column", "url", "--only", only, "-o", str(out))
        assert done.stderr == f"{out}: 3 rows, 2 of them no URL; {len(rows)} written.\n"
        assert len(out.read_text(encoding="utf-8").splitlines()) == 1 + len(rows)
