"""Of `anyurl`: its grammars and tables, and the modules that are imported by name or by compiled code.

Rule: a room that a program may do without comes with the program's own import of it.
"""

from __future__ import annotations

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

APART = ("adapters", "batch", "cli", "mcp", "proxy", "testing", "web", "world")
"""Rooms that a program imports by itself."""


def is_always_there(name: str) -> bool:
    """Whether a module belongs to every program."""
    return not name.startswith(tuple(f"anyurl.{room}" for room in APART))


hiddenimports = collect_submodules("anyurl", filter=is_always_there)
datas = collect_data_files("anyurl", excludes=["web/**"])
