"""One exchange with a gopher server: connect, one request, one reply; then the server closes (RFC 1436 2).

Rule: a Gopher+ request is selector, tab, search, tab, string (RFC 1738 3.4.3); if the server fails at it, it is retried
once in the form of the Gopher+ draft: selector, tab, string. The octets received are checked against the announced
length.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Close, Connect, Emit, Follow, Note, Receive, Relay, Send, Steps
from anyurl.errors import (
    AccessError,
    ConnectionLost,
    LimitError,
    PeerText,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
    Truncated,
    escape,
    sample,
)
from anyurl.schemes.gopher.items import DOTTED as DOTTED_TYPES
from anyurl.schemes.gopher.items import url_of
from anyurl.schemes.gopher.parts import GopherParts
from anyurl.schemes.gopher.wire import menus
from anyurl.schemes.gopher.wire import plus as gopherplus
from anyurl.schemes.gopher.wire.plus import UNTIL_CLOSE, ReplyHeader
from anyurl.schemes.kit.ends import behind_mark, tell_end
from anyurl.schemes.kit.lines import LINES_AT_MOST
from anyurl.schemes.kit.meanings import CLASSES, FULL, Case, row_of, sentence
from anyurl.schemes.kit.scheme import decoded, octets
from anyurl.url import URL

TABLE = (
    Case("connections", range(10), FULL, advice="Later it may succeed."),
    Case("busy", (gopherplus.TRY_LATER,)),
    Case("denied", (0, gopherplus.ITEM_GONE), r"denied|forbidden|permission|not (?:allowed|permitted|authori[sz]ed)"),
    Case("busy", (0, gopherplus.ITEM_GONE), r"busy|try again|temporar"),
    Case("not-found", (0, gopherplus.ITEM_GONE, gopherplus.ITEM_MOVED)),
)
"""The meaning of errors: the codes of Gopher+ 2.3, and 0 for an error item of RFC 1436, which has a text only."""

PEEK_SECONDS = 2.0
"""Seconds to wait for the rest of a first line before its beginning is delivered: a lost packet is sent again within a
second (RFC 6298 2.1)."""

SAID_AT_MOST = 500
"""Octets of a server's reason, and of the name of its keeper, that an error quotes."""


class ReplyBody:
    """The body of a reply, including the octets that were received together with the header.

    Attributes:
        channel: The connection.
        length: The announced number of octets; `gopherplus.DOTTED` or `UNTIL_CLOSE`.
        plus: Whether it is a Gopher+ reply, so that a truncated body can be detected.
    """

    __slots__ = ("channel", "length", "plus", "_first", "_received", "_over")

    def __init__(self, channel: Channel, first: bytes = b"", length: int = UNTIL_CLOSE, *, plus: bool = False) -> None:
        self.channel = channel
        self.length = length
        self.plus = plus
        self._first = first
        self._received = 0
        self._over = False

    def receive(self, marked: bool = False) -> Steps[bytes]:
        """The next octets; ``b""`` at the end.

        Args:
            marked: A lone dot has come last: it is the end, unless something follows it at once.

        Raises:
            Truncated: Fewer octets arrived than were announced.
            RemoteProtocolError: More arrived.
        """
        data, self._first = self._first, b""
        if not data and not self._over:
            if marked or self._received == self.length:
                data = yield from behind_mark(self.channel, LINES_AT_MOST)
            else:
                piece: bytes = yield Receive(self.channel, LINES_AT_MOST)
                data = piece
            self._over = not data
        self._received += len(data)
        self._check(ended=not data)
        return data

    def peek(self, enough: int, begins: bytes = b"") -> Steps[bytes]:
        """Look ahead: the first line, or `enough` octets, or all of a short body; `receive` returns them again.

        A server that pauses within the first line is not waited for any longer than `PEEK_SECONDS`.

        Args:
            begins: Only a line that begins so is read as a whole.
        """
        data = self._first
        while b"\n" not in data and len(data) < enough and (not data or data.startswith(begins)):
            try:
                piece: bytes = yield Receive(self.channel, LINES_AT_MOST, within=PEEK_SECONDS if data else None)
            except TransferTimeout as error:
                if not data or error.clock != "idle":
                    raise
                break
            if not piece:
                self._over = True
                break
            data += piece
        self._first = data
        return data

    def relay(self) -> Steps[None]:
        """Deliver the body octet for octet. Raises as `receive`."""
        if self._first:
            yield from Emit((yield from self.receive()))
        rest = None if self.length < 0 else self.length - self._received
        if rest != 0:
            received: int = yield Relay(self.channel, rest)
            self._received += received
            self._check(ended=True)
        if rest is not None:
            yield from self.receive()  # detects a wrong length
        yield from self.tell_end()

    def tell_end(self, ended: bool = False) -> Steps[None]:
        """Note an end that nothing proves.

        Args:
            ended: A mark has come.

        Raises:
            Truncated: A Gopher+ reply should have ended with a lone dot, but did not.
        """
        if ended or self.length >= 0:
            return
        if self.plus and self.length == gopherplus.DOTTED:
            raise Truncated("The Gopher+ reply ends without its end mark, a lone dot.")
        yield from tell_end(self.channel)

    def read_all(self, limit: int) -> Steps[bytes]:
        """The body, where a short one is expected: at most `limit` octets are returned."""
        data = b""
        while len(data) < limit and (piece := (yield from self.receive())):
            data += piece
        return data[:limit]

    def _check(self, *, ended: bool) -> None:
        if self.length < 0:
            return
        if self._received > self.length:
            raise RemoteProtocolError(f"The server sends more than the {self.length:,} octets that it announced.")
        if ended and self._received < self.length:
            raise Truncated(
                f"The server announced {self.length:,} octets, but sent only {self._received:,}.",
                received=self._received,
                expected=self.length,
            )


