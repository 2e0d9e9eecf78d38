"""All that is found in a text, with everything that `find` can look for: each place, kind, context and other reading.

``python -m tests.text.everything`` writes ``tests/data/text/everything.jsonl`` anew, for the texts that are in it.
Whoever changes what is found reads the difference: each line of it is something that a user sees otherwise.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anyurl.text import find

FILE = Path(__file__).resolve().parent.parent / "data" / "text" / "everything.jsonl"


def told(text: str, format: str | None, size: int = 0) -> list[list[Any]]:
    """What is found, as JSON has it; `size`: in pieces of so many octets."""
    octets = text.encode("utf-8", "surrogateescape")
    pieces = [octets[at : at + size] for at in range(0, len(octets), size)] if size else text
    found = find(
        pieces, format=format, emails=True, www=True, bare=True, templates=True, refang=True, malformed=True
    )  # fmt: skip
    return [
        [str(one), one.kind, one.context, one.raw, *one.span, *one.octet_span, one.line, one.column,
         [str(other) for other in one.alternatives]]
        for one in found
    ]  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """What is written down."""
    return [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]


def write(texts: list[tuple[str | None, str]]) -> None:
    """Write down what is found in these texts, each with its format."""
    lines = [json.dumps({"format": form, "text": text, "found": told(text, form)}) for form, text in texts]
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


if __name__ == "__main__":
    write([(row["format"], row["text"]) for row in rows()])
