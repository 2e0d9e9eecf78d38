"""The readings of a text by each grammar, and their differences, with which parser differentials are attacked.

Rule: if one program checks another host than a second one connects to, that is a security hole, so a difference of the
host is loud. Besides the four grammars there is the reading of a program that checks nothing.
RFC 3986 7.6, RFC 1738 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from anyurl.errors import Diagnostic, MissingExtraError
from anyurl.grammar.diagnosis import BLANKS, examine
from anyurl.grammar.examination import Piece
from anyurl.grammar.grammars import GRAMMARS, GrammarName, diagnose, parse
from anyurl.grammar.scheme_parts import TAILS
from anyurl.grammar.splitting import plausible_host, same_host, split_unchecked
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.values import Value

COMPONENTS = ("scheme", "user", "password", "host", "port", "path", "query", "fragment")
"""The components of a reading."""

UNCHECKED = "unchecked"
"""The name of the reading without a grammar: RFC 3986 appendix B's regular expression, without any check."""


class Reading(Value):
    """How one grammar reads a text.

    Attributes:
        grammar: The name of the grammar, or `UNCHECKED`.
        url: The URL; None if the grammar rejects the text, and for `UNCHECKED`.
        components: The components by the names of `COMPONENTS`, not decoded; None for a missing one. Empty if rejected.
        diagnostics: The diagnostics of the grammar.
    """

    grammar: str
    url: URL | None
    components: dict[str, str | int | None]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether it is a URL by that grammar."""
        return self.url is not None


class Difference(Value):
    """A component that grammars read differently.

    Attributes:
        component: The name of the component.
        values: Its value in each reading, by the name of the grammar.
        loud: It is the host: one program may check another host than a second one connects to.
        message: One sentence for a person.
    """

    component: str
    values: dict[str, str | int | None]
    loud: bool
    message: str


class Explanation(Value):
    """The readings of a text by each grammar, and how they differ.

    Attributes:
        text: The text.
        readings: One for each grammar, in the order of `GRAMMARS`; without ``browser`` if ada-url is not installed.
        unchecked: The reading of a program that checks nothing.
        differences: The differences, the host first.
        pieces: The anatomy: the components of the text, each with its place.
    """

    text: str
    readings: tuple[Reading, ...]
    unchecked: Reading
    differences: tuple[Difference, ...]
    pieces: tuple[Piece, ...]

    @property
    def host_differs(self) -> bool:
        """Whether two programs would connect to different hosts."""
        return any(difference.loud for difference in self.differences)

    def reading(self, grammar: str) -> Reading:
        """The reading of a grammar.

        Raises:
            KeyError: There is no reading of a grammar with that name.
        """
        for reading in (*self.readings, self.unchecked):
            if reading.grammar == grammar:
                return reading
        raise KeyError(grammar)

    def __repr__(self) -> str:
        accepted = [reading.grammar for reading in self.readings if reading.accepted]
        return f"Explanation(accepted by {', '.join(accepted) or 'none'}, host_differs={self.host_differs})"

    def _repr_html_(self) -> str:
        from anyurl.errors.notebook import facts

        read = [(one.grammar, one.components["host"] if one.accepted else "not a URL") for one in self.readings]
        return facts(read) + facts(("differs", one.message) for one in self.differences)


@checked
def explain(text: str) -> Explanation:
    """Parse a text with every grammar and compare the results.

    >>> found = explain("http://good.example\\\\@evil.example/")
    >>> found.host_differs, found.reading("browser").components["host"], found.unchecked.components["host"]
    (True, 'good.example', 'evil.example')
    """
    readings = tuple(_readings(text))
    unchecked = _unchecked(text)
    return Explanation(text, readings, unchecked, _differences(readings, unchecked), _pieces(text))


def _readings(text: str) -> Iterator[Reading]:
    for grammar in GRAMMARS:
        with suppress(MissingExtraError):  # without ada-url the reading of browsers is unknown
            yield _reading(text, grammar)


def _reading(text: str, grammar: GrammarName) -> Reading:
    diagnostics = diagnose(text, grammar)
    if any(diagnostic.severity == "error" for diagnostic in diagnostics):
        return Reading(grammar, None, {}, diagnostics)
    url = parse(text, grammar)
    return Reading(grammar, url, components(url), diagnostics)


def components(url: URL) -> dict[str, str | int | None]:
    """The components as written, except the host (in lower case, without brackets) and the port (the effective one)."""
    return {
        "scheme": url.scheme,
        "user": url.raw_user,
        "password": url.raw_password,
        "host": url.host,
        "port": url.port,
        "path": url.path,
        "query": url.query,
        "fragment": url.fragment,
    }


def _unchecked(text: str) -> Reading:
    cut = split_unchecked(text.strip(BLANKS))
    host = cut.host[1:-1] if cut.host and cut.host.startswith("[") and cut.host.endswith("]") else cut.host
    values: dict[str, str | int | None] = {
        "scheme": cut.scheme.lower() if cut.scheme is not None else None,
        "user": cut.user,
        "password": cut.password,
        "host": host,
        "port": cut.port,
        "path": cut.path,
        "query": cut.query,
        "fragment": cut.fragment,
    }
    return Reading(UNCHECKED, None, values)


def _differences(readings: tuple[Reading, ...], unchecked: Reading) -> tuple[Difference, ...]:
    accepted = [reading for reading in readings if reading.accepted]
    found = []
    for name in ("host", *(other for other in COMPONENTS if other != "host")):
        values = {reading.grammar: reading.components[name] for reading in accepted}
        if name == "host":
            difference = _host_difference(values, unchecked)
            if difference is not None:
                found.append(difference)
        elif len({_comparable(name, value) for value in values.values()}) > 1:
            shown = "one is a password" if name == "password" else _listed(values)
            found.append(Difference(name, values, False, f"the {name} is read differently: {shown}"))
    return tuple(found)


def _comparable(name: str, value: str | int | None) -> str | int | None:
    return "/" if name == "path" and value == "" else value


def _host_difference(values: dict[str, str | int | None], unchecked: Reading) -> Difference | None:
    """The difference of the hosts, if any; the unchecked one counts if a program could look it up."""
    hosts = {grammar: host for grammar, host in values.items() if isinstance(host, str) or host is None}
    raw = unchecked.components["host"]
    cut = raw if isinstance(raw, str) and raw else None
    if cut is None:
        if unchecked.components["scheme"] is not None and hosts:
            hosts[UNCHECKED] = None
    elif plausible_host(cut) or _is_number_like(cut) or "%" in cut:
        hosts[UNCHECKED] = cut
    distinct: list[str | None] = []
    for host in hosts.values():
        if not any(same_host(host, known) for known in distinct):
            distinct.append(host)
    if len(distinct) < 2:
        return None
    message = (
        "the host is read differently, so that one program may check another host than a second one connects to: "
        f"{_listed(dict(hosts))}"
    )
    return Difference("host", dict(hosts), True, message)


def _is_number_like(host: str) -> bool:
    """Whether some programs read a host as a numeric address: ``0x7f.1``, ``2130706433``."""
    return host.rstrip(".").rpartition(".")[2][:1].isdigit()


def _listed(values: dict[str, Any]) -> str:
    by_value: dict[Any, list[str]] = {}
    for grammar, value in values.items():
        by_value.setdefault(value, []).append("a program that checks nothing" if grammar == UNCHECKED else grammar)
    return "; ".join(
        f"{' and '.join(names)}: {'none' if value is None else repr(value)}" for value, names in by_value.items()
    )


def _pieces(text: str) -> tuple[Piece, ...]:
    """The anatomy: by RFC 1738 for its schemes, whose parts have names there, otherwise by the generic syntax."""
    ex = examine(text, "rfc1738")
    if ex.scheme in TAILS:
        return tuple(sorted((piece for piece in ex.pieces if piece.start < piece.end), key=lambda piece: piece.start))
    shift = len(text) - len(text.lstrip(BLANKS))
    cut = split_unchecked(text.strip(BLANKS))
    found: list[Piece] = []
    place = shift
    if cut.scheme is not None:
        found.append(Piece("scheme", "", place, place + len(cut.scheme)))
        place += len(cut.scheme) + 1
    if cut.host is not None:
        place += 2
        for name, value, gap in (("user", cut.user, 1), ("password", cut.password, 1), ("host", cut.host, 0)):
            if value is not None:
                found.append(Piece(name, "", place, place + len(value)))
                place += len(value) + gap
        if cut.port is not None:
            found.append(Piece("port", "", place + 1, place + 1 + len(cut.port)))
            place += 1 + len(cut.port)
    for name, value, gap in (("path", cut.path, 0), ("query", cut.query, 1), ("fragment", cut.fragment, 1)):
        if value is not None:
            found.append(Piece(name, "", place + gap, place + gap + len(value)))
            place += gap + len(value)
    return tuple(piece for piece in found if piece.start < piece.end)
