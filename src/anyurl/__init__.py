"""anyurl: read any URL, decide whether it may be followed, and get what it points at (RFC 1738, for today's Python).

``help(anyurl.Client)`` tells of one class. The reference has a page for each, with an example for each member: it is
built from the source by ``scripts/site``, and its beginning is ``docs/python.md``, the list of all public names.

Rule: this file imports nothing heavy. Each public name is loaded from its room when it is first used, and a scheme when
its first URL is read or followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl import errors as errors
from anyurl._version import __version__
from anyurl.errors import (
    AccessError,
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    DeniedError,
    Diagnostic,
    LimitError,
    LocalFileError,
    LocalProtocolError,
    MissingExtraError,
    NotFoundError,
    PolicyError,
    ProtocolError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    SchemeError,
    SecretNeededError,
    TransferError,
    TransferTimeout,
    Truncated,
    UnavailableError,
    UnknownSchemeError,
    UnsupportedError,
    URLSyntaxError,
)
from anyurl.url import grammars as _grammars
from anyurl.url import syntax as _syntax

if TYPE_CHECKING:
    from collections.abc import Iterable as _Iterable

    from anyurl.access import AsyncClient as AsyncClient
    from anyurl.access import AsyncResource as AsyncResource
    from anyurl.access import Client as Client
    from anyurl.access import Cookie as Cookie
    from anyurl.access import CookieJar as CookieJar
    from anyurl.access import Form as Form
    from anyurl.access import Hop as Hop
    from anyurl.access import Mirrored as Mirrored
    from anyurl.access import Question as Question
    from anyurl.access import Resource as Resource
    from anyurl.access import Result as Result
    from anyurl.access import SecretFile as SecretFile
    from anyurl.access import SecretVariable as SecretVariable
    from anyurl.access import Session as Session
    from anyurl.access import append as append
    from anyurl.access import consent_to_all as consent_to_all
    from anyurl.access import get as get
    from anyurl.access import list as list
    from anyurl.access import open as open
    from anyurl.access import put as put
    from anyurl.access import request as request
    from anyurl.access import search as search
    from anyurl.access import stat as stat
    from anyurl.dialogue import Entry as Entry
    from anyurl.dialogue import Headers as Headers
    from anyurl.dialogue import Kind as Kind
    from anyurl.dialogue import Login as Login
    from anyurl.dialogue import Resume as Resume
    from anyurl.dialogue import Secret as Secret
    from anyurl.dialogue import Terminal as Terminal
    from anyurl.dialogue import Verb as Verb
    from anyurl.grammar import Explanation as Explanation
    from anyurl.grammar import Guess as Guess
    from anyurl.grammar import diagnose as diagnose
    from anyurl.grammar import explain as explain
    from anyurl.grammar import fix as fix
    from anyurl.grammar import guess as guess
    from anyurl.grammar.grammars import GrammarName as _GrammarName
    from anyurl.guard.limits import Limits as Limits
    from anyurl.guard.policy import Policy as Policy
    from anyurl.guard.verdict import Verdict as Verdict
    from anyurl.net.wire.connect import connect as connect
    from anyurl.net.wire.open_connection import open_connection as open_connection
    from anyurl.schemes.data.parts import DataParts as DataParts
    from anyurl.schemes.dict.parts import DictParts as DictParts
    from anyurl.schemes.file.verbs import FileParts as FileParts
    from anyurl.schemes.ftp.parts import FtpParts as FtpParts
    from anyurl.schemes.gemini.parts import GeminiParts as GeminiParts
    from anyurl.schemes.gopher.parts import GopherParts as GopherParts
    from anyurl.schemes.http.verbs import HttpParts as HttpParts
    from anyurl.schemes.kit.scheme import Parts as Parts
    from anyurl.schemes.kit.scheme import Scheme as Scheme
    from anyurl.schemes.mailto.parts import MailtoParts as MailtoParts
    from anyurl.schemes.news.nntp import NntpParts as NntpParts
    from anyurl.schemes.news.verbs import NewsParts as NewsParts
    from anyurl.schemes.prospero.parts import ProsperoParts as ProsperoParts
    from anyurl.schemes.registry import known_schemes as known_schemes
    from anyurl.schemes.registry import load_plugins as load_plugins
    from anyurl.schemes.registry import register as register
    from anyurl.schemes.telnet.verbs import TelnetParts as TelnetParts
    from anyurl.schemes.wais.parts import WaisParts as WaisParts
    from anyurl.text import Found as Found
    from anyurl.text import find as find
    from anyurl.url import URL as URL
    from anyurl.url import parse as parse
    from anyurl.url.syntax import Reader as _Reader
    from anyurl.url.syntax import Row as Row
    from anyurl.values import Provenance as Provenance

# Without `open` and `list`, which are here as well: ``from anyurl import *`` hides no builtin.
__all__ = [
    "URL", "parse", "diagnose", "fix", "guess", "Guess", "explain", "Explanation", "find", "Found",
    "Client", "AsyncClient", "get", "search", "stat", "put", "append", "request",
    "Resource", "AsyncResource", "Result", "Mirrored", "Entry", "Headers", "Hop", "Form", "Question", "Session",
    "Cookie", "CookieJar", "Terminal", "Resume", "Secret", "SecretFile", "SecretVariable", "Login", "consent_to_all",
    "Kind", "Verb", "Policy", "Limits", "Verdict", "Provenance", "connect", "open_connection",
    "Parts", "DataParts", "DictParts", "FileParts", "FtpParts", "GeminiParts", "GopherParts", "HttpParts",
    "MailtoParts", "NewsParts", "NntpParts", "ProsperoParts", "TelnetParts", "WaisParts",
    "Scheme", "Row", "register", "load_plugins", "known_schemes",
    "errors",
    "Diagnostic", "AnyURLError", "URLSyntaxError", "SchemeError", "UnknownSchemeError", "UnsupportedError",
    "PolicyError", "RefusedError", "LimitError", "SecretNeededError", "AccessError", "ConnectError",
    "TransferError", "Truncated", "TransferTimeout", "ConnectionLost", "ProtocolError", "LocalProtocolError",
    "RemoteProtocolError", "ReplyError", "NotFoundError", "DeniedError", "AuthRequiredError", "UnavailableError",
    "LocalFileError", "MissingExtraError",
    "__version__",
]  # fmt: skip

_NAMES = {
    "anyurl.access": (
        "AsyncClient AsyncResource Client Cookie CookieJar Form Hop Mirrored Question Resource Result SecretFile "
        "SecretVariable Session append consent_to_all get list open put request search stat"
    ),
    "anyurl.dialogue": "Entry Headers Kind Login Resume Secret Terminal Verb",
    "anyurl.grammar": "Explanation Guess diagnose explain fix guess",
    "anyurl.guard.limits": "Limits",
    "anyurl.guard.policy": "Policy",
    "anyurl.guard.verdict": "Verdict",
    "anyurl.net.wire.connect": "connect",
    "anyurl.net.wire.open_connection": "open_connection",
    "anyurl.schemes.data.parts": "DataParts",
    "anyurl.schemes.dict.parts": "DictParts",
    "anyurl.schemes.file.verbs": "FileParts",
    "anyurl.schemes.ftp.parts": "FtpParts",
    "anyurl.schemes.gemini.parts": "GeminiParts",
    "anyurl.schemes.gopher.parts": "GopherParts",
    "anyurl.schemes.http.verbs": "HttpParts",
    "anyurl.schemes.kit.scheme": "Parts Scheme",
    "anyurl.schemes.mailto.parts": "MailtoParts",
    "anyurl.schemes.news.nntp": "NntpParts",
    "anyurl.schemes.news.verbs": "NewsParts",
    "anyurl.schemes.prospero.parts": "ProsperoParts",
    "anyurl.schemes.registry": "known_schemes load_plugins register",
    "anyurl.schemes.telnet.verbs": "TelnetParts",
    "anyurl.schemes.wais.parts": "WaisParts",
    "anyurl.text": "Found find",
    "anyurl.url": "URL parse",
    "anyurl.url.syntax": "Row",
    "anyurl.values": "Provenance",
}
"""By module, the names that are loaded from it when they are first used."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # a type checker knows each name, and shall complain of all others

    def __getattr__(name):
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'anyurl' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> _Iterable[str]:
    return sorted({*globals(), *_HOMES, *__all__})


