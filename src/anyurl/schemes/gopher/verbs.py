"""gopher, gophers: menus, texts, searches, forms and files of Gopher servers (RFC 1738 3.4, RFC 4266, RFC 1436).

Rule: one request, one reply, one connection. The gopher type in the URL determines the reply; the Gopher+ string, if
there is one, selects the item itself (``+``), its attributes (``!``) or its form (``?``).

This scheme is the template for others. Read it with its neighbours: `parts` (the syntax), `items` (menu lines),
`exchange` (requests and replies), `plus` (attributes, forms); `wire` is the codec, and `wire.server` a server.
A verb is a generator: it yields asks and receives their results.
"""

from __future__ import annotations

from functools import partial

from anyurl.dialogue import Describe, Dialogue, Emit, FakeServer, Follow, Note, Options, Steps
from anyurl.dialogue.asks import Told
from anyurl.errors import ConnectionLost, RefusedError, UnsupportedError
from anyurl.schemes.gopher import plus
from anyurl.schemes.gopher.exchange import (
    ReplyBody,
    ask,
    ask_or_plainly,
    ask_surely,
    check_begin,
    reply_error,
)
from anyurl.schemes.gopher.items import DOTTED as DOTTED_TYPES
from anyurl.schemes.gopher.items import MENUS, SEARCH, Menu, media_type, name_of, refuse_service
from anyurl.schemes.gopher.parts import MENU, GopherParts, check, read
from anyurl.schemes.gopher.wire import menus
from anyurl.schemes.gopher.wire.menus import MenuItem, MenuReader, TextReader
from anyurl.schemes.gopher.wire.plus import DOTTED
from anyurl.schemes.kit.media import is_binary
from anyurl.schemes.kit.scheme import WAITS, Scheme, lacks_words, refuse_octets
from anyurl.url import URL, syntax

__all__ = ["SCHEMES", "GopherParts", "check", "get", "fake_server", "list_menu", "read", "search", "stat"]

_MENU_VIEWS = ("application/gopher-menu", "application/gopher+-menu")
_UNMARKED = "the server did not mark the end of the menu: it may be incomplete"
_CUT = "the server closed the connection in the middle of a line: the text may be incomplete"
_INNER = "a lone dot, which ends a text (RFC 1436 3.8), is followed by more text: all of it is kept"
_BINARY = "this is not a text, although its type says so: its octets are kept unchanged"
_NUL = "this text holds NUL: if it is binary, changed line ends have damaged it; type 9 transfers it octet for octet"
_PLAIN = "this is a text, not a menu, whose lines have tabs"


