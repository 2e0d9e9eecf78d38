"""``anyurl find``: files, folders, compressed files, standard input; what is told of each URL, and what goes wrong."""

from __future__ import annotations

import gzip
import os
import select
import subprocess
from pathlib import Path

import pytest

from anyurl.cli import exits
from anyurl.cli.commands.find import FOUND
from anyurl.values import STRANGER
from tests.cli.runner import CLEAN, PROGRAM, records, run

TEXT = "see <URL:http://h/a-\nb#f> and http://i/.\nftp://me:secret@j/ http://i/\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"http://packed/"))
    (tmp_path / "c.html").write_text('<a href="http://k/?a=1&amp;b=2">')
    (tmp_path / "d.bin").write_bytes(b"\0\1http://binary/")
    (tmp_path / "sub" / "e.txt").write_text("http://deep/")
    (tmp_path / "sub" / "f.txt").write_bytes("http://wide/".encode("utf-16"))
    return tmp_path


def test_urls_come_one_a_line(folder: Path) -> None:
    result = run("find", str(folder / "a.txt"))
    assert result.stdout.splitlines() == ["http://h/a-b#f", "http://i/", "ftp://me:***@j/", "http://i/"]
    assert result.exit_code == exits.OK


def test_standard_input_is_read_if_no_file_is_named() -> None:
    assert run("find", input=TEXT.encode()).stdout == run("find", "-", input=TEXT.encode()).stdout != ""


def test_json_tells_everything(folder: Path) -> None:
    path = str(folder / "a.txt")
    found = records(run("find", "--json", path))
    assert [list(record) for record in found] == [list(FOUND)] * 4
    assert found[0] == {
        "url": "http://h/a-b", "fragment": "f", "alternatives": ["http://h/ab#f"], "raw": "http://h/a-\nb#f",
        "start": 9, "end": 24, "line": 1, "column": 10, "context": "URL:", "file": path, "origin": STRANGER.as_dict(),
        "grammar": "current",
        "kind": "url", "lookalike": None, "message": None,
    }  # fmt: skip
    assert [record["line"] for record in found] == [1, 2, 3, 3]
    assert "secret" not in str(found)
    assert records(run("find", "--json", "--reveal", path))[2]["raw"] == "ftp://me:secret@j/"


def test_each_url_once(folder: Path) -> None:
    path = str(folder / "a.txt")
    assert run("find", "--unique", path, path).stdout.splitlines() == ["http://h/a-b#f", "http://i/", "ftp://me:***@j/"]
    assert run("find", "--unique", "--reveal", path).stdout.splitlines()[2] == "ftp://me:secret@j/"


def test_schemes_are_chosen(folder: Path) -> None:
    result = run("find", "--scheme", "FTP", "--scheme", "gopher", str(folder / "a.txt"))
    assert result.stdout.splitlines() == ["ftp://me:***@j/"]


def test_the_context_is_told_on_request(folder: Path) -> None:
    path = str(folder / "a.txt")
    assert run("find", "--with-context", path).stdout.splitlines() == [
        f"{path}:1:10: URL:: http://h/a-b#f",
        f"{path}:2:10: bare: http://i/",
        f"{path}:3:1: bare: ftp://me:***@j/",
        f"{path}:3:20: bare: http://i/",
    ]


def test_a_folder_is_searched_on_request(folder: Path) -> None:
    result = run("find", "--recursive", "--unique", "--encoding", "utf-8", str(folder))
    assert result.stdout.splitlines() == [
        "http://h/a-b#f", "http://i/", "ftp://me:***@j/", "http://packed/", "http://k/?a=1&b=2", "http://deep/",
    ]  # fmt: skip
    refused = run("find", str(folder))
    assert (refused.exit_code, refused.stdout) == (exits.LOCAL_FILE, "")
    assert refused.stderr == f"anyurl: {folder} is a folder; --recursive searches the files in it.\n"


def test_a_binary_file_that_is_named_is_read(folder: Path) -> None:
    assert run("find", str(folder / "d.bin")).stdout == "http://binary/\n"


def test_encoding_and_format_are_options(folder: Path) -> None:
    assert run("find", "--encoding", "utf-16", str(folder / "sub" / "f.txt")).stdout == "http://wide/\n"
    assert run("find", "--format", "text", str(folder / "c.html")).stdout == "http://k/?a=1&b=2\n"
    relative = run("find", "--format", "html", "--base", "http://h/x/", input=b"<a href=a>")
    assert relative.stdout == "http://h/x/a\n"