def _read_parts(row: _syntax.Row) -> _Reader:
    from anyurl.schemes.registry import read_parts

    return read_parts(row)


def _check(url: URL) -> None:
    from anyurl.schemes.registry import check

    check(url)


def _bring(grammar: _GrammarName) -> None:
    def read(text: str | bytes) -> URL:
        from anyurl.grammar import parse

        return parse(text, grammar)

    def safe(scheme: str, component: str) -> bytes:
        from anyurl.grammar.writing import safe_octets

        return safe_octets(grammar, scheme, component)

    _grammars.GRAMMARS[grammar] = _grammars.Grammar(read, safe)


def _read_as_a_browser(text: str | bytes, base: str | None = None) -> URL:
    from anyurl.grammar import browser

    return browser.parse(text, base)


def _safe_in_a_browser(scheme: str, component: str) -> bytes:
    return _grammars.SAFE["path" if component == "rest" else component]  # a browser cuts every path at its "?"


def _resolve_as_a_browser(base: str, reference: str) -> URL:
    return _read_as_a_browser(reference, base)


# The lower rooms don't import the higher ones: part readers and the grammars other than `current` are registered here.
_syntax.set_reader_loader(_read_parts)
_syntax.set_checker(_check)
_bring("rfc1738")
_bring("rfc1738-draft07")
_grammars.GRAMMARS["browser"] = _grammars.Grammar(_read_as_a_browser, _safe_in_a_browser, _resolve_as_a_browser)
