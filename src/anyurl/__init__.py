"""anyurl: read any URL, decide whether it may be followed, and get what it points at (RFC 1738, for today's Python).

Rule: this file imports nothing heavy. Each public name is loaded from its room when it is first used, and schemes when
the first URL of theirs is read or followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyurl._version import __version__
from anyurl.url import grammars as _grammars
from anyurl.url import syntax as _syntax

if TYPE_CHECKING:
    from anyurl import errors as errors
    from anyurl.access import AsyncClient as AsyncClient
    from anyurl.access import Client as Client
    from anyurl.access import append as append
    from anyurl.access import consent_to_all as consent_to_all
    from anyurl.access import get as get
    from anyurl.access import list as list
    from anyurl.access import open as open
    from anyurl.access import put as put
    from anyurl.access import search as search
    from anyurl.access import stat as stat
    from anyurl.grammar import diagnose as diagnose
    from anyurl.grammar import explain as explain
    from anyurl.grammar import fix as fix
    from anyurl.grammar.grammars import GrammarName as _GrammarName
    from anyurl.guard.policy import Policy as Policy
    from anyurl.schemes.kit.scheme import Scheme as Scheme
    from anyurl.schemes.registry import load_plugins as load_plugins
    from anyurl.schemes.registry import register as register
    from anyurl.schemes.registry import schemes as schemes
    from anyurl.text import find as find
    from anyurl.url import URL as URL
    from anyurl.url import parse as parse

__all__ = [
    "URL", "parse", "diagnose", "fix", "explain", "find",
    "Client", "AsyncClient", "Policy", "consent_to_all", "open", "get", "list", "search", "stat", "put", "append",
    "Scheme", "register", "load_plugins", "schemes", "errors",
    "__version__",
]  # fmt: skip

_HOMES = {
    "URL": "anyurl.url",
    "parse": "anyurl.url",
    "diagnose": "anyurl.grammar",
    "fix": "anyurl.grammar",
    "explain": "anyurl.grammar",
    "find": "anyurl.text",
    "Client": "anyurl.access",
    "AsyncClient": "anyurl.access",
    "consent_to_all": "anyurl.access",
    "Policy": "anyurl.guard.policy",
    "open": "anyurl.access",
    "get": "anyurl.access",
    "list": "anyurl.access",
    "search": "anyurl.access",
    "stat": "anyurl.access",
    "put": "anyurl.access",
    "append": "anyurl.access",
    "Scheme": "anyurl.schemes.kit.scheme",
    "register": "anyurl.schemes.registry",
    "load_plugins": "anyurl.schemes.registry",
}
_MODULES = ("errors", "schemes")
"""Names that are modules of this package; `anyurl.schemes` can be called too."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"anyurl.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'anyurl' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> Any:
    return sorted({*globals(), *__all__})


def _read_parts(row: _syntax.Row) -> Any:
    from anyurl.schemes.registry import read_parts

    return read_parts(row)


def _bring(grammar: _GrammarName) -> None:
    def read(text: str | bytes) -> Any:
        from anyurl.grammar import parse

        return parse(text, grammar)

    def safe(scheme: str, component: str) -> bytes:
        from anyurl.grammar.writing import safe_octets

        return safe_octets(grammar, scheme, component)

    _grammars.GRAMMARS[grammar] = _grammars.Grammar(read, safe)


def _read_as_a_browser(text: str | bytes, base: str | None = None) -> Any:
    from anyurl.grammar import browser

    return browser.parse(text, base)


def _resolve_as_a_browser(base: str, reference: str) -> Any:
    return _read_as_a_browser(reference, base)


# The lower rooms don't know the higher ones: what reads parts, and the grammars beside `current`, are brought to them.
_syntax.set_reader_loader(_read_parts)
_bring("rfc1738")
_bring("rfc1738-draft07")
_grammars.GRAMMARS["browser"] = _grammars.Grammar(_read_as_a_browser, resolve=_resolve_as_a_browser)
