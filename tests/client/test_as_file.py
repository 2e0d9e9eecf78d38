"""A resource is a binary file to all that read one; where its scheme has ranges it is sought in."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from anyurl import URL, Client, Resource
from anyurl.client.as_file import SKIP_OCTETS, has_ranges, place
from anyurl.errors import AnyURLError, LimitError, RemoteProtocolError, Truncated
from anyurl.world import World
from anyurl.world.tree import PASSWORD, USER
from tests.client.test_requests import Said, serving
from tests.rows import each_row
from tests.servers import reply


@dataclass
class Told:
    """What a server has said of a document."""

    url: URL
    attributes: dict[str, object]
    modified: float | None = 1.0
    size: int | None = 9
    kind: str = "document"
    etag: str | None = None
    status: int | None = 200


@each_row(
    ("told", "ranges"),
    [
        (Told(URL("ftp://h/a"), {"mode": "i"}), True),
        (Told(URL("ftps://h/a"), {"mode": "i"}), True),
        (Told(URL("ftp://h/a"), {"mode": "a"}), False),  # octets of a text are not counted as they are sent
        (Told(URL("ftps://h/a"), {"mode": "i"}, modified=None), False),  # it could be another one by then
        (Told(URL("ftp://h/a"), {"mode": "i"}, size=None), False),
        (Told(URL("file:///a"), {}), True),
        (Told(URL("file:///a"), {}, kind="listing"), False),
        (Told(URL("gopher://h/0a"), {}), False),
        (Told(URL("https://h/"), {"accept-ranges": "bytes"}), True),
        (Told(URL("https://h/"), {"accept-ranges": "bytes", "date": "Thu, 01 Jan 1970 00:00:02 GMT"}), False),
        (Told(URL("https://h/"), {"accept-ranges": "none"}), False),
        (Told(URL("https://h/"), {"accept-ranges": "bytes"}, modified=None), False),
        (Told(URL("https://h/"), {"accept-ranges": "bytes"}, modified=None, etag='"a"'), True),
        (Told(URL("https://h/"), {"accept-ranges": "bytes"}, modified=None, etag='W/"a"'), False),
        (Told(URL("https://h/"), {"accept-ranges": "bytes", "content-encoding": "gzip"}), False),
        (Told(URL("https://h/"), {"accept-ranges": "bytes"}, status=206), False),
    ],
)
def test_what_parts_can_be_asked_of(told: Told, ranges: bool) -> None:
    assert has_ranges(told) is ranges


WHOLE = bytes(range(256)) * 4096
"""A megabyte, in which each place can be told from its neighbours."""


def parted(data: bytes, *more: str) -> Callable[..., bytes]:
    """A server of one document, whole and in parts."""

    def answer(line: bytes, fields: dict[bytes, bytes], _body: bytes) -> bytes:
        head = ['ETag: "a"', "Accept-Ranges: bytes", *more]
        span = fields.get(b"range")
        if span is None or fields.get(b"if-range") != b'"a"':
            return reply(data, *head)
        start = int(span[6:-1])
        head.append(f"Content-Range: bytes {start}-{len(data) - 1}/{len(data)}")
        return reply(data[start:], *head, status="206 Partial Content")

    return answer


@pytest.fixture
def there() -> Iterator[tuple[str, Said]]:
    with serving(parted(WHOLE)) as (url, said):
        yield url, said


@pytest.fixture(params=["file", "http", "ftp"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[bytes], Resource]]:
    """The same octets by each scheme that has ranges."""
    scheme = str(request.param)
    with World([scheme] if scheme == "ftp" else ["http"]) as world, Client(**world.settings) as client:

        def there(data: bytes) -> Resource:
            if scheme == "file":
                (tmp_path / "there").write_bytes(data)
                return client.get(f"file://{tmp_path}/there")
            url = f"{world.roots[scheme]}there".replace("//", f"//{USER}:{PASSWORD}@" if scheme == "ftp" else "//", 1)
            client.put(f"{url};type=i" if scheme == "ftp" else url, data)
            return client.get(f"{url};type=i" if scheme == "ftp" else url)

        yield there


def test_what_reads_a_file_reads_a_resource(opened: Callable[[bytes], Resource]) -> None:
    assert json.load(opened(b'{"a": 1}')) == {"a": 1}
    with opened(b"a,b\n1,\xc3\xbc\n") as resource:
        rows = list(csv.reader(io.TextIOWrapper(resource, encoding="utf-8", newline="")))
    assert rows == [["a", "b"], ["1", "ü"]]
    with gzip.open(opened(gzip.compress(WHOLE))) as unpacked:
        assert unpacked.read() == WHOLE


def test_the_rest_is_read_from_where_it_was_sought(opened: Callable[[bytes], Resource]) -> None:
    with opened(b"all of it is here") as resource:
        resource.seek(10)
        assert resource.read() == b"is here"
        resource.seek(-4, 2)
        assert resource.read() == b"here"
        resource.seek(0)
        assert resource.read(3) + resource.read() == b"all of it is here"


@pytest.mark.parametrize("behind", [0, 99])
@pytest.mark.parametrize("whole", [Resource.read, lambda resource: b"".join(resource.iter_bytes())])
def test_there_is_nothing_at_the_end(
    opened: Callable[[bytes], Resource], whole: Callable[[Resource], bytes], behind: int
) -> None:
    with opened(b"all of it is here") as resource:
        resource.seek(behind, 2)
        assert (whole(resource), resource.read(1)) == (b"", b"")


@pytest.mark.parametrize("whole", [Resource.read, lambda resource: b"".join(resource.iter_bytes())])
def test_what_was_read_whole_is_read_again(
    opened: Callable[[bytes], Resource], whole: Callable[[Resource], bytes]
) -> None:
    with opened(WHOLE) as resource:
        assert whole(resource) == WHOLE
        assert resource.tell() == len(WHOLE)
        resource.seek(5)
        assert whole(resource) == WHOLE[5:]
        assert resource.tell() == len(WHOLE)


def test_pieces_and_reads_take_turns(opened: Callable[[bytes], Resource]) -> None:
    with opened(WHOLE) as resource:
        pieces = resource.iter_bytes()
        first = next(pieces)
        assert resource.tell() == len(first)
        assert first + resource.read(3) + b"".join(pieces) == WHOLE


def test_archives_are_read_where_they_are(opened: Callable[[bytes], Resource]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("first", WHOLE)
        archive.writestr("second", b"two")
    with zipfile.ZipFile(opened(packed.getvalue())) as archive:
        assert archive.read("second") == b"two"
        assert archive.read("first") == WHOLE
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        member = tarfile.TarInfo("name")
        member.size = 3
        tar.addfile(member, io.BytesIO(b"abc"))
    with tarfile.open(fileobj=opened(packed.getvalue()), mode="r:*") as tar:
        content = tar.extractfile("name")
        assert content is not None
        assert content.read() == b"abc"


def test_pandas_reads_a_resource(opened: Callable[[bytes], Resource]) -> None:
    import pandas  # takes half a second: only this test needs it

    frame = pandas.read_csv(opened(b"city,people\nBern,134591\nChur,38293\n"))
    assert frame["people"].sum() == 172884


def test_every_way_to_read(there: tuple[str, Said]) -> None:
    url, _ = there
    with Client() as client:
        with client.get(url) as resource:
            assert isinstance(resource, io.BufferedIOBase)
            assert resource.read(3) == WHOLE[:3]
            assert resource.tell() == 3
            buffer = bytearray(5)
            assert (resource.readinto(buffer), bytes(buffer)) == (5, WHOLE[3:8])
            assert WHOLE[8:].startswith(resource.read1(10))
            assert resource.readinto1(buffer) == 5
            assert resource.readline().endswith(b"\n")
            at = resource.tell()
            assert next(resource) == WHOLE[at : WHOLE.index(b"\n", at) + 1]
            assert len(resource.readlines(1000)) >= 1
            at = resource.tell()
            assert b"".join(resource.iter_bytes()) == WHOLE[at:]
            assert (resource.read(), resource.read(1), resource.readline()) == (b"", b"", b"")
            flags = resource.readable(), resource.writable(), resource.isatty(), resource.closed
            assert flags == (True, False, False, False)
            resource.flush()
            with pytest.raises(OSError, match="no descriptor"):
                resource.fileno()
        assert resource.closed
        with pytest.raises(ValueError, match="closed"):
            resource.read(1)
        resource = client.get(url)
        assert resource.read(10) + resource.read() == WHOLE
        assert client.get(url).read(len(WHOLE) + 5) == WHOLE
        assert b"".join(client.get(url)) == WHOLE
        with pytest.raises(LimitError):
            client.get(url).read(limit=100)


def test_seeking_transfers_what_is_read(there: tuple[str, Said]) -> None:
    url, said = there
    with Client() as client, client.get(url) as resource:
        assert resource.seekable()
        far = 900_000
        assert resource.seek(far) == far
        assert resource.seek(-10, io.SEEK_CUR) == far - 10
        assert resource.seek(-3, io.SEEK_END) == len(WHOLE) - 3
        assert len(said) == 1
        assert resource.read() == WHOLE[-3:]
        assert len(said) == 2
        assert resource.seek(0) == 0
        assert resource.read(300) == WHOLE[:300]
        assert resource.seek(2 * len(WHOLE)) == 2 * len(WHOLE)
        assert resource.read(1) == b""
        resource.seek(100)
        assert resource.read(1) == WHOLE[100:101]
        before = len(said)
        resource.seek(SKIP_OCTETS - 100)  # near: what is between is read and thrown away
        assert resource.read(7) == WHOLE[SKIP_OCTETS - 100 : SKIP_OCTETS - 93]
        assert len(said) == before
        with pytest.raises(ValueError, match="at least 0"):
            resource.seek(-1)


def test_a_header_goes_along_to_each_part(there: tuple[str, Said]) -> None:
    url, said = there
    with Client() as client, client.get(url, headers={"Authorization": "Bearer x"}) as resource:
        resource.seek(900_000)
        assert resource.read(4) == WHOLE[900_000:900_004]
    assert [fields[b"authorization"] for _, fields, _ in said] == [b"Bearer x"] * 2


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        (['ETag: "a"'], "no ranges"),
        (["Accept-Ranges: bytes"], "nothing proves that a part is of the same"),
        (['ETag: W/"a"', "Accept-Ranges: bytes"], "a weak tag proves nothing"),
        (['ETag: "a"', "Accept-Ranges: none"], "no ranges"),
    ],
)
def test_where_there_are_no_ranges_nothing_is_sought(headers: list[str], reason: str) -> None:
    with serving(lambda *_: reply(b"abc", *headers)) as (url, _), Client() as client:
        with client.get(url) as resource:
            assert not resource.seekable(), reason
            with pytest.raises(io.UnsupportedOperation, match="sends no parts"):
                resource.seek(1)
            assert resource.read() == b"abc"


def test_a_document_that_changes_is_never_put_together() -> None:
    turn = [0]

    def answer(line: bytes, fields: dict[bytes, bytes], body: bytes) -> bytes:
        turn[0] += 1
        return reply(bytes([turn[0]]) * len(WHOLE), f'ETag: "{turn[0]}"', "Accept-Ranges: bytes")

    with serving(answer) as (url, _), Client() as client:
        resource = client.get(url)
        assert resource.read(1) == b"\1"
        resource.seek(900_000)
        with pytest.raises(RemoteProtocolError, match="has changed"):
            resource.read(1)


def test_a_transfer_that_breaks_off_is_an_error_of_every_read() -> None:
    def answer(*_said: object) -> bytes:
        return b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nabc\n"

    with serving(answer) as (url, _), Client(timeout=1) as client:
        readers: list[Callable[[Resource], object]] = [
            lambda resource: resource.read(50), lambda resource: list(resource), lambda resource: resource.read(),
        ]  # fmt: skip
        for read in readers:
            with pytest.raises(AnyURLError):
                read(client.get(url))
    assert issubclass(Truncated, AnyURLError)


@pytest.mark.parametrize(("offset", "whence", "found"), [(5, 0, 5), (5, 1, 8), (-5, 2, 95), (0, 2, 100)])
def test_places(offset: int, whence: int, found: int) -> None:
    assert place(offset, whence, 3, 100) == found


def test_no_places() -> None:
    with pytest.raises(io.UnsupportedOperation):
        place(0, io.SEEK_END, 0, None)
    with pytest.raises(ValueError, match="whence"):
        place(0, 7, 0, 1)


@each_row(
    ("data", "type", "text"),
    [
        (b"\xef\xbb\xbf\xc3\xbc", "text/plain", "ü"),
        ("ü".encode("utf-16"), "text/plain; charset=utf-8", "ü"),
        (b"\xfc", "text/plain; charset=iso-8859-1", "ü"),
        (b'<meta charset="iso-8859-2">\xb1', "text/html", '<meta charset="iso-8859-2">ą'),
        (b'<?xml encoding="windows-1251"?>\xff', "text/xml", '<?xml encoding="windows-1251"?>я'),
        (b'<meta charset="utf-16">\xc3\xbc', "text/html", '<meta charset="utf-16">ü'),
        (b'<meta charset="nonsense">\xfc', "text/html", '<meta charset="nonsense">ü'),
        (b"charset=x", "text/plain", "charset=x"),
    ],
)  # fmt: skip
def test_a_text_by_its_declared_or_detected_charset(data: bytes, type: str, text: str) -> None:
    with serving(lambda *_: reply(data, f"Content-Type: {type}")) as (url, _), Client() as client:
        assert client.get(url).text() == text
