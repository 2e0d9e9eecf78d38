"""The file of an archive: whole records only, whoever is killed, and however many write to it."""

from __future__ import annotations

import errno
import fcntl
import gzip
import io
import os
import resource
import signal
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest

from anyurl.errors import LocalFileError
from anyurl.warc.block import Record
from anyurl.warc.file import ENTERED_AT_MOST, WarcFile, end_of_records, warc_file

warcio = pytest.importorskip("warcio.archiveiterator", reason="warcio is not installed")


def written(text: str) -> io.BytesIO:
    file = io.BytesIO()
    for _ in Record("metadata", "2026-01-02T03:04:05Z", "text/plain", head=text.encode()).write(file):
        pass
    return file


def content(name: str) -> bytes:
    """A record that others may refer to, with a digest of that name."""
    file = io.BytesIO()
    fields = [("WARC-Target-URI", f"http://h/{name}"), ("WARC-Payload-Digest", f"sha256:{name}")]
    for _ in Record("resource", "2026-01-02T03:04:05Z", "text/plain", fields, name.encode()).write(file):
        pass
    return file.getvalue()


def contents(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [
            record.content_stream().read().decode()
            for record in warcio.ArchiveIterator(file, check_digests="raise")
            if record.rec_type != "warcinfo"
        ]


def end(path: Path) -> int | None:
    with path.open("rb") as file:
        return end_of_records(file.fileno(), path.stat().st_size)


def test_records_are_appended_and_the_first_says_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    file = warc_file(path)
    assert not path.exists()
    file.append(written("one"), ())
    file.append(written("two"), ())
    assert contents(path) == ["one", "two"]
    with path.open("rb") as opened:
        first = next(iter(warcio.ArchiveIterator(opened)))
        assert (first.rec_type, first.rec_headers["Content-Type"]) == ("warcinfo", "application/warc-fields")
        assert b"software: anyurl/" in first.content_stream().read()
    path.unlink()
    file.append(written("anew"), ())  # another file of that name has a beginning, too
    assert contents(path) == ["anew"]


def test_there_is_no_file_without_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.warc.gz"
    file = warc_file(path)
    file.check()
    monkeypatch.setattr("anyurl.warc.file.copyfileobj", full)
    with pytest.raises(LocalFileError, match="no space"):
        file.append(written("one"), ())
    assert os.listdir(tmp_path) == []
    path.touch()  # as `mktemp` does, with rights and an owner of somebody's choice
    with pytest.raises(LocalFileError, match="no space"):
        file.append(written("one"), ())
    assert path.read_bytes() == b""
    path.write_bytes(written("killed").getvalue()[:-1])  # nothing is whole in it
    file.check()
    assert (os.listdir(tmp_path), len(file.said())) == ([], 1)


def full(*_arguments: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_folder_that_takes_no_file_is_told_before_there_is_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LocalFileError, match="no such file"):
        warc_file(tmp_path / "none" / "a.warc.gz")
    (tmp_path / "file").touch()
    with pytest.raises(LocalFileError, match="not a directory"):
        warc_file(tmp_path / "file" / "a.warc.gz")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(LocalFileError, match="permission denied"):
        warc_file(tmp_path / "a.warc.gz")
    assert os.listdir(tmp_path) == ["file"]


def test_what_another_writer_removes_meanwhile_is_not_written_into_the_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lock, times = tmp_path / "a.warc.gz", fcntl.lockf, [1]

    def removed_first(fd: int, kind: int) -> None:
        lock(fd, kind)
        if times and times.pop() >= 0:
            path.unlink()

    monkeypatch.setattr(fcntl, "lockf", removed_first)
    file = warc_file(path)
    file.append(written("one"), ())
    assert contents(path) == ["one"]
    times += range(ENTERED_AT_MOST)
    with pytest.raises(LocalFileError, match="it is removed whenever it is opened"):
        file.append(written("two"), ())


def test_one_process_has_one_file_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "a.warc.gz")
    first = warc_file(tmp_path / "a.warc.gz")
    assert warc_file(tmp_path / "link") is first


