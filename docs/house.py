"""Draw the house: ``python docs/house.py`` writes ``house.svg``, every room over those that it imports.

Rule: nothing is drawn by hand. Rooms are the folders and files of ``src/anyurl``; an arrow is an import (for types and
inside functions too), and stands only where no longer way says the same. A test compares the file with what this would
write.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
SRC = HERE.parent / "src" / "anyurl"

WIDTH, BOX, ROW, MARGIN = 940, 50, 96, 24
"""Pixels: of the picture, of a box's height, from one floor to the next, around all."""

LANE = 38
"""Pixels that the lines which run along the left have, side by side."""

CHARACTER = 6.6
"""Pixels of a character in a box, on the average."""

THINGS = {
    "cli": "the command",
    "web": "in your browser",
    "mcp": "tools for models",
    "world": "small servers",
    "testing": "the test kit",
    "proxy": "guards any program",
    "batch": "columns; checking",
    "adapters": "under other clients",
    "access": "their public names",
    "client": "client and resource",
    "saving": "what is kept",
    "warc": "web archives",
    "schemes": "what each scheme asks for",
    "net": "does what is asked",
    "files": "of this machine",
    "text": "URLs in a text",
    "grammar": "is it a URL, and why not?",
    "dialogue": "what can be asked for",
    "guard": "may it be done?",
    "url": "one URL",
    "errors": "the tree of errors",
    "values": "the base of records",
    "dates": "as protocols write them",
}
"""Each room's one thing, and their order from left to right; a new room has to be added."""


def files() -> dict[str, list[Path]]:
    """The files of each room, by its name."""
    found: dict[str, list[Path]] = {}
    for path in sorted(SRC.rglob("*.py")):
        room = path.relative_to(SRC).parts[0].removesuffix(".py")
        if not room.startswith("_"):  # the door, the version
            found.setdefault(room, []).append(path)
    return found


@cache
def imports(path: Path) -> set[str]:
    """The rooms that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "anyurl":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").removeprefix("anyurl.").partition(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("anyurl.").partition(".")[0] for alias in node.names}
    return found


def graph(rooms: dict[str, list[Path]]) -> dict[str, set[str]]:
    """By room, those that it imports; the names at the top of the package count as nothing's."""
    return {room: set().union(*map(imports, paths)) & (rooms.keys() - {room}) for room, paths in rooms.items()}


def below(room: str, edges: dict[str, set[str]]) -> set[str]:
    """All rooms that a room reaches."""
    return edges[room].union(*(below(other, edges) for other in edges[room]))


def floors(edges: dict[str, set[str]]) -> dict[str, int]:
    """The floor of each room: one over the highest that it imports."""
    found: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in found:
            found[room] = 1 + max((floor(other) for other in edges[room]), default=-1)
        return found[room]

    for room in edges:
        floor(room)
    return found


