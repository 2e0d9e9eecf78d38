"""A Gopher+ server without I/O (RFC 1436; RFC 1738 3.4; Gopher+ of July 1993): one request, one reply.

Rule: it answers a request as soon as it is whole, and as far as it came if the client has gone. Both ways to ask for
Gopher+ are understood: after one tab and after two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.values import Value

MAX_REQUEST = 4096
"""Octets of a request, and of an answered form."""

MENUS = ("1", "7")
"""Types of items whose content is the lines of a menu."""

_REFUSED = "--1\r\n1 Nobody <nobody@localhost>\r\n%s\r\n.\r\n"


class GopherItem(Value):
    """The item of a selector.

    Attributes:
        type: Its type; the content of ``9`` is octets, of all others lines.
        content: Its content, with LF at the end of lines.
        views: Its content by the name of each view.
        questions: The questions of its form.
        entries: Name and selector of each item in its menu.
    """

    type: str
    content: bytes
    views: Mapping[str, bytes]
    questions: Sequence[str] = ()
    entries: Sequence[tuple[str, str]] = ()


class GopherServer(WireServer):
    """A Gopher+ server.

    Args:
        find: The item of a selector; a search gets the words, too. None if there is no such item.
        sign: The text that answers the lines of a form with this selector; None if it is refused.
        host: Its own host.
        port: Its own port.
        title: The name of its top menu.
    """

    def __init__(
        self,
        find: Callable[[str, str], GopherItem | None],
        sign: Callable[[str, list[str]], bytes | None],
        host: str,
        port: int,
        *,
        title: str = "An ideal menu",
    ) -> None:
        super().__init__()
        self._find = find
        self._sign = sign
        self._host = host
        self._port = port
        self._title = title

    def serve(self, client: ServedClient) -> Conversation[None]:
        """One request, one reply."""
        line = yield from client.until(b"\n", MAX_REQUEST)
        if line is None:
            line = bytes(client.buffer[:MAX_REQUEST])
        selector, *fields = line.rstrip(b"\r").decode("utf-8", "surrogateescape").split("\t")
        if fields == ["+", "1"]:
            form = yield from client.until(b"\r\n.\r\n", MAX_REQUEST)
            first, *lines = (form or b"").decode("utf-8", "surrogateescape").split("\r\n")
            text = self._sign(selector, lines if first == "+-1" else [])
            client.send(_refusal("This asks nothing of the sort.") if text is None else _plus_reply(_dotted(text)))
        else:
            client.send(self._reply(selector, fields))

    def _reply(self, selector: str, fields: list[str]) -> bytes:
        item = self._find(selector, "")
        is_search = item is not None and item.type == "7"
        last = fields[-1] if fields else ""
        if last[:1] in ("!", "$") and (len(fields) == 1 or not is_search):
            return self._attributes(selector, item, last)
        if last.startswith("+") and (len(fields) == 2 or not is_search):
            return _content(
                self._find(selector, fields[0]) if is_search else item, "" if is_search else last[1:].strip()
            )
        if is_search and fields:
            item = self._find(selector, fields[0])
        if item is None:
            return f"3There is no {selector!r} here\t\terror.host\t1\r\n.\r\n".encode("utf-8", "backslashreplace")
        return item.content if item.type == "9" else _dotted(item.content)

    # --- Gopher+ -----------------------------------------------------------------------------------------------------

    def _attributes(self, selector: str, item: GopherItem | None, string: str) -> bytes:
        if item is None:
            return _refusal("There is no such item here.")
        if string[0] == "!":
            name = selector.rstrip("/").rpartition("/")[2] or self._title
            blocks = self._blocks(name, selector, item, string[1:].split())
        else:
            found = ((name, there, self._find(there, "")) for name, there in item.entries)
            blocks = "".join(self._blocks(name, there, each, []) for name, there, each in found if each is not None)
        return _plus_reply(_dotted(blocks.encode("utf-8", "surrogateescape")))

    def _blocks(self, name: str, selector: str, item: GopherItem, wanted: list[str]) -> str:
        size = len(item.content) // 1024 + 1
        blocks = {
            "+INFO": " " + menu_line(item, name, selector, self._host, self._port),
            "+ADMIN": "\n Admin: Nobody <nobody@localhost>\n Mod-Date: Tue Dec 20 00:00:00 1994 <19941220000000>\n",
            "+VIEWS": "\n" + "".join(f" {view}: <{size}k>\n" for view in item.views),
            "+ABSTRACT": f"\n This is {name}.\n It is the same on every machine.\n",
        }
        if item.questions:
            blocks["+ASK"] = "\n" + "".join(f" {question}\n" for question in item.questions)
        return "".join(f"{block}:{text}" for block, text in blocks.items() if not wanted or block in wanted)


def menu_line(item: GopherItem, name: str, selector: str, host: str, port: int) -> str:
    """The line of an item in a menu, with LF at its end."""
    return f"{item.type}{name}\t{selector}\t{host}\t{port}\t{'?' if item.questions else '+'}\n"


def _content(item: GopherItem | None, view: str) -> bytes:
    """The Gopher+ reply with an item, in a view if one is named."""
    if item is None:
        return _refusal("There is no such item here.")
    if view and view not in item.views and view.split()[0] not in item.views:
        return _refusal("The item has no such view.")
    content = item.views.get(view, item.content)
    return _plus_reply(_dotted(content)) if item.type in MENUS else b"+%d\r\n" % len(content) + content


def _refusal(sentence: str) -> bytes:
    return (_REFUSED % sentence).encode()


def _dotted(text: bytes) -> bytes:
    """Lines ended by CR LF, a dot before each dot that begins one, and a lone dot at the end (RFC 1436 3.8)."""
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return b"".join((b"." if line.startswith(b".") else b"") + line + b"\r\n" for line in lines) + b".\r\n"


def _plus_reply(content: bytes) -> bytes:
    return b"+-1\r\n" + content
