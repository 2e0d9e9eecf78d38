"""Fetching a WAIS document piece by piece: by octets to its end, or a range of its lines.

Rule: there is no end mark. The pieces are counted up to the length from the hit or the URL; if none is known, the end
is a piece that is short or empty, or the diagnostic SF (out of range). Text that comes with SF is valid; SF alone in
the first reply means that the document no longer exists. Never more than one piece is in memory.
"""

from __future__ import annotations

from anyurl.dialogue import Steps
from anyurl.errors import ConnectionLost, NotFoundError, Truncated
from anyurl.schemes.wais.documents import diagnostic_error
from anyurl.schemes.wais.exchange import WaisSession, empty_reply
from anyurl.schemes.wais.wire.queries import TermQuery
from anyurl.schemes.wais.wire.records import OUT_OF_RANGE, SearchResponse
from anyurl.url import URL

NEGOTIATE_ABOVE_BYTES = 1024 * 1024
"""Of a document: beyond, ten times fewer round trips are worth the one that Init costs."""

SMALL_PIECE_BYTES = 1024
"""A server that closes instead of sending so little does not do it for the size."""

MAX_SHORT_PIECES = 8
"""A server may send smaller pieces than requested; the size is then its own. Ever smaller ones are an attack."""

LINES_AT_ONCE = 100
"""Lines requested at once: 8 KiB of usual text, which every server fits into a reply."""


class Pieces:
    """One document in one type, range by range of its octets.

    Args:
        length: Of the document, as its hit or its URL has it; None or 0 if unknown.
        start: Octets of it that are there already.

    Attributes:
        received: Octets received so far, including those before the start.
        ended: Nothing more will be requested.
        cut_by: The server ends the document here, although it announced a greater length.
    """

    __slots__ = (
        "received",
        "ended",
        "cut_by",
        "_server",
        "_url",
        "_id",
        "_type",
        "_length",
        "_chunk",
        "_halved",
        "_cut",
        "_short",
    )

    def __init__(
        self, server: WaisSession, url: URL, document_id: bytes, wtype: bytes, length: int | None, start: int = 0
    ) -> None:
        self.received = start
        self.ended = bool(length and start >= length)
        self.cut_by = False
        self._server = server
        self._url = url
        self._id = document_id
        self._type = wtype
        self._length = length or None  # 0 means unknown
        self._chunk: int | None = None
        self._halved = False
        self._cut = False
        self._short = 0

    def next(self) -> Steps[bytes]:
        """The next octets; ``b""`` at the end.

        Raises:
            NotFoundError: There is no such document.
            ReplyError: The server refuses.
            ConnectionLost: It closes instead of answering, and of half the piece too.
            Truncated: It breaks off twice at the same octet, or ends before its announced length, without a reason from
                the server.
        """
        if max(self.received, self._length or 0) >= NEGOTIATE_ABOVE_BYTES:
            yield from self._server.negotiate()
        while not self.ended:
            chunk = self._chunk or self._server.chunk(self._id)
            end = self.received + chunk if self._length is None else min(self.received + chunk, self._length)
            query = TermQuery(self._id, self._type, self.received, end)
            try:
                answer = yield from self._server.fetch(query)
            except (ConnectionLost, Truncated) as error:
                yield from self._after_cut(error, end - self.received)
                continue
            if answer is None:
                yield from self._make_it_fit(chunk)
                continue
            data = self._take(answer, end - self.received)
            self._cut = False
            if data:
                return data
        return b""

    def _after_cut(self, cut: ConnectionLost | Truncated, wanted: int) -> Steps[None]:
        """Go on where the document broke off, on a new connection, once for each piece.

        Raises:
            ConnectionLost: Nothing of the document arrived, and a smaller piece would not help.
            Truncated: The same piece was cut again, or only the beginning of a message arrived.
        """
        lost = isinstance(cut, ConnectionLost)
        hopeless = lost and not self.received and (self._halved or wanted <= SMALL_PIECE_BYTES)
        if self._cut or hopeless:
            if lost and not self.received:
                raise cut
            of_all = f" of {self._length:,}" if self._length else ""
            raise Truncated(
                f"{self._url.host} broke off after {self.received:,} octets{of_all} of {self._url.masked}: {cut}",
                received=self.received,
                expected=self._length,
            ) from cut
        yield from self._server.drop()
        if lost and not self._halved and wanted > SMALL_PIECE_BYTES:
            self._halve(wanted)  # the piece is too large for it, perhaps
        else:
            self._cut = True

    def _make_it_fit(self, chunk: int) -> Steps[None]:
        """The reply is empty: the piece is too large, perhaps. The server's size is requested; else it is halved."""
        if self._server.size is None:
            yield from self._server.negotiate()
            fitting = self._server.chunk(self._id)
            if fitting < chunk:
                self._chunk = fitting
                return
        if self._halved or chunk == 1:
            raise empty_reply(self._url)
        self._halve(chunk)

    def _halve(self, size: int) -> None:
        self._halved = True
        self._chunk = size // 2

    def _take(self, answer: SearchResponse, wanted: int) -> bytes:
        """The text of an answer; whether it is the last is decided here."""
        data = b"".join(text.data for text in answer.texts)
        if answer.diagnostics and not answer.texts and (not self.received or not _out_of_range(answer)):
            raise diagnostic_error(self._url, answer.diagnostics[0])
        if not answer.texts and not answer.diagnostics and not self.received:
            raise NotFoundError(f"{self._url.host} answers {self._url.masked} with no text at all.")
        self.received += len(data)
        if answer.diagnostics:
            self.ended = True
            self.cut_by = self._length is not None and self.received < self._length
        elif not data:
            self.ended = True
            self._check_length()
        elif len(data) < wanted:
            self._short_piece(len(data))
        if self._length is not None and self.received >= self._length:
            self.ended = True
        return data

    def _short_piece(self, size: int) -> None:
        if self._length is None:
            self.ended = True
            return
        self._short += 1
        self._chunk = size  # the size of the server's pieces; if this was the end, the next reply says so
        if self._short > MAX_SHORT_PIECES:
            raise Truncated(
                f"{self._url.host} sends smaller and smaller pieces.", received=self.received, expected=self._length
            )

    def _check_length(self) -> None:
        if self._length is not None and self.received < self._length:
            raise Truncated(
                f"{self._url.masked} says {self._length:,} octets, but only {self.received:,} arrived.",
                received=self.received,
                expected=self._length,
            )


