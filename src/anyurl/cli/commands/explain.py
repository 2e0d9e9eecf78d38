"""``anyurl explain``: how each grammar reads a text, its faults by each, and where the readings differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import STDIN, json_option, plugin_option, texts_of
from anyurl.cli.settings import verdict_options
from anyurl.cli.terminal import caret
from anyurl.cli.terminal.console import MASK, Console
from anyurl.cli.terminal.palette import BY_SEVERITY, CAUTION, FAULT, QUIET, STRONG
from anyurl.client.judgement import Judgement, judge
from anyurl.errors import Diagnostic, escape
from anyurl.url.cut.addresses import parse_ipv6

if TYPE_CHECKING:
    from anyurl.grammar import Difference, Explanation, Reading
    from anyurl.guard.policy import Policy
    from anyurl.url import URL

MAX_SHOWN = 20
"""The most faults that are shown for one grammar, about a screen; `--json` has all of them."""

INDENT = "    "

_TORN = ("user", "path", "query", "fragment")
KEYS = ("text", "host_differs", "readings", "unchecked", "differences", "pieces", "verdict")


@as_command("explain")
@Parameter("texts", many=True, required=True, metavar="URL...")
@Parameter("--svg", is_flag=True, help="Write only the picture of its components (SVG).")
@Parameter("--reveal", is_flag=True, help="Show passwords.")
@verdict_options
@plugin_option
@json_option
def command(console: Console, texts: tuple[str, ...], svg: bool, reveal: bool, policy: Policy | None) -> int:
    """Show how each grammar reads a text.

    The grammars are today's RFCs (current), RFC 1738 and its last draft in their strict forms, and the browsers'. Shows
    the components of the URL, every fault with its place, its rule and what would be valid, and a warning if the host
    is read differently: one program may then check another host than a second one connects to. With --policy, also
    shows the guard's verdict with its code, and the cautions of RFC 1738 section 6; no name is looked up. A URL of -
    reads one text per line from standard input. Exits with 1 if a text is not a URL today or two programs could connect
    to different hosts, and with 5 if the policy refuses one.
    """
    from anyurl.grammar import GRAMMARS, explain

    if svg and (len(texts) > 1 or texts == (STDIN,)):
        raise UsageError("--svg draws one URL, given on the command line.")
    code = exits.OK
    for number, text in enumerate(texts_of(console, texts)):
        explanation = explain(text)
        judgement = None if policy is None else judge(explanation.readings[0].url, policy)
        if explanation.host_differs or not explanation.readings[0].accepted:
            code = max(code, exits.FAULTS)
        if judgement is not None and judgement.verdict is not None and not judgement.verdict:
            code = exits.REFUSED
        secrets = _Secrets(explanation, reveal)
        if svg:
            from anyurl.grammar import draw_svg

            drawn = draw_svg(explain(secrets.masked) if secrets.torn else explanation, reveal=reveal)
            console.octets(drawn.encode("utf-8", "backslashreplace"))
        elif console.json:
            console.record(explain_record(explanation, secrets, judgement))
        else:
            if number:
                console.line()
            elif len(explanation.readings) < len(GRAMMARS):
                console.say("The reading of browsers is not shown: that needs the extra `browser`.")
            page = _Page(console, secrets)
            page.show(explanation)
            if judgement is not None:
                page.show_judgement(judgement)
    return code


class _Secrets:
    """The password of a text, which must not be shown.

    Attributes:
        span: The span of the password; None if there is none, or it may be shown.
        masked: The text with the password masked.
        text: The text itself.
        torn: No grammar reads it as a password: it contains a delimiter, or is in a URL within a URL, so that parts of
            it may be in any component.
    """

    def __init__(self, explanation: Explanation, reveal: bool) -> None:
        self.text = text = explanation.text
        self.reveal = reveal
        self.span = None if reveal else caret.secret_span(text)
        self.masked = text if reveal else caret.masked(text)
        self.torn = self._uneven = False
        if self.span is not None:
            readings = [one.components for one in (*explanation.readings, explanation.unchecked) if one.components]
            self._uneven = any(one.get("password") is None for one in readings)
            start, end = self.span
            hidden = [piece for piece in explanation.pieces if piece.name in ("password", "userinfo")]
            self.torn = not any(piece.start <= start and end <= piece.end for piece in hidden)

    def url(self, url: URL) -> str:
        if self.reveal:
            return str(url)
        return caret.masked(url.masked) if not self.torn else MASK

    def difference(self, difference: Difference) -> str:
        shown = self.values(difference) == difference.values
        return difference.message if shown else f"the {difference.component} is read differently"

    def values(self, difference: Difference) -> dict[str, str | int | None]:
        """The readings of a differing component by grammar, masked."""
        name, uneven = difference.component, self._uneven and difference.component in _TORN
        values = {grammar: self.component(name, value) for grammar, value in difference.values.items()}
        return {grammar: MASK if uneven and value else value for grammar, value in values.items()}

    def components(self, reading: Reading) -> dict[str, str | int | None]:
        """The components of a reading, masked; without a password, others may contain parts of it."""
        shown = {name: self.component(name, value) for name, value in reading.components.items()}
        if self.span is not None and reading.components.get("password") is None:
            values = {name: shown[name] for name in _TORN if name in shown}
            torn = caret.Torn(self.text, values.values())
            shown.update({name: torn.shown(value) for name, value in values.items()})
        return shown

    def component(self, name: str, value: str | int | None) -> str | int | None:
        if value is None or value == "" or self.reveal:
            return value
        if name == "host":
            hidden = self.span is not None and ":" in str(value) and parse_ipv6(str(value)) is None
        else:
            hidden = name == "password" or (self.torn and name != "scheme")
        if hidden:
            return MASK
        return caret.masked_part(value) if self.span is not None and isinstance(value, str) else value


class _Page:
    """Shows explanations to a person."""

    def __init__(self, console: Console, secrets: _Secrets) -> None:
        self._console = console
        self._secrets = secrets
        self._columns = console.columns()
        self._more = console.drawn("…")

    def show(self, explanation: Explanation) -> None:
        """Show the anatomy, the readings of the grammars, and the differences."""
        from anyurl.grammar import draw_text
        from anyurl.grammar.anatomy import list_pieces

        reveal = self._secrets.reveal
        text, *lines = [self._secrets.masked] if self._secrets.torn else draw_text(explanation, reveal=reveal)
        if lines and self._columns is not None and len(text) > self._columns:
            lines = [f"{name:10}{shown}" for name, shown in list_pieces(explanation, reveal=reveal)]
        self._console.line(self._cut(text), STRONG)
        for line in lines:
            self._console.line(self._console.drawn(self._cut(line)), QUIET)
        known: set[tuple[tuple[int, int], str]] = set()
        for readings in self._alike(explanation.readings):
            self._show_readings(explanation.text, readings, known)
        self._show_differences(explanation.differences)

    def _cut(self, text: str) -> str:
        """The text cut to one line of the terminal; uncut elsewhere."""
        shown = escape(text)
        return (
            shown
            if self._columns is None or len(shown) <= self._columns
            else f"{shown[: self._columns - 1]}{self._more}"
        )

    def _wrapped(self, text: str) -> list[str]:
        """A sentence broken into lines of the terminal; unbroken elsewhere."""
        if self._columns is None:
            return [text]
        from textwrap import wrap

        return wrap(text, max(self._columns, caret.NARROWEST), subsequent_indent=INDENT, break_on_hyphens=False)

    def _alike(self, readings: tuple[Reading, ...]) -> list[list[Reading]]:
        """The readings in groups that agree: those without a URL, and those with the same URL."""
        groups: dict[tuple[str, str], list[Reading]] = {}
        for reading in readings:
            shown = ("", "") if reading.url is None else (self._secrets.url(reading.url), self._summary(reading))
            groups.setdefault(shown, []).append(reading)
        return list(groups.values())

    def _show_readings(self, text: str, readings: list[Reading], known: set[tuple[tuple[int, int], str]]) -> None:
        """Show a group of readings, and those of their faults that are not `known` from above."""
        self._console.line()
        names, first = ", ".join(reading.grammar for reading in readings), readings[0]
        if first.url is None:
            self._console.line(f"{names}: not a URL", FAULT)
        else:
            self._console.line(self._cut(f"{names}: {self._secrets.url(first.url)}"), STRONG)
            self._console.line(self._cut(f"{INDENT}{self._summary(first)}"))
        faults: dict[tuple[tuple[int, int], str], Diagnostic] = {}
        whose: dict[tuple[tuple[int, int], str], list[str]] = {}
        for reading in readings:
            for one in reading.diagnostics:
                faults.setdefault((one.span, one.message), one)
                whose.setdefault((one.span, one.message), []).append(reading.grammar)
        fresh = sorted((at for at in faults if at not in known), key=lambda at: at[0])
        known.update(faults)
        told = [_of(faults[at], whose[at] if len(set(whose[at])) < len(readings) else ()) for at in fresh]
        self._show_diagnostics(text, _said_once(told))

    def _summary(self, reading: Reading) -> str:
        """The components on one line, the host first, since differences of the host matter most."""
        names = ("host", *(name for name in reading.components if name not in ("host", "scheme")))
        shown = self._secrets.components(reading)
        values = [(name, shown[name]) for name in names]
        return ", ".join(f"{name} {'(empty)' if value == '' else value}" for name, value in values if value is not None)

    def _show_diagnostics(self, text: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        if not diagnostics:
            return
        shown = diagnostics[:MAX_SHOWN]
        width = None if self._columns is None else self._columns - len(INDENT)
        first, pointers = caret.point_at(text, [_with_severity(one) for one in shown], width)
        self._console.line(f"{INDENT}{first}")
        for lines, diagnostic in zip(pointers, shown, strict=True):
            for line in lines:
                self._console.line(f"{INDENT}{line}", *BY_SEVERITY[diagnostic.severity])
        if len(diagnostics) > MAX_SHOWN:
            self._console.line(f"    and {len(diagnostics) - MAX_SHOWN} more")

    def _show_differences(self, differences: tuple[Difference, ...]) -> None:
        if differences:
            self._console.line()
        for difference in differences:
            message = self._secrets.difference(difference)
            meanings = (STRONG, FAULT) if difference.loud else (CAUTION,)
            for line in self._wrapped(f"!!! {message}" if difference.loud else message):
                self._console.line(line, *meanings)

    def show_judgement(self, judgement: Judgement) -> None:
        """Show the verdict of the policy, and the cautions."""
        self._console.line()
        for kind, sentence in judgement.lines():
            for line in self._wrapped(sentence):
                self._console.line(line, *{"good": (STRONG,), "bad": (FAULT,), "beware": (CAUTION,)}.get(kind, ()))


def _of(fault: Diagnostic, grammars: Sequence[str]) -> Diagnostic:
    """A fault with the names of the grammars that have it, unless all of the group do."""
    message = f"{fault.message} ({', '.join(dict.fromkeys(grammars))})" if grammars else fault.message
    return Diagnostic(fault.code, fault.severity, fault.span, fault.rule, fault.section, message, fault.fix)


def _said_once(faults: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Faults with the same words as one, at the place of the first, with the number of further places."""
    places: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for one in faults:
        places.setdefault((one.severity, one.section, one.message), []).append(one)
    said = []
    for one, *others in places.values():
        more = f"; the same in {len(others)} more place{'s' if len(others) > 1 else ''}" if others else ""
        message = f"{one.message}{more}"
        said.append(Diagnostic(one.code, one.severity, one.span, one.rule, one.section, message, one.fix))
    return tuple(said)


