"""Drawings of the components of a URL: lines of text for a terminal, or a picture (SVG).

Rule: both are drawn from the pieces that `explain` found. A password is drawn as ``***`` unless requested, and
characters that a terminal or a browser would interpret are escaped.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from anyurl.errors import escape
from anyurl.grammar.examination import Piece
from anyurl.grammar.explanation import Explanation
from anyurl.url.arguments import checked
from anyurl.values import Value

MASK = "***"
SECRET = frozenset({"password", "userinfo"})
"""Pieces that may contain a password."""

MAX_DRAWN = 2_000
"""Characters of a text that are drawn; a longer one is cut, since its drawing would be unreadable."""

COLOURS = {
    "scheme": ("#7c3aed", "#c4a2f5"), "user": ("#b45309", "#f0b168"), "host": ("#047857", "#6fd39b"),
    "port": ("#0e7490", "#62cfd6"), "query": ("#be185d", "#f294c2"), "fragment": ("#6b7280", "#9aa1ab"),
    "path": ("#1d4ed8", "#82b4f5"), "mark": ("#374151", "#c3c8d0"), "card": ("#ffffff", "#16181c"),
}  # fmt: skip
"""Colours by class, on white and on black: of the pieces, of delimiters, of the background."""

CLASSES = {
    **{name: name for name in ("scheme", "user", "host", "port", "query", "fragment")},
    "password": "user", "userinfo": "user", "search": "query",
}  # fmt: skip
"""Classes by the name of a piece; all others are path."""

CHARACTER_WIDTH, FONT_SIZE, LINE, MARGIN = 10, 16, 24, 20
"""Pixels: a monospaced character of this size is 0.6 of it wide, and fits into 10."""


class _Cell(Value):
    """A drawn piece: its name and its columns."""

    name: str
    left: int
    right: int


def _width(text: str) -> int:
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _laid_out(explanation: Explanation, reveal: bool) -> tuple[str, list[_Cell]]:
    """The displayed text, and the columns of its pieces."""
    text, cells, shown, place, column = explanation.text[:MAX_DRAWN], [], [], 0, 0
    for piece in explanation.pieces:
        if piece.end > len(text):
            break
        between = escape(text[place : piece.start])
        drawn = escape(text[piece.start : piece.end]) if reveal else _masked(piece, text)
        left = column + _width(between)
        column = left + _width(drawn)
        cells.append(_Cell(piece.name, left, column))
        shown += [between, drawn]
        place = piece.end
    rest = text[place:] if not explanation.pieces or place >= explanation.pieces[-1].end else ""
    return "".join([*shown, escape(rest)]), cells


def _masked(piece: Piece, text: str) -> str:
    written = text[piece.start : piece.end]
    if piece.name == "userinfo":
        user, colon, password = written.partition(":")
        return escape(user) + colon + (MASK if password else "")
    return MASK if written and piece.name in SECRET else escape(written)


def list_pieces(explanation: Explanation, *, reveal: bool = False) -> list[tuple[str, str]]:
    """The names and texts of the pieces, for a screen without room for the drawing.

    Args:
        reveal: Also show a password.
    """
    text = explanation.text[:MAX_DRAWN]
    return [
        (piece.name, escape(text[piece.start : piece.end]) if reveal else _masked(piece, text))
        for piece in explanation.pieces
        if piece.end <= len(text)
    ]


@checked
def draw_text(explanation: Explanation, *, reveal: bool = False) -> list[str]:
    """Draw the components of a URL as text, with a line from each piece to its name.

    Args:
        reveal: Also draw a password.

    >>> from anyurl.grammar.explanation import explain
    >>> print(*draw_text(explain("ftp://host.dom/a;type=i")), sep="\\n")
    ftp://host.dom/a;type=i
    ─┬─   ───┬──── ┬      ┬
     │       │     │      └ typecode
     │       │     └ path
     │       └ host
     └ scheme
    """
    shown, cells = _laid_out(explanation, reveal)
    if not cells:
        return [shown]
    rule = [" "] * cells[-1].right
    stems = [(cell.left + cell.right - 1) // 2 for cell in cells]
    for cell, stem in zip(cells, stems, strict=True):
        rule[cell.left : cell.right] = "─" * (cell.right - cell.left)
        rule[stem] = "┬"
    lines = [shown, "".join(rule)]
    for number in range(len(cells) - 1, -1, -1):
        line = [" "] * stems[number]
        for stem in stems[:number]:
            line[stem] = "│"
        lines.append("".join(line) + f"└ {cells[number].name}")
    return lines


@checked
def draw_svg(explanation: Explanation, *, reveal: bool = False) -> str:
    """Draw the components of a URL as a self-contained SVG document.

    Args:
        reveal: Also draw a password.
    """
    shown, cells = _laid_out(explanation, reveal)
    columns = max(_width(shown), *(_stem(cell) + 2 + len(cell.name) for cell in cells), 1) if cells else _width(shown)
    width = 2 * MARGIN + CHARACTER_WIDTH * columns
    base = MARGIN + FONT_SIZE
    height = base + LINE * len(cells) + MARGIN
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{_xml(shown)}, taken apart">',
        f"<style>{_rules(0)} @media (prefers-color-scheme: dark) {{ {_rules(1)} }}</style>",
        f'<rect class="card" width="{width}" height="{height}" rx="6"/>',
        f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT_SIZE}">',
    ]
    lines += _characters(shown, cells, base)
    for number, cell in enumerate(cells):
        kind = CLASSES.get(cell.name, "path")
        left, right = MARGIN + CHARACTER_WIDTH * cell.left, MARGIN + CHARACTER_WIDTH * cell.right
        stem = MARGIN + CHARACTER_WIDTH * (cell.left + cell.right) / 2
        y = base + LINE * (len(cells) - number) + 4
        lines.append(
            f'<path class="{kind}" d="M{left + 1} {base + 6}H{right - 1}M{stem:g} {base + 6}V{y - 5}h8" '
            f'style="fill: none" stroke-width="1.5"/>'
        )
        lines.append(f'<text x="{stem + 12:g}" y="{y}" class="{kind}">{_xml(cell.name)}</text>')
    return "\n".join([*lines, "</g>", "</svg>", ""])


def _rules(ground: int) -> str:
    """The style rules on white (0) or on black (1); a line has the colour of its name."""
    return " ".join(
        f".{kind} {{ fill: {c[ground]} }} path.{kind} {{ stroke: {c[ground]} }}" for kind, c in COLOURS.items()
    )


def _stem(cell: _Cell) -> int:
    return (cell.left + cell.right) // 2


def _characters(shown: str, cells: list[_Cell], base: int) -> list[str]:
    """The text, with the position of each character, so that the columns align in any font."""
    lines, column = [], 0
    for char in shown:
        name = next((cell.name for cell in cells if cell.left <= column < cell.right), "")
        kind = CLASSES.get(name, "path") if name else "mark"
        x = MARGIN + CHARACTER_WIDTH * column
        if not char.isspace():
            lines.append(f'<text x="{x}" y="{base}" class="{kind}">{_xml(char)}</text>')
        column += _width(char)
    return lines


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
