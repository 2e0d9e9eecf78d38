"""Faults as people write them, planted into trees: each must be told, at its line, and nothing else.

``bench/trees.py`` plants them into the trees of real generators.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection
from pathlib import Path

HTML = {
    "a": '<a href="GONE.html">x</a>',
    "a query": '<a href="GONE.html?v=1#f">x</a>',
    "a folder": "<a href=GONE/>x</a>",
    "a encoded": '<a href="GONE%20%C3%A9.html">x</a>',
    "a from the root": '<a href="/GONE.html">x</a>',
    "a upwards": '<a href="../GONE/x.html">x</a>',
    "a case": '<a href="GONE.HTML">x</a>',
    "part of the page": '<a href="#GONE">x</a>',
    "part of the page, encoded": '<a href="#GONE%C3%A9">x</a>',
    "part of another page": '<a href="THERE#GONE">x</a>',
    "img": '<img src="GONE.png">',
    "img entity": '<img src="GONE&#46;png">',
    "srcset": '<img srcset="THERE 1x, GONE.png 2x">',
    "srcset source": '<picture><source srcset="GONE.avif"></picture>',
    "stylesheet": '<link rel="stylesheet" href="GONE.css">',
    "script": '<script src="GONE.js"></script>',
    "style attribute": '<p style="background:url(&quot;GONE.png&quot;)">x</p>',
    "style element": '<style>@import "GONE.css";</style>',
    "iframe": '<iframe src="GONE.html"></iframe>',
    "poster": '<video poster="GONE.jpg"></video>',
    "source": '<audio><source src="GONE.ogg"></audio>',
    "object": '<object data="GONE.swf"></object>',
    "area": '<map name="m"><area href="GONE.html"></map>',
    "form": '<form action="GONE.php"></form>',
    "refresh": '<meta http-equiv="refresh" content="0; url=GONE.html">',
    "cite": '<blockquote cite="GONE.html">x</blockquote>',
    "port": '<a href="http://GONE:99999/">x</a>',
    "one slash": '<a href="https:/GONE.example/x">x</a>',
    "address": '<a href="mailto:GONE@@example.org">x</a>',
    "data": '<img src="data:image/png;base64,GONE!!">',
    "a slash in a name": '<a href="GONE%2Fx.html">x</a>',
}
"""GONE is the marker of the fault; THERE is a page that exists."""

MARKDOWN = {
    "inline": "[x](GONE.md)",
    "title": '[x](GONE.md "a title")',
    "angle": "[x](<GONE it.md>)",
    "image": "![x](GONE.png)",
    "image in a link": "[![x](GONE.png)](THERE)",
    "link around an image": "[![x](THERE)](GONE.md)",
    "definition": "[x][GONE]\n\n[GONE]: GONE.md",
    "definition with a title": "[GONE]\n\n[GONE]: GONE.md\n  'title'",
    "definition in angles": "[x][GONE]\n\n[GONE]: <GONE.md>",
    "upwards": "[x](../GONE.md)",
    "from the root": "[x](/GONE.md)",
    "query": "[x](GONE.md?raw=1)",
    "encoded": "[x](GONE%20it.md)",
    "parentheses": "[x](GONE_(a_(b)).md)",
    "heading": "[x](#GONE)",
    "heading of another page": "[x](THERE#GONE)",
    "a": '<a href="GONE.md">x</a>',
    "img": '<p align="center"><img src="GONE.png"></p>',
    "list": "- a\n- b [x](GONE.md)",
    "list in a list": "- a\n    - b [x](GONE.md)",
    "quotation": "> a\n> [x](GONE.md)",
    "table": "| a | b |\n|---|---|\n| [x](GONE.md) | c |",
    "admonition": '!!! note "T"\n\n    [x](GONE.md)',
    "footnote": "a[^GONE]\n\n[^GONE]: [x](GONE.md)",
    "heading with a link": "## [x](GONE.md)",
    "emphasis": "**[x](GONE.md)**",
    "behind code": "`a[0](b)` [x](GONE.md)",
    "behind a fence": "```js\nf[0](a)\n```\n[x](GONE.md)",
    "port": "<http://GONE:99999/>",
    "address": "[x](mailto:GONE@@example.org)",
}

RST = {
    "inline": "`x <GONE.html>`_",
    "anonymous": "`x <GONE.html>`__",
    "target": ".. _GONE: GONE.html\n\nGONE_",
    "anonymous target": "x__\n\n__ GONE.html",
    "image": ".. image:: GONE.png",
    "figure": ".. figure:: GONE.png\n\n   x",
    "target of an image": ".. image:: THERE\n   :target: GONE.html",
    "substitution": ".. |GONE| image:: GONE.png",
    "raw": '.. raw:: html\n\n   <img src="GONE.png">',
    "behind a literal block": "a::\n\n    `no <nothing.html>`_\n\n`x <GONE.html>`_",
}

CSS = {
    "url": "a { background: url(GONE.png) }",
    "quoted": "a { background: url( 'GONE.png' ) }",
    "import": '@import "GONE.css";',
    "image-set": 'a { background: image-set("GONE.png" 1x) }',
}

KINDS = {".html": HTML, ".xhtml": HTML, ".md": MARKDOWN, ".mdx": MARKDOWN, ".rst": RST, ".css": CSS}

NO_FAULTS = {
    ".html": "<!-- <a href='none1.html'> --><script>'<a href=\"none2.html\">'</script><a href='{{ none }}'>x</a>",
    ".md": "\n\n```js\nnone[0](none1)\n```\n\n`none[a](none2)` <!-- [a](none3.md) --> \\[a](none4)"
    " [a](none 5.md)\n\n[n]: prose goes on\n",
    ".mdx": "\n\n{/* [a](none3.md) */} <img src={require('./none4.png').default} />\n\n```js\nnone[0](none1)\n```\n",
    ".rst": "\n\n.. `x <none1.html>`_\n\n.. code-block:: python\n\n   `x <none2.html>`_\n\n``x <none3.html>`_``\n",
    ".css": "/* url(none1.png) */ @namespace url(none2);",
}


def plant(tree: Path, seed: int, suffixes: Collection[str] = tuple(KINDS)) -> dict[str, str]:
    """Write each kind of fault into a page of the tree that the seed draws; returns the markers with their kinds."""
    draw, planted = random.Random(seed), {}
    for suffix, kinds in KINDS.items():
        pages = sorted(each for each in tree.rglob(f"*{suffix}") if each.is_file() and not each.is_symlink())
        pages = [each for each in pages if "_sources" not in each.parts]  # copies, which nobody reads
        if suffix not in suffixes or not pages:
            continue
        for number, (kind, text) in enumerate(kinds.items()):
            page, there = draw.choice(pages), draw.choice(pages)
            marker = f"gone{suffix[1:]}{number}x"
            planted[marker] = f"{suffix}: {kind}"
            there_from = "../" * (len(page.relative_to(tree).parts) - 1) + there.relative_to(tree).as_posix()
            put(page, text.replace("GONE", marker).replace("THERE", there_from), suffix)
        if suffix in NO_FAULTS:
            put(draw.choice(pages), NO_FAULTS[suffix], suffix)
    return planted


def put(page: Path, text: str, suffix: str) -> None:
    """Write a text into a page, where a person would."""
    old = page.read_text("utf-8", "surrogateescape")
    if suffix in (".html", ".xhtml") and "</body>" in old:
        new = old.replace("</body>", f"\n{text}\n</body>", 1)
    else:
        new = f"{old}\n\n{text}\n"
    page.write_text(new, "utf-8", "surrogateescape")


def told(lines: str, outcome: str = "broken") -> set[str]:
    """What `anyurl check --json` says is broken, or has another outcome, as it is written there."""
    found = set()
    for line in lines.splitlines():
        record = json.loads(line)
        for place in record.get("places", ()):  # else it tells how far the check is
            is_missing = outcome == "broken" and place["fragment"] in record["missing"]
            if record["outcome"] == outcome or is_missing:
                found.add(f"{place['file']}:{place['line']}: {place['text']}")
    return found
