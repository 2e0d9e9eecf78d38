"""All faults of a text by the grammar of a document, with their places and clauses.

Rule: a text has an error here if and only if the grammar does not accept it: the productions decide, and in `rfc1738`
the prose where it is stricter. RFC 1738 sections 2, 3, 5 and 6.
"""

from __future__ import annotations

import re

from anyurl.errors import Diagnostic
from anyurl.grammar import bnf, requirements
from anyurl.grammar.characters import examine_characters, name_of
from anyurl.grammar.examination import Examination, encoded
from anyurl.grammar.hosts import examine_authority, has_port, may_be_empty
from anyurl.grammar.prefixes import find_prefix
from anyurl.grammar.scheme_parts import TAILS, WITHOUT_HOST

MAX_LENGTH = 65_536
"""Octets of one URL, as in every grammar of anyurl: no document sets a limit, RFC 9110 4.1 asks for 8,000 or more."""

WRAPPER = "url"
"""Not the name of a scheme: ``URL:`` is a wrapper around a URL (RFC 1738, appendix)."""

EXPERIMENTAL = "x-"
"""RFC 1738 4: the prefix of experimental schemes."""

_ORDER = {"error": 0, "warning": 1, "remark": 2}
BLANKS = " \t\r\n\v\f"
"""White space around a URL."""

_COLON = re.compile(r"[^:/?@]*:")


