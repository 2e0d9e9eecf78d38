"""The examination of a text by one of the grammars that are data: its pieces, and their diagnostics.

Rule: a text is cut where a reader would cut it, not at its first fault, so that each piece is matched with its own
production, and each fault has its own sentence. No message repeats more than one character of the text, and none of a
password, which any text may contain.
"""

from __future__ import annotations

from anyurl.errors import Diagnostic, Severity
from anyurl.grammar.bnf import Productions
from anyurl.grammar.matcher import Matcher, matcher
from anyurl.values import Value

STRICT = "rfc1738"
"""The grammar whose prose is as binding as its productions; that of the draft says "should", and causes warnings."""

_SPOKEN_WITH_AN = frozenset({"ftp", "ftps", "http", "https", "nntp", "nntps", "snews", "sftp", "rtsp", "nfs", "mid"})


def with_article(scheme: str) -> str:
    """``an http URL``, ``a gopher URL``: with the article by pronunciation."""
    article = "an" if scheme in _SPOKEN_WITH_AN or scheme[:1] in "aeio" else "a"
    return f"{article} {scheme} URL"


class Piece(Value):
    """A component of the text under examination.

    Attributes:
        name: The name of the component: ``scheme``, ``host``, ``typecode`` ...
        production: The production that it must match.
        start: The position of its first character.
        end: The position after its last character.
    """

    name: str
    production: str
    start: int
    end: int


class Examination:
    """The result of the examination of one text.

    Attributes:
        text: The text.
        grammar: The productions.
        strict: Whether prose that is stricter than the productions causes errors, not warnings.
        scheme: The scheme in lower case; '' until it is found.
        pieces: The pieces in the order of the text.
        diagnostics: The diagnostics in the order found.
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
        """The kind of URL by its scheme: ``an http URL``."""
        return with_article(self.scheme) if self.scheme else "a URL"

    @property
    def faulty(self) -> bool:
        """Whether an error was found."""
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    def clause(self, number: str) -> str:
        """A clause of the document: ``RFC 1738 2.2``; one of another document is returned unchanged."""
        return number if number.startswith("RFC ") else f"{self.grammar.reference} {number}"

    def matcher(self, production: str) -> Matcher:
        """The matcher of a production of this grammar."""
        return matcher(self.grammar.name, production)

    def add(self, name: str, production: str, start: int, end: int) -> str:
        """Record a piece; returns its text."""
        self.pieces.append(Piece(name, production, start, end))
        return self.text[start:end]

    def piece(self, name: str) -> Piece | None:
        """The first piece of that name."""
        return next((piece for piece in self.pieces if piece.name == name), None)

    def error(
        self, code: str, span: tuple[int, int], rule: str, message: str, fix: str | None = None, *, section: str = ""
    ) -> None:
        """Record a mismatch with a production; the default section is that of the production."""
        where = self.clause(section) if section else self.grammar.cite(rule)
        self.diagnostics.append(Diagnostic(code, self._cap, span, rule, where, message, fix))

    def prose(
        self, code: str, span: tuple[int, int], rule: str, message: str, fix: str | None = None, *, section: str
    ) -> None:
        """Record a violation of stricter prose: an error in the RFC, a warning in the draft."""
        severity: Severity = self._cap if self.strict else "warning"
        self.diagnostics.append(Diagnostic(code, severity, span, rule, self.clause(section), message, fix))

    def warning(
        self, code: str, span: tuple[int, int], rule: str, message: str, fix: str | None = None, *, section: str
    ) -> None:
        """Record a warning."""
        self.diagnostics.append(Diagnostic(code, "warning", span, rule, self.clause(section), message, fix))

    def remark(
        self, code: str, span: tuple[int, int], rule: str, message: str, fix: str | None = None, *, section: str
    ) -> None:
        """Record a remark."""
        self.diagnostics.append(Diagnostic(code, "remark", span, rule, self.clause(section), message, fix))

    def only_warn(self) -> None:
        """Downgrade later errors to warnings: the productions allow the rest, but the prose does not."""
        self._cap = "warning"

    def escapes(self, position: int, end: int) -> bool:
        """Whether there is an escape ``%XX`` at a position."""
        return position + 3 <= end and self.text[position] == "%" and is_hex(self.text[position + 1 : position + 3])


def is_hex(text: str) -> bool:
    """Whether all characters are hexadecimal digits."""
    return all(char in "0123456789ABCDEFabcdef" for char in text)


def encoded(text: str) -> str | None:
    """Encode every octet of a text as ``%XX`` (UTF-8 with surrogateescape); None if a surrogate stands for no octet."""
    try:
        return "".join(f"%{octet:02X}" for octet in text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return None
