"""All that a URL says of itself, or of what is wrong with it.

``python -m tests.url.everything`` writes ``tests/data/url/everything.jsonl`` anew, for the texts that are in it.
Whoever changes what is said reads the difference: each line of it is something that a user sees otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anyurl.errors import AnyURLError, URLSyntaxError
from anyurl.url import URL

FILE = Path(__file__).resolve().parent.parent / "data" / "url" / "everything.jsonl"
NAMES = (
    "scheme", "raw_user", "raw_password", "user", "password", "raw_host", "host", "explicit_port", "port", "path",
    "query", "fragment", "url_path", "authority", "origin", "masked", "grammar", "parts",
)  # fmt: skip
_BASE = URL("http://base.example/a/b?c#d")
_VIEWS: dict[str, Callable[[URL], object]] = {
    "str": str,
    "normal": lambda url: url.normalize(),
    "strict": lambda url: url.normalize("rfc1738"),
    "display": lambda url: url.display,
    "without fragment": lambda url: url.without_fragment(),
    "joined ../x?y": lambda url: url.join("../x?y"),
    "joined #z": lambda url: url.join("#z"),
    "joined //k": lambda url: url.join("//k"),
    "as a reference": lambda url: _BASE.join(str(url).partition(":")[2] or "."),
}  # fmt: skip


def said(text: str) -> dict[str, Any]:
    """What is said of a text, as JSON has it."""
    found: dict[str, Any] = {"text": text}
    try:
        url = URL(text)
    except URLSyntaxError as error:
        faults = [[each.code, *each.span, each.rule, each.fix, each.message] for each in error.diagnostics]
        return found | {"error": str(error), "faults": faults}
    for name in NAMES:
        found[name] = _tried(lambda name=name: getattr(url, name))
    return found | {name: _tried(lambda view=view: view(url)) for name, view in _VIEWS.items()}


def _tried(ask: Callable[[], object]) -> str | int | None:
    try:
        value = ask()
    except AnyURLError as error:
        return f"{type(error).__name__}: {error}"
    return value if value is None or isinstance(value, int) else str(value)


def rows() -> list[dict[str, Any]]:
    """What is written down."""
    return [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]


def write(texts: list[str]) -> None:
    """Write down what is said of these texts."""
    FILE.write_text("".join(f"{json.dumps(said(text))}\n" for text in texts), encoding="ascii")


if __name__ == "__main__":
    write([row["text"] for row in rows()])
