"""An ideal Gopher+ server, pure and deterministic, for dry runs and ``--explain``.

Rule: it assumes that the URL is right (the item exists and has the type in the URL) and replies as RFC 1436 and Gopher+
say, once per connection.
"""

from __future__ import annotations

from collections.abc import Sequence

TEXT = b"An ideal text\r\nhas two lines.\r\n"
"""The content of every item that is not a menu."""

ITEMS = b"iAn ideal menu\t\t\t0\r\n0README\t0/README\tideal.example\t70\t+\r\n1pub\t1/pub\tideal.example\t70\r\n"
"""The content of every menu."""

VIEWS = b"text/plain: <1k>\r\n application/postscript De_DE: <9k>\r\n"
ADMIN = b"+ADMIN:\r\n Admin: Nobody <nobody@ideal.example>\r\n Mod-Date: Thu Dec  1 00:00:00 1994 <19941201000000>\r\n"


class FakeGopherServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of one URL.

    Args:
        menu: Whether the URL designates a menu.
        questions: The kinds of the questions in its form: ``Ask`` for one line, ``AskL`` for several.
    """

    __slots__ = ("_menu", "_questions", "_asked")

    def __init__(self, *, menu: bool = False, questions: Sequence[str] = ("Ask", "Ask")) -> None:
        self._menu = menu
        self._questions = questions
        self._asked: dict[int, bytes] = {}

    def connected(self, link: int) -> bytes:
        """Nothing: a gopher client speaks first."""
        return b""

    def received(self, link: int, data: bytes) -> bytes:
        """The reply to the request in these octets, once it is complete."""
        asked = self._asked[link] = self._asked.get(link, b"") + data
        line, end, block = asked.partition(b"\r\n")
        selector, *fields = line.split(b"\t")
        if not end:
            return b""
        if fields == [b"+", b"1"]:  # RFC 1738 3.4.9: the answers of a form follow
            return b"+-1\r\n" + self._content() if block.endswith(b"\r\n.\r\n") else b""
        string = fields[-1] if fields else b""
        if string.startswith(b"!"):
            return b"+-1\r\n" + self._attributes(selector) + b".\r\n"
        if string.startswith(b"$"):
            return b"+-1\r\n" + self._attributes(selector) * 2 + b".\r\n"
        if string.startswith(b"+"):
            return b"+-1\r\n" + self._content()
        return self._content()

    def _content(self) -> bytes:
        return (ITEMS if self._menu else TEXT) + b".\r\n"

    def _attributes(self, selector: bytes) -> bytes:
        type = b"1" if self._menu else b"0"
        info = b"+INFO: " + type + b"An ideal item\t" + selector + b"\tideal.example\t70\t?\r\n"
        asked = (f" {kind}: Question {number}\r\n" for number, kind in enumerate(self._questions, 1))
        questions = "".join(asked).encode("ascii")
        return info + ADMIN + b"+VIEWS:\r\n " + VIEWS + b"+ASK:\r\n" + questions
