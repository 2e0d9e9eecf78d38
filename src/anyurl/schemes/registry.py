"""The registry: the known schemes, their modules, and their verbs (RFC 1738 section 4).

Rule: a scheme's module is imported on first use; the rows of `anyurl.url.syntax` name it. Schemes from other packages
are added by `register` or `load_plugins`, and only when the caller calls one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from anyurl.dialogue import Verb
from anyurl.errors import (
    SAMPLE_LIMIT,
    LocalFileError,
    SchemeError,
    UnknownSchemeError,
    UnsupportedError,
    URLSyntaxError,
    quoted,
)
from anyurl.errors.log import warning
from anyurl.errors.reasons import reason_of
from anyurl.guard import verdict
from anyurl.schemes.kit.scheme import VERBS, DialogueFunction, Scheme, decode, placed, refuse_octets
from anyurl.url import URL, syntax
from anyurl.url.arguments import several_of
from anyurl.url.syntax import Reader, Row

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from anyurl.dialogue import Dialogue, Options

PLUGIN_GROUP = "anyurl.schemes"
"""Entry points of this group name a `Scheme`, or a pair of a `Scheme` and its `Row`."""

_NO_PLUGIN = f"none. A plug-in is an installed package with an entry point in the group {PLUGIN_GROUP!r}"
EXPERIMENTAL = "x-"
"""RFC 1738 4: names with this prefix are for experiments and are never registered."""

RESERVED = frozenset(("afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"))
"""RFC 1738 4: names kept for schemes that were to be defined later; some have been since, by the RFC of their row."""

RESERVING = "RFC 1738 4"
"""The reference of those that nothing has defined since."""

PREFIX = "url"
"""RFC 1738, appendix: the prefix of a URL in a text, so it cannot be a scheme."""

_loaded: dict[str, Scheme] = {}
_registered: set[str] = set()
_plugins: dict[tuple[str, str], str] = {}


def find_scheme(name: str, reader: verdict.Reader = "arguments") -> Scheme:
    """The scheme of that name; its module is imported if necessary.

    Args:
        reader: The reader of the advice on a scheme that is only known by name.

    Raises:
        UnknownSchemeError: The name is unknown; near matches are in ``suggestions``.
        UnsupportedError: The name is known, but anyurl does not support the scheme.
        LocalFileError: Its module can't be opened.
    """
    name = name.lower()
    scheme = _loaded.get(name)
    if scheme is not None:
        return scheme
    row = syntax.ROWS.get(name)
    if row is None:
        raise _unknown(name)
    if row.module is None:
        raise UnsupportedError(_unspoken(row, reader), scheme=name)
    return _load(row)


def _scheme_of(url: URL, reader: verdict.Reader) -> Scheme:
    """The scheme of a URL.

    Raises:
        UnknownSchemeError: The scheme is unknown; the URL that was probably meant is its ``fix``.
    """
    try:
        return find_scheme(url.scheme, reader)
    except UnknownSchemeError as error:
        from anyurl.grammar import guess

        try:
            meant = guess(str(url))
        except URLSyntaxError:
            raise error from None
        if not meant.how:
            raise
        raise _unknown(url.scheme, meant.url) from None


def _load(row: Row) -> Scheme:
    from importlib import import_module

    try:
        module = import_module(f"anyurl.schemes.{row.module}.verbs")
    except OSError as error:  # no descriptor is left to open it with, or the disk is gone
        raise LocalFileError(f"The support for {row.name} can't be loaded: {reason_of(error)}.") from error
    schemes: tuple[Scheme, ...] = module.SCHEMES
    for scheme in schemes:
        _loaded.setdefault(scheme.name, scheme)
    return _loaded[row.name]


def _unspoken(row: Row, reader: verdict.Reader) -> str:
    from anyurl.schemes.known import MEANINGS, NOWHERE

    meaning = MEANINGS.get(row.name)
    what = row.reference if meaning is None else f"{meaning}, {row.reference}"
    if row.name in RESERVED:
        since = f"reserved by {RESERVING}"
        what = (
            f"{meaning}; {since}" if row.reference == RESERVING else f"{meaning}; {since}, defined by {row.reference}"
        )
    told = f"{row.name!r} is a known scheme ({what}), but anyurl can only parse its URLs, not access them."
    if row.name in NOWHERE:
        return told
    if row.name in installed_names():
        way = verdict.aside("this plug-in", reader, row.name)
        return f"{told} An installed plug-in supports it, once it is named{way}."
    gateway, plug_in = verdict.aside("gateway", reader, row.name), verdict.aside("plug-in", reader)
    return f"{told} A gateway would reach it by http{gateway}, and a plug-in{plug_in} could support it."


def _unknown(name: str, meant: URL | None = None) -> UnknownSchemeError:
    """The error for an unknown scheme name.

    Args:
        meant: The URL that was probably meant.
    """
    if meant is not None:
        message = f"The scheme {quoted(name)} is not known; was {meant.masked} meant?"
        return UnknownSchemeError(message, scheme=name, fix=str(meant))
    from difflib import get_close_matches

    near = tuple(get_close_matches(name[:SAMPLE_LIMIT], list(known_schemes()), n=3, cutoff=0.6))
    hint = "; `anyurl schemes` lists those that are."
    if near:
        hint = f"; did you mean {', '.join(near[:-1])}{' or ' if near[1:] else ''}{near[-1]}?"
    if name == PREFIX:  # often copied along with a URL
        message = "'URL:' is not a scheme; it introduces a URL in a text (RFC 1738 appendix): leave it out."
        return UnknownSchemeError(message, scheme=name)
    if name.startswith(EXPERIMENTAL):
        hint = ", an experiment's name, is not known here: a package that brings it would make it known (RFC 1738 4)."
        return UnknownSchemeError(f"The scheme {quoted(name)}{hint}", scheme=name, suggestions=near)
    return UnknownSchemeError(f"The scheme {quoted(name)} is not known{hint}", scheme=name, suggestions=near)


def read_parts(row: Row) -> Reader:
    """The function that reads the parts of URLs of that row's scheme; `URL.parts` calls it.

    Raises:
        SchemeError: Neither a module of anyurl nor a registered scheme reads them.
    """
    return partial(_of_the_whole, find_scheme(row.name).read)


def check(url: URL) -> None:
    """Hold a URL against its scheme, as its verbs do before they ask for anything; one without a reader takes any.

    Raises:
        URLSyntaxError: The path is invalid for the scheme.
        RefusedError: The decoded components hold octets that the protocol can't carry.
    """
    try:
        scheme = find_scheme(url.scheme)
    except SchemeError:
        return
    _of_the_whole(scheme.read, url)
    if scheme.check is not None:
        scheme.check(url)


def _of_the_whole(read: Callable[[URL], Any], url: URL) -> Any:
    """The result of `read`; errors about a part are restated as errors about the whole URL, as the caller gave it."""
    try:
        return read(url)
    except URLSyntaxError as error:
        if error.text in (str(url), url.masked):
            raise
        raise placed(error, url) from None


def known_schemes() -> tuple[str, ...]:
    """All known scheme names in alphabetical order, including unsupported ones."""
    return tuple(sorted({*syntax.ROWS, *_loaded}))


def spoken() -> tuple[str, ...]:
    """The names of the schemes whose own syntax anyurl or a registered plug-in reads."""
    rows = {name for name, row in syntax.ROWS.items() if row.module is not None}
    return tuple(sorted(rows | _loaded.keys()))


_NO_SCHEME = "{} is not a Scheme: register(Scheme(...), row=Row(...))"


def register(scheme: Scheme, row: Row | None = None) -> None:
    """Register a scheme (RFC 1738 4).

    Section 4 reserves seven names (`RESERVED`). One of them is accepted, since documents have defined most of them
    since, and reported to the program's log as a WARNING.

    Args:
        row: Its facts for the parser (port, query, forbidden octets ...). By default the row of a known but unsupported
            scheme of that name, else that of the generic syntax.

    Raises:
        SchemeError: The name is already taken or is the prefix ``url``, or the row belongs to another scheme.
    """
    if not isinstance(scheme, Scheme):
        raise TypeError(_NO_SCHEME.format(type(scheme).__name__))
    if row is not None and not isinstance(row, Row):
        raise TypeError(f"row is a Row, not {type(row).__name__}")
    if scheme.name == PREFIX:
        raise SchemeError(
            "'url' can't be a scheme: 'URL:' is the prefix of a URL in a text (RFC 1738 appendix), which would then "
            f"have two readings; an experiment may use {EXPERIMENTAL + PREFIX!r} (RFC 1738 4)."
        )
    known = syntax.ROWS.get(scheme.name)
    if scheme.name in _loaded or (known is not None and known.module is not None):
        raise SchemeError(
            f"The scheme name {scheme.name!r} is taken; an experiment may use {EXPERIMENTAL + scheme.name!r} "
            "(RFC 1738 4)."
        )
    if row is not None and row.name != scheme.name:
        raise SchemeError(f"The row is that of {row.name!r}, not of {scheme.name!r}.")
    if scheme.name in RESERVED:
        warning(
            "schemes",
            "The scheme name %r, which %s registers, is reserved (RFC 1738 4): its definition is %s",
            scheme.name,
            scheme.reference,
            syntax.row(scheme.name).reference if _is_defined(scheme.name) else "to come",
        )
    syntax.ROWS[scheme.name] = row or syntax.row(scheme.name)
    _loaded[scheme.name] = scheme
    _registered.add(scheme.name)


def _is_defined(name: str) -> bool:
    """Whether a reserved name has been defined by another document since."""
    return syntax.row(name).reference != RESERVING


def installed_plugins() -> tuple[EntryPoint, ...]:
    """The entry points of `PLUGIN_GROUP` in installed packages, sorted by name; none of them is loaded."""
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=PLUGIN_GROUP), key=lambda point: (point.name, point.value)))


@cache
def installed_names() -> frozenset[str]:
    """The names of the installed plug-ins when first asked for: finding them reads the metadata of every package, and
    the error for each URL of a scheme that is only known by name mentions one.
    """
    return frozenset(point.name for point in installed_plugins())


def load_plugins(*names: str) -> tuple[str, ...]:
    """Register the schemes of installed packages (entry points `PLUGIN_GROUP`); never done automatically.

    Args:
        names: Names of plug-ins, or of packages that provide them; without any, all installed plug-ins are loaded.

    Returns:
        The names of the schemes that were added.

    Raises:
        SchemeError: A plug-in is not installed, can't be loaded, is incomplete, or has a scheme name already taken.
    """
    several_of(names, "names", str)
    points = installed_plugins()
    if names:
        for name in names:
            if not any(name in _names_of(point) for point in points):
                there = ", ".join(dict.fromkeys(point.name for point in points)) or _NO_PLUGIN
                raise SchemeError(f"The scheme plug-in {name!r} is not installed; there is {there}.")
        points = tuple(point for point in points if not _names_of(point).isdisjoint(names))
    return tuple(name for point in points for name in _load_plugin(point))


def _names_of(point: EntryPoint) -> set[str]:
    return {point.name} if point.dist is None else {point.name, point.dist.name}


def _load_plugin(point: EntryPoint) -> Iterator[str]:
    """The name of its scheme, if that is not known yet. Raises SchemeError."""
    try:
        found: Any = point.load()
    except Exception as error:  # third-party code may raise anything; callers only see errors of the tree
        raise SchemeError(
            f"The scheme plug-in {point.name!r} ({point.value}) can't be loaded: {reason_of(error)}."
        ) from error
    scheme, row = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
    if not isinstance(scheme, Scheme):
        raise SchemeError(_NO_SCHEME.format(type(scheme).__name__))
    if _loaded.get(scheme.name) is not scheme:
        register(scheme, row)
        yield scheme.name
    _plugins[point.name, point.value] = scheme.name


def loaded_by(point: EntryPoint) -> str | None:
    """The name of the scheme that a plug-in added; None if it was not loaded."""
    return _plugins.get((point.name, point.value))


def verb(url: URL, name: Verb, reader: verdict.Reader = "arguments") -> DialogueFunction:
    """The dialogue for this verb; URLs whose octets would break the protocol are refused before it begins.

    Raises:
        UnknownSchemeError: The scheme is unknown.
        UnsupportedError: The scheme has no such verb (the message lists its verbs), or the URL has no host although its
            scheme needs one: RFC 1738 reads URLs of schemes that it does not define (ftps://127.1/) as opaque text.
        RefusedError: Decoded octets of the URL are delimiters of its protocol (RFC 1738 section 6).
        URLSyntaxError: The path is not valid for the scheme.
    """
    scheme = _loaded.get(url.scheme) or _scheme_of(url, reader)
    # Attack: read as opaque text, snews://bob:word@127.1/ names an article, and the password in it would be sent to the
    # configured server.
    if not url.host and _lacks_host(url):
        text = f"{url.masked} has no host by the grammar {url.grammar}, which read it: there is nothing to {name}."
        raise UnsupportedError(text, scheme=scheme.name, verb=name)
    if _registered and scheme.name in _registered:
        # Built-in schemes check this themselves, since some have exceptions (an answered gopher form has line ends);
        # registered schemes never see such a URL.
        refuse_octets(
            url, syntax.row(scheme.name), user=url.user, password=url.password, host=decode(url.host or ""),
            path=decode(url.path), query=decode(url.query or ""),
        )  # fmt: skip
    if scheme.check is not None:
        _of_the_whole(scheme.check, url)
    dialogue = scheme.verbs.get(name)
    if dialogue is None:
        raise UnsupportedError(_cannot(scheme, name), scheme=scheme.name, verb=name)
    return partial(_begin, dialogue) if _registered and scheme.name in _registered else dialogue


def _begin(dialogue: DialogueFunction, url: URL, options: Options) -> Dialogue:
    """Begin a dialogue of a registered scheme, once its options are checked for forbidden octets as the URL was."""
    refuse_octets(
        url, syntax.row(url.scheme), words=options.words, view=options.view, match=options.match,
        type=options.upload_type, answers="".join(options.answers),
    )  # fmt: skip
    return dialogue(url, options)


def _lacks_host(url: URL) -> bool:
    """Whether a URL without a host needs one: its scheme requires one, or its path begins with ``//``."""
    row = syntax.ROWS.get(url.scheme)
    if row is None or row.empty_host:
        return False
    return row.authority == "required" or (row.authority == "optional" and url.path.startswith("//"))


def _cannot(scheme: Scheme, name: str) -> str:
    if scheme.verbs:
        return f"{scheme.name} has no {name!r}; it has {', '.join(v for v in VERBS if v in scheme.verbs)}."
    if scheme.description:
        return f"There is nothing to {name}: {scheme.description}"
    return f"anyurl reads {scheme.name} URLs but can't access them yet ({scheme.reference})."


def verb_table() -> dict[str, tuple[Verb, ...]]:
    """The verbs of each supported scheme, by name: the table that `anyurl schemes` shows."""
    return {name: tuple(v for v in VERBS if v in find_scheme(name).verbs) for name in spoken()}