def in_order(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Sort by position; at the same position, the more severe first."""
    return sorted(diagnostics, key=lambda one: (one.span[0], _ORDER[one.severity], one.span[1]))


def without_remedies(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The same without fixes, which are shown only after they were judged (`anyurl.grammar.remedies`)."""
    return tuple(
        Diagnostic(one.code, one.severity, one.span, one.rule, one.section, one.message) for one in diagnostics
    )


def examine(text: str, grammar: str) -> Examination:
    """Examine a text by the productions of a document.

    Args:
        grammar: A name in `bnf.NAMES`.
    """
    ex = Examination(text, bnf.load(grammar))
    if len(text) > MAX_LENGTH:
        message = f"a URL has at most {MAX_LENGTH:,} characters"
        ex.error("too-long", (MAX_LENGTH, len(text)), "url", message, section="RFC 9110 4.1")
        return ex
    start, end = _unwrap(ex)
    hash_at = text.find("#", start, end)
    if hash_at >= 0:
        ex.add("fragment", "", hash_at + 1, end)
        message = '"#" starts a fragment, which is not part of the URL'
        ex.remark("fragment", (hash_at, hash_at + 1), "url", message, section="2.2")
        if encoded(text[hash_at + 1 : end]) is None:  # it is not part of the URL, but follows the parsed one
            place = next(i for i in range(hash_at + 1, end) if encoded(text[i]) is None)
            sentence = "a lone surrogate is not a character and can't be encoded"
            ex.error("surrogate", (place, place + 1), "url", sentence, section="2.2")
        end = hash_at
    if start == end:
        ex.error("empty", (start, end), "url", "an empty text is not a URL", section="2.1")
    else:
        _examine_url(ex, start, end)
    return ex


def _unwrap(ex: Examination) -> tuple[int, int]:
    """The span of the URL without white space, brackets and ``URL:``, each of which is reported."""
    text = ex.text
    start, end = len(text) - len(text.lstrip(BLANKS)), len(text.rstrip(BLANKS))
    if start >= end:
        return 0, len(text)
    opened, closed = start, end
    if text[start] == "<":
        message = "angle brackets are a wrapper around a URL, not part of it"
        ex.error("wrapper", (start, start + 1), "url", message, "", section="appendix")
        start += 1
        if text[end - 1] == ">" and end > start:
            end -= 1
            ex.error("wrapper", (end, end + 1), "url", message, "", section="appendix")
    message = "white space around a URL is not part of it"
    if opened:
        ex.error("space-around", (0, opened), "url", message, "", section="2.2")
    if closed < len(text):
        if ex.faulty or "#" not in text:
            ex.error("space-around", (closed, len(text)), "url", message, "", section="2.2")
        else:  # it is after the fragment, which is not part of the URL, so the URL itself is right
            ex.warning("space-around", (closed, len(text)), "url", message, "", section="2.2")
    if text[start : start + 4].lower() == "url:" and (ex.strict or ex.faulty):
        message = '"URL:" is a wrapper around a URL, not part of it'
        ex.prose("wrapper", (start, start + 4), "url", message, "", section="appendix")
        start += 4
    return start, end


def _examine_url(ex: Examination, start: int, end: int) -> None:
    colon = _COLON.match(ex.text, start, end)
    if colon is None:
        _no_scheme(ex, start, end)
        return
    behind = colon.end()
    _examine_scheme(ex, start, behind - 1)
    tail = TAILS.get(ex.scheme)
    if tail is None:
        _examine_other(ex, behind, end)
    elif ex.scheme in WITHOUT_HOST:
        tail(ex, behind, end)
    else:
        tail(ex, _examine_common(ex, behind, end), end)
    url = ex.text[start:end]
    if not ex.faulty and not ex.matcher(ex.grammar.scheme_production(ex.scheme) or "otherurl").accepts(_held(ex, url)):
        _unexplained(ex, start, url)
    requirements.warn_of_password(ex)
    requirements.warn_of_port(ex)
    requirements.warn_of_delimiters(ex, behind, end)


def _held(ex: Examination, url: str) -> str:
    """The text that is matched with the productions: the empty host of a file URL means ``localhost`` (3.10).

    The draft's prose allows the empty host, but its productions do not.
    """
    host = ex.piece("host")
    if ex.scheme != "file" or host is None or host.start < host.end:
        return url
    return f"file://localhost{url[len('file://') :]}"


def _no_scheme(ex: Examination, start: int, end: int) -> None:
    prefix = find_prefix(ex.text[start:end], "http")
    fix = None if prefix is None else prefix.text
    message = "a URL must start with a scheme and a colon, such as http:"
    ex.error("scheme-missing", (start, start), "genericurl", message, fix)
    examine_characters(ex, "schemepart", start, end, "a URL")


def _examine_scheme(ex: Examination, start: int, end: int) -> None:
    name = ex.add("scheme", "scheme", start, end)
    if not name:
        ex.error("scheme-missing", (start, start + 1), "scheme", "the scheme before the colon is missing")
        return
    allowed = ex.grammar.characters("scheme")
    for position in range(start, end):
        char = ex.text[position]
        if char.lower() not in allowed or not char.isascii():
            message = f"{name_of(char)} is not allowed in a scheme; letters, digits and + - . are"
            ex.error("scheme-character", (position, position + 1), "scheme", message)
    if ex.faulty and not ex.matcher("scheme").accepts(name):
        return
    ex.scheme = name.lower()
    if name != ex.scheme:
        message = "schemes are written in lower case; upper case is accepted"
        ex.remark("scheme-case", (start, end), "scheme", message, ex.scheme, section="2.1")


def _examine_common(ex: Examination, start: int, end: int) -> int:
    """Examine the ``//`` and the authority; returns the start of the rest (RFC 1738 3.1)."""
    rule = f"{ex.scheme}url"
    slashes = start
    while slashes < end and slashes < start + 2 and ex.text[slashes] in "/\\":
        slashes += 1
    written = ex.text[start:slashes]
    if written == "//":
        return examine_authority(ex, slashes, end)
    message = f'{ex.kind} starts with "{ex.scheme}://"'
    if "\\" in written:
        ex.error("backslash", (start, slashes), rule, f"{message}: a backslash is not a slash", "//", section="3.1")
    elif written and may_be_empty(ex):
        ex.error("slashes", (start, start), rule, f"{message}, and its host may be empty", "//", section="3.1")
        return start
    else:
        ex.error("slashes", (start, slashes), rule, message, "//", section="3.1")
    return examine_authority(ex, slashes, end)


def _examine_other(ex: Examination, start: int, end: int) -> None:
    """Examine a URL of a scheme that the document does not define: URL characters, and usually the common syntax."""
    ex.add("schemepart", "schemepart", start, end)
    examine_characters(ex, "schemepart", start, end, "a URL")
    if not ex.scheme:
        return
    if ex.scheme == WRAPPER:
        message = '"URL:" is a wrapper around a URL, not part of it'
        ex.prose("wrapper", (start - 4, start), "url", message, "", section="appendix")
        return
    name = (start - len(ex.scheme) - 1, start - 1)
    if ex.scheme.startswith(EXPERIMENTAL):
        ex.remark("experimental", name, "otherurl", '"x-" marks an experimental scheme', section="4")
    else:
        message = f"{ex.grammar.reference} does not define this scheme: only the general syntax is checked"
        ex.remark("scheme-other", name, "otherurl", message, section="4")
    if ex.text.startswith("//", start, end) and not ex.faulty and has_port(ex):
        ex.pieces.pop()
        ex.only_warn()
        rest = examine_authority(ex, start + 2, end)
        ex.add("path", "urlpath", rest, end)


def _unexplained(ex: Examination, start: int, url: str) -> None:
    """Report a mismatch with the productions that nothing above explains: its place, and what is allowed there."""
    rule = ex.grammar.scheme_production(ex.scheme) or "otherurl"
    automaton = ex.matcher(rule)
    place = automaton.stop(url)
    expected = "".join(sorted(automaton.expected(url[:place])))
    hint = f"; one of {expected} is allowed here" if expected else ""
    message = f"this does not have the form of {ex.kind}{hint}"
    ex.error("form", (start + place, min(start + place + 1, start + len(url))), rule, message)