def test_addresses_and_names_are_found_on_request() -> None:
    text = b"me@h.org www.i.org"
    assert run("find", input=text).stdout == ""
    assert run("find", "--emails", "--www", input=text).stdout.splitlines() == ["mailto:me@h.org", "http://www.i.org"]


def test_templates_and_what_is_unusable_and_domains_are_found_on_request() -> None:
    text = b"http://me:secret@h/{id} hxxp://evil[.]com/ example.org http://h/"
    assert run("find", input=text).stdout.splitlines() == ["http://h/"]
    options = ["--templates", "--refang", "--bare"]
    told = run("find", "--with-context", *options, input=text)
    assert told.stdout.splitlines() == [
        "-:1:1: template: http://me:***@h/{id}",
        "-:1:25: defanged: http://evil.com/",
        "-:1:44: bare: http://example.org",
        "-:1:56: bare: http://h/",
    ]
    found = records(run("find", "--json", *options, input=text))
    assert [(record["kind"], record["url"], record["raw"]) for record in found] == [
        ("template", None, "http://me:***@h/{id}"),
        ("defanged", "http://evil.com/", "hxxp://evil[.]com/"),
        ("bare-domain", "http://example.org", "example.org"),
        ("url", "http://h/", "http://h/"),
    ]


def test_links_that_are_not_urls_are_told_with_the_reason() -> None:
    text = b'<a href="http://h:99999/"><a href="http://u:secret@h:99999/"><a href="http://i/">'
    options = ["--malformed", "--format", "html"]
    message = "a port is at most 65535 (RFC 9293 3.1, at character 10)"
    assert run("find", "--with-context", *options, input=text).stdout.splitlines() == [
        f"-:1:10: malformed: http://h:99999/: {message}",
        f"-:1:36: malformed: http://u:***@h:99999/: {message.replace('10', '19')}",
        "-:1:71: html-attribute: http://i/",
    ]
    assert run("find", *options, input=text).stdout.splitlines()[0] == f"http://h:99999/: {message}"
    found = records(run("find", "--json", *options, input=text))
    assert [(record["kind"], record["url"], record["message"]) for record in found][::2] == [
        ("malformed", None, message), ("url", "http://i/", None),
    ]  # fmt: skip
    assert "secret" not in str(found)


def test_a_host_that_looks_like_another_is_remarked_on() -> None:
    text = "http://p\u0430ypal.com/ http://b\u00fccher.de/".encode()
    reason = "one label mixes scripts: Cyrillic and Latin"
    assert run("find", "--with-context", input=text).stdout.splitlines() == [
        f"-:1:1: bare: http://xn--pypal-4ve.com/ (look-alike: {reason})",
        "-:1:20: bare: http://xn--bcher-kva.de/",
    ]
    assert [one["lookalike"] for one in records(run("find", "--json", input=text))] == [reason, None]


def test_what_cannot_be_read_is_told_and_the_rest_is_read(folder: Path) -> None:
    (folder / "cut.gz").write_bytes(gzip.compress(b"http://packed/" * 1000)[:40])
    (folder / "bad.gz").write_bytes(b"\x1f\x8b" + b"x" * 100)
    (folder / "endless.gz").write_bytes(gzip.compress(b"") * 40_000)
    names = [str(folder / name) for name in ("none.txt", "cut.gz", "bad.gz", "c.html")]
    (refused,) = run("find", str(folder / "endless.gz")).stderr.splitlines()
    assert refused.endswith(
        "endless.gz: The compressed file continues without producing data: the limit allows no more."
    )
    result = run("find", *names)
    assert result.stdout.splitlines()[-1] == "http://k/?a=1&b=2"
    assert result.exit_code == exits.LOCAL_FILE
    lines = result.stderr.splitlines()
    assert [line.split(" can't be read: ")[0] for line in lines] == [f"anyurl: {name}" for name in names[:3]]
    assert lines[0].endswith("no such file or directory.")
    assert not [line for line in lines if line.endswith("..") or not line.endswith(".")]
    errors = [record for record in records(run("find", "--json", *names)) if "error" in record]
    assert [(one["error"], one["message"]) for one in errors] == [
        ("LocalFileError", line.removeprefix("anyurl: ")) for line in lines
    ]


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--encoding", "klingon"], exits.USAGE, "there is no text encoding 'klingon'; utf-8 or latin-1 would be."),
        (["--encoding", "base64"], exits.USAGE, "there is no text encoding 'base64'; utf-8 or latin-1 would be."),
        (["--format", "klingon"], exits.USAGE, "'klingon'"),
        (["--base", "nowhere"], exits.NOT_A_URL, "no scheme"),
    ],
)
def test_wrong_options_are_told(options: list[str], code: int, sentence: str) -> None:
    result = run("find", *options, input=b"http://h/")
    assert (result.exit_code, result.stdout) == (code, "")
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("name", "hint"),
    [("zork", "anyurl schemes` lists"), ("gofer", "did you mean gopher"), ("htp", "did you mean http")],
)
def test_a_scheme_that_nobody_knows_is_said_to_be_unknown_where_none_is_found(name: str, hint: str) -> None:
    result = run("find", "--scheme", name, input=b"http://h/\n")
    assert (result.exit_code, result.stdout) == (0, "")
    assert f"The scheme '{name}' is not known" in result.stderr
    assert hint in result.stderr


