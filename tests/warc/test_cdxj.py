"""The index beside an archive: its keys, its order, and that each line leads to its record."""

from __future__ import annotations

import json
import tracemalloc
from io import BytesIO
from pathlib import Path

import pytest

from anyurl import Client
from anyurl.errors import LocalFileError
from anyurl.warc.cdxj import LINE_AT_MOST, index_name, lines_of, read_line, surt, write_index
from anyurl.world import World
from tests.rows import each_row

archiveiterator = pytest.importorskip("warcio.archiveiterator", reason="warcio is not installed")


@each_row(
    ("url", "key"),
    [
        ("http://www.Example.org:80/A?b=1&a=2", "org,example)/a?a=2&b=1"),
        ("http://www2.example.org/", "org,example)/"),
        ("https://h:8443/x//y/../z/", "h:8443)/x/z"),
        ("http://h/a%20b%2Fc%2541", "h)/a%20b/ca"),
        ("http://h/p?a=1&PHPSESSID=0123456789abcdef0123456789abcdef&b=2", "h)/p?a=1&b=2"),
        ("gopher://h:7070/1/x", "h:7070)/1/x"),
        ("ftp://127.0.0.1/a;type=i", "1,0,0,127)/a;type=i"),
        ("news:a@b.example", "news:a@b.example"),
        ("file:///tmp/A", "file:/tmp/a"),
        ("no URL", "no URL"),
    ],
)
def test_the_key_of_a_url(url: str, key: str) -> None:
    assert surt(url) == key


@pytest.mark.parametrize("line", ["", "key", "key 2026 {", "key x {}", "key 2026 []", 'key 2026 {"url": 1}'])
def test_what_is_no_line(line: str) -> None:
    assert read_line(line) is None


def test_a_line_of_any_length_is_left_out_and_never_held() -> None:
    longest, longer = b"a" * (LINE_AT_MOST - 1) + b"\n", b"b" * LINE_AT_MOST + b"\n"
    file = BytesIO(b"".join((b"first\n", longer, longest, b"c" * 50_000_000, b"\nlast")))
    tracemalloc.start()
    found = [line[:5] for line in lines_of(file)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [b"first", b"aaaaa", b"last"]
    assert peak < 10 * LINE_AT_MOST


def test_each_line_leads_to_its_record_and_they_are_sorted(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    schemes = ("file", "http", "gopher", "ftp")
    with World(schemes) as world, Client(warc=path, cdxj=True, **world.settings) as client:
        for scheme in schemes:
            client.get(world.urls[scheme]).read()
            list(client.list(world.roots[scheme]).entries())
    lines = (tmp_path / "a.cdxj").read_bytes().splitlines()
    assert lines == sorted(lines)
    urls = set()
    with path.open("rb") as file:
        for line in lines:
            told = json.loads(line.split(b" ", 2)[2])
            file.seek(int(told["offset"]))
            record = next(iter(archiveiterator.ArchiveIterator(file)))
            assert record.rec_headers.get_header("WARC-Target-URI") == told["url"]
            assert told["filename"] == "a.warc.gz"
            urls.add(told["url"])
    assert urls >= {str(world.urls[scheme]) for scheme in schemes} | {str(world.roots["gopher"])}


def test_it_is_made_anew_of_what_a_killed_writer_left(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    with World(("gopher",)) as world, Client(warc=path, **world.settings) as client:
        client.get(world.urls["gopher"]).read()
        whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    assert len(Path(write_index(str(path))).read_text().splitlines()) >= 1
    with pytest.raises(LocalFileError):
        write_index(str(tmp_path / "nothing.warc.gz"))


def test_an_index_needs_an_archive() -> None:
    with pytest.raises(ValueError, match="none is given"):
        Client(cdxj=True)


@pytest.mark.parametrize(("path", "name"), [("x/a.warc.gz", "x/a.cdxj"), ("a.warc", "a.cdxj"), ("a", "a.cdxj")])
def test_the_name_of_the_index(path: str, name: str) -> None:
    assert index_name(path) == name
