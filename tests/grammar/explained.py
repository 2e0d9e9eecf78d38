"""All that is said of a text: by each grammar its components and complaints, its pieces, how it is mended and guessed.

``python -m tests.grammar.explained`` writes ``tests/data/grammar/explained.jsonl`` anew, for the texts that are in
it. Whoever changes what is said reads the difference: each line of it is something that a user sees otherwise.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anyurl.errors import AnyURLError, Diagnostic
from anyurl.grammar import explain, guess, repair

FILE = Path(__file__).resolve().parent.parent / "data" / "grammar" / "explained.jsonl"


def said(text: str) -> dict[str, Any]:
    """What is said of a text, as JSON has it."""
    found = explain(text)
    return {
        "text": text,
        "readings": {
            reading.grammar: {
                "url": None if reading.url is None else str(reading.url),
                "components": {name: value for name, value in reading.components.items() if value is not None},
                "complaints": [_complaint(each) for each in reading.diagnostics],
            }
            for reading in found.readings
        },
        "pieces": [repr(piece) for piece in found.pieces],
        "differences": [repr(each) for each in found.differences],
        "repair": _tried(lambda: repr(repair(text))),
        "repair by guessing": _tried(lambda: repr(repair(text, True))),
        "guess": _tried(lambda: repr(guess(text))),
    }


def _complaint(found: Diagnostic) -> list[Any]:
    return [found.code, found.severity, *found.span, found.rule, found.section, found.fix, found.message]


def _tried(ask: Any) -> str:
    try:
        return str(ask())
    except AnyURLError as error:
        return f"{type(error).__name__}: {error}"


def rows() -> list[dict[str, Any]]:
    """What is written down."""
    return [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]


def write(texts: list[str]) -> None:
    """Write down what is said of these texts."""
    FILE.write_text("".join(f"{json.dumps(said(text))}\n" for text in texts), encoding="ascii")


if __name__ == "__main__":
    write([row["text"] for row in rows()])
