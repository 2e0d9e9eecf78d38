"""The hooks of PyInstaller: ``pyinstaller program.py`` finds them by the entry point ``pyinstaller40``.

Rule: PyInstaller reads Python. ``hook-anyurl.py`` names modules that are compiled or imported by a name in a table, and
data files.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["hook_folders"]


def hook_folders() -> list[str]:
    """Where the hooks are."""
    return [str(Path(__file__).parent)]