def begin(url: URL, request: bytes) -> Steps[Channel]:
    """Connect, over TLS for gophers, and send the request."""
    channel: Channel = yield Connect(url.host or "", url.port or 0, tls=url.scheme == "gophers", until_close=True)
    yield Send(channel, request)
    return channel


def ask(url: URL, parts: GopherParts) -> Steps[ReplyBody]:
    """Send a plain gopher request (RFC 1738 3.4.1, 3.4.2); an empty Gopher+ string is sent as the tab in the URL."""
    fields = [octets(text) for text in (parts.search, parts.gopherplus) if text is not None]
    channel = yield from begin(url, menus.request(octets(parts.selector), *fields))
    return ReplyBody(channel)


def ask_plus(url: URL, parts: GopherParts, string: str) -> Steps[ReplyBody | Follow | None]:
    """Send a Gopher+ request in the form of the RFC, then in that of the draft.

    Returns:
        The reply; the new location of the item; None if the server does not support Gopher+.

    Raises:
        ReplyError: The server refuses.
    """
    selector, search, plus = octets(parts.selector), octets(parts.search or ""), octets(string)
    requests = [menus.request(selector, search, plus)]
    # The draft has no empty search field: a server that reads only two fields would read it as the Gopher+ string.
    requests.append(menus.request(selector, search, plus) if search else menus.request(selector, plus))
    failure: AccessError | None = None
    for request in dict.fromkeys(requests):
        try:
            channel = yield from begin(url, request)
            reply = yield from read_reply(url, channel)
        except (ReplyError, RemoteProtocolError, ConnectionLost) as error:
            failure = failure if isinstance(failure, ReplyError) else error
            continue
        if reply is not None:
            return reply
        yield from Close(channel)
    if failure is not None:
        raise failure
    return None


def ask_or_plainly(url: URL, parts: GopherParts) -> Steps[ReplyBody | Follow]:
    """Ask for the item in its usual view (``+``), which a server without Gopher+ gives to a plain request, too.

    Menus often mark items that such a server holds now (RFC 1738 3.4.4).

    Raises:
        ReplyError: The server refuses.
        ConnectionLost: It closes without sending anything.
    """
    nothing: ConnectionLost | None = None
    try:
        reply = yield from ask_plus(url, parts, "+")
    except ConnectionLost as error:
        reply, nothing = None, error
    if reply is not None:
        return reply
    body = yield from ask(url, GopherParts(parts.type, parts.selector, parts.search or None))
    if nothing is not None and not (yield from body.peek(1)):
        raise nothing
    yield from Note("the server has no Gopher+: the item was requested without it")
    return body


