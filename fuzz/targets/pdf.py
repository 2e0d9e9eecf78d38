"""PDF: whatever a file holds, nothing comes out but URLs, an error of the tree, or OSError; pieces change nothing."""

from __future__ import annotations

from anyurl.errors import MissingExtraError
from anyurl.text import find
from fuzz import kit


def fuzz(data: bytes) -> None:
    """The octets of a file, behind its mark, so that each is read as a PDF."""
    data = data if data.startswith(b"%PDF-") else b"%PDF-1.7\n" + data
    half = len(data) // 2
    whole, failed = kit.outcome(lambda: _read(data))
    if failed is not MissingExtraError:
        kit.same(kit.outcome(lambda: _read([data[:half], data[half:]])), (whole, failed), "cut in two")


def _read(source: bytes | list[bytes]) -> tuple[list[tuple[str, str]], bool]:
    """What is found, with its page, and whether the file is damaged."""
    told: list[tuple[str, str]] = []
    try:
        told.extend((str(found), found.member) for found in find(source, format="pdf"))
    except OSError:
        return told, True
    return told, False
