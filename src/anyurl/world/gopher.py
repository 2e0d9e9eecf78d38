"""gopher: the world's tree on a Gopher+ server (RFC 1738 3.4; RFC 1436; Gopher+ of July 1993).

Rule: a selector is the gopher type and a path, so that a URL shows the type twice, as RFC 1738 3.4.1 describes it:

    ""  1/FOLDER    menus                     0/PATH  9/PATH    texts and files
    7/search        the lines of the texts that contain all words
    0/guest-book    a form: it asks four questions and replies with the answers

Every item has attributes; the greetings have three views.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.schemes.gopher.wire.server import GopherItem, GopherServer, menu_line
from anyurl.world.listener import HOST, SchemeListener
from anyurl.world.tree import content_type, tree

GREETINGS = "pub/names/grüße.txt"
GUEST_BOOK = "0/guest-book"
SEARCH = "7/search"

QUESTIONS = (
    "Note: Everybody may sign.",
    "Ask: Your name\tA visitor",
    "AskP: A word that nobody else sees",
    "AskL: Your message",
    "Choose: How was it?\tgood\tvery good",
)

MENU = "application/gopher-menu"
"""The view of menus and searches."""


class Burrow:
    """The tree in memory.

    Args:
        port: The port of its server.
    """

    def __init__(self, port: int) -> None:
        self._files = tree()
        self._port = port

    def find(self, selector: str, words: str) -> GopherItem | None:
        """The item of a selector; a search finds the lines with all of the words."""
        type, path = selector[:1], selector[2:]
        if selector in ("", "/"):
            return self._menu("")
        if selector == SEARCH:
            return _menu_item("7", self._found(words))
        if selector == GUEST_BOOK:
            return _document(selector, b"This book is signed by answering its form.\n", QUESTIONS)
        if type == "1" and any(name.startswith(path) for name in self._files) and path.endswith("/"):
            return self._menu(path)
        return _document(selector, self._files[path]) if type in ("0", "9") and path in self._files else None

    def sign(self, selector: str, lines: list[str]) -> bytes | None:
        """The answer of the guest book."""
        if selector != GUEST_BOOK or len(lines) < 5:
            return None
        name, _secret, count, *message, verdict = lines
        lines_were = "line was" if count == "1" else "lines were"
        text = "\n".join((f"{name} was here, and found it {verdict}.", f"{count} {lines_were} written:", *message, ""))
        return text.encode("utf-8", "surrogateescape")

    def _line(self, name: str, selector: str) -> str:
        kind = GopherItem(selector[0], b"", {}, QUESTIONS if selector == GUEST_BOOK else ())
        return menu_line(kind, name, selector, HOST, self._port)

    def _menu(self, folder: str) -> GopherItem:
        entries = self._entries(folder)
        lines = [] if folder else ["iThis is a small world.\t\terror.host\t1\n", "i\t\terror.host\t1\n"]
        lines += [self._line(*entry) for entry in entries]
        if not folder:
            lines.append(f"hThe document that describes this\tURL:https://www.rfc-editor.org/rfc/rfc1738\t{HOST}\t70\n")
        return _menu_item("1", "".join(lines).encode(), entries)

    def _entries(self, folder: str) -> list[tuple[str, str]]:
        """Name and selector of the items of a folder."""
        found: dict[str, str] = {}
        for path in sorted(self._files):
            if path.startswith(folder):
                name, slash, _ = path.removeprefix(folder).partition("/")
                found.setdefault(name, f"{'1' if slash else _type_of(path)}/{folder}{name}{slash}")
        own = [("Search the texts", SEARCH), ("Sign the guest book", GUEST_BOOK)]
        return [*found.items(), *([] if folder else own)]

    def _found(self, words: str) -> bytes:
        wanted = words.casefold().split()
        lines = []
        for path, data in sorted(self._files.items()):
            if _type_of(path) == "0" and path.endswith(".txt"):
                for line in data.decode("utf-8", "replace").splitlines():
                    if wanted and all(word in line.casefold() for word in wanted):
                        lines.append(self._line(line.strip(), f"0/{path}"))
        return "".join(lines).encode()


def _menu_item(type: str, content: bytes, entries: Sequence[tuple[str, str]] = ()) -> GopherItem:
    return GopherItem(type, content, {MENU: content}, entries=entries)


def _document(selector: str, content: bytes, questions: Sequence[str] = ()) -> GopherItem:
    views = {content_type(selector).partition(";")[0]: content}
    if selector == f"0/{GREETINGS}":
        german, french, *_ = (line + b"\n" for line in content.splitlines())
        views |= {"text/plain De_DE": german, "text/plain Fr_FR": french}
    return GopherItem(selector[0], content, views, questions)


def _type_of(path: str) -> str:
    return "0" if content_type(path).startswith("text/") else "9"


def start(port: int = 0) -> SchemeListener:
    """Serve the tree by gopher. At a port of the system's choice, if 0; raises OSError if it is taken."""

    def make(port: int) -> GopherServer:
        burrow = Burrow(port)
        return GopherServer(burrow.find, burrow.sign, HOST, port, title="The world")

    # A text with the lone dot of gopher at the end, and doubled dots.
    return SchemeListener(make, "gopher", port, "gopher://{}/", {"gopher": "gopher://{}/00/pub/notes.txt"})
