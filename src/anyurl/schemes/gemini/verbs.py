"""gemini: the verbs of gemini URLs (the Gemini specification, gemini://geminiprotocol.net).

Rule: the first digit of the status decides: 1 asks for input, 2 is success, 3 is a redirect; all others are errors.
Sensitive input (11) is requested from the user, and its URL is never shown. The server is trusted on first use. The
caller's certificate is sent only after the server has required one (status 60 to 62): it identifies the caller to every
server that merely requests one in the TLS handshake. `parts` is the syntax; `wire` is the codec.
"""

from __future__ import annotations

from collections.abc import Callable

from anyurl.dialogue import (
    AskSecret,
    Channel,
    Connect,
    Describe,
    Dialogue,
    Emit,
    Entry,
    FakeServer,
    Follow,
    GiveWay,
    Note,
    Options,
    Receive,
    Relay,
    Secret,
    Send,
    Steps,
)
from anyurl.errors import (
    AuthRequiredError,
    ConnectionLost,
    PeerText,
    RemoteProtocolError,
    ReplyError,
    SecretNeededError,
    UnavailableError,
    UnsupportedError,
    URLSyntaxError,
    escape,
    sample,
)
from anyurl.schemes.gemini.parts import GeminiParts, check, read, request_url
from anyurl.schemes.gemini.wire import messages
from anyurl.schemes.gemini.wire.gemtext import GemtextReader
from anyurl.schemes.gemini.wire.messages import ResponseHeader
from anyurl.schemes.kit.ends import tell_end
from anyurl.schemes.kit.lines import LINES_AT_MOST, LineReader
from anyurl.schemes.kit.meanings import CLASSES, Case, row_of, sentence
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.scheme import NO_URL, WAITS, Scheme, decoded, encode, lacks_words, spaced
from anyurl.url import URL
from anyurl.url.masking import mask

# --- one exchange ----------------------------------------------------------------------------------------------------


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
    channel = yield from Connect(host, port, tls=True, trust="first-use", certificate=certificate, until_close=True)
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
        code=line.status,
        text=PeerText(line.meta),
        meaning=row.meaning,
    )
    if isinstance(error, UnavailableError) and line.status == 44 and line.meta.isascii() and line.meta.isdigit():
        error.retry_after = float(line.meta[:9])
    return error


__all__ = ["SCHEMES", "GeminiParts", "check", "get", "list_links", "read", "search", "stat"]

TEXT = "text/gemini"
ASKS_SECRETLY = 11
PERMANENT = 31
BATCH = 200

_ASKS_SECRETLY = "this asks for hidden input: `anyurl get URL` asks for it at the terminal"


# --- the verbs -------------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Get the document; where the server asks for words, an index. Sensitive input is requested from the user.

    Raises:
        NotFoundError, DeniedError, UnavailableError: The server says so.
        AuthRequiredError: It wants a certificate, and the caller has none that it may see; or it rejects the input.
        SecretNeededError: Sensitive input is required, and there is no terminal.
    """
    check(url)
    return (yield from _outcome((yield from _answered(url)), _whole))


def list_links(url: URL, options: Options) -> Dialogue:
    """List the links of a page (text/gemini).

    Raises:
        UnsupportedError: The document has no links; and as `get`.
    """
    check(url)
    return (yield from _outcome((yield from _answered(url)), _links))


def search(url: URL, options: Options) -> Dialogue:
    """Send the words as the requested input (status 10), and list the links of the resulting page.

    Raises:
        UnsupportedError: There are no words, or the result has no links; and as `get`.
    """
    parts = read(url)
    words = options.words or parts.input
    if not words:
        raise lacks_words(url)
    asked = url.replace(parts=GeminiParts(parts.path, words))
    check(asked)
    return (yield from _outcome((yield from ask(asked)), _links))


def stat(url: URL, options: Options) -> Dialogue:
    """The media type, the language and the character set of a document, which is not read; or the prompt for input.

    Raises:
        As `get`, but the user is never prompted.
    """
    check(url)
    return (yield from _outcome((yield from ask(url)), _facts))


# --- replies ---------------------------------------------------------------------------------------------------------


def _answered(url: URL) -> Steps[GeminiReply]:
    """The reply; if the server requests sensitive input (status 11), the reply to the user's answer."""
    reply = yield from ask(url)
    if reply.line.status != ASKS_SECRETLY:
        return reply
    question = PeerText(reply.line.meta)
    secret = yield from AskSecret(url.host or "", url.path or "/", f"answer to {question}", kept=False)
    if secret is None:
        raise SecretNeededError(f"{url.masked} asks {question} and wants the answer kept secret; none was given.")
    # Sensitive input is never put into a visible URL: those are shown, kept in histories, and sent to other servers.
    reply = yield from ask(url, secret)
    if reply.line.status == ASKS_SECRETLY:
        raise AuthRequiredError(
            f"{url.host} did not accept the answer to {question}: it asks again.", code=ASKS_SECRETLY
        )
    return reply


