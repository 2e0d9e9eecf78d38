"""Write the table of RFC 1738's clauses: ``python docs/clauses.py`` writes rfc1738-map.md.

Rule: a clause counts as obeyed where the code cites it, and as proved where a test does: ``RFC 1738 3.2.2`` in either.
The productions' data cites by ``; section 3.2.2``, rows of test data by the section that they belong to.
``python docs/clauses.py --strict`` ends with 1 when a clause lacks one of them; a test says so too.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = HERE / "rfc1738-map.md"
NOTE = "<!-- Written by docs/clauses.py from what the code and the tests cite; change it there. -->"

SHOWN = 8
"""Files that are named in a cell; of more the number is told."""

CLAUSES = {
    "1": "Introduction",
    "2": "General URL syntax: resources, and what may be done with them",
    "2.1": "The main parts of URLs",
    "2.2": "URL character encoding issues",
    "2.3": "Hierarchical schemes and relative links",
    "3": "Specific schemes",
    "3.1": "Common Internet scheme syntax",
    "3.2": "FTP",
    "3.2.1": "FTP name and password",
    "3.2.2": "FTP url-path",
    "3.2.3": "FTP typecode is optional",
    "3.2.4": "Hierarchy",
    "3.2.5": "Optimization",
    "3.3": "HTTP",
    "3.4": "Gopher",
    "3.4.1": "Gopher URL syntax",
    "3.4.2": "Specifying URLs for Gopher search engines",
    "3.4.3": "URL syntax for Gopher+ items",
    "3.4.4": "Default Gopher+ data representation",
    "3.4.5": "Gopher+ items with electronic forms",
    "3.4.6": "Gopher+ item attribute collections",
    "3.4.7": "Referring to specific Gopher+ attributes",
    "3.4.8": "URL syntax for Gopher+ alternate views",
    "3.4.9": "URL syntax for Gopher+ electronic forms",
    "3.5": "Mailto",
    "3.6": "News",
    "3.7": "NNTP",
    "3.8": "Telnet",
    "3.9": "WAIS",
    "3.10": "Files",
    "3.11": "Prospero",
    "4": "Registration of new schemes",
    "5": "BNF for specific URL schemes",
    "6": "Security considerations",
    "appendix": "Recommendations for URLs in context",
}

_NUMBER = r"(?:\d{1,2}(?:\.\d{1,2})*(?![\d.]*\d)|appendix)"
_CITATION = re.compile(rf"RFC 1738(?:'s)?,? (?:sections? |§ ?)?({_NUMBER}(?:(?:,| and| to| -|,? and| or) {_NUMBER})*)")
_RANGE = re.compile(rf"({_NUMBER})(?: to| -) ({_NUMBER})")
_SECTION = re.compile(r"^; section (\S+)$", re.MULTILINE)


def cited(text: str) -> set[str]:
    """The clauses that a text cites.

    >>> sorted(cited("as RFC 1738 3.4.1 - 3.4.3 and RFC 1738, appendix, say; not RFC 1738 1994"))
    ['3.4.1', '3.4.2', '3.4.3', 'appendix']
    """
    found: set[str] = set()
    for citation in _CITATION.finditer(" ".join(text.split())):
        found.update(re.findall(_NUMBER, citation[1]))
        for first, last in _RANGE.findall(citation[1]):
            found.update(between(first, last))
    return found & CLAUSES.keys()


def between(first: str, last: str) -> list[str]:
    """The clauses of a range; those directly under one clause, or beside each other."""
    names = list(CLAUSES)
    if first not in names or last not in names or names.index(first) > names.index(last):
        return []
    depth = first.count(".")
    return [name for name in names[names.index(first) : names.index(last) + 1] if name.count(".") == depth]


def citations_of(path: Path) -> set[str]:
    """What a file of the project cites."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".bnf":
        return set(_SECTION.findall(text)) & CLAUSES.keys() if path.stem == "rfc1738" else set()
    if path.suffix in (".json", ".jsonl"):
        return set(sections_of_rows(path, text)) & CLAUSES.keys()
    return cited(text)


def sections_of_rows(path: Path, text: str) -> Iterator[str]:
    """Rows of facts about RFC 1738 name their clause."""
    if path.name == "rfc1738.json":
        for row in json.loads(text)["examples"]:
            section = row["section"].split("/")[0]
            yield {"app": "appendix"}.get(section, section)
    elif path.name == "seed_examples.jsonl":
        for line in text.splitlines():
            yield json.loads(line)["place"]


def files(folder: str) -> list[Path]:
    """What may cite, in a folder of the project."""
    found = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".bnf", ".json", ".jsonl", ".toml")]
    return sorted(path for path in found if "__pycache__" not in path.parts)


def table() -> dict[str, tuple[list[str], list[str]]]:
    """For each clause the code and the tests that cite it, as paths from the project's root."""
    found: dict[str, tuple[list[str], list[str]]] = {name: ([], []) for name in CLAUSES}
    for column, folder in enumerate(("src", "tests")):
        for path in files(folder):
            for name in citations_of(path):
                found[name][column].append(path.relative_to(ROOT).as_posix())
    return found


def cell(paths: list[str]) -> str:
    """Links to files, and the number of those that there is no room for."""
    shown = [f"[{path.partition('/')[2].removeprefix('anyurl/')}](../{path})" for path in paths[:SHOWN]]
    more = [f"and {len(paths) - SHOWN} more"] if len(paths) > SHOWN else []
    return ", ".join([*shown, *more]) or "**none yet**"


def page() -> str:
    """The whole page."""
    lines = [
        "# RFC 1738, clause by clause",
        "",
        NOTE,
        "",
        "| clause | what it is about | code | tests |",
        "|---|---|---|---|",
    ]
    lines += [f"| {name} | {CLAUSES[name]} | {cell(code)} | {cell(tests)} |" for name, (code, tests) in table().items()]
    return "\n".join(lines) + "\n"


def missing() -> list[str]:
    """Clauses that no code or no test cites."""
    return [name for name, (code, tests) in table().items() if not code or not tests]


def main(arguments: list[str]) -> int:
    """Write the page; with ``--strict`` say what is missing, and 1 if anything is."""
    PAGE.write_text(page(), encoding="utf-8")
    lacking = missing()
    if lacking:
        sys.stderr.write(f"without code or without a test: {', '.join(lacking)}\n")
    return 1 if lacking and "--strict" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
