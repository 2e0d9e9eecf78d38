"""Saving: the whole resource or nothing, whatever the disk, another process or the server's names do."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import resource as limits
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl import Client, Policy
from anyurl.errors import ConnectionLost, LocalFileError, RemoteProtocolError
from anyurl.files import system
from anyurl.saving.save import Destination, safe_name, save
from anyurl.url import URL
from tests import needs
from tests.servers import Connection, Server, reply

NOBODY = 65534
WHOLE = b"0123456789" * 10


class Remote:
    """A resource that never was on a wire: some pieces, and perhaps an error at the end."""

    def __init__(
        self,
        *pieces: bytes,
        error: BaseException | None = None,
        url: str = "http://example.org/x",
        start: int = 0,
        size: int | None = len(WHOLE),
        etag: str | None = '"1"',
        modified: float | None = 800_000_000.0,
        at: Callable[[], None] | None = None,
        date: str | None = None,
    ) -> None:
        self.url = URL(url)
        self.start = start
        self.size = size
        self.etag = etag
        self.modified = modified
        self.attributes: dict[str, object] = {} if date is None else {"date": date}
        self._pieces = pieces
        self._error = error
        self._at = at

    def iter_bytes(self) -> Iterator[bytes]:
        for piece in self._pieces:
            yield piece
            if self._at is not None:
                self._at()
        if self._error is not None:
            raise self._error


LOST = ConnectionLost("The connection broke.")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    before = set(os.listdir("/proc/self/fd"))
    yield tmp_path
    assert set(os.listdir("/proc/self/fd")) <= before


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every name, with its octets where it is a file."""
    return {
        path.name: path.read_bytes() if path.is_file() and not path.is_symlink() else None for path in folder.iterdir()
    }


# --- whole or nothing ------------------------------------------------------------------------------------------------


def test_a_resource_is_saved_whole(folder: Path) -> None:
    counted: list[int] = []
    assert save(Remote(b"ab", b"", b"c"), folder / "x", progress=counted.append) == 3
    assert contents(folder) == {"x": b"abc"}
    assert counted == [2, 0, 1]


@pytest.mark.parametrize("kind", [str, os.fsencode, Path])
def test_the_path_may_be_text_octets_or_a_path(folder: Path, kind: Callable[[str], str]) -> None:
    save(Remote(b"x"), kind(f"{folder}/x"))
    assert contents(folder) == {"x": b"x"}


