"""Parsing and diagnosing a text as a URL by a chosen grammar: four grammars, one type.

Rule: a text is a URL here if and only if `diagnose` has no error for it. `current` accepts the texts of `anyurl.URL`,
and `browser` those of ada-url (WHATWG). A URL of another grammar has the components that this grammar reads, even if
``current`` reads others or rejects the text, and keeps the name of the grammar.
"""

from __future__ import annotations

from typing import Literal

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.grammar import bnf
from anyurl.grammar.diagnosis import examine, in_order, without_remedies
from anyurl.grammar.examination import Examination
from anyurl.url import URL, syntax
from anyurl.url.cut import percent_encode
from anyurl.url.grammars import unknown_grammar
from anyurl.url.host import parse_port
from anyurl.url.to_ascii import as_text, check_text
from anyurl.url.url import placed

GrammarName = Literal["current", "rfc1738", "rfc1738-draft07", "browser"]

GRAMMARS: tuple[GrammarName, ...] = ("current", "rfc1738", "rfc1738-draft07", "browser")

_FRAGMENT_SAFE = b"!$&'()*+,;=:@/?%"
"""Characters of a fragment that are not encoded, besides the unreserved ones (RFC 3986 3.5; RFC 1738 has no rule)."""


def parse(text: str | bytes, grammar: GrammarName = "current") -> URL:
    """Parse a URL with one of the four grammars.

    Args:
        text: The URL alone.
        grammar: ``current`` is today's RFC of each scheme, as in ``URL(text)``; ``rfc1738`` and ``rfc1738-draft07``
            are these documents to the letter; ``browser`` is the WHATWG URL standard.

    Raises:
        URLSyntaxError: It is not a URL by that grammar; the diagnostics are all its faults, the first error first.
        UnsupportedError: The grammar is unknown.

    >>> parse("http://host.dom/~user").path, parse("HTTP:host.dom/a b", "browser").path
    ('/~user', '/a%20b')
    """
    try:
        return read(text, grammar)
    except URLSyntaxError as error:
        if grammar == "current":
            raise
        raise _refused(error.text, diagnose(error.text, grammar)) from None


def read(text: str | bytes, grammar: GrammarName) -> URL:
    """Parse a text with a grammar; diagnostics of an error have no fixes, which are not judged here.

    Raises:
        URLSyntaxError: It is not a URL by that grammar.
        UnsupportedError: The grammar is unknown.
    """
    if grammar == "current":
        check_text(text)
        return URL(text)
    if grammar == "browser":
        from anyurl.grammar import browser

        return browser.parse(text)
    if grammar not in GRAMMARS:
        raise unknown_grammar(grammar, GRAMMARS)
    ex = examine(as_text(text), grammar)
    if ex.faulty:
        raise _refused(ex.text, without_remedies(in_order(ex.diagnostics)))
    return _placed(ex)


def diagnose(text: str | bytes, grammar: GrammarName = "current") -> tuple[Diagnostic, ...]:
    """Diagnose a text as a URL: errors, warnings and remarks, in text order.

    A text is a URL by that grammar if and only if none of them is an ``error``.

    Args:
        grammar: A grammar, as for `parse`.

    Raises:
        UnsupportedError: The grammar is unknown.

    >>> [str(fault) for fault in diagnose("http://host.dom/a b", "rfc1738")]
    ['RFC 1738 2.2: a space must be encoded: %20']
    """
    from anyurl.grammar.remedies import judge_remedies

    octets = isinstance(text, bytes)
    entered = as_text(text)

    def again(fixed: str) -> URL | None:
        try:
            return read(fixed.encode("utf-8", "surrogateescape") if octets else fixed, grammar)
        except URLSyntaxError:
            return None

    return judge_remedies(entered, _found(entered, grammar, octets), again)


def _found(text: str, grammar: GrammarName, octets: bool) -> tuple[Diagnostic, ...]:
    if grammar in bnf.NAMES:
        return tuple(in_order(examine(text, grammar).diagnostics))
    if grammar == "current":
        from anyurl.grammar.current import diagnose_current

        return diagnose_current(text, octets=octets)
    if grammar == "browser":
        from anyurl.grammar.browser import diagnose_browser

        return diagnose_browser(text)
    raise unknown_grammar(grammar, GRAMMARS)


def _refused(text: str, diagnostics: tuple[Diagnostic, ...]) -> URLSyntaxError:
    return URLSyntaxError(text, tuple(sorted(diagnostics, key=lambda one: one.severity != "error")))


def _placed(ex: Examination) -> URL:
    """The URL with the pieces of its examination."""
    text, hash_at, fragment = ex.text.partition("#")
    query = -1
    scheme_end = len(ex.scheme)
    user_end = host_start = host_end = path_start = scheme_end + 1
    port = -1
    host, port_piece = ex.piece("host"), ex.piece("port")
    if host is not None and ex.text.startswith("//", scheme_end + 1) and _has_authority(ex):
        user = ex.piece("user")
        host_start, host_end = host.start, host.end
        user_end = user.end if user is not None else host_start
        path_start = host_end
        if port_piece is not None:
            path_start = port_piece.end
            named = parse_port(text[port_piece.start : port_piece.end])
            port = -1 if named is None else named
    search = ex.piece("search")
    if search is not None and ex.scheme in ("http", "wais"):
        query = search.start - 1
    elif ex.grammar.scheme_production(ex.scheme) is None and syntax.row(ex.scheme).query:
        query = text.find("?", path_start)
    query = len(text) if query < 0 else query
    whole = text + hash_at + percent_encode(fragment.encode("utf-8", "surrogateescape"), _FRAGMENT_SAFE)
    at = (scheme_end, user_end, host_start, host_end, port, path_start, query, len(text))
    return placed(whole, at, ex.grammar.name)


def _has_authority(ex: Examination) -> bool:
    """Whether the ``//`` introduces the common Internet syntax, which it need not in an unknown scheme (RFC 1738 5)."""
    if ex.scheme in ("news", "mailto"):
        return False
    if ex.grammar.scheme_production(ex.scheme) is not None:
        return True
    if any(one.code == "port-large" for one in ex.diagnostics):
        return False
    return ex.matcher("ip-schemepart").accepts(ex.text.partition("#")[0][len(ex.scheme) + 1 :])