def test_it_is_cut_off_wherever_a_process_was_killed(tmp_path: Path) -> None:
    """In the last record, and in the first."""
    path = tmp_path / "a.warc.gz"
    file = warc_file(path)
    file.append(written("one"), ())
    whole = path.read_bytes()
    file.append(written("two" * 50), ())
    more = path.read_bytes()
    for size in (*range(len(whole), len(whole) + 30), *range(len(more) - 20, len(more) + 1)):
        path.write_bytes(more[:size])
        assert end(path) == (len(more) if size == len(more) else len(whole)), size
    beginning = end_of_first(whole)
    for size in (*range(30), *range(beginning - 20, beginning)):
        path.write_bytes(whole[:size])
        assert end(path) == 0, size


def end_of_first(octets: bytes) -> int:
    import zlib

    unpacker = zlib.decompressobj(31)
    unpacker.decompress(octets)
    return len(octets) - len(unpacker.unused_data)


def test_a_cut_record_is_said_and_the_next_one_stands_behind_the_last_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    file = warc_file(path)
    file.append(written("one"), ())
    file.append(written("two"), ())
    os.truncate(path, path.stat().st_size - 3)
    file.append(written("three"), ())
    assert contents(path) == ["one", "three"]
    [said] = file.said()
    assert "ended within a record" in said
    assert file.said() == []


def test_an_archive_in_the_record_that_is_cut_is_not_taken_for_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    first, inner = content("one"), content("inner")
    packer = zlib.compressobj(0, wbits=31)  # stored as it is
    outer = packer.compress(b"WARC/1.1\r\nWARC-Type: resource\r\n\r\n" + inner + bytes(99)) + packer.flush()
    assert inner in outer
    path.write_bytes(first + outer[:-9])
    file = WarcFile(str(path))
    file.check()
    assert path.read_bytes() == first
    assert [file.original("sha256:one") is None, file.original("sha256:inner") is None] == [False, True]
    path.write_bytes(first + b"something else" + first + first[:-3])  # what follows it is whole, and stays
    WarcFile(str(path)).check()
    assert path.read_bytes() == first + b"something else" + first


def test_a_record_is_found_whose_header_looks_like_two(tmp_path: Path) -> None:
    """RFC 1952 2.3.1: the time of a gzip member may be any four octets."""
    record = bytearray(gzip.compress(b"WARC/1.1\r\n\r\n"))
    for start in (4, 5):
        record[4:8] = b"\0" * 4
        record[start : start + 3] = b"\x1f\x8b\x08"
        (tmp_path / "a").write_bytes(record)
        assert end(tmp_path / "a") == len(record)


def test_a_record_larger_than_what_is_looked_at_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    file = warc_file(path)
    file.append(written("one"), ())
    size = path.stat().st_size
    noise = os.urandom(400_000).hex()  # two pieces, packed
    file.append(written(noise), ())
    assert end(path) == path.stat().st_size
    os.truncate(path, path.stat().st_size - 1)
    assert end(path) == size


@pytest.mark.parametrize("octets", [b"x", b"plain text\n" * 9, b"\x1f\x8b\x08" + b"x" * 600, b"WARC/1.1\r\n\r\n"])
def test_what_is_something_else_is_left_alone(tmp_path: Path, octets: bytes) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(octets)
    with pytest.raises(LocalFileError, match="not a WARC file"):
        warc_file(path)
    assert path.read_bytes() == octets


def test_a_place_that_takes_none(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError):
        warc_file(tmp_path)
    with pytest.raises(LocalFileError):
        warc_file(tmp_path / "nowhere" / "a.warc.gz")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(LocalFileError, match="only a regular file can be used"):
        warc_file(tmp_path / "fifo")
    read, write = os.pipe()
    (tmp_path / "out").symlink_to(f"/dev/fd/{write}")
    with pytest.raises(LocalFileError, match="out is a device or a pipe"):
        warc_file(tmp_path / "out")
    os.close(read)
    os.close(write)


def test_where_there_is_no_room_nothing_half_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    file = warc_file(path)
    file.append(written("one"), ())
    size = path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, before[1]))
    try:
        with pytest.raises(LocalFileError) as caught:
            file.append(written(os.urandom(50_000).hex()), ())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert caught.value.errno == errno.EFBIG
    assert path.stat().st_size == size
    file.append(written("two"), ())
    assert contents(path) == ["one", "two"]


