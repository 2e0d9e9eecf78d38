"""Resource: the resource that a URL designates, open for reading (RFC 1738 section 2).

Rule: content is transferred only as it is read, and an unfinished transfer is dropped by `close`, at the end of
``with``, or when the resource is garbage-collected.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from io import BufferedIOBase, BufferedReader, BytesIO, UnsupportedOperation
from os import getpid
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from anyurl.client.redirect import Hop, RedirectChain
from anyurl.dialogue import Describe, Entry, Headers, Kind, Resume
from anyurl.errors import LimitError, LocalProtocolError
from anyurl.errors.reasons import exhaustion_translated
from anyurl.guard import hops
from anyurl.net.loop.provenance import named_by
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.stream import Piece, Stream
from anyurl.url import URL
from anyurl.values import Provenance, SourceSignature

if TYPE_CHECKING:
    from weakref import ReferenceType

    from anyurl.client.form import Form
    from anyurl.client.web_links import WebLink


ONE_READER = "Another reader uses this resource already: each would get only some of its octets."

_first = threading.Lock()


class _Thread:
    """An object that identifies a thread and dies with it; a number (`get_ident`) may be reused by another thread."""

    __slots__ = ("__weakref__",)


_here = threading.local()


def _thread() -> ReferenceType[_Thread]:
    """A weak reference to the object that identifies the current thread."""
    try:
        found: ReferenceType[_Thread] = _here.found
    except AttributeError:
        _here.thread = _Thread()
        found = _here.found = ref(_here.thread)
    return found


MAX_ANSWER_BYTES = 1024 * 1024
"""The longest response to a put that is kept: a page or a JSON record; a longer one is read and discarded."""

NOT_KEPT = f"the server's answer has more than {MAX_ANSWER_BYTES:,} octets and was not kept"

NOTED_BYTES = 64 * 1024 * 1024
"""Octets in memory from which a remark is made if no limit is set: the limit for a stranger's URL."""


class Description:
    """The attributes of a resource, known before it is read; shared by `Resource` and `AsyncResource`.

    Attributes:
        url: Its URL, after redirects.
        kind: ``document``, ``listing``, ``index``, ``form``, ``service`` or ``mailbox``.
        size: The size in octets, or None.
        start: Offset of the first octet transferred (0 unless the server agreed to resume).
        history: The hops that led here, first to last.
        notes: Remarks that are not errors.
    """

    def __init__(self, url: URL, described: Describe | None, history: Sequence[Hop], notes: list[str]) -> None:
        self._fill(url, described, history, notes)

    def _fill(self, url: URL, described: Describe | None, history: Sequence[Hop], notes: list[str]) -> None:
        said = described or Describe("document")
        self.url: URL = url
        self.history: tuple[Hop, ...] = tuple(history)
        self.notes: list[str] = notes
        self.kind: Kind = said.kind
        self.size: int | None = said.size
        self.start: int = said.start
        self._said = said

    @property
    def type(self) -> str | None:
        """The media type in lower case, without parameters, or None."""
        return self._said.type

    @property
    def modified(self) -> float | None:
        """Seconds since the epoch, or None."""
        return self._said.modified

    @property
    def etag(self) -> str | None:
        """Entity tag, or None."""
        return self._said.etag

    @property
    def name(self) -> str | None:
        """The server's name for it, or None. Untrusted: `anyurl.saving.save.safe_name` makes it a file name."""
        return self._said.name

    @property
    def attributes(self) -> Mapping[str, object]:
        """Further attributes, as JSON values."""
        return self._said.attributes

    @property
    def status(self) -> int | None:
        """The status of the response (RFC 9110 15), if the protocol has one."""
        status = self.attributes.get("status")
        return status if isinstance(status, int) else None

    @property
    def version(self) -> str | None:
        """The version of HTTP: ``1.1``, ``2``, ``3``; None for other protocols."""
        version = self.attributes.get("version")
        return version if isinstance(version, str) else None

    @property
    def headers(self) -> Headers:
        """The header fields of the response; empty for a protocol without fields."""
        return Headers(self._said.headers)

    def _links(self, origin: Provenance) -> tuple[WebLink, ...]:
        fields = [value for name, value in self._said.headers if name == "link"]
        if not fields:
            return ()
        return _web_links(fields, self.base, origin)

    @property
    def base(self) -> URL:
        """The base for relative references in the content: `url`, or the URL that a gateway answered for."""
        base = self.url
        for hop in reversed(self.history):  # there may be several gateways in a row
            if hop.reason != hops.GATEWAY:
                break
            base = hop.url
        return base

    @property
    def form(self) -> Form | None:
        """The questions, if it is a form: the answers are for ``client.get(url, answers=...)``."""
        if self.kind != "form":
            return None
        return _form(self.attributes.get("questions", ()))

    @property
    def content_type(self) -> str | None:
        """The media type in lower case, without parameters, or None."""
        return self.type

    @property
    def charset(self) -> str | None:
        """The declared charset in lower case, or None."""
        charset = self.attributes.get("charset")
        return charset if isinstance(charset, str) else None

    def decode(self, data: bytes) -> str:
        """Decode the octets of a text; never fails.

        The charset is that of the byte order mark, else the declared one, else the one named at the start of an HTML or
        XML text, else UTF-8 (WHATWG HTML 13.2.3.2). An octet that does not fit is the character of Latin-1.
        """
        from anyurl.client.text_decoder import TextDecoder

        return TextDecoder(self.type, self.charset).decode(data, final=True)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.kind} {self.url.masked}>"

    def _repr_html_(self) -> str:
        from anyurl.errors.notebook import facts, link

        known = (("kind", self.kind), ("status", self.status), ("type", self.type), ("size", self.size))
        return link(self.url.masked, self.url.display) + facts((*known, ("notes", "; ".join(self.notes))))