def ask_surely(url: URL, parts: GopherParts, string: str) -> Steps[ReplyBody | Follow]:
    """As `ask_plus`, but the server must support Gopher+.

    Raises:
        RemoteProtocolError: The server does not support Gopher+.
    """
    reply = yield from ask_plus(url, parts, string)
    if reply is None:
        raise RemoteProtocolError(f"{url.host} answers {string!r} as a server without Gopher+ does.")
    return reply


def read_reply(url: URL, channel: Channel) -> Steps[ReplyBody | Follow | None]:
    """Read the first line of a Gopher+ reply; returns None if it is not a Gopher+ reply.

    Raises:
        ReplyError: The server refuses.
        ConnectionLost: The server closes without sending anything.
    """
    data = b""
    while b"\n" not in data:
        piece = yield from Receive(channel, LINES_AT_MOST)
        if not data and piece[:1] not in (b"+", b"-", b""):
            return None
        data += piece
        if not piece or len(data) > gopherplus.MAX_HEADER_BYTES:
            break
    line, end, rest = data.partition(b"\n")
    if not data:
        raise ConnectionLost(f"{url.host} closed the connection without an answer.")
    if len(line) > gopherplus.MAX_HEADER_BYTES:
        raise LimitError(
            f"The first line of the Gopher+ reply of {url.host} is longer than {gopherplus.MAX_HEADER_BYTES:,} octets: "
            f"{sample(line[:60])}",
            limit="MAX_HEADER_BYTES",
        )
    if not end:
        raise RemoteProtocolError(
            f"The first line of the Gopher+ reply of {url.host} does not end: {sample(line[:60])}", sample=sample(line)
        )
    if not gopherplus.is_header(line):
        return None
    header = gopherplus.read_header(line.removesuffix(b"\r"))
    if header.good:
        return ReplyBody(channel, rest, header.length, plus=True)
    return (yield from _refused(url, channel, rest, header))


def _refused(url: URL, channel: Channel, rest: bytes, header: ReplyHeader) -> Steps[Follow]:
    """Handle a refusal (Gopher+ 2.3). Only the text is used, so a wrong length does not matter."""
    body = ReplyBody(channel, rest)
    text = yield from body.read_all(
        min(header.length, gopherplus.MAX_ERROR_BYTES) if header.length > 0 else gopherplus.MAX_ERROR_BYTES
    )
    code, admin, words = gopherplus.read_refusal(text)
    if code == gopherplus.ITEM_MOVED:
        there = url_of(menus.read_item(words), url)
        if there is not None:
            return Follow(there, "gopher+ moved", permanent=True)
    raise reply_error(url, code, words, admin)


def reply_error(url: URL, code: int, words: bytes, admin: bytes = b"") -> ReplyError:
    """The error for a refusal; without a code (the ``3`` line of a plain server) it means that the item is missing."""
    said = escape(decoded(words.strip()[:SAID_AT_MOST]))
    keeper = f" (its keeper is {PeerText(decoded(admin))})" if admin else ""
    why = f": {PeerText(decoded(words.strip()))}" if said else " and does not say why"
    row = row_of(TABLE, code, said)
    what = "asks to try again later" if row.meaning == "busy" else f"does not give {url.masked}"
    message = sentence(f"{url.host} {what}{why}{keeper}", row.advice)
    return CLASSES[row.meaning](message, code=code, text=said, meaning=row.meaning)


def check_begin(url: URL, parts: GopherParts, body: ReplyBody) -> Steps[bool]:
    """Check the beginning of a plain server's reply: its only way to refuse is a line of type 3.

    Raises:
        ReplyError: There is such a line.
        ConnectionLost: The reply is empty, and the item is not a text: only texts may be empty.
    """
    first = yield from body.peek(menus.MAX_LINE_BYTES, b"3")
    words = menus.error_in(first.partition(b"\n")[0])
    if words is not None:
        raise reply_error(url, 0, words)
    if not first and parts.type not in DOTTED_TYPES:
        raise ConnectionLost(f"{url.host} closed the connection without an answer.", stage="reply")
    return bool(first)
