"""Reading netrc: the entries of a file that many programs write, each with its own words (curl, ftp, Heroku ...).

Rule: an entry is the text between ``machine NAME`` and the next ``machine`` or ``default``, and never applies to
another host. A keyword is never a value: an entry with a keyword as a value is dropped, as is one with an unknown word
and no login or password. A dropped entry is reported by its line; no word of the file is ever shown.
"""

from __future__ import annotations

import re

from anyurl.values import Value

KEYWORDS = frozenset({"machine", "default", "login", "user", "password", "account", "macdef"})

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\[^\n])*+"(?=\s|\Z)|#[^\n]*|\n|[^\s]+')
"""A quoted text within its line, a comment or a word that begins with ``#``, the end of a line, a word."""

_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class Account(Value):
    """The login of one host.

    Attributes:
        machine: The host, in lower case.
        login: The user, or ``""``.
        password: The password, or ``""``.
        line: The line that it begins in.
        odd: It is not understood, and not to be used.
    """

    machine: str
    login: str
    password: str
    line: int
    odd: bool


class _Words:
    """The words of a file, one after the other."""

    def __init__(self, text: str) -> None:
        self.line = 1
        self._text = text
        self._at = 0
        self._back: tuple[str, bool] | None = None

    def next(self) -> tuple[str, bool] | None:
        """The next word, and whether it may be a keyword; None at the end."""
        if self._back is not None:
            again, self._back = self._back, None
            return again
        begins = self._at == 0
        while (found := _TOKEN.search(self._text, self._at)) is not None:
            self._at = found.end()
            token = found[0]
            if token[0] == "\n":
                self.line += 1
                begins = True
            elif token[0] == "#" and begins:
                pass  # a comment; after other words it may be a password
            elif token[0] == "#":
                word = token.split()[0]
                self._at = found.start() + len(word)
                return word, False
            elif token[0] == '"' and len(token) > 1 and token[-1] == '"':
                return _ESCAPE.sub(lambda pair: _ESCAPES.get(pair[1], pair[1]), token[1:-1]), False
            else:
                return token, token in KEYWORDS
        return None

    def give_back(self, word: tuple[str, bool]) -> None:
        """Let `next` return this word again."""
        self._back = word

    def value(self) -> str | None:
        """The value of the word before; None at a keyword or the end of the file."""
        word = self.next()
        if word is not None and word[1]:
            self.give_back(word)
            return None
        return None if word is None else word[0]

    def skip_macro(self) -> None:
        """Skip a macro, which ends at an empty line or the end of the file."""
        end = re.compile(r"\n[ \t\r]*\n").search(self._text, self._at)
        stop = len(self._text) if end is None else end.end()
        self.line += self._text.count("\n", self._at, stop)
        self._at = stop


def read_netrc(data: bytes) -> list[Account]:
    """The entries of hosts, in order; ``default`` has no host, and is read and left out."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    words, entries = _Words(text.replace("\r\n", "\n")), list[Account]()
    while (word := words.next()) is not None:
        name, is_keyword = word
        if is_keyword and name == "macdef":
            words.skip_macro()
        elif is_keyword and name in ("machine", "default"):
            line = words.line
            host = words.value() if name == "machine" else ""
            entry = _entry(words, host or "", line)
            if host != "":
                entries.append(entry)
    return entries


def _entry(words: _Words, host: str, line: int) -> Account:
    """The entry of this host, whose further words are read to the next one."""
    found: dict[str, str] = {}
    unknown, odd = False, not host
    while (word := words.next()) is not None:
        name, is_keyword = word
        if is_keyword and name in ("machine", "default", "macdef"):
            words.give_back(word)
            break
        value = words.value()
        if is_keyword:
            odd = odd or value is None
            found.setdefault("login" if name == "user" else name, value or "")
        else:
            unknown = True
    login, password = found.get("login", ""), found.get("password", "")
    odd = odd or (unknown and not (login and password))
    return Account(host.lower().removesuffix("."), login, password, line, odd)
