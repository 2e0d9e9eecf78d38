"""Draw a terminal: ``python docs/terminal.py`` writes ``terminal.svg``, commands of anyurl and what they print.

Rule: nothing is drawn by hand. The commands run one after the other in a folder of their own, on a terminal, and need
no network; what they leave on the screen is the picture. A test compares the file with what this would write.
"""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

import pyte

HERE = Path(__file__).resolve().parent

COLUMNS, ROWS = 64, 40
"""Of the screen: a phone still shows this many characters in a line."""

FILES = {
    "notes.md": "See <URL:ftp://ds.internic.net/\n  rfc/rfc1738.txt> (or http://example.org/a(b)).\n",
    "docs/index.md": "# Home\n\n[Install](guide.md), [more](more.md)\n",
    "docs/guide.md": "# Guide\n\n![The rooms](map.svg)\n",
}
"""What lies in the folder."""

COMMANDS = (
    "anyurl get --policy untrusted http://169.254.169.254/",
    "cat notes.md",
    "anyurl find notes.md",
    "anyurl check docs",
)

LETTER, LINE, MARGIN, TITLE = 8.4, 20, 20, 34
"""Pixels: of a character, of a line, around the text, and of the window's bar."""


def seen(command: str, folder: Path) -> list[str]:
    """The lines that a command leaves on a terminal."""
    master, slave = pty.openpty()
    environment = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path),
        "HOME": str(folder), "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
        "COLUMNS": str(COLUMNS), "LINES": str(ROWS),
    }  # fmt: skip
    place = folder / "home"
    with subprocess.Popen(["sh", "-c", command], cwd=place, env=environment, stdout=slave, stderr=slave, stdin=slave):
        os.close(slave)
        screen = pyte.Screen(COLUMNS, ROWS)
        stream = pyte.ByteStream(screen)
        try:
            while piece := os.read(master, 65536):
                stream.feed(piece)
        except OSError:
            pass  # Linux says so when the other end is closed
    os.close(master)
    return "\n".join(line.rstrip() for line in screen.display).rstrip("\n").split("\n")


def session() -> list[str]:
    """Each command behind its prompt, and the lines that follow it."""
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = folder / "bin" / "anyurl"
        start.parent.mkdir()
        start.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m anyurl "$@"\n', encoding="utf-8")
        start.chmod(0o755)
        for path, text in FILES.items():
            file = folder / "home" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for command in COMMANDS:
            lines += [f"$ {command}", *seen(command, folder), ""]
    return lines[:-1]


def picture() -> str:
    """The whole picture, as SVG."""
    lines = session()
    width = round(2 * MARGIN + COLUMNS * LETTER)
    height = TITLE + len(lines) * LINE + MARGIN
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    mono = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        '  <title id="title">anyurl in a terminal</title>',
        f'  <desc id="description">{escape("; ".join(line for line in lines if line[:1] == "$"))}</desc>',
        "  <!-- Written by docs/terminal.py from what the commands print. -->",
        f"  <style>text {{ font: 14px {mono}; fill: #d6dae0; white-space: pre }} .typed {{ fill: #8fd3ff }}",
        # On a dark page the window has an edge.
        "  @media (prefers-color-scheme: dark) { rect { stroke: #3d434d } }</style>",
        f'  <rect width="{width}" height="{height}" rx="10" fill="#16181c"/>',
        *(f'  <circle cx="{MARGIN + 18 * n}" cy="18" r="5" fill="#4a505a"/>' for n in range(3)),
        *(text_of(line, TITLE + LINE * number) for number, line in enumerate(lines, 1) if line),
        "</svg>",
        "",
    ])  # fmt: skip


def text_of(line: str, y: int) -> str:
    """One line; its width is that of its characters, whatever the font."""
    kind = ' class="typed"' if line[0] == "$" else ""
    left = len(line) - len(line.lstrip())
    text = line.lstrip()
    x, width = MARGIN + left * LETTER, len(text) * LETTER
    return f'  <text{kind} x="{x:.1f}" y="{y}" textLength="{width:.1f}">{escape(text, quote=False)}</text>'


if __name__ == "__main__":
    (HERE / "terminal.svg").write_text(picture(), encoding="utf-8")
