"""Resource: what a URL turned out to designate, read as the consumer wants it (RFC 1738 section 2).

Rule: nothing is transferred that nobody reads, and what is not read to its end is let go: by `close`, by ``with``, or
when the resource is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from os import getpid
from threading import Lock, local
from typing import TYPE_CHECKING, Any
from weakref import ref

from anyurl.access.gateways import GATEWAY
from anyurl.dialogue import Describe, Entry, Headers, Kind
from anyurl.errors import LimitError, LocalProtocolError, escape
from anyurl.net.provenance import named_by
from anyurl.url import URL
from anyurl.values import Provenance, Value

if TYPE_CHECKING:
    from weakref import ReferenceType

    from anyurl.access.form import Form
    from anyurl.net.scheduler import Scheduler
    from anyurl.net.task import Piece, Task


ONE_READER = "Somebody else reads this resource already: each would get only some of its octets."

_first = Lock()


class _Thread:
    """Stands for a thread, and goes with it: a number (`get_ident`) may be the next thread's."""

    __slots__ = ("__weakref__",)


_here = local()


def _thread() -> _Thread:
    """What stands for the thread that runs this."""
    try:
        found: _Thread = _here.thread
    except AttributeError:
        found = _here.thread = _Thread()
    return found


NOTED_BYTES = 64 * 1024 * 1024
"""Octets in memory at once that are worth a remark where no limit is set: what a stranger's URL may have."""


class Hop(Value):
    """One step on the way to the resource.

    Attributes:
        url: The URL that led on.
        reason: Why: ``301``, ``prospero link``.
        permanent: Whether the URL should be replaced by the next one.
    """

    url: URL
    reason: str
    permanent: bool


class Description:
    """What is known of a resource before it is read; `Resource` and `AsyncResource` share it.

    Attributes:
        url: Where it was found (after redirects).
        kind: ``document``, ``listing``, ``index``, ``form``, ``service`` or ``mailbox``.
        type: The media type in lower case, without parameters, or None.
        size: Octets of the whole, or None.
        modified: Seconds since the epoch, or None.
        etag: Entity tag, or None.
        name: What the server calls it, or None. Hostile: `anyurl.access.save.safe_name` makes a file name of it.
        start: Offset of the first octet that comes (not 0 only when a resumption was granted).
        attributes: What else is known; JSON values.
        history: The hops that led here, first to last.
        notes: What is worth saying and no error.
    """

    def __init__(self, url: URL, described: Describe | None, history: Sequence[Hop], notes: list[str]) -> None:
        self._fill(url, described, history, notes)

    def _fill(self, url: URL, described: Describe | None, history: Sequence[Hop], notes: list[str]) -> None:
        self.url: URL = url
        self._take(described or Describe("document"))
        self.history: tuple[Hop, ...] = tuple(history)
        self.notes: list[str] = notes

    def _take(self, said: Describe) -> None:
        self.kind: Kind = said.kind
        self.type: str | None = said.type
        self.size: int | None = said.size
        self.modified: float | None = said.modified
        self.etag: str | None = said.etag
        self.name: str | None = said.name
        self.start: int = said.start
        self.attributes: Mapping[str, object] = said.attributes
        self._headers: Sequence[tuple[str, str]] = said.headers

    @property
    def status(self) -> int | None:
        """The status of the answer (RFC 9110 15), where the protocol has one."""
        status = self.attributes.get("status")
        return status if isinstance(status, int) else None

    @property
    def version(self) -> str | None:
        """The version of HTTP that was spoken: ``1.1``, ``2``, ``3``; None for other protocols."""
        version = self.attributes.get("version")
        return version if isinstance(version, str) else None

    @property
    def headers(self) -> Headers:
        """The header fields of the answer; none where the protocol has no such."""
        return Headers(self._headers)

    @property
    def base(self) -> URL:
        """What relative references in the content are relative to: `url`, or the URL that a gateway answered for."""
        last = self.history[-1] if self.history else None
        return last.url if last is not None and last.reason == GATEWAY else self.url

    @property
    def form(self) -> Form | None:
        """What it asks, if it is a form: its answers are what ``client.get(url, answers=...)`` takes."""
        if self.kind != "form":
            return None
        from anyurl.access.form import Form

        questions: Any = self.attributes.get("questions", ())
        return Form(questions)

    @property
    def content_type(self) -> str | None:
        """The media type in lower case, without parameters, or None."""
        return self.type

    @property
    def charset(self) -> str | None:
        """The charset that was said, in lower case, or None."""
        charset = self.attributes.get("charset")
        return charset if isinstance(charset, str) else None

    def decode(self, data: bytes) -> str:
        """A text's octets as characters: the charset that was said, else UTF-8, else Latin-1; never an error."""
        for charset in (self.charset, "utf-8"):
            try:
                return data.decode(charset or "utf-8")
            except (LookupError, UnicodeDecodeError):
                continue
        return data.decode("latin-1")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.kind} {self.url.masked}>"


