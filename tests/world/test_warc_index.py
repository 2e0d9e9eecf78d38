"""What a web archive has of each URL: of our own files, and of those that other programs write."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from anyurl import Client
from anyurl.errors import LocalFileError
from anyurl.warc.wacz import pack
from anyurl.world import World
from anyurl.world.warc_index import WarcIndex, key

warcwriter = pytest.importorskip("warcio.warcwriter", reason="warcio is not installed")
statusandheaders = pytest.importorskip("warcio.statusandheaders", reason="warcio is not installed")


class Writer:
    """A file as warcio writes it."""

    def __init__(self, path: Path, *, gzip: bool = True) -> None:
        self.path = path
        self._file = path.open("ab")
        self._writer = warcwriter.WARCWriter(self._file, gzip=gzip, warc_version="1.1")
        self._writer._create_temp_file = io.BytesIO  # its own is left open

    def add(
        self, kind: str, url: str, body: bytes, *fields: tuple[str, str], status: str = "200 OK", **more: str
    ) -> Any:
        http = None
        if kind in ("response", "revisit"):
            http = statusandheaders.StatusAndHeaders(status, list(fields), protocol="HTTP/1.1")
        record = self._writer.create_warc_record(
            url, kind, payload=io.BytesIO(body), http_headers=http, warc_headers_dict=more,
            warc_content_type="" if http else "text/plain",
        )  # fmt: skip
        self._writer.write_record(record)
        self._file.flush()
        return record

    def close(self) -> None:
        self._file.close()


@pytest.fixture
def open_index() -> Iterator[Callable[[Path], WarcIndex]]:
    """Opens indexes and closes them at the end: since 3.13 Python warns of a database that nobody closes."""
    with ExitStack() as stack:
        yield lambda path: stack.enter_context(closing(WarcIndex(path)))


def content(index: WarcIndex, url: str) -> tuple[int, dict[str, str], bytes]:
    kept = index.find(url)
    assert kept is not None
    with index.open(kept) as found:
        return found.status, dict(found.fields), b"".join(found.pieces())


@pytest.mark.parametrize("gzip", [True, False])
def test_what_another_program_wrote(open_index: Callable[[Path], WarcIndex], tmp_path: Path, gzip: bool) -> None:
    writer = Writer(tmp_path / "a.warc", gzip=gzip)
    writer.add("response", "http://h/a", b"the page", ("Content-Type", "text/html"))
    writer.add("response", "http://h/c", b"4\r\nfour\r\n0\r\n\r\n", ("Transfer-Encoding", "chunked"))
    writer.add("resource", "ftp://h/b", b"a file")
    writer.close()
    index = open_index(writer.path)
    assert (len(index), index.notes) == (3, [])
    assert content(index, "http://h/a") == (200, {"content-type": "text/html"}, b"the page")
    assert content(index, "http://h/c")[2] == b"four"
    assert content(index, "ftp://h/b") == (200, {"content-type": "text/plain"}, b"a file")
    assert index.find("http://h/other") is None


def test_the_latest_whole_one_counts(open_index: Callable[[Path], WarcIndex], tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.warc.gz")
    dates = [{"WARC-Date": f"2026-01-0{day}T00:00:00Z"} for day in (1, 3, 2, 4)]
    dates[3]["WARC-Truncated"] = "disconnect"
    for number, more in enumerate(dates):
        writer.add("response", "http://h/", b"%d" % number, **more)
    writer.add("response", "http://h/", b"", status="304 Not Modified", **{"WARC-Date": "2026-01-09T00:00:00Z"})
    writer.close()
    assert content(open_index(writer.path), "http://h/")[2] == b"1"


def test_a_revisit_has_the_content_of_another(open_index: Callable[[Path], WarcIndex], tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.warc.gz")
    date = "2026-01-01T00:00:00Z"
    writer.add("response", "http://h/a", b"the content", ("Content-Type", "text/plain"), **{"WARC-Date": date})
    refers = {"WARC-Refers-To-Target-URI": "http://h/a", "WARC-Refers-To-Date": date}
    writer.add("revisit", "http://h/b", b"", ("Content-Type", "text/x-own"), **refers)
    writer.add("revisit", "http://h/elsewhere", b"", **{"WARC-Refers-To-Target-URI": "http://g/"})
    writer.close()
    index = open_index(writer.path)
    assert content(index, "http://h/b") == (200, {"content-type": "text/x-own"}, b"the content")
    assert index.find("http://h/elsewhere") is None


def test_what_stands_before_a_cut_is_shown(open_index: Callable[[Path], WarcIndex], tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.warc.gz")
    writer.add("response", "http://h/a", b"first")
    writer.add("response", "http://h/b", b"second")
    writer.close()
    writer.path.write_bytes(writer.path.read_bytes()[:-40])
    index = open_index(writer.path)
    assert content(index, "http://h/a")[2] == b"first"


@pytest.mark.parametrize("octets", [b"plain text\n", b"\x1f\x8b\x08 cut"])
def test_what_is_no_archive_is_an_error(tmp_path: Path, octets: bytes) -> None:
    (tmp_path / "a").write_bytes(octets)
    with pytest.raises(LocalFileError, match="not a WARC file"):
        WarcIndex(tmp_path / "a")
    with pytest.raises(LocalFileError):
        WarcIndex(tmp_path / "nowhere")


def test_a_file_that_has_changed_is_an_error(open_index: Callable[[Path], WarcIndex], tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.warc.gz")
    writer.add("response", "http://h/a", b"first")
    writer.close()
    index = open_index(writer.path)
    writer.path.write_bytes(b"")
    kept = index.find("http://h/a")
    assert kept is not None
    with pytest.raises(LocalFileError, match="has changed"), index.open(kept):
        pass


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("http://H/%7ea", "http://h/~a"), ("http://h:80/a#b", "http://h/a"), ("http://u:p@h/", "http://h/"),
        ("no url", "no url"),
    ],
)  # fmt: skip
def test_by_what_a_url_is_found(text: str, same: str) -> None:
    assert key(text) == key(same)


@pytest.mark.parametrize(
    ("later", "shown"),
    [
        ({"status": "206 Partial Content"}, b"first"),  # the rest of a resumed download
        ({"status": "503 Busy"}, b"first"),  # what it had no time for is not what it has
        ({"status": "429 Slow Down"}, b"first"),
        ({"status": "401 Who"}, b"first"),
        ({"status": "404 Gone"}, b"later"),
        ({"status": "200 OK"}, b"later"),
        ({"status": "200 OK", "WARC-Truncated": "length"}, b"first"),
    ],
)
def test_of_two_in_one_second_the_later_counts_if_it_is_what_the_server_has(
    open_index: Callable[[Path], WarcIndex], tmp_path: Path, later: dict[str, str], shown: bytes
) -> None:
    writer = Writer(tmp_path / "a.warc.gz")
    date = {"WARC-Date": "2026-01-01T00:00:00Z"}
    writer.add("response", "http://h/", b"first", **date)
    writer.add("response", "http://h/", b"later", **date, **later)
    writer.close()
    assert content(open_index(writer.path), "http://h/")[2] == shown


@pytest.mark.parametrize("name", ["a.warc.gz", "a.wacz"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_directory_is_shown_as_its_page_however_often_it_came(
    open_index: Callable[[Path], WarcIndex], times: int, name: str, tmp_path: Path
) -> None:
    with World(["ftp"]) as world, Client(warc=tmp_path / "a.warc.gz") as client:
        for _ in range(times):  # the second time the octets of the server are a revisit
            list(client.list(world.roots["ftp"]).entries())
    pack(str(tmp_path / "a.wacz"), str(world.roots["ftp"]))
    index = open_index(tmp_path / name)
    status, fields, page = content(index, str(world.roots["ftp"]))
    assert (status, fields["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<a href=" in page