def direct(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """The imports that no longer way implies."""
    return {
        room: {other for other in others if not any(other in below(third, edges) for third in others - {other})}
        for room, others in edges.items()
    }


def inside(room: str) -> str:
    """The rooms of a room, or what it is for."""
    folders = sorted(path.name for path in (SRC / room).glob("[a-z]*/") if path.is_dir())
    return " ".join(folders) if len(folders) > 2 else THINGS.get(room, "")


def picture() -> str:
    """The whole picture, as SVG."""
    rooms = files()
    edges = graph(rooms)
    level = floors(edges)
    top = max(level.values())
    boxes: dict[str, tuple[float, float, float]] = {}  # left, upper edge, width
    for floor in range(top, -1, -1):
        row = sorted((room for room in rooms if level[room] == floor), key=list(THINGS).index)
        widths = [max(104.0, 26 + CHARACTER * len(inside(room))) for room in row]
        room_left = WIDTH - LANE - 2 * MARGIN - sum(widths)
        gap = min(MARGIN, room_left / max(1, len(row) - 1))
        left = LANE + MARGIN + (room_left - gap * (len(row) - 1)) / 2
        for room, width in zip(row, widths, strict=True):
            boxes[room] = (left, MARGIN + (top - floor) * ROW, width)
            left += width + gap
    lines = [line for room, others in direct(edges).items() for line in arrows(room, others, boxes)]
    height = 2 * MARGIN + top * ROW + BOX
    return "\n".join([*head(height), *lines, *(text for room in rooms for text in box(room, boxes)), "</svg>", ""])


def head(height: int) -> list[str]:
    sans = 'ui-sans-serif, system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif'
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        '  <title id="title">The rooms of anyurl</title>',
        '  <desc id="description">Each room stands over those that it imports; an arrow is an import.</desc>',
        "  <!-- Written by docs/house.py from the imports. -->",
        "  <style>",
        "    .card { fill: #fbfbfa; stroke: #d9d7d2 } .room { fill: #ffffff; stroke: #77736a }",
        f"    text {{ font-family: {sans}; text-anchor: middle }}",
        "    .name { font-size: 16px; font-weight: 600; fill: #2d2b27 }",
        "    .note { font-size: 12px; fill: #77736a }",
        "    .arrow { fill: none; stroke: #a39e93; stroke-width: 1.5 } .tip { fill: #a39e93; stroke: none }",
        "    @media (prefers-color-scheme: dark) {",
        "      .card { fill: #16181c; stroke: #33373e } .room { fill: #1f2329; stroke: #6d737d }",
        "      .name { fill: #dfe2e7 } .note { fill: #8d929b } .arrow { stroke: #6d737d } .tip { fill: #6d737d }",
        "    }",
        "  </style>",
        f'  <rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="10"/>',
    ]


def arrows(room: str, others: set[str], boxes: dict[str, tuple[float, float, float]]) -> list[str]:
    """The arrows from a room to those that it imports: to the next floor from below, further down along the left."""
    left, y, width = boxes[room]
    ordered = sorted(others, key=lambda other: boxes[other][0] + boxes[other][2] / 2)
    near = [other for other in ordered if boxes[other][1] == y + ROW]
    found: list[str] = []
    for place, other in enumerate(other for other in ordered if other not in near):
        x2, y2, _ = boxes[other]
        lane, out = MARGIN + LANE * place, y + BOX / 2 + 10 * (place - 0.5)
        x2 = max(x2 + 20, lane)
        path = f"M{left:.0f} {out:.0f}H{lane + 10:.0f}Q{lane:.0f} {out:.0f} {lane:.0f} {out + 10:.0f}V{y2 - 36:.0f}"
        found += arrow(f"{path}C{lane:.0f} {y2 - 12:.0f} {x2:.0f} {y2 - 30:.0f}", x2, y2)
    for place, other in enumerate(near, 1):
        x1, y1 = left + width * place / (len(near) + 1), y + BOX
        its_left, y2, its_width = boxes[other]
        x2 = min(max(x1, its_left + 20), its_left + its_width - 20)
        bend = (y2 - y1) / 2
        found += arrow(f"M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f}", x2, y2)
    return found


def arrow(path: str, x: float, y: float) -> list[str]:
    """A line and its tip; the path lacks its last point."""
    return [
        f'  <path class="arrow" d="{path} {x:.0f} {y - 6:.0f}"/>',
        f'  <path class="tip" d="M{x:.0f} {y:.0f}l-4 -8h8z"/>',
    ]


def box(room: str, boxes: dict[str, tuple[float, float, float]]) -> list[str]:
    """A room: its name, and the rooms in it or what it is for."""
    left, y, width = boxes[room]
    middle = left + width / 2
    return [
        f'  <rect class="room" x="{left:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="6"/>',
        f'  <text class="name" x="{middle:.0f}" y="{y + 22}">{room}</text>',
        f'  <text class="note" x="{middle:.0f}" y="{y + 39}">{inside(room)}</text>',
    ]


if __name__ == "__main__":
    (HERE / "house.svg").write_text(picture(), encoding="utf-8")
