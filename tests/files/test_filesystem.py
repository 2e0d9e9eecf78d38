"""Files of this machine: only regular ones, written whole or not at all, and no error outside the tree."""

from __future__ import annotations

import errno
import os
import resource
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl.dialogue import FileFacts
from anyurl.errors import LimitError, LocalFileError, Truncated
from anyurl.files.channel import FileChannel, Replacement, open_folder
from anyurl.files.filesystem import local_names, open_file, open_listing, stat_file
from tests import needs

NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with a file and one of each thing that is no file."""
    (tmp_path / "file").write_bytes(b"old content")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)  # the path of a socket is short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
    return tmp_path


@pytest.fixture(autouse=True)
def no_descriptor_is_left() -> Iterator[None]:
    before = set(os.listdir("/proc/self/fd"))
    yield
    assert set(os.listdir("/proc/self/fd")) <= before


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes | None]]:
    """Every name with inode, mode and content."""
    result = {}
    for path in sorted(folder.iterdir()):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else None
        result[path.name] = (status.st_ino, status.st_mode, content)
    return result


def list_folder(path: str, limit: int) -> list[FileFacts]:
    channel = open_listing(path, limit)
    found: list[FileFacts] = []
    try:
        while (facts := channel.advance()) is None or facts:
            found += facts or []
    finally:
        channel.close()
    return found


def read_all(channel: FileChannel, at_most: int = 4) -> bytes:
    pieces = []
    while piece := channel.receive(at_most):
        pieces.append(piece)
    channel.close()
    return b"".join(pieces)


# --- reading -------------------------------------------------------------------------------------------------------


def test_a_file_is_read_to_its_end(folder: Path) -> None:
    channel = open_file(f"{folder}/file")
    assert (channel.size, channel.modified) == (11, (folder / "file").stat().st_mtime)
    assert read_all(channel) == b"old content"


def test_a_file_is_read_from_an_offset(folder: Path) -> None:
    assert read_all(open_file(f"{folder}/file", offset=4)) == b"content"
    assert read_all(open_file(f"{folder}/file", offset=11)) == b""
    assert read_all(open_file(f"{folder}/file", offset=99)) == b""


def test_reading_follows_a_link_as_every_program_does(folder: Path) -> None:
    assert read_all(open_file(f"{folder}/link")) == b"old content"


def test_what_is_appended_while_reading_is_not_part_of_what_was_described(folder: Path) -> None:
    channel = open_file(f"{folder}/file")
    with (folder / "file").open("ab") as file:
        file.write(b", and more")
    assert read_all(channel) == b"old content"


def test_a_file_that_shrinks_while_it_is_read_is_truncated(folder: Path) -> None:
    channel = open_file(f"{folder}/file")
    assert channel.receive(4) == b"old "
    os.truncate(folder / "file", 6)
    assert channel.receive(4) == b"co"
    with pytest.raises(
        Truncated, match="became shorter while it was being read: only 6 of 11 octets were there"
    ) as caught:
        channel.receive(4)
    assert (caught.value.received, caught.value.expected) == (6, 11)
    channel.close()


UNREADABLE = [
    ("nothing", errno.ENOENT, "no such file or directory"),
    ("file/", errno.ENOTDIR, "not a directory"),
    ("file/x", errno.ENOTDIR, "not a directory"),
    ("dangling", errno.ENOENT, "no such file or directory"),
    ("loop", errno.ELOOP, "too many levels of symbolic links"),
    ("sub", errno.EISDIR, "it is a directory, and only regular files are opened"),
    ("fifo", errno.EINVAL, "it is a FIFO, and only regular files are opened"),
    ("socket", errno.EINVAL, "it is a socket, and only regular files are opened"),
    ("x" * 300, errno.ENAMETOOLONG, "file name too long"),
]


@pytest.mark.parametrize(("name", "number", "reason"), UNREADABLE)
def test_what_can_not_be_read_is_an_error_with_its_reason(folder: Path, name: str, number: int, reason: str) -> None:
    with pytest.raises(LocalFileError) as caught:
        open_file(f"{folder}/{name}")
    assert str(caught.value) == f"Reading {folder}/{name}: {reason}."
    assert caught.value.errno == number


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/dev/stdin", "/proc/self/environ", "/proc/version"])
def test_devices_and_what_the_kernel_makes_up_are_refused(path: str) -> None:
    if os.stat("/proc").st_dev == os.stat("/").st_dev and path.startswith("/proc"):
        pytest.skip("/proc is no file system of its own here")
    with pytest.raises(LocalFileError):
        open_file(path)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("relative", "the path is not absolute"),
        ("", "the path is not absolute"),
        ("/a\0b", "a path can't contain NUL"),
        ("/a\ud800", "it contains a lone surrogate"),
    ],
)
def test_a_path_that_is_none_is_refused(path: str, reason: str) -> None:
    for action in (open_file, stat_file, lambda bad: open_listing(bad, 10)):
        with pytest.raises(LocalFileError, match=reason):
            action(path)


def test_names_that_are_not_utf_8_are_kept(folder: Path) -> None:
    name = os.fsencode(str(folder)) + b"/caf\xe9"
    Path(os.fsdecode(name)).write_bytes(b"latin")
    path = name.decode("utf-8", "surrogateescape")
    assert read_all(open_file(path)) == b"latin"
    assert stat_file(path).name == "caf\udce9"
    assert "caf\udce9" in [fact.name for fact in list_folder(str(folder), 100)]
    with pytest.raises(LocalFileError) as caught:
        open_file(path + "\x1b\udcff")
    assert str(caught.value) == f"Reading {folder}/caf\\xe9\\x1b\\xff: no such file or directory."


# --- replacing -----------------------------------------------------------------------------------------------------


def test_a_file_is_replaced_when_it_is_whole_and_not_before(folder: Path) -> None:
    os.chmod(folder / "file", 0o640)
    before = snapshot(folder)
    channel = open_file(f"{folder}/file", "replace")
    channel.write(b"new ")
    channel.write(b"content")
    assert snapshot(folder) == before
    assert stat.S_IMODE(os.fstat(channel.fileno()).st_mode) == 0o600
    channel.commit()
    channel.close()
    assert (folder / "file").read_bytes() == b"new content"
    assert stat.S_IMODE((folder / "file").stat().st_mode) == 0o640
    assert set(os.listdir(folder)) == set(before)


@pytest.mark.parametrize("durable", [True, False])
def test_what_is_to_last_is_on_the_disk_before_it_has_its_name_and_then_the_name_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    """Else a power failure leaves a name with nothing behind it. The content of a cache need not last."""
    there: list[tuple[bool, bool]] = []
    fsync = os.fsync

    def noted(fd: int) -> None:
        there.append((stat.S_ISDIR(os.fstat(fd).st_mode), (folder / "new").exists()))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", noted)
    channel = open_file(f"{folder}/new", "replace")
    assert isinstance(channel, Replacement)
    channel.durable = durable
    channel.write(b"x")
    channel.commit()
    channel.close()
    assert there == ([(False, False), (True, True)] if durable else [])
    assert (folder / "new").read_bytes() == b"x"


def test_a_new_file_gets_the_mode_that_the_umask_leaves(folder: Path) -> None:
    old = os.umask(0o027)
    try:
        channel = open_file(f"{folder}/new", "replace")
    finally:
        os.umask(old)
    channel.commit()
    channel.close()
    assert stat.S_IMODE((folder / "new").stat().st_mode) == 0o640


def test_set_user_id_is_not_passed_on_to_other_content(folder: Path) -> None:
    os.chmod(folder / "file", 0o4755)
    channel = open_file(f"{folder}/file", "replace")
    channel.commit()
    channel.close()
    assert stat.S_IMODE((folder / "file").stat().st_mode) == 0o755


def test_without_a_commit_nothing_has_happened(folder: Path) -> None:
    before = snapshot(folder)
    channel = open_file(f"{folder}/file", "replace")
    channel.write(b"half")
    channel.close()
    channel.close()
    assert snapshot(folder) == before
    channel = open_file(f"{folder}/new", "replace")
    del channel
    assert snapshot(folder) == before


def test_a_link_is_replaced_itself_and_never_followed(folder: Path) -> None:
    channel = open_file(f"{folder}/link", "replace")
    channel.write(b"new")
    channel.commit()
    channel.close()
    assert not (folder / "link").is_symlink()
    assert (folder / "link").read_bytes() == b"new"
    assert (folder / "file").read_bytes() == b"old content"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sub", "it is a directory"),
        ("fifo", "it is a FIFO"),
        ("socket", "it is a socket"),
        ("sub/", "the name is that of a directory"),
        ("..", "the name is that of a directory"),
        ("nowhere/x", "no such file or directory"),
        ("file/x", "not a directory"),
        ("x" * 300, "file name too long"),
    ],
)
def test_what_is_no_file_is_never_replaced(folder: Path, name: str, reason: str) -> None:
    before = snapshot(folder)
    with pytest.raises(LocalFileError, match=reason):
        open_file(f"{folder}/{name}", "replace")
    assert snapshot(folder) == before


def test_commit_without_overwriting_leaves_the_file_that_came_first(folder: Path) -> None:
    channels = []
    for content in (b"one", b"two"):
        channel = Replacement(open_folder(os.fsencode(folder)), b"new", "new")
        channel.begin(None)
        channel.write(content)
        channels.append(channel)
    channels[0].commit(overwrite=False)
    with pytest.raises(LocalFileError, match="another file has taken the name") as caught:
        channels[1].commit(overwrite=False)
    assert caught.value.errno == errno.EEXIST
    for channel in channels:
        channel.close()
    assert (folder / "new").read_bytes() == b"one"
    assert [name for name in os.listdir(folder) if "anyurl" in name] == []


@pytest.fixture
def no_unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a system that can't make files without a name."""
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)


