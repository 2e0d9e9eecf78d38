"""The characters that a piece may contain, and the diagnostics for others (RFC 1738 2.2).

Rule: a run of faults of one kind is one diagnostic. The allowed characters come from the productions; only the names
and the sentences are here.
"""

from __future__ import annotations

from anyurl.errors import SAMPLE_LIMIT, escape
from anyurl.grammar.examination import Examination, encoded, is_hex

UNSAFE = frozenset(' <>"#%{}|\\^~[]`')
"""RFC 1738 2.2: unsafe characters, which gateways modify, or other systems use as delimiters."""

_NAMES = {
    " ": "a space", "\t": "a tab", "\n": "a line feed", "\r": "a carriage return", "\0": "a NUL", "\x7f": "a DEL",
    '"': "a quotation mark", "\\": "a backslash",
}  # fmt: skip


def name_of(char: str) -> str:
    """The name of a character for people: ``a space``, ``"~"``."""
    known = _NAMES.get(char)
    if known is not None:
        return known
    if char < " ":
        return f"the control character 0x{ord(char):02X}"
    return f'"{escape(char)}"'


def examine_characters(
    ex: Examination, production: str, start: int, end: int, where: str, *, section: str = ""
) -> None:
    """Report the characters of a piece that must be encoded.

    Args:
        production: The production whose characters, and escapes, are allowed in the piece.
        where: The name of the piece in messages: ``the search part of an http URL``.
        section: The clause about the piece, if it is not that of the production.
    """
    allowed = ex.grammar.characters(production)
    position = start
    while position < end:
        char = ex.text[position]
        if char == "%":
            if ex.escapes(position, end):
                position += 3
            else:
                position = _broken_escape(ex, position, end, hidden=production == "password")
            continue
        stop = _run_end(ex.text, position, end)
        if char not in allowed:
            _say(ex, production, position, stop, where, section)
        elif char in UNSAFE:  # only the draft's productions allow these
            _advise(ex, position, stop)
        position = stop


def _run_end(text: str, start: int, end: int) -> int:
    """The end of a run of equal characters, or of non-ASCII characters."""
    first = text[start]
    stop = start + 1
    while stop < end and (text[stop] == first or not (first.isascii() or text[stop].isascii())):
        stop += 1
    return stop


def _broken_escape(ex: Examination, position: int, end: int, *, hidden: bool) -> int:
    stop = position + 1
    while stop < end and stop < position + 3 and ex.text[stop].isascii() and ex.text[stop].isalnum():
        stop += 1
    if stop == position + 3 and is_hex(ex.text[position + 1 : stop]):
        stop = position + 1
    ex.error(
        "escape",
        (position, stop),
        "escape",
        'two hexadecimal digits must follow "%"; write a literal "%" as %25',
        None if hidden else "%25" + ex.text[position + 1 : stop],
    )
    return stop


def _say(ex: Examination, production: str, start: int, stop: int, where: str, section: str) -> None:
    char, span = ex.text[start], (start, stop)
    fix = encoded(ex.text[start:stop])
    if production == "password":
        ex.error("password-character", span, production, "a character of the password must be encoded", section="2.2")
    elif not char.isascii():
        if fix is None:
            ex.error(
                "surrogate", span, "xchar", "a lone surrogate is not a character and can't be encoded", section="2.2"
            )
        else:
            shown = f"{name_of(char)} is" if stop - start == 1 else "these characters are"
            told = fix if len(fix) <= SAMPLE_LIMIT else f"{fix[:SAMPLE_LIMIT]}..."
            message = f"{shown} not US-ASCII and must be encoded: {told}"
            ex.error("not-ascii", span, "xchar", message, fix, section="2.2")
    elif char <= " " or char == "\x7f":
        code = "space" if char == " " else "control"
        ex.error(code, span, "xchar", f"{name_of(char)} must be encoded: {encoded(char)}", fix, section="2.2")
    elif char == "\\":
        message = 'a backslash is unsafe and must be encoded: %5C (browsers read it as "/", other programs do not)'
        ex.error("backslash", span, "xchar", message, fix, section="2.2")
    elif char in UNSAFE:
        message = f"{name_of(char)} is unsafe and must be encoded: {encoded(char)}"
        ex.error("unsafe", span, "xchar", message, fix, section="2.2")
    else:
        message = f"{name_of(char)} must be encoded in {where}: {encoded(char)}"
        ex.error("reserved", span, production, message, fix, section=section)


def _advise(ex: Examination, start: int, stop: int) -> None:
    char = ex.text[start]
    message = f"{name_of(char)} is unsafe and should be encoded: {encoded(char)}"
    ex.warning("unsafe", (start, stop), "national", message, encoded(ex.text[start:stop]), section="2.2")