class Whole:
    """The content of a resource, assembled in memory without a second copy at the end.

    Args:
        most: The policy's limit in octets, or None.
        limit: The caller's limit, which replaces it, or None.
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
        """Add a piece. Raises LimitError beyond the limit."""
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
        """The whole content, without a copy."""
        if self._more is None:
            return self._first
        if self._most is None and self._size > NOTED_BYTES:
            self._resource.notes.append(
                f"{self._size:,} octets are in memory: no limit is set (Limits.max_read); iter_bytes gives pieces"
            )
        return self._more.getvalue()

    def clear(self) -> None:
        """Discard the content."""
        self._first, self._more = b"", None


class Resource(Description):
    """A resource that is open for reading. Created by `Client.open`; used by the thread that opened it.

    It is a binary file object (`io.BufferedIOBase`), which json, csv, gzip, zipfile and pandas accept. It is seekable
    if the scheme supports ranges.
    """

    __signature__: Final = SourceSignature()

    def __init__(self, scheduler: Scheduler, chain: RedirectChain) -> None:
        stream = chain.stream
        self._fill(stream.parties.url, stream.described, chain.history, stream.notes)
        self._scheduler = scheduler
        self._stream = stream
        self._reader: ReferenceType[_Thread] | None = None
        self._chain = chain
        self._file: BufferedReader | None = None
        self._closed = False

    @property
    def content_origin(self) -> Provenance:
        """The provenance of the URLs in its content, as used by ``came_from=resource``."""
        parties = self._stream.parties
        return named_by(parties, parties.lists if self.kind == "listing" else "document")

    @property
    def links(self) -> tuple[WebLink, ...]:
        """The links in the Link fields of the response (RFC 8288); empty for a protocol without fields."""
        return self._links(self.content_origin)

    def __enter__(self) -> Resource:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def iter_bytes(self) -> Iterator[bytes]:
        """Iterate over the content in pieces (of any size up to some 300 KiB).

        A listing is converted to text/uri-list (RFC 2483): one URL per line.

        Raises:
            AnyURLError: The transfer failed; earlier pieces have been yielded.
        """
        while True:
            # After use as a file, its buffer holds the next octets, and its position counts.
            piece = self.next_octets() if self._file is None else self._file.read1() or None
            if piece is None:
                return
            yield piece

    def _gathered(self) -> Iterator[list[bytes]]:
        """Iterate over the content in lists of the received pieces, which `iter_bytes` would have to join.

        Raises:
            AnyURLError: The transfer failed; earlier pieces have been yielded.
        """
        while self._file is None and (piece := self._next()) is not None:
            yield [octets_of(piece), *self._stream.take_octets()]
        if self._file is not None:
            yield from ([piece] for piece in self.iter_bytes())

    def read(self, size: int | None = -1, *, limit: int | None = None) -> bytes:
        """Read `size` octets, fewer only at the end; without `size`, the whole content, held in memory once.

        Args:
            limit: The maximum size of the whole content in octets; None means the policy's `Limits.max_read`.

        Raises:
            LimitError: There is more than `limit`.
            AnyURLError: The transfer failed.
        """
        if size is not None and size >= 0:
            return self._buffered().read(size)
        self._check_reader()
        stream, allowed = self._stream, self._scheduler.policy.limits.max_read
        stream.go_on()
        most = allowed if limit is None else limit
        if self._file is None and (most is None or stream.unread <= most):  # a file may be at another position
            content = stream.whole()
            if content is not None:  # as nearly all small resources
                return content
        whole = Whole(self, allowed, limit)
        try:
            if self._file is not None:
                while data := self._file.read1():
                    whole.add(data)
                return whole.octets()
            while (next := stream.pull()) is not None:
                whole.add(octets_of(next))
        except BaseException as error:
            whole.clear()  # the error's traceback keeps this frame alive, and with it the content
            if isinstance(error, LimitError):
                self.close()
            raise
        return whole.octets()

    def text(self) -> str:
        """Read the whole content as text (`Description.decode`)."""
        return self.decode(self.read())

    def keep_answer(self) -> None:
        """Read the response to the end, so that an upload is complete, and keep it to be read later.

        Raises:
            AnyURLError: As `read`.
        """
        answer = b""
        try:
            for piece in self.iter_bytes():
                answer += piece if len(answer) <= MAX_ANSWER_BYTES else b""
        except BaseException:
            self.close()
            raise
        if len(answer) > MAX_ANSWER_BYTES:
            self.notes.append(NOT_KEPT)
            self.close()
        else:
            self._file = BufferedReader(BytesIO(answer))

    def entries(self) -> Iterator[Entry]:
        """Iterate over the entries of a listing, as they arrive.

        Raises:
            AnyURLError: The transfer failed; earlier entries have been yielded.
        """
        while (piece := self._next()) is not None:
            if not isinstance(piece, bytes):
                yield from piece

    def _check_reader(self) -> None:
        """Raises LocalProtocolError in a second thread or a child process: each would get half of the content.

        When the reading thread has ended, another one may continue.
        """
        if self._scheduler.process != getpid():
            check_process(self._scheduler)
        here = _thread()
        if self._reader is here:
            return
        with _first:
            if self._reader is None or self._reader() is None:
                self._reader = here
            else:
                raise LocalProtocolError(ONE_READER)

    def _next(self) -> Piece | None:
        self._check_reader()
        return self._stream.pull()

    def _whole(self) -> bytes | None:
        """All octets, if the content has arrived completely and none of it was read; else None."""
        self._check_reader()
        return self._stream.whole()

    @property
    def complete(self) -> bool:
        """Whether everything has arrived (but perhaps not been read yet)."""
        return self._stream.done and self._stream.error is None

    def close(self) -> None:
        """Close everything that is still open; the rest is not transferred."""
        self._closed = True
        self._stream.close()

    # --- as a file ---------------------------------------------------------------------------------------------------

    def _buffered(self) -> BufferedReader:
        if self._closed:
            raise ValueError("this resource is closed")
        if self._file is None:
            stream = self._stream
            start = self.start if stream.entries else self.start + stream.emitted - stream.unread
            file: BufferedReader = as_file().reader(self, start)
            self._file = file
        return self._file

    def next_octets(self) -> bytes | None:
        """Return the next piece, or None at the end, like `iter_bytes`. Raises AnyURLError."""
        piece = self._next()
        return None if piece is None else joined(self._stream, piece)

    def reopen(self, offset: int) -> None:
        """Discard the rest, and restart at this octet of the same resource.

        Raises:
            RemoteProtocolError: It has changed, or is not available in parts.
            AnyURLError: As `Client.open`.
        """
        if not self.seekable():
            raise as_file().no_parts()
        self._stream.close()
        chain = self._chain.again(Resume(offset, self.etag, self.modified, self.size, anew=True))
        try:
            while not chain.arrived():
                self._scheduler.loop.turn()
            chain.check()
            described = chain.stream.described
            if described is not None and described.start != offset:
                raise as_file().changed(self)
        except BaseException:
            chain.drop()
            raise
        self._stream = chain.stream

    def seekable(self) -> bool:
        """Whether ranges are supported: by http with Accept-Ranges, by ftp and wais, for a file."""
        return bool(as_file().has_ranges(self))

    def seek(self, offset: int, whence: int = 0) -> int:
        """Continue reading at another octet. Raises UnsupportedOperation without ranges."""
        file = self._buffered()
        if not self.seekable():
            raise as_file().no_parts()
        return file.seek(offset, whence)

    def tell(self) -> int:
        """The offset of the next octet."""
        return self._buffered().tell()

    def read1(self, size: int = -1) -> bytes:
        """Read at most `size` octets, as many as are available."""
        return self._buffered().read1(size)

    def readinto(self, buffer: bytearray | memoryview) -> int:
        """Fill a buffer; returns the number of octets, which is less than its size only at the end."""
        return self._buffered().readinto(buffer)

    def readinto1(self, buffer: bytearray | memoryview) -> int:
        """Fill a buffer with the octets that are available."""
        return self._buffered().readinto1(buffer)

    def readline(self, size: int | None = -1) -> bytes:
        """Read the next line with its LF; ``b""`` at the end."""
        return self._buffered().readline(-1 if size is None else size)

    def readlines(self, hint: int = -1) -> list[bytes]:
        """Read the remaining lines."""
        return self._buffered().readlines(hint)

    def __iter__(self) -> Resource:
        return self

    def __next__(self) -> bytes:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def readable(self) -> bool:
        """True until it is closed."""
        return True

    def writable(self) -> bool:
        """False: use `Client.put` to write."""
        return False

    def isatty(self) -> bool:
        """False."""
        return False

    def flush(self) -> None:
        """Do nothing."""

    def fileno(self) -> int:
        """Raises UnsupportedOperation: with codings, TLS or a control connection no descriptor has the content."""
        raise UnsupportedOperation("a resource has no descriptor")

    def __del__(self) -> None:
        # An abandoned resource must not keep its connection until the client ends. Ctrl-C may have come before
        # `__init__` had finished.
        try:
            stream = self._stream
        except AttributeError:
            return
        if stream is not None:
            stream.abandon()


BufferedIOBase.register(Resource)


def check_process(scheduler: Scheduler) -> None:
    """Raises LocalProtocolError in a child process, which would consume its parent's octets."""
    if scheduler.process != getpid():
        raise LocalProtocolError("This resource belongs to the process that opened it, and this is a child of it.")