def test_the_path_may_be_relative(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    save(Remote(b"x"), "x")
    assert contents(folder) == {"x": b"x"}


@pytest.mark.promise("complete-files")
def test_nothing_has_the_final_name_before_it_is_whole(folder: Path) -> None:
    seen: list[set[str]] = []
    modes: set[int] = set()

    def look() -> None:
        seen.append(set(os.listdir(folder)))
        modes.update(stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir())

    save(Remote(b"a", b"b", at=look), folder / "x")
    assert seen == [set(), set()]
    save(Remote(b"a", b"b", at=look), folder / "y", go_on=True)
    assert seen[2:] == [{"x", "y.anyurl-part", "y.anyurl-part.json"}] * 2
    (folder / "x").unlink()
    modes.clear()
    save(Remote(b"a", at=look), folder / "x", go_on=True)
    assert {mode for mode in modes if mode != 0o644} == {0o600}


def test_a_new_file_gets_the_mode_that_the_umask_leaves(folder: Path) -> None:
    old = os.umask(0o027)
    try:
        save(Remote(b"x"), folder / "x")
        save(Remote(b"y"), folder / "y", go_on=True)
    finally:
        os.umask(old)
    assert [stat.S_IMODE((folder / name).stat().st_mode) for name in "xy"] == [0o640, 0o640]


@pytest.mark.promise("complete-files")
@pytest.mark.parametrize("error", [LOST, KeyboardInterrupt(), SystemExit(1)])
def test_a_transfer_that_breaks_off_leaves_nothing(folder: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        save(Remote(b"half", error=error), folder / "x")
    assert contents(folder) == {}


@pytest.mark.parametrize("error", [None, LOST])
def test_an_old_file_is_replaced_only_when_asked_and_only_by_the_whole(
    folder: Path, error: BaseException | None
) -> None:
    (folder / "x").write_bytes(b"old")
    os.chmod(folder / "x", 0o604)
    if error is None:
        save(Remote(b"new"), folder / "x", force=True)
        assert contents(folder) == {"x": b"new"}
        assert stat.S_IMODE((folder / "x").stat().st_mode) == 0o604
    else:
        with pytest.raises(ConnectionLost):
            save(Remote(b"new", error=error), folder / "x", force=True)
        assert contents(folder) == {"x": b"old"}


# --- what is wrong with a name is found before the transfer ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "force", "reason", "number"),
    [
        ("file", False, "there is a file of that name (force=True replaces it)", errno.EEXIST),
        ("link", False, "there is a symbolic link of that name (force=True replaces it)", errno.EEXIST),
        ("dangling", False, "there is a symbolic link of that name (force=True replaces it)", errno.EEXIST),
        ("sub", False, "it is a directory, and only regular files are opened", errno.EISDIR),
        ("sub", True, "it is a directory, and only regular files are opened", errno.EISDIR),
        ("fifo", True, "it is a FIFO that no process reads", errno.ENXIO),
        ("fifo", False, "it is a FIFO that no process reads", errno.ENXIO),
        ("way to fifo", False, "it is a FIFO that no process reads", errno.ENXIO),
        ("socket", True, "it is a socket, and only regular files are opened", errno.EINVAL),
        ("sub/", True, "the name is that of a directory", errno.EISDIR),
        (".", True, "the name is that of a directory", errno.EISDIR),
        ("", True, "the name is that of a directory", errno.EISDIR),
        ("nowhere/x", True, "no such file or directory", errno.ENOENT),
        ("file/x", True, "not a directory", errno.ENOTDIR),
        ("x" * 256, True, "file name too long", errno.ENAMETOOLONG),
    ],
)
@pytest.mark.parametrize("go_on", [False, True])
def test_a_name_that_can_not_be_saved_to(
    folder: Path, name: str, force: bool, reason: str, number: int, go_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_bytes(b"old")
    (folder / "link").symlink_to("file")
    (folder / "dangling").symlink_to("nothing")
    (folder / "sub").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "way to fifo").symlink_to("fifo")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(folder)  # the path of a socket is short
        server.bind("socket")
    before = contents(folder)
    if go_on and name == "file":  # it may be what another program left incomplete
        Destination(folder / name, go_on=True).close()
        assert contents(folder) == before
        return
    with pytest.raises(LocalFileError) as caught:
        Destination(f"{folder}/{name}", force=force, go_on=go_on)
    assert str(caught.value) == f"Saving to {folder}/{name}: {reason}."
    assert caught.value.errno == number
    assert contents(folder) == before


def test_a_link_is_replaced_itself_and_never_followed(folder: Path) -> None:
    (folder / "file").write_bytes(b"old")
    (folder / "link").symlink_to("file")
    save(Remote(b"new"), folder / "link", force=True)
    assert contents(folder) == {"file": b"old", "link": b"new"}


def test_a_control_character_in_a_name_is_shown_escaped(folder: Path) -> None:
    with pytest.raises(LocalFileError) as caught:
        Destination(f"{folder}/no\x1b[31m/x")
    assert str(caught.value) == f"Saving to {folder}/no\\x1b[31m/x: no such file or directory."


def test_a_folder_that_may_not_be_written_is_refused_before_the_transfer() -> None:
    needs.need("root")
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        script = (
            "import os, sys; from anyurl.saving.save import Destination; from anyurl.errors import LocalFileError\n"
            f"os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
            "for go_on in (False, True):\n"
            "    try: Destination(sys.argv[1], go_on=go_on)\n"
            "    except LocalFileError as error: print(error.errno, error)\n"
        )
        run = subprocess.run([sys.executable, "-c", script, f"{name}/x"], capture_output=True, text=True, check=True)
        assert run.stdout == f"13 Saving to {name}/x: permission denied.\n" * 2
        assert os.listdir(name) == []


# --- other processes, full disks, the hardest death ------------------------------------------------------------------


def test_of_two_that_save_to_the_same_name_one_wins_whole(folder: Path) -> None:
    with Destination(folder / "x") as one, Destination(folder / "x") as other:
        one.save(Remote(b"one"))
        with pytest.raises(LocalFileError, match="another file has taken the name"):
            other.save(Remote(b"other"))
    assert contents(folder) == {"x": b"one"}


def test_of_two_that_replace_the_later_one_wins_whole(folder: Path) -> None:
    (folder / "x").write_bytes(b"old")
    with Destination(folder / "x", force=True) as one, Destination(folder / "x", force=True) as other:
        one.save(Remote(b"one"))
        other.save(Remote(b"other"))
    assert contents(folder) == {"x": b"other"}


def test_a_name_that_is_taken_meanwhile_is_not_overwritten(folder: Path) -> None:
    def somebody_else() -> None:
        (folder / "x").symlink_to("elsewhere")

    with pytest.raises(LocalFileError, match="another file has taken the name"):
        save(Remote(b"mine", at=somebody_else), folder / "x")
    assert os.listdir(folder) == ["x"]
    assert os.readlink(folder / "x") == "elsewhere"


@pytest.mark.parametrize("go_on", [False, True])
def test_a_full_disk_leaves_the_old_file(folder: Path, go_on: bool) -> None:
    (folder / "x").write_bytes(b"old")
    soft, hard = limits.getrlimit(limits.RLIMIT_FSIZE)
    limits.setrlimit(limits.RLIMIT_FSIZE, (5000, hard))
    try:
        with pytest.raises(LocalFileError, match="file too large") as caught:
            save(Remote(b"x" * 4000, b"y" * 4000), folder / "x", force=True, go_on=go_on)
    finally:
        limits.setrlimit(limits.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG
    assert (folder / "x").read_bytes() == b"old"
    assert sorted(os.listdir(folder)) == (["x", "x.anyurl-part", "x.anyurl-part.json"] if go_on else ["x"])


KILLED = """
import os, signal, sys
from anyurl.saving.save import save
from anyurl.url import URL

class Deadly:
    url, start, size, etag, modified = URL("http://example.org/x"), 0, 13, '"1"', None
    def iter_bytes(self):
        yield b"half"
        os.kill(os.getpid(), signal.SIGKILL)

save(Deadly(), sys.argv[1], force=True, go_on=True)
"""


@pytest.mark.promise("complete-files")
def test_a_process_that_is_killed_leaves_the_old_file_and_a_part_to_go_on_with(folder: Path) -> None:
    (folder / "x").write_bytes(b"old")
    run = subprocess.run([sys.executable, "-c", KILLED, str(folder / "x")], check=False)
    assert run.returncode == -9
    assert (folder / "x").read_bytes() == b"old"
    with Destination(folder / "x", force=True, go_on=True) as destination:
        resume = destination.resume(URL("http://example.org/x"))
        assert resume is not None
        assert resume.start == 4
        destination.save(Remote(b" and whole", start=4))
    assert contents(folder) == {"x": b"half and whole"}


# --- going on --------------------------------------------------------------------------------------------------------


def break_off(folder: Path, **facts: object) -> None:
    """Save forty octets, then lose the connection."""
    with pytest.raises(ConnectionLost):
        save(Remote(WHOLE[:25], WHOLE[25:40], error=LOST, **facts), folder / "x", go_on=True)  # type: ignore[arg-type]


def test_what_broke_off_is_gone_on_with(folder: Path) -> None:
    break_off(folder)
    assert sorted(os.listdir(folder)) == ["x.anyurl-part", "x.anyurl-part.json"]
    assert json.loads((folder / "x.anyurl-part.json").read_bytes()) == {
        "url": "http://example.org/x", "etag": '"1"', "modified": 800_000_000.0, "size": 100,
    }  # fmt: skip
    with Destination(folder / "x", go_on=True) as destination:
        resume = destination.resume(URL("http://example.org/x"))
        assert resume is not None
        assert (resume.start, resume.etag, resume.modified, resume.size) == (40, '"1"', 800_000_000.0, 100)
        assert destination.save(Remote(WHOLE[40:], start=40)) == 100
    assert contents(folder) == {"x": WHOLE}


def test_what_broke_off_may_break_off_again(folder: Path) -> None:
    break_off(folder)
    with Destination(folder / "x", go_on=True) as destination:
        destination.resume(URL("http://example.org/x"))
        with pytest.raises(ConnectionLost):
            destination.save(Remote(WHOLE[40:60], start=40, error=LOST))
    with Destination(folder / "x", go_on=True) as destination:
        resume = destination.resume(URL("http://example.org/x"))
        assert resume is not None
        assert resume.start == 60
        destination.save(Remote(WHOLE[60:], start=60))
    assert contents(folder) == {"x": WHOLE}


@pytest.mark.promise("complete-files")
@pytest.mark.clause("6-1")
def test_a_resource_that_changed_is_saved_anew_and_never_joined(folder: Path) -> None:
    break_off(folder)
    with Destination(folder / "x", go_on=True) as destination:
        assert destination.resume(URL("http://example.org/x")) is not None
        destination.save(Remote(b"quite another", etag='"2"'))
    assert contents(folder) == {"x": b"quite another"}


def test_when_it_changed_and_breaks_off_again_the_facts_are_the_new_ones(folder: Path) -> None:
    break_off(folder)
    with Destination(folder / "x", go_on=True) as destination:
        destination.resume(URL("http://example.org/x"))
        with pytest.raises(ConnectionLost):
            destination.save(Remote(b"quite", etag='"2"', error=LOST))
    assert (folder / "x.anyurl-part").read_bytes() == b"quite"
    assert json.loads((folder / "x.anyurl-part.json").read_bytes())["etag"] == '"2"'


def test_a_server_that_goes_on_elsewhere_is_an_error(folder: Path) -> None:
    break_off(folder)
    before = contents(folder)
    with Destination(folder / "x", go_on=True) as destination:
        destination.resume(URL("http://example.org/x"))
        with pytest.raises(
            LocalFileError, match="the server's part begins at octet 50, and the partial file ends at 40"
        ):
            destination.save(Remote(b"x", start=50))
    assert contents(folder) == before
    with pytest.raises(LocalFileError, match="the server's part begins at octet 40, and the partial file ends at 0"):
        save(Remote(b"x", start=40), folder / "y")
    assert contents(folder) == before


def test_the_part_of_another_url_is_not_gone_on_with(folder: Path) -> None:
    break_off(folder)
    with Destination(folder / "x", go_on=True) as destination:
        assert destination.resume(URL("http://example.org/y")) is None


FRESH = "Thu, 01 Jan 1970 00:01:00 GMT"


@pytest.mark.parametrize(
    ("etag", "modified", "size", "date", "kept"),
    [
        ('"1"', None, None, None, True), (None, 1.0, 100, None, True), ('W/"1"', 1.0, 100, None, True),
        (None, None, 100, None, False), (None, 1.0, None, None, False), ('W/"1"', None, 100, None, False),
        (None, None, None, None, False),
        ('W/"1"', 1.0, 100, FRESH, False), (None, 1.0, 100, FRESH, False), (None, 0.0, 100, FRESH, True),
    ],
)  # fmt: skip
def test_a_part_is_kept_only_if_the_resource_can_be_proven_the_same(
    folder: Path, etag: str | None, modified: float | None, size: int | None, date: str | None, kept: bool
) -> None:
    break_off(folder, etag=etag, modified=modified, size=size, date=date)
    assert sorted(os.listdir(folder)) == (["x.anyurl-part", "x.anyurl-part.json"] if kept else [])


def test_no_password_is_written_beside_the_part(folder: Path) -> None:
    break_off(folder, url="ftp://me:secret@example.org/x")
    assert b"secret" not in (folder / "x.anyurl-part.json").read_bytes()
    with Destination(folder / "x", go_on=True) as destination:
        assert destination.resume(URL("ftp://me:other@example.org/x")) is not None


@pytest.mark.parametrize(
    "facts",
    [
        b"", b"{", b"[]", b"null", b"[" * 10_000, b'{"url": 1}', b"\xff", b'{"url": "http://example.org/x", "etag": 1}',
        b'{"url": "http://example.org/x", "size": "1"}', b'{"url": "http://example.org/x", "size": true}',
        b'{"url": "http://example.org/x", "modified": "now"}', b" " * 100_000,
    ],
)  # fmt: skip
def test_facts_that_are_none_prove_nothing(folder: Path, facts: bytes) -> None:
    break_off(folder)
    (folder / "x.anyurl-part.json").write_bytes(facts)
    with Destination(folder / "x", go_on=True) as destination:
        assert destination.resume(URL("http://example.org/x")) is None
        destination.save(Remote(WHOLE))
    assert contents(folder) == {"x": WHOLE}


def test_without_go_on_a_part_is_neither_used_nor_touched(folder: Path) -> None:
    break_off(folder)
    before = contents(folder)
    save(Remote(WHOLE), folder / "x")
    assert contents(folder) == {**before, "x": WHOLE}


def test_a_part_that_another_process_writes_is_left_alone(folder: Path) -> None:
    break_off(folder)
    before = contents(folder)
    with Destination(folder / "x", go_on=True) as destination:
        with pytest.raises(LocalFileError, match="another process is writing it"):
            Destination(folder / "x", go_on=True)
        assert contents(folder) == before
        destination.resume(URL("http://example.org/x"))
        destination.save(Remote(WHOLE[40:], start=40))
    assert contents(folder) == {"x": WHOLE}


def test_a_part_that_somebody_else_laid_there_is_not_completed(folder: Path) -> None:
    (folder / "victim").write_bytes(b"victim")
    (folder / "x.anyurl-part").symlink_to("victim")
    with pytest.raises(LocalFileError, match="too many levels of symbolic links"):
        Destination(folder / "x", go_on=True)
    (folder / "x.anyurl-part").unlink()
    os.link(folder / "victim", folder / "x.anyurl-part")
    with pytest.raises(LocalFileError, match="others may have written its part"):
        Destination(folder / "x", go_on=True)
    (folder / "x.anyurl-part").unlink()
    (folder / "x.anyurl-part").write_bytes(b"x")
    (folder / "x.anyurl-part").chmod(0o666)
    with pytest.raises(LocalFileError, match="others may have written its part"):
        Destination(folder / "x", go_on=True)
    (folder / "x.anyurl-part").unlink()
    os.mkfifo(folder / "x.anyurl-part")
    with pytest.raises(LocalFileError, match=r"no such device or address|its part is a FIFO"):
        Destination(folder / "x", go_on=True)
    if os.geteuid() == 0:
        (folder / "x.anyurl-part").unlink()
        (folder / "x.anyurl-part").write_bytes(b"x")
        (folder / "x.anyurl-part").chmod(0o600)
        os.chown(folder / "x.anyurl-part", NOBODY, NOBODY)
        with pytest.raises(LocalFileError, match="others may have written its part"):
            Destination(folder / "x", go_on=True)
    assert (folder / "victim").read_bytes() == b"victim"


def test_a_long_name_has_a_part_all_the_same(folder: Path) -> None:
    name = "é" * 127
    with pytest.raises(ConnectionLost):
        save(Remote(WHOLE[:40], error=LOST), folder / name, go_on=True)
    with Destination(folder / name, go_on=True) as destination:
        resume = destination.resume(URL("http://example.org/x"))
        assert resume is not None
        destination.save(Remote(WHOLE[40:], start=resume.start))
    assert contents(folder) == {name: WHOLE}


def test_a_destination_that_is_not_used_leaves_nothing(folder: Path) -> None:
    for go_on in (False, True):
        with Destination(folder / "x", go_on=go_on) as destination:
            assert destination.resume(URL("http://example.org/x")) is None
        destination.close()
    assert contents(folder) == {}


# --- names from a server ---------------------------------------------------------------------------------------------

NAMES = [
    ("report.pdf", "report.pdf", "an ordinary name"),
    ("Grüße 2.txt", "Grüße 2.txt", "letters and spaces"),
    ("../../x", "x", "E1: a way out"),
    ("/etc/passwd", "passwd", "E2: an absolute path"),
    ("..\\..\\x", "x", "E3: a way out in Windows"),
    ("C:\\x\\y", "y", "a path in Windows"),
    ("dir/", "dir", "a directory"),
    (".", "index", "E4"),
    ("..", "index", "E4"),
    ("...", "index", "nothing but dots"),
    ("a/..", "index", "E4"),
    ("", "index", "E4"),
    ("/", "index", "E4"),
    (" ", "index", "nothing to see"),
    ("a\x1b[31m", "a%1B[31m", "E5: a terminal would obey"),
    ("a\r\nb\tc", "a%0D%0Ab%09c", "E5: lines"),
    ("a\x7fb\x9bc", "a%7Fb%C2%9Bc", "E5: DEL and C1"),
    ("a\u202egpj.exe", "a%E2%80%AEgpj.exe", "a direction mark"),
    ("a\u2028b", "a%E2%80%A8b", "a line separator"),
    ("a\udcffb", "a%FFb", "an octet that is not UTF-8"),
    ("a\udc80b", "a%80b", "the first of those octets"),
    ("a\udc7fb", "a%ED%B1%BFb", "half of a pair that stands for no octet"),
    ("a\udd00b", "a%ED%B4%80b", "another one"),
    ("a\ud800b", "a%ED%A0%80b", "half a character"),
    (".bashrc", "_.bashrc", "E7: hidden"),
    ("-rf", "_-rf", "E7: an option"),
    ("~root", "_~root", "somebody's home"),
    ("CON", "_CON", "E8: a device"),
    ("con.txt", "_con.txt", "E8: a device with a suffix"),
    ("com1", "_com1", "E8: a device"),
    ("COM¹.log", "_COM¹.log", "E8: a device with a superscript"),
    ("nul .txt", "_nul .txt", "E8: a device with a space"),
    ("nul:", "_nul:", "E8: a device, as it is also written"),
    ("aux:.txt", "_aux:.txt", "E8: the same with a suffix"),
    ("c:evil", "_c:evil", "E2: a file of another drive"),
    ("10:30", "10:30", "a colon that only Windows obeys there"),
    ("control", "control", "no device"),
    ("x.", "x._", "E8: Windows drops a final dot"),
    ("x ", "x _", "E8: Windows drops a final space"),
]


@pytest.mark.parametrize(("text", "expected", "reason"), NAMES, ids=[row[2] for row in NAMES])
def test_a_servers_name_becomes_a_file_name(
    text: str, expected: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "WRITES", True)
    assert safe_name(text) == expected
    assert safe_name(safe_name(text)) == safe_name(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10:30", "10%3A30"),  # a stream of the file 10
        ("report.txt::$DATA", "report.txt%3A%3A$DATA"),
        ("c:evil", "c%3Aevil"),
        ("nul:", "nul%3A"),
        ("con", "_con"),
        ('a<b>"c|d?e*f', "a%3Cb%3E%22c%7Cd%3Fe%2Af"),
        ("a\\b:c", "b%3Ac"),
    ],
)
def test_on_windows_a_name_has_nothing_that_it_has_in_none(
    text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "WRITES", False)
    assert safe_name(text) == expected
    assert safe_name(expected) == expected


def test_nul_in_a_name_is_an_error() -> None:
    with pytest.raises(LocalFileError, match="it holds NUL"):
        safe_name("x\0.txt")


def test_a_leading_dot_may_be_asked_for() -> None:
    assert safe_name(".bashrc", hidden=True) == ".bashrc"
    assert safe_name("-rf", hidden=True) == "_-rf"
    assert safe_name("..", hidden=True) == "index"


def test_a_long_name_is_cut_and_stays_one_of_a_kind() -> None:
    one, other = safe_name("é" * 200 + ".tar"), safe_name("é" * 201 + ".tar")
    assert one != other
    assert one.endswith(".tar")
    assert 250 <= len(one.encode()) <= 255
    assert len(safe_name("x" * 300).encode()) == 255
    assert len(safe_name("x." + "y" * 300).encode()) == 255
    assert safe_name("x" * 255) == "x" * 255


@given(st.text(max_size=400))
def test_a_safe_name_is_safe(text: str) -> None:
    if "\0" in text:
        return
    name = safe_name(text)
    assert name.isprintable()
    assert "/" not in name
    assert "\\" not in name
    assert name[0] not in "-.~"
    assert name[-1] not in ". "
    assert 0 < len(name.encode("utf-8")) <= 255
    assert safe_name(name) == name
    with patch.object(system, "WRITES", False):
        name = safe_name(text)
        assert system.is_plain_name(name)
        assert 0 < len(name.encode("utf-8")) <= 255
        assert safe_name(name) == name


# --- times -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("go_on", [False, True])
def test_a_file_has_the_time_of_the_resource(folder: Path, go_on: bool) -> None:
    save(Remote(WHOLE), folder / "x", go_on=go_on)
    assert (folder / "x").stat().st_mtime == 800_000_000.0
    save(Remote(WHOLE), folder / "y", go_on=go_on, times=False)
    save(Remote(WHOLE, modified=None), folder / "z", go_on=go_on)
    assert min((folder / name).stat().st_mtime for name in "yz") > 1_600_000_000


@pytest.mark.parametrize("modified", [-1e30, 1e30, float("nan"), float("inf")])
def test_a_time_that_no_file_can_have_costs_no_file(folder: Path, modified: float) -> None:
    save(Remote(WHOLE, modified=modified), folder / "x")
    assert (folder / "x").read_bytes() == WHOLE


# --- checksums -------------------------------------------------------------------------------------------------------

SUM = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
"""sha256 of ``hello``."""

MD5 = hashlib.md5(b"hello").hexdigest()


@pytest.mark.parametrize("go_on", [False, True])
@pytest.mark.parametrize(
    "checksum", [f"sha256:{SUM}", f"SHA-256:{SUM.upper()}", f"md5:{hashlib.md5(b'hello').hexdigest()}"]
)
def test_a_file_with_its_checksum_is_saved(folder: Path, checksum: str, go_on: bool) -> None:
    assert save(Remote(b"hello"), folder / "x", checksum=checksum, go_on=go_on) == 5
    assert contents(folder) == {"x": b"hello"}


@pytest.mark.parametrize("go_on", [False, True])
def test_a_file_with_another_checksum_gets_no_name(folder: Path, go_on: bool) -> None:
    with pytest.raises(RemoteProtocolError, match=f"and you gave {SUM}: it is not saved"):
        save(Remote(b"hell0"), folder / "x", checksum=f"sha256:{SUM}", go_on=go_on)
    assert contents(folder) == {}


@pytest.mark.parametrize("checksum", ["", "sha256", "sha256:12", "sha256:xyz", "crc32:00000000", "sha256-AAAA"])
def test_what_is_no_checksum_is_told_before_the_transfer(folder: Path, checksum: str) -> None:
    with pytest.raises(ValueError, match="a checksum"):
        Destination(folder / "x", checksum=checksum)


@pytest.mark.parametrize("field", ["Repr-Digest", "Digest"])
@pytest.mark.parametrize(("content", "saved"), [(b"hello", True), (b"hell0", False)])
def test_the_digest_that_a_server_tells_is_compared(folder: Path, field: str, content: bytes, saved: bool) -> None:
    digest = base64.b64encode(bytes.fromhex(SUM)).decode()
    value = f"sha-256=:{digest}:" if field == "Repr-Digest" else f"SHA-256={digest}"

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(content, f"{field}: {value}"))

    with Server(part) as server, Client(Policy.open()) as client:
        resource = client.get(f"http://{server.authority}/x")
        if saved:
            save(resource, folder / "x")
        else:
            with pytest.raises(RemoteProtocolError, match=f"and the server told {SUM}"):
                save(resource, folder / "x")
    assert contents(folder) == ({"x": content} if saved else {})
