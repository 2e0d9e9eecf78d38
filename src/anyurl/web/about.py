"""Facts about a URL: its anatomy, each grammar's reading, the guard's verdict, its origin, the protocol trace.

Rule: nothing is computed here: the facts come from `explain`, `judge`, the provenance and the client's trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyurl.client.judgement import judge
from anyurl.errors import escape
from anyurl.grammar import explain
from anyurl.guard.hops import place
from anyurl.url.masking import MASK, mask, without_secret
from anyurl.values import USER, Provenance, Value

if TYPE_CHECKING:
    from anyurl.grammar import Explanation
    from anyurl.guard.policy import Policy

MAX_TEXT = 10_000
"""Characters of a text that are explained; the rest is not shown."""

COMPONENTS = ("scheme", "user", "password", "host", "port", "path", "query", "fragment")


class Shown(Value):
    """A piece of the text as it is shown.

    Attributes:
        text: The piece, escaped.
        name: The name of the component; empty for delimiters.
        production: The production of RFC 1738 that it matches, as a phrase; empty if there is none.
    """

    text: str
    name: str
    production: str


def anatomy(explanation: Explanation) -> list[Shown]:
    """The text in pieces, each with its name."""
    text, pieces, at = explanation.text, [], 0
    for piece in explanation.pieces:
        if piece.start < at:
            continue
        if piece.start > at:
            pieces.append(Shown(escape(text[at : piece.start]), "", ""))
        production = f"production {piece.production} of RFC 1738, section 5" if piece.production else ""
        pieces.append(Shown(escape(text[piece.start : piece.end]), piece.name, production))
        at = piece.end
    if at < len(text):
        pieces.append(Shown(escape(text[at:]), "", ""))
    return pieces


def explained(text: str, policy: Policy, origin: Provenance = USER) -> dict[str, Any]:
    """The template values of the page about a text.

    Args:
        text: Any text; possible passwords are masked.
        origin: Who named it.
    """
    explanation = explain(without_secret(text[:MAX_TEXT]))
    readings = [
        {
            "grammar": one.grammar,
            "accepted": one.accepted,
            "faults": [(fault.severity, mask(escape(fault.message)), fault.section) for fault in one.diagnostics],
        }
        for one in explanation.readings
    ]
    components = [
        (name, [_component(name, one.components.get(name)) if one.accepted else "" for one in explanation.readings])
        for name in COMPONENTS
    ]
    differences = [(one.loud, escape(one.message)) for one in explanation.differences]
    judgement = judge(explanation.readings[0].url, policy, origin)
    return {
        "pieces": anatomy(explanation), "readings": readings, "differences": differences,
        "components": [(name, values) for name, values in components if any(values)],
        "verdict": list(judgement.lines()), "who": who(origin), "provenance": [] if origin.own else _fields(origin),
    }  # fmt: skip


def _component(name: str, value: str | int | None) -> str:
    if value is None:
        return ""
    return MASK if value and name == "password" else escape(str(value)) or "(empty)"


def who(origin: Provenance) -> str:
    """A sentence about the origin of a URL."""
    return "You named it." if origin.own else f"It was named by {place(origin)}."


def _fields(origin: Provenance) -> list[tuple[str, str]]:
    return [(name, escape(str(value))) for name, value in origin.as_dict().items() if value not in (None, False)]
