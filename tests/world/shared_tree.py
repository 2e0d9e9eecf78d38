"""A folder as people have one, with what must not be seen of it."""

from __future__ import annotations

import os
from pathlib import Path

TEXT = b"one\n.two\nthree"
BINARY = b"\x00\x01\r\n\n" * 50_000
OUTSIDE = b"SECRET"

PATHS_OUT = [
    "../outside", "sub/../../outside", "link", "linked/outside", ".hidden", ".git/config", "sub/.hidden", "./notes.txt",
    "pipe", "sub/", "nothing", "notes.txt/x", "a\0b", "sub/../notes.txt",
]  # fmt: skip
"""Paths that lead to no file that is shared."""


def make(folder: Path) -> Path:
    """A folder with files, a folder in it, and links, a pipe and hidden names; returns its path."""
    root = folder / "shared"
    (root / "sub").mkdir(parents=True)
    (root / ".git").mkdir()
    (folder / "outside").write_bytes(OUTSIDE)
    for name in (".hidden", ".git/config", "sub/.hidden"):
        (root / name).write_bytes(OUTSIDE)
    (root / "notes.txt").write_bytes(TEXT)
    (root / "data").write_bytes(BINARY)
    (root / "sub" / "gr\u00fc\u00dfe #1.txt").write_bytes("Gr\u00fc\u00dfe\n".encode())
    (root / "link").symlink_to(folder / "outside")
    (root / "linked").symlink_to(folder)
    os.mkfifo(root / "pipe")
    return root