def _out_of_range(answer: SearchResponse) -> bool:
    return answer.diagnostics[0].code == OUT_OF_RANGE


def _is_missing(answer: SearchResponse) -> bool:
    """Lines beyond the end are out of range as well: only the words tell that from a document that is gone."""
    return not _out_of_range(answer) or b"missing" in answer.diagnostics[0].text.lower()


class LinePieces:
    """A range of lines of one document.

    Args:
        lines: The first line, from 0, and the line after the last; None is the end of the document.
    """

    __slots__ = ("_server", "_url", "_id", "_type", "_at", "_end", "_step", "_ended")

    def __init__(
        self, server: WaisSession, url: URL, document_id: bytes, wtype: bytes, lines: tuple[int, int | None]
    ) -> None:
        self._server = server
        self._url = url
        self._id = document_id
        self._type = wtype
        self._at, self._end = lines
        self._step = LINES_AT_ONCE
        self._ended = False

    def next(self) -> Steps[bytes]:
        """The next lines; ``b""`` at the end, which is never beyond that of the document. Raises as `Pieces.next`."""
        while not self._ended and (self._end is None or self._at < self._end):
            upto = self._at + self._step if self._end is None else min(self._at + self._step, self._end)
            answer = yield from self._server.fetch(TermQuery(self._id, self._type, self._at, upto, "lines"))
            if answer is None:
                if self._step == 1:
                    raise empty_reply(self._url)
                self._step //= 2  # these lines are long
                continue
            if answer.diagnostics and not answer.texts and _is_missing(answer):
                raise diagnostic_error(self._url, answer.diagnostics[0])
            data = b"".join(text.data for text in answer.texts)
            self._ended = bool(answer.diagnostics) or data.count(b"\n") < upto - self._at
            self._at = upto
            return data
        return b""


def is_there(server: WaisSession, url: URL, document_id: bytes, wtype: bytes, length: int | None) -> Steps[None]:
    """Ask for the first piece of a document, as `Pieces` does.

    Raises:
        NotFoundError: There is no such document.
        ReplyError: The server refuses.
    """
    yield from Pieces(server, url, document_id, wtype, length).next()