@pytest.mark.usefixtures("no_unnamed")
@pytest.mark.parametrize("name", ["file", "new"])
def test_without_unnamed_files_it_is_in_a_private_folder(folder: Path, name: str) -> None:
    before = snapshot(folder)
    channel = open_file(f"{folder}/{name}", "replace")
    channel.write(b"new content")
    ((private, (_, mode, _)),) = snapshot(folder).items() - before.items()
    assert (private, stat.S_ISDIR(mode), stat.S_IMODE(mode) & 0o777) == (".anyurl-0", True, 0o700)
    channel.commit()
    channel.close()
    assert (folder / name).read_bytes() == b"new content"
    assert set(os.listdir(folder)) == {*before, name}


@pytest.mark.usefixtures("no_unnamed")
@pytest.mark.parametrize("name", ["file", "new"])
@pytest.mark.parametrize("another", [False, True], ids=["its own", "another's"])
def test_without_proc_it_is_linked_by_its_name_if_that_is_still_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, another: bool
) -> None:
    """As on macOS. Attack: who takes its name away has another file published."""
    monkeypatch.setattr(Replacement, "_path", lambda _: b"/no/proc/self/fd/0")
    before = snapshot(folder)
    channel = open_file(f"{folder}/{name}", "replace")
    channel.write(b"new content")
    if another:
        (part,) = folder.glob(".anyurl-*/part")
        part.unlink()
        part.write_bytes(b"quite another")
        with pytest.raises(LocalFileError, match="another process has removed its part"):
            channel.commit()
        channel.close()
        assert {key: value for key, value in snapshot(folder).items() if not key.startswith(".anyurl-")} == before
        return
    channel.commit()
    channel.close()
    assert (folder / name).read_bytes() == b"new content"
    assert set(os.listdir(folder)) == {*before, name}


