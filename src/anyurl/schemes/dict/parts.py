"""The parts of a dict URL: a word to define or to match, and where (RFC 2229 5).

Rule: unencoded colons delimit; an encoded one is a character of the word. curl's own form, which sends any command in
the path, is not supported. Attack: with it, the author of a URL could send commands to any server.
"""

from __future__ import annotations

from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.dict.wire.commands import is_atom
from anyurl.schemes.kit.scheme import (
    SAFE,
    Parts,
    canonical,
    check_number,
    decode,
    encode,
    octets,
    once,
    part_error,
    refuse_octets,
)
from anyurl.url import URL, syntax

FIRST, ALL = "!", "*"
"""Databases that every server has: the first one with the word, and all of them (RFC 2229 3.2)."""

USUAL = "."
"""The server's default strategy (RFC 2229 3.3.1)."""

MAX_INDEX_DIGITS = 9

_SAFE = SAFE + b"/?@&=;"
_SECTION = "RFC 2229 5"


class DictParts(Parts):
    """The query in a dict URL (RFC 2229 5).

    Attributes:
        word: The word to look up; ``""`` if the URL names a database to search, or the server itself.
        database: Its name; ``!`` for the first that has the word, ``*`` for all; None for the server itself.
        strategy: How words are matched, ``.`` for the server's default; None if the word is to be defined.
        index: The number of the definition or match, from 1; None for all.

    Raises:
        URLSyntaxError: A name is not an atom, the index is invalid, or there is an index but no word.
    """

    word: str
    database: str | None
    strategy: str | None
    index: int | None

    def __init__(
        self, word: str = "", database: str | None = None, strategy: str | None = None, index: int | None = None
    ) -> None:
        check_number(index, "index")
        if database is None and (word or strategy is not None):
            database = FIRST
        for name, text in (("database", database), ("strategy", strategy)):
            if text is not None and not is_atom(octets(canonical(text))):
                raise _fault(
                    text, f"the name of a {name} can't contain spaces, quotation marks or control characters", name
                )
        if index is not None and (not word or not 1 <= index < 10**MAX_INDEX_DIGITS):
            message = f"an index counts the definitions or matches of a word from 1, in 1 to {MAX_INDEX_DIGITS} digits"
            raise _fault(str(index), message, "n")
        self._set(
            word=canonical(word),
            database=None if database is None else canonical(database),
            strategy=None if strategy is None else canonical(strategy),
            index=index,
        )

    def url_path(self) -> str:
        """The encoded url-path, without trailing fields that have the default value."""
        if self.database is None:
            return ""
        fields = [self.word, "" if self.database == FIRST else self.database]
        if self.strategy is not None:
            fields.append("" if self.strategy == USUAL else self.strategy)
        fields.append("" if self.index is None else str(self.index))
        while len(fields) > 1 and not fields[-1]:
            fields.pop()
        return ":".join(("d" if self.strategy is None else "m", *(encode(field, _SAFE) for field in fields)))


def _fault(text: str, message: str, rule: str) -> URLSyntaxError:
    return part_error(text, message, _SECTION, rule=rule)


@once
def read(url: URL) -> DictParts:
    """Read the parts of a dict URL.

    Raises:
        URLSyntaxError: It begins with neither ``d:`` nor ``m:``, or has too many fields.

    >>> read(URL("dict://dict.example/d:shortcake:wordnet:1"))
    DictParts(word='shortcake', database='wordnet', strategy=None, index=1)
    """
    path = url.url_path
    if not path:
        return DictParts()
    kind, *fields = path.split(":")
    most = {"d": 3, "m": 4}.get(kind, 0)
    if not 1 <= len(fields) <= most:
        message = "a dict URL asks for d:WORD:DATABASE:N, a definition, or m:WORD:DATABASE:STRATEGY:N, matches"
        raise _fault(path, message, "dicturl")
    word, database, *others = (decode(field) for field in (*fields, *[""] * (most - len(fields))))
    strategy = (others[0] or USUAL) if kind == "m" else None
    return DictParts(word, database or FIRST, strategy, _index(others[-1]))


def _index(digits: str) -> int | None:
    if not digits:
        return None
    if not (digits.isascii() and digits.isdigit()) or len(digits) > MAX_INDEX_DIGITS:
        raise _fault(digits, f"an index has 1 to {MAX_INDEX_DIGITS} digits", "n")
    return int(digits)


@once
def check(url: URL) -> DictParts:
    """Refuse octets that would end a string or the line (RFC 1738 section 6).

    Returns:
        The parts of the URL.

    Raises:
        URLSyntaxError: As `read`.
        RefusedError: A control character in the path or the login; a login by another mechanism than AUTH.
    """
    row = syntax.row(url.scheme)
    refuse_octets(url, row, path=decode(url.url_path), user=url.user, password=url.password)
    _, mark, mechanism = (url.user or "").partition(";")
    if mark and mechanism.lower() not in ("", "auth"):
        raise RefusedError(
            f"{url.masked} asks for a login by another mechanism than AUTH (RFC 2229 3.11), the only one that is "
            "supported.",
            code="login",
            subject=url.host or "",
        )
    return read(url)
