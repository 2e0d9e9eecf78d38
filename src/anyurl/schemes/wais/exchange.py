"""Exchanges with a WAIS server: one request, one reply, in lockstep, any number of times per connection.

Rule: the next request is sent only after the whole reply to the previous one, and never an octet beyond a message
(freeWAIS handles neither). Init is optional, and sent only if larger replies are worth a round trip. A reply without a
body is an error of unknown cause.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Close, Connect, GiveWay, Keep, Receive, Send, Steps
from anyurl.errors import (
    ConnectError,
    ConnectionLost,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
    Truncated,
    sample,
)
from anyurl.schemes.kit.scheme import octets
from anyurl.schemes.wais.documents import wrong_document
from anyurl.schemes.wais.parts import WaisParts
from anyurl.schemes.wais.wire.messages import Z3950_INIT, Apdu, MessageReader, WaisMessage, is_z3950, read_message
from anyurl.schemes.wais.wire.queries import (
    FETCH_REFERENCE,
    TermQuery,
    WordQuery,
    fetch_request,
    init_request,
    read_init_answer,
    search_request,
)
from anyurl.schemes.wais.wire.records import SearchResponse, begin_answer
from anyurl.url import URL
from anyurl.values import Value

SESSION = "wais"
"""Requests are stateless: any later dialogue may reuse the connection."""

CHUNK_BYTES = 10_000
"""Requested at once from a server whose limit is unknown: as by waissearch and libwww."""

LARGEST_REPLY_BYTES = 100_000
"""Size of a reply's body: as waissearch requests it by Init, and the most that freeWAIS gives."""

RECORDS_AT_MOST = 8 * 1024
"""Octets of records that are read in one step; one that is longer has a limit of its own (`MAX_FIELDS`)."""

OVERHEAD_BYTES = 1025
"""Overhead of a reply in addition to the text, as in waisq; a long document-id is counted separately."""

_ID_OVERHEAD_BYTES = 300

SILENT_SECONDS = 4.0
"""After this time a first request is taken for one that the server does not understand; the answer may still come."""

_CLOSED = "closed the connection instead of answering, as some WAIS servers do that can't take a request"
_REFUSED = "the reply is empty, which in WAIS means that a request is wrong or that the answer does not fit"


class WaisState(Value):
    """The state of a kept connection.

    Attributes:
        size: Octets of a reply's body that were agreed upon, or None.
    """

    size: int | None