@pytest.mark.usefixtures("no_unnamed")
def test_without_unnamed_files_nothing_is_left_without_a_commit(folder: Path) -> None:
    before = snapshot(folder)
    channel = open_file(f"{folder}/file", "replace")
    channel.write(b"half")
    channel.close()
    assert snapshot(folder) == before


@pytest.mark.parametrize("name", ["file", "new"])
@pytest.mark.parametrize("unnamed", [True, False])
def test_whatever_is_done_to_the_private_folder_what_was_written_gets_the_name(
    folder: Path, name: str, unnamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not unnamed:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    channel = open_file(f"{folder}/{name}", "replace")
    channel.write(b"new content")
    for private in folder.glob(".anyurl-*"):
        private.rename(folder / "taken away")
        private.mkdir()
        (private / "part").write_bytes(b"quite another")
    channel.commit()
    channel.close()
    assert (folder / name).read_bytes() == b"new content"


# --- appending -----------------------------------------------------------------------------------------------------


def test_octets_are_appended(folder: Path) -> None:
    channel = open_file(f"{folder}/file", "append")
    channel.write(b", and more")
    channel.commit()
    channel.close()
    assert (folder / "file").read_bytes() == b"old content, and more"


def test_an_append_that_breaks_off_is_taken_back(folder: Path) -> None:
    channel = open_file(f"{folder}/file", "append")
    channel.write(b", and ha")
    channel.close()
    assert (folder / "file").read_bytes() == b"old content"


def test_what_somebody_else_appended_meanwhile_is_never_taken_back(folder: Path) -> None:
    channel = open_file(f"{folder}/file", "append")
    channel.write(b"1")
    with (folder / "file").open("ab") as file:
        file.write(b"2")
    channel.close()
    assert (folder / "file").read_bytes() == b"old content12"


def test_appending_to_nothing_makes_a_file(folder: Path) -> None:
    channel = open_file(f"{folder}/new", "append")
    channel.write(b"first")
    channel.commit()
    channel.close()
    assert (folder / "new").read_bytes() == b"first"


@pytest.mark.parametrize("name", ["link", "dangling", "fifo", "socket", "sub", "sub/"])
def test_nothing_is_appended_to_what_is_no_file(folder: Path, name: str) -> None:
    before = snapshot(folder)
    with pytest.raises(LocalFileError):
        open_file(f"{folder}/{name}", "append")
    assert snapshot(folder) == before


# --- the disk and the system ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [(b"x" * 2000,), (b"x" * 700, b"y" * 700)], ids=["one", "several"])
@pytest.mark.parametrize("mode", ["replace", "append"])
def test_a_full_disk_leaves_the_old_file(folder: Path, mode: Any, pieces: tuple[bytes, ...]) -> None:
    before = snapshot(folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        channel = open_file(f"{folder}/file", mode)
        with pytest.raises(LocalFileError, match="file too large") as caught:
            channel.write(*pieces)
        channel.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG
    assert snapshot(folder) == before


@pytest.mark.parametrize("most", [None, 1, 5, 0], ids=["as it is", "an octet at a time", "five", "on Windows"])
def test_pieces_are_written_one_behind_the_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch, most: int | None
) -> None:
    pieces = [b"ab", b"", b"cdef", *([b"g"] * 3000)]
    if most == 0:
        monkeypatch.delattr(os, "writev")
    elif most is not None:
        write = os.write
        monkeypatch.setattr(os, "writev", lambda fd, data: write(fd, b"".join(data)[:most]))
        monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[: 1000 * most]))
    channel = open_file(f"{folder}/file", "replace")
    assert (channel.write(*pieces), channel.write(b"end"), channel.write(), channel.moved) == (3006, 3, 0, 3009)
    channel.commit()
    channel.close()
    assert (folder / "file").read_bytes() == b"".join(pieces) + b"end"