def as_url(url: URL | str) -> URL:
    """The caller's argument as a URL. Assign it to the same name, so that no frame keeps the text for a traceback."""
    if isinstance(url, str):
        return URL(url)
    if not isinstance(url, URL):
        raise TypeError(f"expected a URL or a str, not {type(url).__name__}")
    return url


def joined(stream: Stream, piece: Piece) -> bytes:
    """The octets of a piece, and of those received with it: larger pieces cost the layers above less."""
    octets = octets_of(piece)
    return b"".join((octets, *stream.take_octets())) if stream.outbox else octets


def octets_of(piece: Piece) -> bytes:
    """The octets of a piece; entries as text/uri-list."""
    return piece if isinstance(piece, bytes) else _uri_list(piece)


# --- loaded on use ----------------------------------------------------------------------------------------------------


@exhaustion_translated()
def as_file() -> Any:
    """`anyurl.client.as_file`."""
    from anyurl.client import as_file

    return as_file


@exhaustion_translated()
def _web_links(fields: list[str], base: URL, origin: Provenance) -> tuple[WebLink, ...]:
    from anyurl.client.web_links import web_links

    return web_links(fields, base, origin)


@exhaustion_translated()
def _uri_list(entries: Sequence[Entry]) -> bytes:
    from anyurl.saving.pieces import uri_list

    return uri_list(entries)


@exhaustion_translated()
def _form(questions: Any) -> Form:
    from anyurl.client.form import Form

    return Form(questions)