def test_a_name_that_is_found_can_be_chosen() -> None:
    result = run(
        "find", "--scheme", "Postgres", "--scheme", "mongodb+srv", input=b"postgres://h/ mongodb+srv://h/ ftp://h/"
    )
    assert (result.exit_code, result.stdout, result.stderr) == (0, "postgres://h/\nmongodb+srv://h/\n", "")


def test_what_is_no_name_of_a_scheme_is_a_fault_of_the_command_line() -> None:
    result = run("find", "--scheme", "h t", input=b"http://h/")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("Invalid value") == 1  # whoever converts a value says what is wrong, and not of what
    assert "The scheme 'h t' is not known" in result.stderr


@pytest.mark.parametrize("name", ["HTTP", "doi", "tn3270", "x-mine"])
def test_a_scheme_that_is_known_or_an_experiment_is_looked_for(name: str) -> None:
    assert run("find", "--scheme", name, input=f"see {name.lower()}://h/1\n".encode()).exit_code == 0


def test_archives_and_what_is_compressed_are_read(folder: Path) -> None:
    import bz2
    import zipfile

    path = folder / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/b.md", "\n[t](http://m/a\\(b\\))")
    (folder / "y.html.bz2").write_bytes(bz2.compress(b'<a href="z?a&amp;b">'))
    found = run("find", "--with-context", "--base", "http://h/", str(path), str(folder / "y.html.bz2"))
    assert found.stdout.splitlines() == [
        f"{path}!a/b.md:2:5: markdown: http://m/a(b)",
        f"{folder / 'y.html.bz2'}:1:10: html-attribute: http://h/z?a&b",
    ]
    assert records(run("find", "--json", str(path)))[0]["file"] == f"{path}!a/b.md"
    assert run("find", "--format", "html", str(folder / "b.txt.gz")).stdout == "http://packed/\n"
    (folder / "deep.gz").write_bytes(gzip.compress(gzip.compress(gzip.compress(b"http://deep/"))))
    refused = run("find", str(folder / "deep.gz"), str(path))
    assert (refused.exit_code, refused.stdout) == (exits.LOCAL_FILE, "http://m/a(b)\n")
    assert "too deep" in refused.stderr


@pytest.mark.parametrize("options", [[], ["--json"], ["--with-context"]])
def test_what_was_found_is_shown_before_more_is_waited_for(options: list[str]) -> None:
    """As in ``tail -f log | anyurl find -``: the standard input stays open."""
    text = b"http://h/ and what tells nothing, " * 40
    command = [*PROGRAM, "find", *options, "-"]
    buffered = {name: value for name, value in CLEAN.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(command, env=buffered, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        os.write(process.stdin.fileno(), text)
        shown = b""
        while shown.count(b"\n") < 39 and select.select([process.stdout], [], [], 20)[0]:
            shown += os.read(process.stdout.fileno(), 65_536)
        process.stdin.close()
    assert shown.count(b"\n") >= 39


@pytest.mark.parametrize(
    ("octets", "found"),
    [
        (b"http://h/", "http://h/\n"),
        ("http://h/".encode("utf-16"), "http://h/\n"),
        (b"\xfe\xff" + "http://h/".encode("utf-16-be"), "http://h/\n"),
        ("http://h/".encode("utf-32"), "http://h/\n"),
        (b"\0\0\xfe\xff" + "http://h/".encode("utf-32-be"), "http://h/\n"),
        (b"\0http://h/", ""),
        (b"http://h/\0", ""),
    ],
)
def test_in_a_folder_what_has_a_nul_and_no_mark_is_no_text(tmp_path: Path, octets: bytes, found: str) -> None:
    (tmp_path / "a").write_bytes(octets)
    assert run("find", "--recursive", str(tmp_path)).stdout == found


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv", "jsonl"])
def test_one_column_of_a_table_is_searched_alone(tmp_path: Path, kind: str) -> None:
    """Of a Parquet file the others are not even read: one of them is damaged here."""
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    from anyurl.batch.tables import write_table

    rows = ["http://a/ and http://b/", None, "no URL", 'http://c/"x"']
    table = arrow.table({"text": rows, "other": ["http://other.example/"] * 4})
    path = tmp_path / f"in.{kind}"
    write_table(table.to_batches(), table.schema, str(path))
    if kind == "parquet":
        column = pyarrow.parquet.ParquetFile(path).metadata.row_group(0).column(1)
        octets = bytearray(path.read_bytes())
        first = column.dictionary_page_offset or column.data_page_offset
        octets[first + 40 : first + column.total_compressed_size] = bytes(column.total_compressed_size - 40)
        path.write_bytes(octets)
    result = run("find", str(path), "--column", "text", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [(each["url"], each["line"]) for each in records(result)] == [
        ("http://a/", 1), ("http://b/", 1), ("http://c/", 4)
    ]  # fmt: skip
    assert all(each["start"] is each["end"] is each["column"] is None for each in records(result))
    result = run("find", str(path), "--column", "text", "--with-context")
    assert result.stdout.splitlines()[-1] == f"{path}:row 4: bare: http://c/"


def test_what_has_no_such_column_is_reported_and_the_other_tables_are_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for name, text in (
        ("a.csv", "n,text\n1,http://a/\n"),
        ("b.csv", "n,m\n"),
        ("c.txt", ""),
        ("d.jsonl", '{"text":1}'),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    names = [str(tmp_path / name) for name in ("b.csv", "c.txt", "d.jsonl", "none.csv", "", "a.csv")]
    result = run("find", *names, "-", "--column", "text")
    assert (result.exit_code, result.stdout) == (9, "http://a/\n")
    told = result.stderr
    assert f"There is no column 'text' in {names[0]}; it has 'n', 'm'." in told
    assert "c.txt' ends with none of .parquet, " in told
    assert f"{names[3]} can't be read" in told
    assert f"--column does not search the folder {names[4]}, but files that are named .parquet, " in told
    assert "--column does not search standard input, but files that are named .parquet, " in told


@pytest.mark.parametrize("more", [["--recursive"], ["--replace", "http://a/=http://b/"], ["--format", "text"]])
def test_a_column_is_that_of_a_table_that_is_named(tmp_path: Path, more: list[str]) -> None:
    result = run("find", str(tmp_path), "--column", "text", *more)
    assert result.exit_code == 2
    assert "--column is for tables" in result.stderr


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_the_rows_of_a_table_are_searched_and_not_its_octets(tmp_path: Path, kind: str) -> None:
    """Of a thousand URLs three were found, one of them torn, and the exit code was 0."""
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    urls = [f"http://h{number}.example/a?b={number}" for number in range(1_000)]
    table = arrow.table(
        {"id": range(1_000), "url": arrow.array(urls).dictionary_encode(), "text": ["<http://t/>"] * 1_000}
    )
    path = tmp_path / f"in.{kind}"
    if kind == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with (arrow.ipc.new_stream if kind == "stream" else arrow.ipc.new_file)(str(path), table.schema) as writer:
            writer.write_table(table)
    result = run("find", str(path), "--json")
    assert result.exit_code == 0
    found = [each for each in records(result) if each["url"] != "http://t/"]
    assert [(each["url"], each["line"]) for each in found] == [(url, row) for row, url in enumerate(urls, 1)]
    path.write_bytes(path.read_bytes()[:900])
    result = run("find", str(path))
    assert (result.exit_code, result.stdout) == (9, "")
    assert "can't be read" in result.stderr
    assert "damaged" in result.stderr