class WaisSession:
    """One conversation with the server of a URL.

    Attributes:
        size: Octets of a reply's body that were agreed upon by Init, or None.
    """

    __slots__ = ("size", "_url", "_database", "_channel", "_reader", "_asked", "_negotiated")

    def __init__(self, url: URL, parts: WaisParts) -> None:
        self.size: int | None = None
        self._url = url
        self._database = octets(parts.database) or None
        self._channel: Channel | None = None
        self._reader = MessageReader()
        self._asked = 0
        self._negotiated = False

    # --- requests --------------------------------------------------------------------------------------------------

    def search(self, query: WordQuery) -> Steps[SearchResponse]:
        """Send words.

        Raises:
            ReplyError: The reply is empty.
            ConnectionLost: The server closes instead of answering.
            RemoteProtocolError: The reply does not answer it.
        """
        return (yield from _read_answer((yield from self._ask_surely(search_request(self._database, query)))))

    def fetch(self, query: TermQuery) -> Steps[SearchResponse | None]:
        """Ask for a part of a document; None where the reply is empty (the part was too large, perhaps).

        Raises:
            ConnectionLost: The server closes instead of answering.
            RemoteProtocolError: The reply does not answer it, or holds more than was requested.
        """
        request = fetch_request(self._database, query)
        apdu = yield from self.ask(request)
        if apdu is None:
            return None
        answer = yield from _read_answer(apdu)
        if answer.reference not in (None, FETCH_REFERENCE) or any(
            text.document_id not in (query.document_id, b"") for text in answer.texts
        ):
            raise wrong_document(self._url)
        size = sum(len(text.data) for text in answer.texts)
        if query.unit == "bytes" and size > query.end - query.start:
            raise RemoteProtocolError(
                f"{self._url.host} sends {size:,} octets where {query.end - query.start:,} were requested."
            )
        return answer

    def negotiate(self) -> Steps[None]:
        """Send Init, once: larger replies than `CHUNK_BYTES` save round trips. A server may not know it, or refuse."""
        if self._negotiated:
            return
        try:
            apdu = yield from self.ask(init_request(LARGEST_REPLY_BYTES))
        except (ConnectionLost, Truncated):
            yield from self.drop()
            apdu = None
        self._negotiated = True
        if apdu is not None:
            answer = read_init_answer(apdu)
            # A server may reply with a larger limit, or with 0 for no limit.
            self.size = min(answer.size, LARGEST_REPLY_BYTES) if answer.accepted and answer.size else None

    def chunk(self, document_id: bytes) -> int:
        """Octets of a document to ask for at once."""
        if self.size is None:
            return CHUNK_BYTES
        usual = OVERHEAD_BYTES if self.size >= CHUNK_BYTES else 0
        return max(1, self.size - max(usual, len(document_id) + _ID_OVERHEAD_BYTES))

    def keep(self) -> Steps[None]:
        """End the exchange: keep the connection for the next dialogue."""
        if self._channel is not None:
            yield from Keep(self._channel, SESSION, WaisState(self.size if self._negotiated else None))

    # --- one exchange ----------------------------------------------------------------------------------------------

    def _ask_surely(self, request: Apdu) -> Steps[Apdu]:
        apdu = yield from self.ask(request)
        if apdu is None:
            raise empty_reply(self._url)
        return apdu

    def ask(self, request: Apdu) -> Steps[Apdu | None]:
        """One request and its reply; a connection that served before and is closed now is replaced, once.

        Raises:
            ConnectionLost: The server closes instead of answering.
            RemoteProtocolError: The reply is not a WAIS message, or more than one arrives.
        """
        served = self._asked > 0
        if self._channel is None:
            served = yield from self._connect(fresh=False)
        try:
            return (yield from self._exchange(request))
        except ConnectionLost:
            if not served:
                raise
        yield from self.drop()
        yield from self._connect(fresh=True)
        return (yield from self._exchange(request))

    def _connect(self, *, fresh: bool) -> Steps[bool]:
        """Connect; returns whether the connection was used by an earlier dialogue."""
        url = self._url
        self._channel = yield from Connect(url.host or "", url.port or 0, session=SESSION, fresh=fresh)
        self._reader, self._asked = MessageReader(), 0
        kept = self._channel.kept
        if isinstance(kept, WaisState):
            self.size = kept.size
            self._negotiated = kept.size is not None
        return kept is not None

    def drop(self) -> Steps[None]:
        """Close the connection; the next request has a new one."""
        if self._channel is not None:
            channel, self._channel = self._channel, None
            yield from Close(channel)
        self.size = None

    def _first_octets(self, channel: Channel) -> Steps[bytes]:
        """The first octets of a reply; if a new server is silent, another protocol is tried.

        Raises:
            RemoteProtocolError: It speaks today's Z39.50, in which a WAIS message never ends.
        """
        if self._asked:
            return (yield from Receive(channel))
        try:
            return (yield from Receive(channel, within=SILENT_SECONDS))
        except TransferTimeout as error:
            if error.clock != "idle":
                raise
        url = self._url
        try:
            probe = yield from Connect(url.host or "", url.port or 0, fresh=True)
            yield from Send(probe, Z3950_INIT)
            reply = yield from Receive(probe, within=SILENT_SECONDS)
            yield from Close(probe)
        except (ConnectError, ConnectionLost, Truncated, TransferTimeout) as error:
            if isinstance(error, TransferTimeout) and error.clock not in ("idle", "connect"):
                raise
            reply = b""
        if is_z3950(reply):
            raise RemoteProtocolError(
                f"{url.host} port {url.port} speaks Z39.50 as it is today, and not the WAIS that wais URLs are for: "
                "z39.50s and z39.50r URLs (RFC 2056) and a client for these reach it.",
                sample=sample(reply),
            )
        return (yield from Receive(channel))

    def _exchange(self, request: Apdu) -> Steps[Apdu | None]:
        assert self._channel is not None
        channel, reader, host = self._channel, self._reader, self._url.host
        messages: list[WaisMessage] = []
        try:
            yield from Send(channel, WaisMessage(request.octets()).octets())
            piece = yield from self._first_octets(channel)
            while piece and not (messages := reader.feed(piece)):
                piece = yield from Receive(channel)
        except (ConnectionLost, Truncated) as error:
            # A connection that served before breaks as Truncated: of this reply nothing may have come.
            if reader.pending:
                raise Truncated(f"{host} broke off in its reply.", received=reader.pending) from error
            raise ConnectionLost(f"{host} {_CLOSED}") from error
        except TransferTimeout as error:
            if error.clock != "idle" or self._asked or reader.pending:
                raise
            text = f"{error} Does it speak WAIS there?"
            raise TransferTimeout(text, clock="idle", stage=error.stage) from error
        if not messages:
            reader.finish()
            raise ConnectionLost(f"{host} {_CLOSED}")
        if len(messages) > 1 or reader.pending:
            raise RemoteProtocolError(f"{host} sends more than one reply to a request.")
        self._asked += 1
        return read_message(messages[0])


def _read_answer(apdu: Apdu) -> Steps[SearchResponse]:
    """Emit the records, a few in each step."""
    answer, reader = begin_answer(apdu)
    while records := reader.read(RECORDS_AT_MOST):
        answer.add(records)
        yield from GiveWay()
    return answer


def empty_reply(url: URL) -> ReplyError:
    """The error for a reply without a body."""
    return ReplyError(f"{url.host} does not answer {url.masked}: {_REFUSED}")
