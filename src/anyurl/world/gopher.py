"""gopher: the world's tree on a Gopher+ server (RFC 1738 3.4; RFC 1436; Gopher+ of July 1993).

Rule: a selector is the gopher type and a path, so that a URL shows the type twice, as RFC 1738 3.4.1 describes it:

    ""  1/FOLDER    menus                     0/PATH  9/PATH    texts and files
    7/search        the lines of the texts that contain all words
    0/guest-book    a form: it asks four questions and replies with the answers

Every item has attributes; the greetings have three views. Both ways to ask for Gopher+ are understood.
"""

from __future__ import annotations

import socket

from anyurl.url import URL
from anyurl.world.listener import HOST, Listener
from anyurl.world.tree import content_type, tree

MAX_REQUEST = 4096
"""Octets of a request, an answered form included."""

IDLE_SECONDS = 60.0
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

VIEWS = {
    "text/plain": lambda text: text,
    "text/plain De_DE": lambda text: text.splitlines()[0] + "\n",
    "text/plain Fr_FR": lambda text: text.splitlines()[1] + "\n",
}
"""The views of the greetings: a function of the text for each."""


class GopherServer:
    """A Gopher+ server with the tree in memory.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, port: int = 0) -> None:
        self._files = tree()
        self._listener = Listener(self.serve, "gopher", port)
        self.port = self._listener.port

    @property
    def root(self) -> URL:
        """The top menu."""
        return URL(f"gopher://{HOST}:{self.port}/")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo gets: a text, with gopher's lone dot at the end and doubled dots."""
        return {"gopher": URL(f"{self.root}00/pub/notes.txt")}

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """One request, one reply."""
        connection.settimeout(IDLE_SECONDS)
        line = b""
        while b"\n" not in line and len(line) < MAX_REQUEST:
            piece = connection.recv(MAX_REQUEST - len(line))
            if not piece:
                break
            line += piece
        first, _, rest = line.partition(b"\n")
        selector, *fields = first.rstrip(b"\r").decode("utf-8", "surrogateescape").split("\t")
        if fields == ["+", "1"]:
            reply = self._sign(selector, _rest_of_form(connection, rest))
        elif fields and fields[-1][:1] in ("+", "!", "$") and selector != SEARCH:
            reply = self._plus(selector, fields[-1])
        elif len(fields) == 2 and fields[-1].startswith("+"):
            reply = _plus_reply(_dotted(self._found(fields[0])))
        elif len(fields) == 1 and fields[0][:1] in ("!", "$"):
            reply = self._plus(selector, fields[0])
        else:
            reply = self._plain(selector, fields[0] if fields else "")
        connection.sendall(reply)

    # --- without Gopher+ ---------------------------------------------------------------------------------------------

    def _plain(self, selector: str, words: str) -> bytes:
        content = self._content(selector, words)
        if content is None:
            return f"3There is no {selector!r} here\t\terror.host\t1\r\n.\r\n".encode("utf-8", "backslashreplace")
        return content if selector.startswith("9") else _dotted(content)

    def _content(self, selector: str, words: str = "") -> bytes | None:
        type, path = selector[:1], selector[2:]
        if selector in ("", "/"):
            return self._menu("")
        if selector == SEARCH:
            return self._found(words)
        if selector == GUEST_BOOK:
            return b"This book is signed by answering its form.\n"
        if type == "1" and any(name.startswith(path) for name in self._files) and path.endswith("/"):
            return self._menu(path)
        return self._files.get(path) if type in ("0", "9") else None

    def _line(self, type: str, name: str, selector: str, tag: str = "+") -> str:
        return f"{type}{name}\t{selector}\t{HOST}\t{self.port}\t{tag}\n"

    def _menu(self, folder: str) -> bytes:
        lines = [] if folder else ["iThis is a small world.\t\terror.host\t1\n", "i\t\terror.host\t1\n"]
        lines += [self._line(*item) for item in self._items(folder)]
        if not folder:
            lines.append(f"hThe document that describes this\tURL:https://www.rfc-editor.org/rfc/rfc1738\t{HOST}\t70\n")
        return "".join(lines).encode()

    def _items(self, folder: str) -> list[tuple[str, str, str, str]]:
        """The items of a folder: type, name, selector and tag."""
        found: dict[str, tuple[str, str, str, str]] = {}
        for path in sorted(self._files):
            if path.startswith(folder):
                name, slash, _ = path.removeprefix(folder).partition("/")
                type = "1" if slash else _type_of(path)
                found.setdefault(name, (type, name, f"{type}/{folder}{name}{slash}", "+"))
        own = [("7", "Search the texts", SEARCH, "+"), ("0", "Sign the guest book", GUEST_BOOK, "?")]
        return [*found.values(), *([] if folder else own)]

    def _found(self, words: str) -> bytes:
        wanted = words.casefold().split()
        lines = []
        for path, data in sorted(self._files.items()):
            if _type_of(path) == "0" and path.endswith(".txt"):
                for line in data.decode("utf-8", "replace").splitlines():
                    if wanted and all(word in line.casefold() for word in wanted):
                        lines.append(self._line("0", line.strip(), f"0/{path}"))
        return "".join(lines).encode()

    # --- Gopher+ -----------------------------------------------------------------------------------------------------

    def _plus(self, selector: str, string: str) -> bytes:
        content = self._content(selector)
        if content is None:
            return b"--1\r\n1 Nobody <nobody@localhost>\r\nThere is no such item here.\r\n.\r\n"
        if string[0] == "!":
            name = selector.rstrip("/").rpartition("/")[2] or "The world"
            tag = "?" if selector == GUEST_BOOK else "+"
            return _plus_reply(_dotted(self._attributes(name, selector, tag, string[1:].split()).encode()))
        if string[0] == "$":
            blocks = "".join(self._attributes(*item[1:], []) for item in self._items(selector[2:]))
            return _plus_reply(_dotted(blocks.encode()))
        view = string[1:]
        if selector == f"0/{GREETINGS}" and view in VIEWS:
            content = VIEWS[view](content.decode()).encode()
        elif view and view.split()[0] not in self._views(selector):
            return b"--1\r\n1 Nobody <nobody@localhost>\r\nThe item has no such view.\r\n.\r\n"
        if selector[:1] in ("0", "9"):
            return b"+%d\r\n" % len(content) + content
        return _plus_reply(_dotted(content))

    def _views(self, selector: str) -> tuple[str, ...]:
        if selector == f"0/{GREETINGS}":
            return tuple(VIEWS)
        if selector[:1] not in ("0", "9"):
            return ("application/gopher-menu",)
        return (content_type(selector).partition(";")[0],)

    def _attributes(self, name: str, selector: str, tag: str, wanted: list[str]) -> str:
        size = len(self._content(selector) or b"") // 1024 + 1
        blocks = {
            "+INFO": " " + self._line(selector[:1] or "1", name, selector, tag),
            "+ADMIN": "\n Admin: Nobody <nobody@localhost>\n Mod-Date: Tue Dec 20 00:00:00 1994 <19941220000000>\n",
            "+VIEWS": "\n" + "".join(f" {view}: <{size}k>\n" for view in self._views(selector)),
            "+ABSTRACT": f"\n This is {name}.\n It is the same on every machine.\n",
        }
        if selector == GUEST_BOOK:
            blocks["+ASK"] = "\n" + "".join(f" {question}\n" for question in QUESTIONS)
        return "".join(f"{block}:{text}" for block, text in blocks.items() if not wanted or block in wanted)

    def _sign(self, selector: str, lines: list[str]) -> bytes:
        if selector != GUEST_BOOK or len(lines) < 5:
            return b"--1\r\n1 Nobody <nobody@localhost>\r\nThis asks nothing of the sort.\r\n.\r\n"
        name, _secret, count, *message, verdict = lines
        lines_were = "line was" if count == "1" else "lines were"
        text = "\n".join((f"{name} was here, and found it {verdict}.", f"{count} {lines_were} written:", *message, ""))
        return _plus_reply(_dotted(text.encode("utf-8", "surrogateescape")))


def _type_of(path: str) -> str:
    return "0" if content_type(path).startswith("text/") else "9"


def _dotted(text: bytes) -> bytes:
    """Lines ended by CR LF, a dot before each dot that begins one, and a lone dot at the end (RFC 1436 3.8)."""
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return b"".join((b"." if line.startswith(b".") else b"") + line + b"\r\n" for line in lines) + b".\r\n"


def _plus_reply(content: bytes) -> bytes:
    return b"+-1\r\n" + content


def _rest_of_form(connection: socket.socket, data: bytes) -> list[str]:
    """The answers of a form: the lines between ``+-1`` and the lone dot (RFC 1738 3.4.9)."""
    while not data.endswith(b"\r\n.\r\n") and len(data) < MAX_REQUEST:
        piece = connection.recv(MAX_REQUEST - len(data))
        if not piece:
            break
        data += piece
    first, *lines = data.decode("utf-8", "surrogateescape").split("\r\n")
    return lines[:-2] if first == "+-1" and lines[-2:] == [".", ""] else []


def start(port: int = 0) -> GopherServer:
    """Serve the tree by gopher. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return GopherServer(port=port)
