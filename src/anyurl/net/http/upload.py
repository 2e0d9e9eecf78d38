"""Upload: passes the caller's source to libcurl.

Rule: the source may be anything, even another resource of the same client: it is read outside of libcurl's callbacks, a
piece at a time. Of one whose size is known, such as a file, the next piece is read while the last one is sent, and
nothing after its size, which libcurl does not ask for; for any other, which may have nothing to give for a long time,
libcurl is paused first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyurl.errors import AnyURLError
from anyurl.net.http.errors import unreadable
from anyurl.net.http.libcurl import pycurl
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.task import Source, Task
from anyurl.net.wire.outgoing import Outgoing

UPLOAD_AT_MOST = 256 * 1024
"""Octets read from the caller's source at a time, and the size of libcurl's upload buffer: each piece costs a pause and
a turn of the loop, so libcurl's usual 64 KiB take twice the time; larger pieces win nothing."""


def set_method(easy: Any, method: str, upload: Upload | None) -> None:
    """Set the method of a request, and whether it has a content."""
    easy.setopt(pycurl.HTTPGET, 1)
    plain = "GET"
    if upload is not None:
        easy.setopt(pycurl.UPLOAD, 1)
        easy.setopt(pycurl.UPLOAD_BUFFERSIZE, UPLOAD_AT_MOST)
        easy.setopt(pycurl.INFILESIZE_LARGE, upload.size)
        plain = "PUT"
    elif method == "HEAD":
        easy.setopt(pycurl.NOBODY, 1)
        plain = "HEAD"
    if method == plain:
        easy.unsetopt(pycurl.CUSTOMREQUEST)
    else:
        easy.setopt(pycurl.CUSTOMREQUEST, method)


class Upload:
    """The body of one request.

    Args:
        source: None for an empty body.
        go_on: Called when libcurl may read again; with the error of the source, if it has failed.
        easy: The handle that sends it.

    Attributes:
        outgoing: How much of it has reached the peer.
    """

    __slots__ = (
        "_scheduler",
        "_task",
        "_source",
        "_whole",
        "_go_on",
        "_piece",
        "_refilling",
        "_paused",
        "_read_octets",
        "_sent",
        "_easy",
        "outgoing",
    )

    def __init__(
        self,
        scheduler: Scheduler,
        task: Task,
        source: Source | None,
        go_on: Callable[[AnyURLError | None], None],
        easy: Any,
    ) -> None:
        self.outgoing: Outgoing = Outgoing(lambda: self._sent, self._descriptor)
        self._sent = 0
        self._easy = easy
        self._scheduler = scheduler
        self._task = task
        self._source = source
        self._whole = source
        self._go_on = go_on
        self._piece: bytes | memoryview = b""
        self._refilling = self._paused = False
        self._read_octets = 0  # since its beginning

    @property
    def size(self) -> int:
        """The total number of octets, or -1 if unknown, as libcurl expects."""
        if self._source is None:
            return 0
        return -1 if self._source.size is None else self._source.size

    def read(self, at_most: int) -> bytes | int:
        """The next octets, ``b""`` at the end, or the number that tells libcurl to wait."""
        if not self._piece and self._source is not None:
            self._paused = True
            self._read_on()
            return int(pycurl.READFUNC_PAUSE)
        piece = self._piece
        if len(piece) <= at_most:
            data, self._piece = piece, b""
        else:
            data, self._piece = bytes(piece[:at_most]), memoryview(piece)[at_most:]
        self._sent += len(data)
        if not self._piece and self._source is not None and self._read_octets < self.size:
            self._read_on()
        return data if isinstance(data, bytes) else bytes(data)

    def _read_on(self) -> None:
        if not self._refilling:
            self._refilling = True
            self._scheduler.loop.soon(self._refill)

    def _descriptor(self) -> int:
        try:
            return int(self._easy.getinfo(pycurl.ACTIVESOCKET))
        except pycurl.error:  # not available inside callbacks; nothing was sent at the first call
            return -1

    def _refill(self) -> None:
        task, source = self._task, self._source
        if source is None or not self._refilling:  # it was rewound meanwhile, and is read already
            return
        waited = task.timing.waits_until
        task.timing.answered()  # reading the source is not a wait for the peer
        data, failure = b"", None
        try:
            data = self._scheduler.loop.call_out(source.read, UPLOAD_AT_MOST)
        except Exception as error:
            failure = error if isinstance(error, AnyURLError) else unreadable(error)
        if self._source is not source:  # the request has ended meanwhile: reading another resource turns the loop
            return
        self._piece, self._refilling = data, False
        self._read_octets += len(data)
        if not data:
            self._source = None
        if waited is not None:
            self._scheduler.clocks.awaits_peer(task, None, "idle", self.outgoing)
        paused, self._paused = self._paused, False
        if paused or failure is not None:
            self._go_on(failure)

    def rewind(self) -> bool:
        """Rewind for a retry, after a kept connection was closed before the request was read; False if impossible."""
        source = self._whole
        if source is None or not source.can_rewind:
            return source is None
        try:
            source.rewind()
        except AnyURLError:
            return False
        self._source, self._piece, self._refilling, self._paused = source, b"", False, False
        self._read_octets = 0
        return True

    def close(self) -> None:
        """The request has ended: ignore a read of the source that is still running."""
        self._source = self._whole = None
