"""Draw every production as a railroad diagram: ``python docs/grammar/railroad.py`` writes the pages and the pictures.

Rule: nothing of a grammar is known here. The trees that `anyurl.grammar.bnf` reads from the data files are laid out: a
literal is a rounded box, a production a square one; a line forward is what follows, a line back is a repetition. A test
compares what stands here with what this would write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from anyurl.grammar import bnf
from anyurl.grammar.bnf import Choice, Expression, Literal, Production, Productions, Reference, Repeat

HERE = Path(__file__).resolve().parent
NOTE = "<!-- Written by docs/grammar/railroad.py from the grammar's data; change it there. -->"

CHARACTER, HALF, GAP, RADIUS, MARGIN, TITLE = 8, 14, 12, 10, 16, 26
"""Pixels: of a character, half a box's height, between boxes, of a curve, around all, of a title's line."""

RUN = 4
"""Literals of one character that follow each other in the alphabet are drawn as a range from this many on."""

TITLES = {"rfc1738": "RFC 1738", "rfc1738-draft07": "draft-ietf-uri-url-07"}

Drawn = list[str]


class Box:
    """Something laid out along a line: its width, what it needs above and below the line, and how it is drawn."""

    def __init__(self, width: float, up: float, down: float, draw: Callable[[float, float], Drawn]) -> None:
        self.width = width
        self.up = up
        self.down = down
        self.draw = draw


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def line(x: float, y: float, path: str) -> str:
    return f'<path d="M{x:g} {y:g}{path}"/>'


def labelled(text: str, kind: str) -> Box:
    """A box with a text: ``literal`` or ``name``."""
    width = len(text) * CHARACTER + 20

    def draw(x: float, y: float) -> Drawn:
        radius = HALF if kind == "literal" else 3
        place = f'x="{x:g}" y="{y - HALF:g}" width="{width:g}" height="{2 * HALF}" rx="{radius}"'
        return [
            f'<rect class="{kind}" {place}/>',
            f'<text class="{kind}" x="{x + width / 2:g}" y="{y + 5:g}">{escaped(text)}</text>',
        ]

    return Box(width, HALF, HALF, draw)


def nothing() -> Box:
    return Box(0, 0, 0, lambda x, y: [])


def in_a_row(boxes: Sequence[Box]) -> Box:
    """One behind the other."""
    width = sum(box.width for box in boxes) + GAP * (len(boxes) - 1)

    def draw(x: float, y: float) -> Drawn:
        out: Drawn = []
        for number, box in enumerate(boxes):
            if number:
                out.append(line(x, y, f"h{GAP}"))
                x += GAP
            out += box.draw(x, y)
            x += box.width
        return out

    return Box(width, max(box.up for box in boxes), max(box.down for box in boxes), draw)


def one_of(boxes: Sequence[Box]) -> Box:
    """One above the other, the first on the line."""
    inner = max(box.width for box in boxes)
    drops = [0.0]
    for above, box in pairwise(boxes):
        drops.append(drops[-1] + max(above.down + GAP / 2 + box.up, 2 * RADIUS))
    width = inner + 4 * RADIUS

    def draw(x: float, y: float) -> Drawn:
        out: Drawn = []
        for box, drop in zip(boxes, drops, strict=True):
            left, right = x + 2 * RADIUS, x + width - 2 * RADIUS
            out += box.draw(left, y + drop)
            if drop:
                straight = drop - 2 * RADIUS
                curve = f"q{RADIUS} 0 {RADIUS} {RADIUS}v{straight:g}q0 {RADIUS} {RADIUS} {RADIUS}"
                out.append(line(x, y, curve))
                back = f"q{RADIUS} 0 {RADIUS} -{RADIUS}v{-straight:g}q0 -{RADIUS} {RADIUS} -{RADIUS}"
                out.append(line(right, y + drop, back))
            else:
                out += [line(x, y, f"h{2 * RADIUS}"), line(right, y, f"h{2 * RADIUS}")]
            if left + box.width < right:
                out.append(line(left + box.width, y + drop, f"H{right:g}"))
        return out

    return Box(width, boxes[0].up, drops[-1] + boxes[-1].down, draw)


def again_and_again(box: Box) -> Box:
    """At least once: a line leads back below."""
    drop = max(box.down + GAP / 2, 2 * RADIUS)
    width = box.width + 2 * RADIUS

    def draw(x: float, y: float) -> Drawn:
        end = x + width
        there = f"q{RADIUS} 0 {RADIUS} {RADIUS}v{drop - 2 * RADIUS:g}q0 {RADIUS} -{RADIUS} {RADIUS}H{x + RADIUS:g}"
        back = f"q-{RADIUS} 0 -{RADIUS} -{RADIUS}v{2 * RADIUS - drop:g}q0 -{RADIUS} {RADIUS} -{RADIUS}"
        return [
            line(x, y, f"h{RADIUS}"),
            *box.draw(x + RADIUS, y),
            line(end - RADIUS, y, f"h{RADIUS}"),
            line(end - RADIUS, y, there + back),
        ]

    return Box(width, box.up, drop + 2, draw)


def laid_out(expression: Expression) -> Box:
    """The drawing of an expression."""
    if isinstance(expression, Literal):
        return labelled(expression.text, "literal")
    if isinstance(expression, Reference):
        return labelled(expression.name, "name")
    if isinstance(expression, Choice):
        return one_of(
            [labelled(found, "literal") if isinstance(found, str) else laid_out(found) for found in merged(expression)]
        )
    if isinstance(expression, Repeat):
        inner = laid_out(expression.item)
        if expression.once:
            return one_of([nothing(), inner])
        return again_and_again(inner) if expression.least else one_of([nothing(), again_and_again(inner)])
    return in_a_row([laid_out(item) for item in expression.items])


def merged(choice: Choice) -> list[Expression | str]:
    """The branches, single characters that follow each other in the alphabet as one: ``a ... z``."""
    out: list[Expression | str] = []
    for single, group in groupby(choice.items, key=lambda item: isinstance(item, Literal) and len(item.text) == 1):
        items = list(group)
        if single and len(items) > 1:
            out += ranges([item.text for item in items if isinstance(item, Literal)])
        else:
            out += items
    return out


def ranges(chars: list[str]) -> list[str]:
    out: list[str] = []
    for _, group in groupby(enumerate(chars), key=lambda pair: ord(pair[1]) - pair[0]):
        run = [char for _, char in group]
        out += [f"{run[0]} ... {run[-1]}"] if len(run) >= RUN else run
    return out


def picture(productions: Sequence[Production]) -> str:
    """One SVG with productions one below the other."""
    body: list[str] = []
    y, width = float(MARGIN), 0.0
    for production in productions:
        box = laid_out(production.expression)
        base = y + TITLE + max(box.up, RADIUS)
        x = MARGIN + 2 * GAP
        body.append(f'<text class="title" x="{MARGIN}" y="{y + 14:g}">{escaped(production.name)}</text>')
        body += [line(MARGIN, base - 6, "v12M" + f"{MARGIN + 4} {base - 6:g}v12M{MARGIN} {base:g}h{2 * GAP}")]
        body += box.draw(x, base)
        end = x + box.width + 2 * GAP
        body.append(line(x + box.width, base, f"h{2 * GAP}m0 -6v12m-4 -12v12"))
        width = max(width, end, MARGIN + len(production.name) * CHARACTER)
        y = base + box.down + MARGIN
    size = f'width="{width + MARGIN:g}" height="{y:g}" viewBox="0 0 {width + MARGIN:g} {y:g}"'
    names = ", ".join(production.name for production in productions)
    style = (
        "path{fill:none;stroke:#374151;stroke-width:1.5}rect{stroke:#374151;stroke-width:1.5}"
        "rect.literal{fill:#ecfdf5}rect.name{fill:#eff6ff}text{font:13px DejaVu Sans Mono,Menlo,Consolas,monospace;"
        "text-anchor:middle;fill:#111827}text.title{font-weight:bold;text-anchor:start}rect.paper{fill:#fff;stroke:none}"
        "@media(prefers-color-scheme:dark){path,rect{stroke:#8d929b}rect.literal{fill:#14302a}rect.name{fill:#1b2a45}"
        "text{fill:#dfe2e7}rect.paper{fill:#16181c}}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escaped(names)}">'
    return "\n".join(
        [
            head,
            f"<style>{style}</style>",
            '<rect class="paper" width="100%" height="100%"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def sections(grammar: Productions) -> dict[str, list[Production]]:
    """The productions by the clause that speaks of them, in the order of the clauses."""
    found: dict[str, list[Production]] = {}
    for production in grammar.productions.values():
        found.setdefault(production.section, []).append(production)
    return dict(sorted(found.items(), key=lambda item: [int(number) for number in item[0].split(".")]))


def page(name: str) -> str:
    """One document: each clause with its productions as they are written, and drawn."""
    grammar = bnf.load(name)
    lines = [f"# The productions of {TITLES[name]}", "", NOTE, ""]
    lines += [f"From `src/anyurl/grammar/{name}.bnf`. Round boxes are literals, square ones are productions.", ""]
    for section, productions in sections(grammar).items():
        lines += [f"## {section}", "", "```"]
        width = max(len(production.name) for production in productions)
        lines += [f"{production.name:{width}} = {production.text}" for production in productions]
        lines += ["```", "", f"![{', '.join(one.name for one in productions)}]({name}-{section}.svg)", ""]
    return "\n".join(lines)


def files() -> dict[str, str]:
    """Everything that this writes, by the name of the file."""
    out = {}
    for name in bnf.NAMES:
        out[f"{name}.md"] = page(name)
        for section, productions in sections(bnf.load(name)).items():
            out[f"{name}-{section}.svg"] = picture(productions)
    return out


if __name__ == "__main__":
    for name, content in files().items():
        (HERE / name).write_text(content, encoding="utf-8")
