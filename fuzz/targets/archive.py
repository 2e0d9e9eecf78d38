"""Archives and compressed files: whatever they hold, nothing comes out but URLs, an error of the tree, or OSError."""

from __future__ import annotations

from contextlib import suppress

from anyurl.text import find
from fuzz import kit


def fuzz(data: bytes) -> None:
    """The octets of a file, whole and in two pieces; how much of a damaged one is read depends on the pieces."""
    half = len(data) // 2
    for source in (data, [data[:half], data[half:]]):
        kit.outcome(lambda source=source: _read(source))  # type: ignore[misc]


def _read(source: bytes | list[bytes]) -> None:
    with suppress(OSError):
        for _ in find(source, format="auto"):
            pass
