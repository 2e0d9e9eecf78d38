"""Files as channels, by themselves: what is regular, what is read, and what gets its name."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LocalFileError, Truncated
from anyurl.files.channel import (
    IOV_MAX,
    FileChannel,
    Replacement,
    check_regular,
    complaint,
    kind_of,
    local_error,
    open_folder,
    sync_folder,
)


@pytest.fixture(autouse=True)
def no_descriptor_is_left() -> Iterator[None]:
    before = set(os.listdir("/proc/self/fd"))
    yield
    assert set(os.listdir("/proc/self/fd")) <= before


# --- errors and kinds ------------------------------------------------------------------------------------------------


def test_errors_have_number_words_and_cause() -> None:
    system = FileNotFoundError(errno.ENOENT, "No such file or directory")
    ours = local_error(system, "Reading /a")
    assert (str(ours), ours.errno, ours.__cause__) == ("Reading /a: no such file or directory.", errno.ENOENT, system)
    ours = complaint(errno.EEXIST, "Writing /a", "it is there")
    assert (str(ours), ours.errno, ours.__cause__) == ("Writing /a: it is there.", errno.EEXIST, None)


@pytest.mark.parametrize(
    ("mode", "words"),
    [(stat.S_IFREG, "a regular file"), (stat.S_IFDIR, "a directory"), (stat.S_IFLNK, "a symbolic link"),
     (stat.S_IFIFO, "a FIFO"), (stat.S_IFSOCK, "a socket"), (stat.S_IFCHR, "a device"), (stat.S_IFBLK, "a device")],
)  # fmt: skip
def test_kinds(mode: int, words: str) -> None:
    assert kind_of(mode | 0o644) == words


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check_regular(os.stat(tmp_path / "file"), "Opening it")
    for path, number, words in (
        (str(tmp_path), errno.EISDIR, "it is a directory, and only regular files are opened"),
        ("/dev/null", errno.EINVAL, "it is a device, and only regular files are opened"),
        ("/proc/self/status", errno.EINVAL, "the files below /proc are made by the kernel and have no length"),
    ):
        with pytest.raises(LocalFileError) as caught:
            check_regular(os.stat(path), "Opening it")
        assert (str(caught.value), caught.value.errno) == (f"Opening it: {words}.", number)


# --- reading ---------------------------------------------------------------------------------------------------------


def reading(path: Path, data: bytes) -> FileChannel:
    path.write_bytes(data)
    channel = FileChannel(os.open(path, os.O_RDONLY), "/shown")
    channel.size = len(data)
    return channel


@given(st.binary(max_size=40), st.integers(1, 50))
def test_what_it_holds_comes_in_pieces(tmp_path_factory: pytest.TempPathFactory, data: bytes, at_most: int) -> None:
    channel = reading(tmp_path_factory.getbasetemp() / "read", data)
    pieces = list(iter(lambda: channel.receive(at_most), b""))
    assert b"".join(pieces) == data
    assert channel.moved == len(data)
    assert all(len(piece) == at_most for piece in pieces[:-1])
    channel.close()


def test_no_more_is_read_than_was_there_and_less_is_an_error(tmp_path: Path) -> None:
    channel = reading(tmp_path / "a", b"abcdef")
    assert channel.receive(0) == b""
    assert channel.receive(2) == b"ab"
    with (tmp_path / "a").open("ab") as file:
        file.write(b"more")
    assert (channel.receive(99), channel.receive(99)) == (b"cdef", b"")
    channel.close()
    channel = reading(tmp_path / "a", b"x" * 2000)
    channel.receive(1500)
    os.truncate(tmp_path / "a", 10)
    with pytest.raises(Truncated) as caught:
        channel.receive(99)
    assert str(caught.value) == (
        "/shown became shorter while it was being read: only 1,500 of 2,000 octets were there."
    )
    assert (caught.value.received, caught.value.expected) == (1500, 2000)
    channel.close()


def test_what_is_open_for_one_thing_is_not_for_the_other(tmp_path: Path) -> None:
    channel = reading(tmp_path / "a", b"abc")
    for act, words in (
        (channel.commit, "Writing /shown: it was opened for reading."),
        (lambda: channel.write(b"x"), "Writing /shown: bad file descriptor."),
    ):
        with pytest.raises(LocalFileError) as caught:
            act()
        assert (str(caught.value), caught.value.errno) == (words, errno.EBADF)
    channel.size = None
    with pytest.raises(LocalFileError, match=r"^Reading /shown: it was opened for writing\.$"):
        channel.receive(1)
    assert channel.fileno() == channel.fd >= 0
    channel.close()
    channel.close()
    assert channel.fileno() == -1
    channel.size = 3
    with pytest.raises(LocalFileError, match=r"^Reading /shown: bad file descriptor\.$"):
        channel.receive(1)


@pytest.mark.parametrize("count", [0, 1, 2, IOV_MAX, IOV_MAX + 1, 3 * IOV_MAX])
def test_pieces_are_written_one_after_the_other(tmp_path: Path, count: int) -> None:
    channel = FileChannel(os.open(tmp_path / "a", os.O_WRONLY | os.O_CREAT), "/shown")
    pieces = [b"%d," % number for number in range(count)]
    assert channel.write(*pieces) == channel.moved == sum(map(len, pieces))
    assert channel.write(b"end") == 3
    channel.close()
    assert (tmp_path / "a").read_bytes() == b"".join(pieces) + b"end"


# --- replacing -------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["unnamed", "in a private folder"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With O_TMPFILE, and as on a system without it."""
    if request.param != "unnamed":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return str(request.param)


