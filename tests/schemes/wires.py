"""What the readers of each protocol make of messages: those of the fuzz targets, and small changes of them.

``python -m tests.schemes.wires`` writes ``tests/data/schemes/wires`` anew. Whoever changes what is read reads the
difference: each line of it is something that a server said, and that is understood otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from anyurl.errors import AnyURLError
from fuzz import kit

FOLDER = Path(__file__).resolve().parent.parent / "data" / "schemes" / "wires"
TARGETS = (
    "ardp", "data_url", "dict_reply", "ftp_list", "ftp_reply", "gemini_reply", "gopher_menu", "gopher_plus",
    "http_cookie", "http_head", "http_login", "mailto", "nntp_article", "nntp_lists", "nntp_replies", "prospero",
    "smtp_reply", "telnet", "telnet_screen", "wais_message", "wais_source", "wais_url",
)  # fmt: skip
CHANGES = 24
"""Of the seeds of a target."""

MOST_OCTETS = 400
"""Of one message: longer ones have no line."""


def messages(target: str) -> list[bytes]:
    """The seeds of a target, and changes of them, the same each time."""
    seeds = [seed for seed in kit.seeds(target) if len(seed) <= MOST_OCTETS]
    changed = kit.mutations(seeds, CHANGES * 2)
    return [*dict.fromkeys([*seeds, *(each for each in changed if len(each) <= MOST_OCTETS)])][: len(seeds) + CHANGES]


def understood(target: str, data: bytes, swap: Callable[[object, str, object], None]) -> list[Any]:
    """What the readers of a target return for a message, or the error that they raise, in order.

    Args:
        swap: Sets an attribute, until the test is over.
    """
    told: list[Any] = []
    outcome = kit.outcome

    def noting(action: Callable[[], Any], **more: str) -> Any:
        def noted() -> Any:
            try:
                value = action()
            except AnyURLError as error:
                told.append(f"{type(error).__name__}: {error}")
                raise
            told.append(plain(value))
            return value

        return outcome(noted, **more)

    swap(kit, "outcome", noting)
    kit.load(target)(data)
    swap(kit, "outcome", outcome)
    return [each for at, each in enumerate(told) if each not in told[:at]]


def plain(value: object, depth: int = 0) -> Any:
    """A value as JSON has it: octets as text, objects as what they hold."""
    if value is None or isinstance(value, bool | int | float | str):
        return ascii(value) if isinstance(value, str | float) else value
    if isinstance(value, bytes | bytearray | memoryview):
        return repr(bytes(value))
    if depth > 5:
        return type(value).__name__
    if isinstance(value, Mapping):
        return {ascii(key): plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        found = [plain(each, depth + 1) for each in value]
        return sorted(found, key=repr) if isinstance(value, set | frozenset) else found
    if callable(value) or not (names := [*_names(value)]):
        return str(value) if type(value).__str__ is not object.__str__ else type(value).__name__
    return {type(value).__name__: {name: plain(getattr(value, name, None), depth + 1) for name in names}}


def _names(value: object) -> Iterator[str]:
    for kind in type(value).__mro__:
        yield from (name for name in getattr(kind, "__slots__", ()) if not name.startswith("_"))
    yield from (name for name in getattr(value, "__dict__", ()) if not name.startswith("_"))


def lines(target: str, swap: Callable[[object, str, object], None]) -> list[str]:
    """The lines of a target."""
    return [json.dumps([repr(data), understood(target, data, swap)]) for data in messages(target)]


def main() -> None:
    """Write them."""
    FOLDER.mkdir(exist_ok=True)
    for target in TARGETS:
        text = "".join(f"{line}\n" for line in lines(target, setattr))
        (FOLDER / f"{target}.jsonl").write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
