"""One text under examination by one of the grammars that are data: its pieces, and what there is to say about them.

Rule: a text is cut where a reader would cut it, not where the first fault stands, so that every piece can be held
against its own production and each gets its own sentence. No message repeats more than one character of the text, and
of a password none, for any text may hold one.
"""

from __future__ import annotations

from anyurl.errors import Diagnostic, Severity
from anyurl.grammar.bnf import Productions
from anyurl.grammar.matcher import Matcher, matcher
from anyurl.values import Value

STRICT = "rfc1738"
"""The grammar whose prose counts as its productions do; in the draft the prose says "should" and gives warnings."""

_SPOKEN_WITH_AN = frozenset({"ftp", "ftps", "http", "https", "nntp", "nntps", "snews", "sftp", "rtsp", "nfs", "mid"})


def with_article(scheme: str) -> str:
    """``an http URL``, ``a gopher URL``: as it is read aloud."""
    article = "an" if scheme in _SPOKEN_WITH_AN or scheme[:1] in "aeio" else "a"
    return f"{article} {scheme} URL"


class Piece(Value):
    """A component of the text under examination.

    Attributes:
        name: What it is: ``scheme``, ``host``, ``typecode`` ...
        production: The production that it must be.
        start: Its first character.
        end: The character behind its last.
    """

    name: str
    production: str
    start: int
    end: int


class Examination:
    """What is found in one text.

    Attributes:
        text: As it was given.
        grammar: The productions that it is held against.
        strict: Whether prose that asks for more than the productions makes errors or warnings.
        scheme: Its name in lower case, '' as long as none is found.
        pieces: In the order of the text.
        diagnostics: In the order in which they were found.
    """

    __slots__ = ("text", "grammar", "strict", "scheme", "pieces", "diagnostics", "_cap")

    def __init__(self, text: str, grammar: Productions) -> None:
        self.text: str = text
        self.grammar: Productions = grammar
        self.strict = grammar.name == STRICT
        self.scheme: str = ""
        self.pieces: list[Piece] = []
        self.diagnostics: list[Diagnostic] = []
        self._cap: Severity = "error"

    @property
    def kind(self) -> str:
        """What the text claims to be: ``an http URL``."""
        return with_article(self.scheme) if self.scheme else "a URL"

    @property
    def faulty(self) -> bool:
        """Whether an error was found."""
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    def clause(self, number: str) -> str:
        """A clause of the document: ``RFC 1738 2.2``; one that names its own document stays as it is."""
        return number if number.startswith("RFC ") else f"{self.grammar.reference} {number}"

    def matcher(self, production: str) -> Matcher:
        """The matcher of a production of this grammar."""
        return matcher(self.grammar.name, production)

    def add(self, name: str, production: str, start: int, end: int) -> str:
        """Note a piece; its text."""
        self.pieces.append(Piece(name, production, start, end))
        return self.text[start:end]

    def piece(self, name: str) -> Piece | None:
        """The first piece of that name."""
        return next((piece for piece in self.pieces if piece.name == name), None)

    def error(
        self, code: str, span: tuple[int, int], rule: str, message: str, fix: str | None = None, *, section: str = ""
    ) -> None:
        """A production is not met; the section is that of the production if no other is named."""
        where = self.clause(section) if section else self.grammar.cite(rule)
        self.diagnostics.append(Diagnostic(code, self._cap, span, rule, where, message, fix))

    def prose(
        self, code: str, span: tuple[int, int], rule: str, message: str, fix: str | None = None, *, section: str
    ) -> None:
        """The prose asks for more than the productions: an error in the RFC, a warning in the draft."""
        severity: Severity = self._cap if self.strict else "warning"
        self.diagnostics.append(Diagnostic(code, severity, span, rule, self.clause(section), message, fix))

    def warning(
        self, code: str, span: tuple[int, int], rule: str, message: str, fix: str | None = None, *, section: str
    ) -> None:
        """A URL, but beware."""
        self.diagnostics.append(Diagnostic(code, "warning", span, rule, self.clause(section), message, fix))

    def remark(
        self, code: str, span: tuple[int, int], rule: str, message: str, fix: str | None = None, *, section: str
    ) -> None:
        """Worth knowing."""
        self.diagnostics.append(Diagnostic(code, "remark", span, rule, self.clause(section), message, fix))

    def only_warn(self) -> None:
        """From here on nothing is an error: the productions leave the rest free, the prose does not."""
        self._cap = "warning"

    def escapes(self, position: int, end: int) -> bool:
        """Whether ``%XX`` stands at a position."""
        return position + 3 <= end and self.text[position] == "%" and is_hex(self.text[position + 1 : position + 3])


def is_hex(text: str) -> bool:
    """Whether all characters are hexadecimal digits."""
    return all(char in "0123456789ABCDEFabcdef" for char in text)


def encoded(text: str) -> str | None:
    """Every octet of a text as ``%XX``, UTF-8 and surrogateescape; None when a surrogate stands for no octet."""
    try:
        return "".join(f"%{octet:02X}" for octet in text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return None