def test_threads_and_processes_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    program = (
        "import sys; sys.path[:0] = eval(sys.argv[3])\n"
        "from tests.warc.test_file import written\n"
        "from anyurl.warc.file import warc_file\n"
        "file = warc_file(sys.argv[1])\n"
        "for number in range(40): file.append(written(f'{sys.argv[2]} {number} ' + 'x' * 9000), ())\n"
    )
    others = [subprocess.Popen([sys.executable, "-c", program, str(path), name, repr(sys.path)]) for name in ("p", "q")]
    file = WarcFile(str(path))

    def write(name: str) -> None:
        for number in range(40):
            file.append(written(f"{name} {number} " + "x" * 9000), ())

    threads = [threading.Thread(target=write, args=(name,)) for name in ("r", "s")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait() for other in others] == [0, 0]
    found = sorted(text.rpartition(" ")[0] for text in contents(path))
    assert found == sorted(f"{name} {number}" for name in "pqrs" for number in range(40))


def test_a_killed_writer_loses_nothing_that_was_whole(tmp_path: Path) -> None:
    """Killed in the midst of its writing, again and again; whoever comes next goes on."""
    path = tmp_path / "a.warc.gz"
    program = (
        "import sys; sys.path[:0] = eval(sys.argv[2])\n"
        "import os\n"
        "from tests.warc.test_file import written\n"
        "from anyurl.warc.file import warc_file\n"
        "file = warc_file(sys.argv[1])\n"
        "number = 0\n"
        "while True:\n"
        "    file.append(written(f'{os.getpid()} {number} ' + os.urandom(30000).hex()), ())\n"
        "    print(number, flush=True)\n"
        "    number += 1\n"
    )
    told: set[str] = set()
    for _ in range(2):
        command: list[Any] = [sys.executable, "-c", program, path, repr(sys.path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(5):
                told.add(f"{writer.pid} {int(writer.stdout.readline())}")
            writer.kill()
    file = WarcFile(str(path))
    file.append(written("last one x"), ())
    found = [text.rpartition(" ")[0] for text in contents(path)]
    assert told <= set(found)
    assert found[-1] == "last one"
    assert len(found) == len(set(found))


def test_what_could_not_be_told_is_told_next_time(tmp_path: Path) -> None:
    file = warc_file(tmp_path / "a.warc.gz")
    file.fail(LocalFileError("No room."))
    with pytest.raises(LocalFileError, match=r"No room\."):
        file.check_failed()
    file.check_failed()


def test_originals_are_remembered_and_the_oldest_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyurl.warc.file.REMEMBERED", 2)
    file = warc_file(tmp_path / "a.warc.gz")
    for name in "abc":
        file.append(written(name), [(name, (name, "u", "d"))])
    assert [file.original(name) for name in "abc"] == [None, ("b", "u", "d"), ("c", "u", "d")]


def test_another_file_of_that_name_has_none_of_them(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    file = warc_file(path)
    file.append(written("one"), [("x", ("a", "u", "d"))])
    assert file.original("x") == ("a", "u", "d")
    path.unlink()
    file.append(written("anew" * 1000), ())
    assert file.original("x") is None


def test_of_a_large_file_the_beginning_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.warc.gz"
    first, second = content("one"), content("two")
    path.write_bytes(first + second)
    monkeypatch.setattr("anyurl.warc.file.READ_AGAIN", len(first) + 1)
    file = WarcFile(str(path))
    file.check()
    assert [file.original(name) is None for name in ("sha256:one", "sha256:two")] == [False, True]
    with path.open("ab") as other:
        other.write(content("three"))
    file.check()
    assert file.original("sha256:three") is None


def test_a_forked_child_waits_for_no_thread_of_its_parent(tmp_path: Path) -> None:
    """A thread of the parent held the lock; the child has no such thread."""
    path = tmp_path / "a.warc.gz"
    path.write_bytes(content("one"))
    file = WarcFile(str(path))
    file._indexed = {"sha256:one": 0}
    with file._lock:
        child = os.fork()
        if not child:
            signal.alarm(20)
            os._exit(int(file.original("sha256:one") is None))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