def _outcome(reply: GeminiReply, document: Callable[[GeminiReply], Steps[None]]) -> Dialogue:
    status = reply.line.status
    if status < 20:
        yield from _describe_question(reply)
    elif status < 30:
        yield from document(reply)
    elif status < 40:
        return _elsewhere(reply)
    else:
        raise reply_error(reply)
    return None


def _describe_question(reply: GeminiReply) -> Steps[None]:
    secret = reply.line.status == ASKS_SECRETLY
    yield from Note(f"{_ASKS_SECRETLY if secret else WAITS}; the server asks: {PeerText(reply.line.meta)}")
    facts = {"status": reply.line.status, "prompt": escape(reply.line.meta), "secret": secret}
    yield from Describe("index", name=_name(reply.url), attributes=facts)


def _elsewhere(reply: GeminiReply) -> Follow:
    """The target of a redirect. Raises RemoteProtocolError if it is not a valid URL."""
    meta = reply.line.meta
    try:
        if not meta or "\\" in meta:  # a slash to some, a character to others: two readers go to two hosts
            raise ValueError
        there = reply.url.join(spaced(meta))
    except ValueError:
        shown = sample(meta.encode("utf-8", "surrogateescape"))
        raise RemoteProtocolError(
            f"{reply.url.masked} redirects to text that is not a URL: {shown or 'it is empty'}",
            sample=shown,
            stage="reply",
        ) from None
    return Follow(there, str(reply.line.status), permanent=reply.line.status == PERMANENT)


def _description(reply: GeminiReply) -> Describe:
    type, fields = messages.read_media_type(reply.line.meta)
    facts: dict[str, object] = {"status": reply.line.status}
    if type.startswith("text/"):
        facts["charset"] = escape(fields.get("charset") or "utf-8").lower()
    if "lang" in fields:
        facts["lang"] = escape(fields["lang"])
    return Describe("document", type, name=_name(reply.url), attributes=facts)


def _name(url: URL) -> str | None:
    return read(url).segments[-1] or None


def _whole(reply: GeminiReply) -> Steps[None]:
    yield from _description(reply)
    yield from reply.relay()


def _facts(reply: GeminiReply) -> Steps[None]:
    yield from _description(reply)


def _links(reply: GeminiReply) -> Steps[None]:
    page, url = _description(reply), reply.url
    if page.type != TEXT:
        what = f"{url.masked} is not a page with links ({PeerText(page.type or '')}): use get."
        raise UnsupportedError(what, scheme=url.scheme, verb="list")
    yield from Describe("listing", page.type, attributes=page.attributes)
    links = GemtextReader()
    while piece := (yield from reply.receive(LINES_AT_MOST)):
        yield from _hand_over(url, links.feed(piece))
        yield from GiveWay()
    yield from _hand_over(url, links.finish())


def _hand_over(page: URL, links: list[tuple[bytes, bytes]]) -> Steps[None]:
    for start in range(0, len(links), BATCH):
        yield from Emit([_entry(page, *link) for link in links[start : start + BATCH]])


def _entry(page: URL, reference: bytes, label: bytes) -> Entry:
    """A link; one that leads nowhere has no URL."""
    text = decoded(reference)
    try:
        url = page.join(text)
    except URLSyntaxError:
        url = None
    return Entry(
        mask(text),
        url,
        title=decoded(label) or None,
        type=None if url is None else guess_type(url.path),
        attributes={NO_URL: "this is not a URL"} if url is None else None,
    )


def fake_server(_url: URL, _options: Options) -> FakeServer:
    """An ideal server: it answers every request with the same page."""
    from anyurl.schemes.gemini.wire.server import GeminiServer

    return GeminiServer(lambda _url: b"20 text/gemini; lang=en\r\n# An ideal page\r\n=> /there A link\r\n")


SCHEMES = (
    Scheme(
        "gemini",
        reference="Gemini",
        summary="A document of a Gemini server, or a question that it asks.",
        read=read,
        verbs={"get": get, "list": list_links, "search": search, "stat": stat},
        fake_server=fake_server,
        check=check,
    ),
)