def _with_severity(one: Diagnostic) -> Diagnostic:
    """A fault for a person; its severity is written unless it is an error."""
    section = one.section if one.severity == "error" else f"{one.severity}, {one.section}"
    return Diagnostic(one.code, one.severity, one.span, one.rule, section, one.message, one.fix)


def explain_record(explanation: Explanation, secrets: _Secrets, judgement: Judgement | None = None) -> dict[str, Any]:
    """The JSON values of one text."""
    from anyurl.cli.records import diagnostic_record

    readings = [
        {
            "grammar": reading.grammar,
            "accepted": reading.accepted,
            "url": None if reading.url is None else secrets.url(reading.url),
            **secrets.components(reading),
            "diagnostics": [diagnostic_record(one, secrets.span) for one in reading.diagnostics],
        }
        for reading in explanation.readings
    ]
    differences = [
        {
            "component": one.component,
            "loud": one.loud,
            "values": secrets.values(one),
            "message": secrets.difference(one),
        }
        for one in explanation.differences
    ]
    pieces = [{"name": piece.name, "start": piece.start, "end": piece.end} for piece in explanation.pieces]
    unchecked = secrets.components(explanation.unchecked)
    verdict = None if judgement is None else judgement.record()
    values = (secrets.masked, explanation.host_differs, readings, unchecked, differences, pieces, verdict)
    return dict(zip(KEYS, values, strict=True))
