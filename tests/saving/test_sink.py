"""Devices, pipes and descriptors that a resource is saved to: written to, and never replaced."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.errors import ConnectionLost, LocalFileError
from anyurl.saving.save import Destination, save
from tests.saving.test_save import LOST, Remote


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    before = set(os.listdir("/proc/self/fd"))
    yield tmp_path
    assert set(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize("how", [{}, {"force": True}, {"go_on": True}])
@pytest.mark.parametrize("name", ["pipe", "link", "link to the link"])
def test_a_pipe_is_written_to_and_never_replaced(folder: Path, name: str, how: dict[str, bool]) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("pipe")
    (folder / "link to the link").symlink_to(folder / "link")
    before = {path.name: os.lstat(path).st_ino for path in folder.iterdir()}
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert save(Remote(b"ab", b"c"), folder / name, **how) == 3
    with pytest.raises(ConnectionLost):
        save(Remote(b"half", error=LOST), folder / name, **how)
    assert os.read(reader, 100) == b"abchalf"
    os.close(reader)
    assert {path.name: os.lstat(path).st_ino for path in folder.iterdir()} == before


def test_a_pipe_that_is_full_makes_the_transfer_wait(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    data = os.urandom(1_000_000)
    received = bytearray()

    def read() -> None:
        while piece := os.read(reader, 65_536):
            received.extend(piece)

    thread = threading.Thread(target=read)
    with Destination(folder / "pipe") as destination:
        thread.start()
        destination.save(Remote(data))
    thread.join()
    os.close(reader)
    assert received == data


@pytest.mark.needs("root")
def test_a_device_is_written_to_and_never_replaced(folder: Path) -> None:
    try:
        os.mknod(folder / "null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))  # what /dev/null is in Linux
        os.close(os.open(folder / "null", os.O_WRONLY))
    except PermissionError:
        pytest.skip("only root can make devices, and only where they work")
    (folder / "link").symlink_to("null")
    before = {path.name: os.lstat(path).st_ino for path in folder.iterdir()}
    for name in ("null", "link"):
        for force in (False, True):
            assert save(Remote(b"abc"), folder / name, force=force) == 3
    assert {path.name: os.lstat(path).st_ino for path in folder.iterdir()} == before
    assert stat.S_ISCHR(os.lstat(folder / "null").st_mode)


@pytest.mark.needs("root")
def test_a_disk_is_not_overwritten_unasked(folder: Path) -> None:
    try:
        os.mknod(folder / "disk", 0o600 | stat.S_IFBLK, os.makedev(0, 0))  # no disk has this number
    except PermissionError:
        pytest.skip("only root can make devices")
    with pytest.raises(LocalFileError) as caught:
        Destination(folder / "disk")
    assert str(caught.value) == f"Saving to {folder}/disk: it is a disk (force=True overwrites it)."
    with pytest.raises(LocalFileError, match="no such device or address"):
        Destination(folder / "disk", force=True)
    assert stat.S_ISBLK(os.lstat(folder / "disk").st_mode)


@pytest.mark.parametrize("name", ["/proc/self/fd/{}", "/dev/fd/{}", "link"])
@pytest.mark.parametrize("force", [False, True])
def test_a_name_of_a_descriptor_is_that_descriptor(folder: Path, name: str, force: bool) -> None:
    with (folder / "file").open("wb+") as file:
        file.write(b"before ")
        file.flush()
        if name == "link":
            (folder / "link").symlink_to(f"/proc/self/fd/{file.fileno()}")
        path = folder / name.format(file.fileno())
        save(Remote(b"behind"), path, force=force)
        assert os.write(file.fileno(), b" it") == 3  # still open, and at the end of what was written
    assert (folder / "file").read_bytes() == b"before behind it"
    assert name != "link" or (folder / "link").is_symlink()


def test_a_descriptor_that_is_not_open_for_writing_is_refused(folder: Path) -> None:
    (folder / "file").write_bytes(b"old")
    with (folder / "file").open("rb") as file:
        (folder / "link").symlink_to(f"/proc/self/fd/{file.fileno()}")
        with pytest.raises(LocalFileError, match="it is open for reading only"):
            Destination(folder / "link", force=True)
    assert (folder / "link").is_symlink()