# --- the verbs -----------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Get an item by its type: a text dot-unstuffed, a file octet for octet, a menu as a listing, a form's questions.

    Asks: a connection for each request; Consent before a form is answered.

    Raises:
        NotFoundError: The server does not have it.
        RefusedError: The URL contains a line end, or the policy does not allow forms.
    """
    parts = _with_view(url, check(url), options)
    string = parts.gopherplus or ""
    refuse_service(url, parts, "get")
    if parts.answers is not None or options.answers:
        return (yield from _deliver(url, parts, (yield from plus.submit(url, parts, options))))
    if string.startswith("?"):
        return (yield from plus.show_form(url, parts))
    if string.startswith("!"):
        return (yield from plus.get_attributes(url, parts))
    if string.startswith("$"):
        return (yield from plus.list_attributes(url, parts))
    if parts.type == SEARCH and not parts.search:
        selector, mark, words = url.url_path.partition("?")
        also = f": {url.replace(path=f'{selector}%09{words}').masked}" if mark and words else ""
        yield from Note(WAITS + (f"; in a gopher URL they follow %09, not a '?'{also}" if also else ""))
        yield from Describe("index", name=name_of(parts))
        return None
    if string == "+":
        return (yield from _deliver(url, parts, (yield from ask_or_plainly(url, parts))))
    reply = yield from (ask_surely(url, parts, string) if string else ask(url, parts))
    return (yield from _deliver(url, parts, reply))


def list_menu(url: URL, options: Options) -> Dialogue:
    """List a menu, the results of a search (with the words in the URL), or a directory with attributes (``$``).

    Raises:
        UnsupportedError: The URL designates something else.
    """
    parts = check(url)
    string = parts.gopherplus or ""
    refuse_service(url, parts, "list")
    is_menu = parts.type == MENU or (parts.type == SEARCH and parts.search)
    if not (string.startswith("$") or (is_menu and string[:1] in ("", "+"))):
        hint = "use search with words for it." if parts.type == SEARCH else "use get."
        raise UnsupportedError(f"{url.masked} does not designate a menu: {hint}", scheme=url.scheme, verb="list")
    return (yield from get(url, options))


def search(url: URL, options: Options) -> Dialogue:
    """Send words to an index (RFC 1738 3.4.2), which returns a menu of the results.

    Raises:
        UnsupportedError: The URL is not of type 7.
        RefusedError: The words contain characters that would end a field or the line.
    """
    parts = check(url)
    if parts.type != SEARCH:
        raise UnsupportedError(
            f"{url.masked} is of type {parts.type!r}, which has no search: an index is of type 7.",
            scheme=url.scheme,
            verb="search",
        )
    refuse_octets(url, syntax.row(url.scheme), words=options.words)
    if "\t" in options.words:
        raise RefusedError(
            f"The words for {url.masked} hold a tab, which would end them: a space separates words.",
            code="octets",
            subject=url.scheme,
        )
    asked = GopherParts(parts.type, parts.selector, options.words or parts.search, parts.gopherplus)
    if not asked.search:
        raise lacks_words(url)
    return (yield from get(url.replace(parts=asked), options))


def stat(url: URL, options: Options) -> Dialogue:
    """Describe an item by its Gopher+ attributes (RFC 1738 3.4.6): title, keeper, time, views, abstract, questions."""
    parts = check(url)
    refuse_service(url, parts, "stat")
    return (yield from plus.stat(url, parts))


def _with_view(url: URL, parts: GopherParts, options: Options) -> GopherParts:
    """The same item in the view that the caller wants (RFC 1738 3.4.8: ``+view language``)."""
    if options.view is None:
        return parts
    refuse_octets(url, syntax.row(url.scheme), view=options.view)
    if "\t" in options.view:
        raise RefusedError(
            f"The requested view of {url.masked} contains a tab; a media type and a language would be allowed.",
            code="octets",
            subject=url.scheme,
        )
    return GopherParts(parts.type, parts.selector, parts.search, f"+{options.view}")


# --- replies -------------------------------------------------------------------------------------------------------


def _deliver(url: URL, parts: GopherParts, reply: ReplyBody | Follow) -> Dialogue:
    if isinstance(reply, Follow):
        return reply
    string = parts.gopherplus or ""
    view = string[1:].partition(" ")[0] if string.startswith("+") and parts.answers is None else ""
    if parts.type in MENUS and (not view or view.lower() in _MENU_VIEWS):
        yield from _deliver_menu(url, reply)
        return None
    answered = reply.plus or (yield from check_begin(url, parts, reply))
    yield Describe(
        "document",
        size=reply.length if reply.length >= 0 else None,
        attributes=None if answered else {"answered": False},
        later=partial(_told, parts, view),
    )
    if reply.length == DOTTED or (not reply.plus and parts.type in DOTTED_TYPES):
        yield from _deliver_text(reply)
    else:
        yield from reply.relay()
    return None


def _told(parts: GopherParts, view: str) -> Told:
    """The further description of a document."""
    return view.lower() or media_type(parts), None, None, name_of(parts)


def _deliver_text(body: ReplyBody) -> Steps[None]:
    if not body.plus and is_binary((yield from body.peek(menus.MAX_LINE_BYTES))):
        yield from Note(_BINARY)
        yield from body.relay()
        return
    text = TextReader()
    while piece := (yield from body.receive(text.ended)):
        if out := text.feed(piece):
            yield Emit(out)
    if out := text.finish():
        yield Emit(out)
    if text.inner:
        yield from Note(_INNER)
    if text.holds_nul:
        yield from Note(_NUL)
    # Many servers omit the lone dot and just close the connection; a missing line end, though, suggests truncation.
    yield from _tell_end(body, text.ended, _CUT if text.cut else None)


def _deliver_menu(url: URL, body: ReplyBody) -> Steps[None]:
    reader, menu = MenuReader(), Menu(url)
    items: list[MenuItem] = []
    while not items and (piece := (yield from body.receive(reader.ended))):
        items = reader.feed(piece)
    if not items:
        items = reader.finish()
        if not items and not reader.ended and not body.plus:
            raise ConnectionLost(f"{url.host} closed the connection without a menu.", stage="reply")
    if items and items[0].type == menus.ERROR:
        raise reply_error(url, 0, items[0].display)
    yield from Describe("listing")
    yield from _emit(menu, items)
    while piece := (yield from body.receive(reader.ended)):
        yield from _emit(menu, reader.feed(piece))
    yield from _emit(menu, reader.finish())
    if reader.plain:
        yield from Note(_PLAIN)
    if reader.odd.count:
        yield from Note(reader.odd.remark("the menu"))
    yield from _tell_end(body, reader.ended, _UNMARKED)


def _emit(menu: Menu, items: list[MenuItem]) -> Steps[None]:
    for start in range(0, len(items), plus.BATCH):
        yield from Emit([menu.entry(item) for item in items[start : start + plus.BATCH]])


def _tell_end(body: ReplyBody, ended: bool, doubt: str | None) -> Steps[None]:
    """Raise Truncated if the end mark is known to be missing; if that is uncertain, emit a note."""
    yield from body.tell_end(ended)
    if doubt is not None and not ended and not body.plus and not body.channel.unmarked:
        yield from Note(doubt, unproved=True)


# --- the schemes ---------------------------------------------------------------------------------------------------


def fake_server(url: URL, options: Options) -> FakeServer:
    """An ideal server: it has one item, of the type and the view of this URL; its questions match the answers."""
    from anyurl.schemes.gopher.wire.server import GopherItem, GopherServer

    parts = read(url)
    answers = options.answers if parts.answers is None else parts.answers
    kinds = tuple("AskL" if "\n" in answer else "Ask" for answer in answers) or ("Ask", "Ask")
    menu = b"iAn ideal menu\t\t\t0\n0README\t0/README\tideal.example\t70\t+\n1pub\t1/pub\tideal.example\t70\n"
    content = menu if parts.type in MENUS else b"An ideal text\nhas two lines.\n"
    string = parts.gopherplus or ""
    wanted = (options.view, string[1:] if string.startswith("+") else "")
    views = {view: content for view in ("text/plain", "application/postscript De_DE", *wanted) if view}
    questions = tuple(f"{kind}: Question {number}" for number, kind in enumerate(kinds, 1))
    item = GopherItem("1" if parts.type in MENUS else "0", content, views, questions, [("An ideal item", "")] * 2)
    return GopherServer(
        lambda _selector, _words: item, lambda _selector, _lines: content, "ideal.example", url.port or 0
    )


def _scheme(name: str, summary: str) -> Scheme:
    return Scheme(
        name,
        reference="RFC 4266",
        summary=summary,
        read=read,
        verbs={"get": get, "list": list_menu, "search": search, "stat": stat},
        fake_server=fake_server,
        check=check,
    )


_SUMMARY = "An item of a Gopher or Gopher+ server: a menu, a text, a search, a form, a file"

SCHEMES = (_scheme("gopher", f"{_SUMMARY}."), _scheme("gophers", f"{_SUMMARY}; over TLS."))
