"""Archives: members and their paths, what is in what, damage, limits."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from anyurl.errors import LimitError
from anyurl.text import Budget, find
from anyurl.text.readers import archives
from tests.rows import each_row


def zipped(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return file.getvalue()


def tarred(members: dict[str, bytes], mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return file.getvalue()


def told(data: object, **options: object) -> list[tuple[str, str, int]]:
    return [(str(item), item.member, item.line) for item in find(data, format="auto", **options)]  # type: ignore[call-overload]


MARKDOWN = b"\n[t](http://h/a\\(b\\))"


def test_members_are_read_as_what_they_are() -> None:
    data = zipped(a__b_md=MARKDOWN, c_json=b'"http:\\/\\/i\\/"', d_png=b"\x89PNG\0http://no/", e=b"http://j/")
    expected = [("http://h/a(b)", "a/b.md", 2), ("http://i/", "c.json", 1), ("http://j/", "e", 1)]
    assert told(data) == expected
    assert told([data[at : at + 100] for at in range(0, len(data), 100)]) == expected
    assert told(io.BytesIO(data)) == expected
    for mode in ("w", "w:gz", "w:xz", "w:bz2"):
        data = tarred({"a/b.md": MARKDOWN, "c.json": b'"http:\\/\\/i\\/"', "e": b"http://j/"}, mode)
        assert told(data) == expected
        assert told([data[at : at + 100] for at in range(0, len(data), 100)]) == expected


def test_an_office_document_and_a_book_are_zips_of_xml() -> None:
    document = b'<?xml version="1.0"?><w:document xmlns:w="http://ns/"><w:t>http://h/</w:t></w:document>'
    relations = b'<Relationships><Relationship Target="http://i/?a&amp;b" TargetMode="External"/></Relationships>'
    data = zipped(word__document_xml=document, word___rels__document_xml_rels=relations)
    assert [row[0] for row in told(data)] == ["http://h/", "http://i/?a&b"]


def test_a_path_says_what_is_in_what() -> None:
    inner = zipped(b_md=MARKDOWN)
    assert told(zipped(a_zip=inner)) == [("http://h/a(b)", "a.zip!b.md", 2)]
    assert told(tarred({"x/a.zip": inner, "y.csv.gz": gzip.compress(b"a,http://i/,b")}, "w:gz")) == [
        ("http://h/a(b)", "x/a.zip!b.md", 2), ("http://i/", "y.csv.gz", 1),
    ]  # fmt: skip


def test_archives_three_deep_are_refused() -> None:
    data = zipped(a_zip=zipped(b_zip=zipped(c=b"http://h/")))
    with pytest.raises(LimitError) as caught:
        told(data)
    assert caught.value.limit == "MAX_NESTING"
    assert "a.zip!b.zip!c" in str(caught.value)


def test_members_and_octets_are_counted() -> None:
    data = zipped(a=b"http://a/", b=b"http://b/", c=b"http://c/")
    for archive in (data, tarred({"a": b"http://a/", "b": b"http://b/", "c": b"http://c/"})):
        found = find(archive, format="auto", budget=Budget(members=2))
        assert [str(next(found)) for _ in range(2)] == ["http://a/", "http://b/"]
        with pytest.raises(LimitError, match="too many members"):
            next(found)
    with pytest.raises(LimitError) as caught:
        told(zipped(a=b" " * (30 << 20)), budget=Budget(ratio=100))
    assert caught.value.limit == "MAX_RATIO"


def long_named(kind: bytes, size: int) -> bytes:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = kind, size
    return header.tobuf(tarfile.GNU_FORMAT) + bytes(4096)


@each_row("kind", [b"L", b"K", b"x", b"g", b"X"])
@each_row("before", [b"", long_named(b"L", 4)[:1024]])
def test_a_name_that_would_fill_the_memory_is_refused(kind: bytes, before: bytes) -> None:
    """As the first header, which opening reads, and as one that follows a name."""
    with pytest.raises(LimitError) as caught:
        told(before + long_named(kind, archives.MAX_HEADER + 1))
    assert caught.value.limit == "MAX_HEADER"


def test_a_directory_that_would_fill_the_memory_is_refused() -> None:
    data = bytearray(zipped(a=b"x"))
    end = data.rindex(b"PK\5\6")
    data[end + 12 : end + 16] = (1 << 30).to_bytes(4, "little")
    with pytest.raises(LimitError) as caught:
        told(bytes(data))
    assert caught.value.limit == "MAX_DIRECTORY"


def test_damage_is_told() -> None:
    data = zipped(a=b"http://h/ " * 1000)
    with pytest.raises(OSError, match="damaged"):
        told(data[:-30])
    broken = data[:60] + bytes(10) + data[70:]
    with pytest.raises(OSError, match="damaged"):
        told(broken)
    with pytest.raises(OSError, match=r"damaged|too early"):
        told(tarred({"a": b"x" * 5000}, "w:gz")[:-30])


def test_what_has_a_password_is_passed_over() -> None:
    data = bytearray(zipped(a=b"http://h/", b=b"http://i/"))
    data[data.index(b"PK\1\2") + 8] |= 1
    assert told(bytes(data)) == [("http://i/", "b", 1)]


def test_a_file_is_sought_in_and_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(a=b"http://h/"))
    with path.open("rb") as file:
        assert told(file) == [("http://h/", "a", 1)]


def test_the_size_of_a_zip_is_that_of_the_file_and_it_is_read_from_its_beginning() -> None:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a", "http://h/")
        size = file.tell()
        assert (archives._check_directory(file), file.tell()) == (size, 0)


@pytest.mark.parametrize("size", [1, 5, archives.PIECE, archives.PIECE + 1, 10 * archives.PIECE, -1])
def test_of_a_member_no_more_is_read_than_is_wanted_or_than_a_piece(size: int) -> None:
    content = bytes(2 * archives.PIECE)
    member = archives._ArchiveMember(io.BytesIO(content), Budget(), len(content))
    assert len(member.read(size)) == (archives.PIECE if size < 0 else min(size, archives.PIECE))