class Whole:
    """The content of a resource as it is put together, without a second copy at the end.

    Args:
        most: Octets that the policy puts into memory, or None.
        limit: What the caller says instead, or None.
    """

    __slots__ = ("_resource", "_most", "_own", "_first", "_more", "_size")

    def __init__(self, resource: Description, most: int | None, limit: int | None) -> None:
        self._resource = resource
        self._most = most if limit is None else limit
        self._own = limit is not None
        self._first = b""
        self._more: BytesIO | None = None
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Raises LimitError when that is more than is welcome."""
        self._size += len(piece)
        if self._most is not None and self._size > self._most:
            hint = "" if self._own else "; in pieces (iter_bytes) or to a file (save) it may be larger"
            raise LimitError(
                f"{self._resource.url.masked} has more than {self._most:,} octets: the limit allows no more{hint}.",
                limit="read" if self._own else "max_read",
            )
        if not self._first:
            self._first = piece
            return
        if self._more is None:
            self._more = BytesIO()
            self._more.write(self._first)
        self._more.write(piece)

    def octets(self) -> bytes:
        """All of it: the very octets that were written, which are not copied."""
        if self._more is None:
            return self._first
        if self._most is None and self._size > NOTED_BYTES:
            self._resource.notes.append(
                f"{self._size:,} octets are in memory: no limit is set (Limits.max_read); iter_bytes gives pieces"
            )
        return self._more.getvalue()

    def clear(self) -> None:
        """Let go of what came."""
        self._first, self._more = b"", None


class Resource(Description):
    """A resource that is open for reading. Made by `Client.open`; used by the thread that opened it."""

    def __init__(self, scheduler: Scheduler, task: Task, history: Sequence[Hop]) -> None:
        self._fill(task.url, task.described, history, task.notes)
        self._scheduler = scheduler
        self._task = task
        self._reader: ReferenceType[_Thread] | None = None

    @property
    def content_origin(self) -> Provenance:
        """The provenance of the URLs in its content: what ``came_from=resource`` means."""
        return named_by(self._task, "listing" if self.kind == "listing" else "document")

    def __enter__(self) -> Resource:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def iter_bytes(self) -> Iterator[bytes]:
        """The content, piece by piece (any size up to some 128 KiB).

        A listing comes as text/uri-list (RFC 2483): one URL a line.

        Raises:
            AnyURLError: The transfer failed; what came before it was given out.
        """
        while (piece := self._next()) is not None:
            yield piece if isinstance(piece, bytes) else uri_list(piece)

    def read(self, limit: int | None = None) -> bytes:
        """All of the content, in memory once.

        Args:
            limit: Octets that are still welcome; the policy's `Limits.max_read` when None.

        Raises:
            LimitError: There is more than `limit`.
            AnyURLError: The transfer failed.
        """
        self._check_reader()
        whole = Whole(self, self._scheduler.policy.limits.max_read, limit)
        try:
            while (next := self._scheduler.next_piece(self._task)) is not None:
                whole.add(next if isinstance(next, bytes) else uri_list(next))
        except BaseException as error:
            whole.clear()  # the error leads to this frame: what came would live as long as it
            if isinstance(error, LimitError):
                self.close()
            raise
        return whole.octets()

    def text(self) -> str:
        """All of the content, as characters (`Description.decode`)."""
        return self.decode(self.read())

    def entries(self) -> Iterator[Entry]:
        """The entries of a listing, as they come.

        Raises:
            AnyURLError: The transfer failed; what came before it was given out.
        """
        while (piece := self._next()) is not None:
            if not isinstance(piece, bytes):
                yield from piece

    def _check_reader(self) -> None:
        """Raises LocalProtocolError for a second thread, and for a child process: each would get half of it.

        A thread that has ended reads nothing more, and another one may go on.
        """
        check_process(self._scheduler)
        here = _thread()
        with _first:
            reader = None if self._reader is None else self._reader()
            if reader is None:
                self._reader = ref(here)
            elif reader is not here:
                raise LocalProtocolError(ONE_READER)

    def _next(self) -> Piece | None:
        self._check_reader()
        return self._scheduler.next_piece(self._task)

    @property
    def complete(self) -> bool:
        """Whether everything has come (though perhaps not been read yet)."""
        return self._task.done and self._task.error is None

    def close(self) -> None:
        """Let go of everything that is still open; the rest is not transferred."""
        self._scheduler.drop(self._task)

    def __del__(self) -> None:
        # A resource that was forgotten must not keep its connection until the client ends. Ctrl-C may have come before
        # there was anything to forget.
        try:
            task = self._task
        except AttributeError:
            return
        if task is not None:
            self._scheduler.forget(task)


def check_process(scheduler: Scheduler) -> None:
    """Raises LocalProtocolError in a child process, which would take octets that its parent waits for."""
    if scheduler.process != getpid():
        raise LocalProtocolError("This resource belongs to the process that opened it, and this is a child of it.")


def as_url(url: URL | str) -> URL:
    """What a caller gave, as a URL: whoever rebinds the name has no text in a frame that a traceback could show."""
    if isinstance(url, str):
        return URL(url)
    if not isinstance(url, URL):
        raise TypeError(f"what is opened is a URL or a str, not {type(url).__name__}")
    return url


def uri_list(entries: Sequence[Entry]) -> bytes:
    """Entries as text/uri-list (RFC 2483 5): one URL a line, passwords masked; an entry that has none is a comment."""
    lines = (f"# {escape(entry.name)}" if entry.url is None else entry.url.masked for entry in entries)
    return "".join(f"{line}\r\n" for line in lines).encode("ascii", "backslashreplace")
