"""A dictionary server without I/O (RFC 2229): it knows the words that it is given.

Rule: it answers every command, and a login with the right user; without one of its own it accepts any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from anyurl.schemes.dict.wire.commands import MAX_COMMAND_BYTES, login, quoted_word, split_words
from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.values import Value

Strategies = Mapping[str, tuple[str, Callable[[str, str], bool]]]

STRATEGIES: Strategies = {
    "exact": ("Match words exactly", lambda word, wanted: word == wanted),
    "prefix": ("Match the beginning of words", str.startswith),
    "suffix": ("Match the end of words", str.endswith),
    "substring": ("Match what stands anywhere in words", lambda word, wanted: wanted in word),
}
"""By name, a description and whether a word matches."""

USUAL = "prefix"

_LINES = {
    "CLIENT": "250 ok",
    "STATUS": "210 It is well",
    "QUIT": "221 Good-bye",
    "DEFINE": "501 DEFINE database word",
    "MATCH": "501 MATCH database strategy word",
}


class Dictionary(Value):
    """A dictionary.

    Attributes:
        title: Its description in a line.
        words: The definition of each of its words.
        information: Its description.
    """

    title: str
    words: Mapping[str, str]
    information: str = ""


class DictServer(WireServer):
    """A dictionary server.

    Args:
        dictionaries: Those that it has, by name.
        strategies: How it matches words, by name.
        host: Its own name.
        information: Its description.
        serial: The first number of the identifiers that logins digest; the second is that of the connection.
        user: The name and the password that it lets in; None for all.
    """

    def __init__(
        self,
        dictionaries: Mapping[str, Dictionary],
        strategies: Strategies = STRATEGIES,
        *,
        host: str = "ideal.example",
        information: str = "An ideal server.",
        serial: int = 1,
        user: tuple[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._dictionaries = dictionaries
        self._strategies = strategies
        self._host = host
        self._information = information
        self._serial = serial
        self._user = user

    def serve(self, client: ServedClient) -> Conversation[None]:
        """One session."""
        identifier = f"<{self._serial}.{client.link}@{self._host}>"
        client.send(f"220 {self._host} <auth> {identifier}\r\n".encode())
        verb = ""
        while verb != "QUIT" and (line := (yield from client.until(b"\n", MAX_COMMAND_BYTES - 1))) is not None:
            words = [word.decode("utf-8", "surrogateescape") for word in split_words(line.rstrip(b"\r"))]
            verb = words[0].upper() if words else ""
            answer = self._answer(verb, words[1:], identifier)
            client.send("".join(f"{part}\r\n" for part in answer).encode("utf-8", "surrogateescape"))
        if verb != "QUIT" and client.buffer:
            client.send(b"500 The command is too long\r\n")

    def _answer(self, verb: str, arguments: list[str], identifier: str) -> list[str]:
        """The lines that answer a command."""
        if verb == "DEFINE" and len(arguments) == 2:
            return self._define(*arguments)
        if verb == "MATCH" and len(arguments) == 3:
            return self._match(*arguments)
        if verb == "SHOW" and arguments:
            return self._show(arguments[0].upper(), arguments[1:])
        if verb == "AUTH" and len(arguments) == 2:
            return ["230 Welcome" if self._lets_in(identifier, *arguments) else "531 Access denied"]
        if verb == "HELP":
            return ["113 Help follows", "DEFINE, MATCH, SHOW, CLIENT, STATUS, AUTH, QUIT", ".", "250 ok"]
        return [_LINES.get(verb, "500 There is no such command")]

    def _lets_in(self, identifier: str, name: str, proof: str) -> bool:
        return self._user is None or (name, proof) == (
            self._user[0],
            login(identifier.encode(), self._user[1].encode()).decode(),
        )

    def _searched(self, name: str) -> list[str]:
        return list(self._dictionaries) if name in "!*" else [name] if name in self._dictionaries else []

    def _define(self, database: str, word: str) -> list[str]:
        names = self._searched(database)
        if not names:
            return ["550 There is no such database"]
        found = [
            (name, title, text)
            for name in names
            for title, text in self._dictionaries[name].words.items()
            if title.casefold() == word.casefold()
        ]
        if database == "!":
            found = found[:1]
        if not found:
            return ["552 No match"]
        lines = [f"150 {len(found)} definitions retrieved"]
        for name, title, text in found:
            lines += [f"151 {_string(title)} {name} {_string(self._dictionaries[name].title)}", *_block(text)]
        return [*lines, "250 ok"]

    def _match(self, database: str, strategy: str, word: str) -> list[str]:
        names = self._searched(database)
        _, fits = self._strategies.get(USUAL if strategy == "." else strategy, (None, None))
        if not names:
            return ["550 There is no such database"]
        if fits is None:
            return ["551 There is no such strategy"]
        found: list[str] = []
        for name in names:
            if not found or database != "!":
                words = self._dictionaries[name].words
                found += [f"{name} {_string(title)}" for title in words if fits(title.casefold(), word.casefold())]
        if not found:
            return ["552 No match"]
        return [f"152 {len(found)} matches found", *found, ".", "250 ok"]

    def _show(self, what: str, arguments: list[str]) -> list[str]:
        if what in ("DB", "DATABASES"):
            lines = [f"{name} {_string(each.title)}" for name, each in self._dictionaries.items()]
            return [f"110 {len(lines)} databases present", *lines, ".", "250 ok"]
        if what in ("STRAT", "STRATEGIES"):
            lines = [f"{name} {_string(title)}" for name, (title, _) in self._strategies.items()]
            return [f"111 {len(lines)} strategies present", *lines, ".", "250 ok"]
        if what == "INFO" and len(arguments) == 1:
            found = self._dictionaries.get(arguments[0])
            if found is None:
                return ["550 There is no such database"]
            return ["112 Information follows", *_block(f"{found.title}.\n{found.information}"), "250 ok"]
        if what == "SERVER":
            return ["114 Information follows", *_block(self._information), "250 ok"]
        return ["501 SHOW DB, STRAT, INFO database or SERVER"]


def _string(text: str) -> str:
    return quoted_word(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def _block(text: str) -> list[str]:
    return [*((f".{line}" if line.startswith(".") else line) for line in text.split("\n")), "."]