def replacing(folder: Path, name: str = "a", old: os.stat_result | None = None) -> Replacement:
    channel = Replacement(open_folder(os.fsencode(folder)), name.encode(), f"/shown/{name}")
    channel.begin(old)
    return channel


@pytest.mark.usefixtures("kind")
def test_it_has_its_name_when_it_is_whole_and_not_before(tmp_path: Path) -> None:
    channel = replacing(tmp_path)
    channel.write(b"new ", b"content")
    assert not (tmp_path / "a").exists()
    with pytest.raises(FileNotFoundError):
        channel.standing()
    channel.modified = 1_000_000_000.0
    channel.mode = 0o640
    channel.commit()
    assert channel.standing().st_ino == os.fstat(channel.fd).st_ino
    channel.close()
    status = (tmp_path / "a").stat()
    assert (status.st_mtime, stat.S_IMODE(status.st_mode)) == (1_000_000_000.0, 0o640)
    assert ((tmp_path / "a").read_bytes(), os.listdir(tmp_path)) == (b"new content", ["a"])


@pytest.mark.usefixtures("kind")
def test_what_has_the_name_is_replaced_only_where_it_may_be(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o604)
    channel = replacing(tmp_path, old=(tmp_path / "a").stat())
    assert channel.may_be_replaced()
    channel.write(b"new")
    with pytest.raises(LocalFileError) as caught:
        channel.commit(overwrite=False)
    assert (str(caught.value), caught.value.errno) == (
        "Writing /shown/a: another file has taken the name.", errno.EEXIST,
    )  # fmt: skip
    assert (tmp_path / "a").read_bytes() == b"old"
    channel.commit()
    channel.close()
    assert ((tmp_path / "a").read_bytes(), os.listdir(tmp_path)) == (b"new", ["a"])
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o604  # that of the old one


@pytest.mark.usefixtures("kind")
def test_without_a_commit_nothing_is_left(tmp_path: Path) -> None:
    channel = replacing(tmp_path)
    channel.write(b"new")
    channel.close()
    channel.close()
    assert (os.listdir(tmp_path), channel.fd, channel.folder) == ([], -1, -1)


@pytest.mark.usefixtures("kind")
def test_only_the_owner_reads_what_is_not_whole_and_the_umask_decides_of_a_new_one(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        channel = replacing(tmp_path)
    finally:
        os.umask(before)
    assert channel.mode == 0o640
    channel.durable = False
    channel.commit()
    channel.close()
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    channel = replacing(tmp_path, old=(tmp_path / "a").stat())
    assert stat.S_IMODE(os.fstat(channel.fd).st_mode) == 0o600
    channel.close()


@pytest.mark.usefixtures("kind")
def test_a_folder_that_is_gone_is_an_error_of_the_tree(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    channel = replacing(tmp_path / "sub")
    for path in (tmp_path / "sub").rglob("*"):
        if path.is_file():
            path.unlink()
    for path in (tmp_path / "sub").iterdir():
        path.rmdir()
    (tmp_path / "sub").rmdir()
    with pytest.raises(LocalFileError, match=r"^Writing /shown/a: "):
        channel.commit()
    channel.close()


@pytest.fixture
def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on FAT."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("no_links")
@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("there", [True, False])
def test_a_file_system_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overwrite: bool, there: bool
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if there:
        (tmp_path / "a").write_bytes(b"old")
    channel = replacing(tmp_path)
    channel.write(b"new")
    if there and not overwrite:
        with pytest.raises(LocalFileError, match="another file has taken the name"):
            channel.commit(overwrite=False)
    else:
        channel.commit(overwrite=overwrite)
    channel.close()
    assert (tmp_path / "a").read_bytes() == (b"old" if there and not overwrite else b"new")
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.usefixtures("no_links")
@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without a name")
def test_a_file_without_a_name_can_not_get_one_without_links(tmp_path: Path) -> None:
    channel = replacing(tmp_path)
    with pytest.raises(LocalFileError, match=r"^Writing /shown/a: operation not permitted"):
        channel.commit()
    channel.close()
    assert os.listdir(tmp_path) == []


# --- folders ---------------------------------------------------------------------------------------------------------


def test_folders_are_opened_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = open_folder(os.fsencode(tmp_path))
    assert os.fstat(folder).st_ino == tmp_path.stat().st_ino
    sync_folder(folder)
    os.close(folder)
    for name, kind in (("file", NotADirectoryError), ("none", FileNotFoundError)):
        with pytest.raises(kind):
            open_folder(os.fsencode(tmp_path / name))


def test_a_folder_that_can_not_be_synced_is_not_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = os.open(tmp_path, os.O_PATH)
    sync_folder(place)  # EBADF of a descriptor without read permission
    os.close(place)

    def broken(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output error"):
        sync_folder(0)