def test_no_descriptor_left_is_an_error_of_the_tree(folder: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        for action in (lambda: open_file(f"{folder}/file"), lambda: open_file(f"{folder}/new", "replace"),
                       lambda: open_listing(str(folder), 10)):  # fmt: skip
            with pytest.raises(LocalFileError, match="too many open files"):
                action()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


AS_NOBODY = """
import os, sys
from anyurl.errors import LocalFileError
from anyurl.files.filesystem import open_file, open_listing, stat_file
os.setgroups([]); os.setgid({nobody}); os.setuid({nobody})
for action in {actions}:
    try:
        action()
    except LocalFileError as error:
        print(error.errno, error)
    else:
        print("done")
"""


def run_as_nobody(actions: str) -> list[str]:
    needs.need("root")
    script = AS_NOBODY.format(nobody=NOBODY, actions=actions)
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that somebody else can reach (pytest's own can't be)."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


def test_what_may_not_be_touched_is_an_error_before_anything_is_written(public: Path) -> None:
    (public / "secret").write_bytes(b"")
    (public / "secret").chmod(0o600)
    (public / "open").mkdir()
    (public / "open").chmod(0o777)
    (public / "open" / "locked").write_bytes(b"")
    (public / "closed").mkdir(mode=0o700)
    actions = [
        f"lambda: open_file('{public}/secret')", f"lambda: open_file('{public}/secret', 'append')",
        f"lambda: open_file('{public}/new', 'replace')", f"lambda: open_file('{public}/open/locked', 'replace')",
        f"lambda: open_listing('{public}/closed', 9)", f"lambda: stat_file('{public}/closed/x')",
    ]  # fmt: skip
    assert run_as_nobody(f"[{', '.join(actions)}]") == [
        f"13 Reading {public}/secret: permission denied.",
        f"13 Writing {public}/secret: permission denied.",
        f"13 Writing {public}/new: permission denied.",
        f"13 Writing {public}/open/locked: permission denied.",
        f"13 Listing {public}/closed: permission denied.",
        f"13 Looking at {public}/closed/x: permission denied.",
    ]


@pytest.mark.needs("root")
def test_a_group_that_can_not_be_kept_gets_no_more_than_everybody(public: Path) -> None:
    public.chmod(0o777)
    (public / "file").write_bytes(b"old")
    os.chown(public / "file", NOBODY, 0)
    (public / "file").chmod(0o664)
    write = (
        f"lambda: (lambda channel: (channel.write(b'new'), channel.commit()))(open_file('{public}/file', 'replace'))"
    )
    assert run_as_nobody(f"[{write}]") == ["done"]
    status = (public / "file").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (NOBODY, NOBODY, 0o644)


# --- facts and folders ---------------------------------------------------------------------------------------------


def test_facts_follow_links_and_say_what_is_there(folder: Path) -> None:
    os.chmod(folder / "file", 0o604)
    facts = stat_file(f"{folder}/link")
    assert (facts.name, facts.kind, facts.size, facts.mode) == ("link", "document", 11, 0o604)
    assert facts.modified == (folder / "file").stat().st_mtime
    facts = stat_file(f"{folder}/sub/")
    assert (facts.name, facts.kind, facts.size) == ("sub", "listing", 0)
    assert stat_file(f"{folder}/fifo").kind is None
    assert stat_file("/").name == ""


def test_a_folder_is_listed_by_name_with_what_its_links_lead_to(folder: Path) -> None:
    assert [(fact.name, fact.kind, fact.size) for fact in list_folder(str(folder), 100)] == [
        ("dangling", None, 0),
        ("empty", "document", 0),
        ("fifo", None, 0),
        ("file", "document", 11),
        ("link", "document", 11),
        ("loop", None, 0),
        ("socket", None, 0),
        ("sub", "listing", 0),
    ]


def test_a_folder_that_is_moved_while_it_is_listed_is_still_the_one_that_was_opened(tmp_path: Path) -> None:
    """Attack: whoever may rename it puts another one in its place, whose files are then described."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "file").write_bytes(b"x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").mkdir()
    channel = open_listing(str(tmp_path / "one"), 10)
    (tmp_path / "one").rename(tmp_path / "moved")
    (tmp_path / "other").rename(tmp_path / "one")
    facts = channel.advance()
    channel.close()
    assert [(fact.name, fact.kind, fact.size) for fact in facts or ()] == [("file", "document", 1)]


def test_a_folder_has_at_most_as_many_entries_as_the_limit(folder: Path) -> None:
    assert len(list_folder(str(folder), 8)) == 8
    with pytest.raises(LimitError, match="more than 7 entries") as caught:
        list_folder(str(folder), 7)
    assert caught.value.limit == "listing_entries"


def test_only_a_directory_is_listed(folder: Path) -> None:
    with pytest.raises(LocalFileError, match="not a directory"):
        list_folder(f"{folder}/file", 10)


def test_this_machine_knows_its_name_without_a_look_up() -> None:
    assert socket.gethostname().lower().removesuffix(".") in local_names()


def test_only_a_file_opened_to_be_written_is_written(folder: Path) -> None:
    channel = open_file(f"{folder}/file")
    with pytest.raises(LocalFileError, match="it was opened for reading"):
        channel.commit()
    with pytest.raises(LocalFileError, match="bad file descriptor"):
        channel.write(b"x")
    channel.close()
    channel = open_file(f"{folder}/file", "append")
    with pytest.raises(LocalFileError, match="it was opened for writing"):
        channel.receive(1)
    channel.close()
