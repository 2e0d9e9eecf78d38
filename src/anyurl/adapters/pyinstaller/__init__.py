"""What PyInstaller has to know of anyurl: ``pyinstaller program.py`` finds it by the entry point ``pyinstaller40``.

Rule: PyInstaller reads Python. ``hook-anyurl.py`` names what was compiled, is imported by a name in a table, or is read
as a file.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["hook_folders"]


def hook_folders() -> list[str]:
    """Where the hooks are."""
    return [str(Path(__file__).parent)]
