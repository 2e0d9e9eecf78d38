"""One exchange with a Gemini server, as asks: connect over TLS, one request, one reply; then the server closes.

Rule: the server is trusted on first use. The caller's certificate is sent only after the server has required one
(status 60 to 62): it identifies the caller to every server that merely requests one in the TLS handshake.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Connect, Emit, Receive, Relay, Secret, Send, Steps
from anyurl.errors import AuthRequiredError, ConnectionLost, PeerText, ReplyError, SecretNeededError, UnavailableError
from anyurl.schemes.gemini.parts import request_url
from anyurl.schemes.gemini.wire import messages
from anyurl.schemes.gemini.wire.messages import ResponseHeader
from anyurl.schemes.kit.ends import tell_end
from anyurl.schemes.kit.lines import LineReader
from anyurl.schemes.kit.meanings import CLASSES, Case, row_of, sentence
from anyurl.schemes.kit.scheme import encode
from anyurl.url import URL

HEAD_AT_MOST = 4096
"""Octets that are read at once before the reply's line has ended."""

TABLE = (
    Case("login", (60,)),
    Case("denied", (61,), advice="Another certificate may be accepted."),
    Case("login", (62,), advice="A certificate that holds now would be taken."),
    Case("connections", (44,), advice="Later it may succeed."),
    Case("busy", (40, 41, 42, 43), advice="Later it may succeed."),
    Case("not-found", (51, 52)),
    Case("denied", (53,), advice="It is not a proxy: only its own URLs can be requested there."),
)
"""The meaning of errors. An unknown second digit is ignored, and the first one decides."""

WORDS = {
    40: "it fails for now", 41: "it is not available", 42: "a program of it has failed",
    43: "a server that it forwards to does not answer", 44: "it gets too many requests", 50: "it will never give it",
    51: "there is no such resource", 52: "it is gone for ever", 53: "it answers for other hosts only",
    59: "it does not understand the request", 60: "it requires a client certificate",
    61: "it rejects your certificate", 62: "your certificate is not valid",
}  # fmt: skip
"""The meanings of the numbers."""

WANTS_CERTIFICATE = (60, 61, 62)


class GeminiReply:
    """A reply whose line has come.

    Attributes:
        url: The requested URL.
        line: Its status, and more.
    """

    __slots__ = ("url", "line", "_channel", "_first")

    def __init__(self, url: URL, line: ResponseHeader, channel: Channel, first: bytes) -> None:
        self.url: URL = url
        self.line: ResponseHeader = line
        self._channel = channel
        self._first = first

    def receive(self, at_most: int) -> Steps[bytes]:
        """The next octets of the document; ``b""`` at its end."""
        data, self._first = self._first, b""
        if not data and not (data := (yield from Receive(self._channel, at_most))):
            yield from tell_end(self._channel)
        return data

    def relay(self) -> Steps[None]:
        """Hand all of the document out, octet for octet."""
        if self._first:
            yield from Emit(self._first)
        yield from Relay(self._channel)
        yield from tell_end(self._channel)


def ask(url: URL, answer: Secret | None = None) -> Steps[GeminiReply]:
    """Ask for a URL; once more with the caller's certificate, where the server wants one.

    Args:
        answer: The input, sent in place of the URL's own query.

    Raises:
        AuthRequiredError: The server wants a certificate, and the caller has none that it may see.
        ConnectionLost: It closes without a reply.
        RemoteProtocolError: It is not a valid reply.
    """
    reply = yield from _ask(url, answer, certificate=False)
    if reply.line.status in WANTS_CERTIFICATE:
        try:
            return (yield from _ask(url, answer, certificate=True))
        except SecretNeededError as error:
            what = reply_error(reply)
            text = sentence(f"{what}".removesuffix("."), str(error))
            raise AuthRequiredError(text, code=what.code, text=what.text, meaning="login") from None
    return reply


def _ask(url: URL, answer: Secret | None, *, certificate: bool) -> Steps[GeminiReply]:
    wanted = request_url(url)
    if answer is not None:
        wanted = wanted.replace(query=encode(answer.reveal()))
    request = messages.encode_request(str(wanted).encode("ascii"))
    host, port = url.host or "", url.port or 0
    channel = yield from Connect(
        host, port, tls=True, trust="first-use", certificate=certificate, until_close=True
    )  # fmt: skip
    yield from Send(channel, request)
    what = f"the first line of the reply of {host}"
    lines = LineReader(messages.MAX_LINE_BYTES, limit="MAX_LINE_BYTES", what=what)
    while (line := lines.next_line()) is None:
        data = yield from Receive(channel, HEAD_AT_MOST)
        if not data:
            raise ConnectionLost(f"{host} closed the connection without a whole reply.", stage="reply")
        lines.feed(data)
    return GeminiReply(url, messages.read_reply(line), channel, lines.rest())


def reply_error(reply: GeminiReply) -> ReplyError:
    """The error for a server's no."""
    line = reply.line
    row = row_of(TABLE, line.status, line.meta)
    words = WORDS.get(line.status) or WORDS.get(line.status // 10 * 10, "it makes no sense here")
    error = CLASSES[row.meaning](
        sentence(f"{reply.url.host} does not give {reply.url.masked}: {words} ({line})", row.advice),
        code=line.status, text=PeerText(line.meta), meaning=row.meaning,
    )  # fmt: skip
    if isinstance(error, UnavailableError) and line.status == 44 and line.meta.isascii() and line.meta.isdigit():
        error.retry_after = float(line.meta[:9])
    return error
