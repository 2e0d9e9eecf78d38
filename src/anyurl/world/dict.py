"""dict: two small dictionaries on a dictionary server (RFC 2229).

Rule: the words are the same on every machine. Anyone may look them up; a login as `tree.USER` succeeds.
"""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Callable

from anyurl.schemes.dict.wire.commands import login, quoted_word, split_words
from anyurl.url import URL
from anyurl.world.listener import HOST, Listener
from anyurl.world.tree import PASSWORD, USER

IDLE_SECONDS = 60.0
MAX_LINE = 1024
"""Octets of a command (RFC 2229 2.2)."""

WORLD, PLACES = "world", "places"

TITLES = {WORLD: "What the small world is made of", PLACES: "Where things are"}

WORDS: dict[str, dict[str, str]] = {
    WORLD: {
        "locator": "locator\n  What says where something is, and how to get it.",
        "note": "note\n  A short text. The smallest is a lone dot:\n.",
        "wave": "wave\n  What the picture shows.",
        "small world": "small world\n  A few files, and a server for each scheme.",
        "Grüße": "Grüße\n  How a letter ends.",
    },
    PLACES: {"locator": "locator\n  Points at places; see {place}.", "place": "place\n  Where a locator points."},
}

STRATEGIES: dict[str, tuple[str, Callable[[str, str], bool]]] = {
    "exact": ("Match words exactly", lambda word, wanted: word == wanted),
    "prefix": ("Match the beginning of words", str.startswith),
    "suffix": ("Match the end of words", str.endswith),
    "substring": ("Match what stands anywhere in words", lambda word, wanted: wanted in word),
}

USUAL = "prefix"


class DictServer:
    """A dictionary server on a port of loopback."""

    def __init__(self, port: int = 0) -> None:
        self._numbers = itertools.count(1)
        self._listener = Listener(self.serve, "dict", port)
        self.port: int = self._listener.port

    @property
    def root(self) -> URL:
        """Both dictionaries."""
        return URL(f"dict://{HOST}:{self.port}/")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo gets."""
        return {"dict": URL(f"{self.root}d:locator:*")}

    def close(self) -> None:
        """Stop."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """One session."""
        connection.settimeout(IDLE_SECONDS)
        identifier = f"<{os.getpid()}.{next(self._numbers)}@world.example>"
        connection.sendall(f"220 world.example <auth> {identifier}\r\n".encode())
        with connection.makefile("rb") as lines:
            while line := lines.readline(MAX_LINE + 1):
                if not line.endswith(b"\n") or len(line) > MAX_LINE:
                    connection.sendall(b"500 The command is too long\r\n")
                    return
                words = [word.decode("utf-8", "surrogateescape") for word in split_words(line.rstrip(b"\r\n"))]
                connection.sendall("".join(f"{part}\r\n" for part in _answer(words, identifier)).encode())
                if words[:1] and words[0].upper() == "QUIT":
                    return


def _answer(words: list[str], identifier: str) -> list[str]:
    """The lines that answer a command."""
    verb, arguments = (words[0].upper() if words else ""), words[1:]
    if verb == "DEFINE" and len(arguments) == 2:
        return _define(*arguments)
    if verb == "MATCH" and len(arguments) == 3:
        return _match(*arguments)
    if verb == "SHOW" and arguments:
        return _show(arguments[0].upper(), arguments[1:])
    if verb == "AUTH" and len(arguments) == 2:
        proof = login(identifier.encode(), PASSWORD.encode()).decode()
        return ["230 Welcome" if arguments == [USER, proof] else "531 Access denied"]
    return {
        "CLIENT": ["250 ok"],
        "STATUS": ["210 It is well"],
        "HELP": ["113 Help follows", "DEFINE, MATCH, SHOW, CLIENT, STATUS, AUTH, QUIT", ".", "250 ok"],
        "QUIT": ["221 Good-bye"],
        "DEFINE": ["501 DEFINE database word"],
        "MATCH": ["501 MATCH database strategy word"],
    }.get(verb, ["500 There is no such command"])


def _searched(database: str) -> list[str]:
    return list(WORDS) if database in "!*" else [database] if database in WORDS else []


def _string(text: str) -> str:
    return quoted_word(text.encode()).decode()


def _block(text: str) -> list[str]:
    return [*((f".{line}" if line.startswith(".") else line) for line in text.split("\n")), "."]


def _define(database: str, word: str) -> list[str]:
    names = _searched(database)
    if not names:
        return ["550 There is no such database"]
    found = [
        (name, title, text)
        for name in names
        for title, text in WORDS[name].items()
        if title.casefold() == word.casefold()
    ]
    if database == "!":
        found = found[:1]
    if not found:
        return ["552 No match"]
    lines = [f"150 {len(found)} definitions retrieved"]
    for name, title, text in found:
        lines += [f"151 {_string(title)} {name} {_string(TITLES[name])}", *_block(text)]
    return [*lines, "250 ok"]


def _match(database: str, strategy: str, word: str) -> list[str]:
    names = _searched(database)
    _, fits = STRATEGIES.get(USUAL if strategy == "." else strategy, (None, None))
    if not names:
        return ["550 There is no such database"]
    if fits is None:
        return ["551 There is no such strategy"]
    found: list[str] = []
    for name in names:
        if not found or database != "!":
            found += [f"{name} {_string(title)}" for title in WORDS[name] if fits(title.casefold(), word.casefold())]
    if not found:
        return ["552 No match"]
    return [f"152 {len(found)} matches found", *found, ".", "250 ok"]


def _show(what: str, arguments: list[str]) -> list[str]:
    if what in ("DB", "DATABASES"):
        lines = [f"{name} {_string(title)}" for name, title in TITLES.items()]
        return [f"110 {len(lines)} databases present", *lines, ".", "250 ok"]
    if what in ("STRAT", "STRATEGIES"):
        lines = [f"{name} {_string(title)}" for name, (title, _) in STRATEGIES.items()]
        return [f"111 {len(lines)} strategies present", *lines, ".", "250 ok"]
    if what == "INFO" and len(arguments) == 1:
        if arguments[0] not in TITLES:
            return ["550 There is no such database"]
        return [
            "112 Information follows",
            *_block(f"{TITLES[arguments[0]]}.\nIt is the same on every machine."),
            "250 ok",
        ]
    if what == "SERVER":
        return ["114 Information follows", *_block("A small world."), "250 ok"]
    return ["501 SHOW DB, STRAT, INFO database or SERVER"]


def start(port: int = 0) -> DictServer:
    """Serve the dictionaries. At a port of the system's choice, if 0; raises OSError if it is taken."""
    return DictServer(port)
