"""gemini: the verbs of gemini URLs (the Gemini specification, gemini://geminiprotocol.net).

Rule: the first digit of the status decides: 1 asks for input, 2 is success, 3 is a redirect; all others are errors.
Sensitive input (11) is requested from the user, and its URL is never shown. Read it with its neighbours: `parts` (the
syntax), `exchange` (requests and replies); `wire` is the codec.
"""

from __future__ import annotations

from collections.abc import Callable

from anyurl.dialogue import (
    AskSecret,
    Describe,
    Dialogue,
    Emit,
    Entry,
    FakeServer,
    Follow,
    GiveWay,
    Note,
    Options,
    Steps,
)
from anyurl.errors import (
    AuthRequiredError,
    PeerText,
    RemoteProtocolError,
    SecretNeededError,
    UnsupportedError,
    URLSyntaxError,
    escape,
    sample,
)
from anyurl.schemes.gemini.exchange import GeminiReply, ask, reply_error
from anyurl.schemes.gemini.parts import GeminiParts, check, read
from anyurl.schemes.gemini.wire import messages
from anyurl.schemes.gemini.wire.gemtext import GemtextReader
from anyurl.schemes.kit.lines import LINES_AT_MOST
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.scheme import NO_URL, WAITS, Scheme, decoded, lacks_words, spaced
from anyurl.url import URL
from anyurl.url.masking import mask

__all__ = ["SCHEMES", "GeminiParts", "check", "get", "list_links", "read", "search", "stat"]

TEXT = "text/gemini"
ASKS_SECRETLY = 11
PERMANENT = 31
BATCH = 200

_ASKS_SECRETLY = "this asks for hidden input: `anyurl get URL` asks for it at the terminal"


# --- the verbs -----------------------------------------------------------------------------------------------------


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


# --- replies -------------------------------------------------------------------------------------------------------


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
            sample=shown, stage="reply",
        ) from None  # fmt: skip
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
        mask(text), url, title=decoded(label) or None, type=None if url is None else guess_type(url.path),
        attributes={NO_URL: "this is not a URL"} if url is None else None,
    )  # fmt: skip


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
