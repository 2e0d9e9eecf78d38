"""Every reply that an FTP server may give while a download is continued, and what is kept of it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl.dialogue import Describe, Options, Resume
from anyurl.errors import AnyURLError, Truncated
from anyurl.saving.save import Destination
from anyurl.schemes.ftp.verbs import _resumable, get
from anyurl.url import URL
from tests.schemes.ftp.ftp_script import Rehearsed

URL_OF_IT = URL("ftp://h/x.bin")
OLD, NEW, AS_LONG = bytes(range(100)), bytes(reversed(range(90))), bytes(reversed(range(100)))
HAD = 40
THEN, LATER = b"213 19941201000000\r\n", b"213 20010101000000\r\n"

SIZES = {"same": b"213 100\r\n", "other": b"213 90\r\n", "none": b"550 no\r\n", "lines": b"213-it is\r\n213 100\r\n"}
TIMES = {"same": THEN, "other": LATER, "none": b"500 what?\r\n"}
RESTS = {"350": b"350 ok\r\n", "502": b"502 no\r\n", "200": b"200 fine\r\n", "ignored": b"350 ok\r\n"}
RETRS = {
    "226": b"150 here\r\n226 done\r\n", "426": b"150 here\r\n426 broken\r\n", "silent": b"150 here\r\n",
    "550": b"550 no\r\n", "425": b"425 no\r\n",
}  # fmt: skip


class Arrived:
    """A resource, for `Destination`."""

    def __init__(self, told: Describe, content: bytes) -> None:
        self.url, self.start, self.size = URL_OF_IT, told.start, told.size
        self.modified, self.etag, self.attributes = told.modified, told.etag, dict[str, object]()
        self.content = content

    def iter_bytes(self) -> Iterator[bytes]:
        yield self.content


def run_get(folder: Path, answers: dict[str, bytes], content: bytes, *, ignores_rest: bool = False) -> Any:
    """One ``get --continue`` against a server with these replies; the error, or None."""
    with Destination(folder / "x", go_on=True) as destination:
        resume = destination.resume(URL_OF_IT)
        start = resume.start if resume is not None else 0
        done: Rehearsed | None = None
        # What a data connection brings depends on whether REST was said and taken before.
        for rest in (True, False):
            taken = rest and start and not ignores_rest
            part = content[start:] if taken else content
            done = Rehearsed(get(URL_OF_IT, Options(resume=resume or Resume(0))), answers, data=[[part]])
            said = bool(done.described and done.described.start)
            if said == rest:
                break
        assert done is not None
        try:
            if done.described is not None:
                destination.prepare(Arrived(done.described, b""))
                destination.write(done.content)
            if done.error is not None:
                return done.error
            destination.finish()
        except AnyURLError as error:
            return error
    return None


HONEST = {"SIZE": SIZES["same"], "MDTM": THEN, "REST": RESTS["350"], "RETR": RETRS["226"]}


def begin(folder: Path) -> None:
    for name in os.listdir(folder):
        (folder / name).unlink()
    error = run_get(folder, {**HONEST, "RETR": RETRS["426"]}, OLD[:HAD])
    assert isinstance(error, Truncated)
    assert part_of(folder) == OLD[:HAD]


def part_of(folder: Path) -> bytes:
    part = folder / "x.anyurl-part"
    return part.read_bytes() if part.exists() else b""


def test_no_reply_loses_octets_mixes_files_or_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    for size, time, rest, retr in itertools.product(SIZES, TIMES, RESTS, RETRS):
        is_new = size == "other" or time == "other"
        begin(tmp_path)
        what = (size, time, rest, retr)
        new = AS_LONG if size in ("same", "lines") else NEW
        content = new if is_new else OLD
        replies = {"SIZE": SIZES[size], "MDTM": TIMES[time], "REST": RESTS[rest], "RETR": RETRS[retr]}
        error = run_get(tmp_path, replies, content, ignores_rest=rest == "ignored")
        if error is None:
            assert (tmp_path / "x").read_bytes() == content, what
            continue
        part = part_of(tmp_path)
        if rest != "ignored":
            assert OLD.startswith(part) or (is_new and new.startswith(part)), (what, error)
            assert len(part) >= HAD or is_new or retr in ("550", "425"), (what, error)
        assert run_get(tmp_path, HONEST, OLD) is None, (what, error)  # the same command, with the file as it was
        assert (tmp_path / "x").read_bytes() == OLD, what


@pytest.mark.parametrize(("then", "now", "start"), [(1.0, 1.0, 5), (1.0, 2.0, 0), (None, 2.0, 5), (1.0, None, 5)])
def test_what_is_compared_has_the_same_time(then: float | None, now: float | None, start: int) -> None:
    """A size that is not told proves nothing, but a time that is another one does."""
    steps = _resumable(Resume(5, modified=then, compares=True), "i", None, now)
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == start
