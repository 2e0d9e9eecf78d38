"""Mutants that no test can tell from the program, each with the reason; `python -m tests.mutants` leaves them out."""

from __future__ import annotations

EQUIVALENT: dict[tuple[str, str, str, str], str] = {}
"""File, function, what stood there, what took its place: why that changes nothing that anybody could see."""
