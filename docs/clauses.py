"""Write the map of RFC 1738's statements: ``python docs/clauses.py`` writes rfc1738-map.md.

Rule: a statement is asserted where a test says so by its marker, ``@pytest.mark.clause("3.2.2-5")``, and nowhere else;
the tests are read as syntax trees, none is run. ``statements.tsv`` has each statement with its number, in our own short
words, and, where the project decides otherwise or in part, the reason. ``python docs/clauses.py --strict`` ends with 1
when a statement has neither a test nor a reason, or a marker names none; a test says so too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = HERE / "rfc1738-map.md"
TABLE = HERE / "statements.tsv"
NOTE = "<!-- Written by docs/clauses.py from docs/statements.tsv and the markers of the tests; change it there. -->"

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
    "draft": "draft-ietf-uri-url-07, where it differs",
}


class Statement(NamedTuple):
    """One sentence of the RFC."""

    id: str
    words: str
    decided: str
    """Why the project does it otherwise, or in part; empty where it simply holds."""

    @property
    def clause(self) -> str:
        """The section that it stands in."""
        return self.id.rpartition("-")[0]


class Marked(NamedTuple):
    """A marker, and the test that bears it; no test where it stands on none."""

    id: str
    path: str
    test: str


def statements() -> list[Statement]:
    """All of them, in the order of the document."""
    rows = [(*line.split("\t"), "", "")[:3] for line in TABLE.read_text(encoding="utf-8").splitlines()]
    return [Statement(*row) for row in rows]


def markers_of(tree: ast.Module, path: str, name: str = "clause") -> Iterator[Marked]:
    """The markers of a file with this name: on a test, on a row of its table, on a class of tests, or on the file.

    >>> list(markers_of(ast.parse("@pytest.mark.clause('6-1', '6-2')\\ndef test_x(): ..."), "x.py"))
    [Marked(id='6-1', path='x.py', test='test_x'), Marked(id='6-2', path='x.py', test='test_x')]
    """
    seen: set[ast.AST] = set()
    for test, decorators in _tests(tree.body, _of_all(tree), ""):
        calls = [call for decorator in decorators for call in _calls(decorator, name)]
        seen.update(calls)
        for id in dict.fromkeys(id for call in calls for id in _ids(call)):
            yield Marked(id, path, test)
    for call in _calls(tree, name):
        if call not in seen:
            yield from (Marked(id, path, "") for id in _ids(call))


def _of_all(tree: ast.Module) -> list[ast.expr]:
    """What ``pytestmark`` holds: the markers of each test of a file."""
    found = [node for node in tree.body if isinstance(node, ast.Assign)]
    return [node.value for node in found if "pytestmark" in map(ast.unparse, node.targets)]


def _tests(body: list[ast.stmt], outer: list[ast.expr], within: str) -> Iterator[tuple[str, list[ast.expr]]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _tests(node.body, [*outer, *node.decorator_list], f"{node.name}::")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield within + node.name, [*outer, *node.decorator_list]


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in found if isinstance(call.func, ast.Attribute) and _is_marker(call.func, name)]


def _is_marker(function: ast.Attribute, name: str) -> bool:
    return function.attr == name and isinstance(function.value, ast.Attribute) and function.value.attr == "mark"


def _ids(call: ast.Call) -> list[str]:
    return [one.value if isinstance(one, ast.Constant) else ast.unparse(one) for one in call.args]  # type: ignore[misc]


def markers(name: str = "clause") -> list[Marked]:
    """Those of all tests with this name."""
    found: list[Marked] = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if f"mark.{name}(" in text:
            found += markers_of(ast.parse(text), path.relative_to(ROOT).as_posix(), name)
    return found


def faults() -> list[str]:
    """Statements without a test and without a reason, and markers that say nothing."""
    known, marked = {one.id: one for one in statements()}, markers()
    asserted = {one.id for one in marked if one.test}
    said = [
        f"{one.id} has no test and no reason" for one in known.values() if not one.decided and one.id not in asserted
    ]
    said += [f"{one.path}: {one.id} is no statement" for one in marked if one.id not in known]
    said += [f"{one.path}: the marker {one.id} stands on no test" for one in marked if not one.test]
    said += [f"{one.id} is of no clause" for one in known.values() if one.clause not in CLAUSES]
    return said


def page() -> str:
    """The whole page."""
    tests: dict[str, list[str]] = {}
    for one in markers():
        name = one.test.removeprefix("test_").replace("::test_", " ").replace("_", " ")
        tests.setdefault(one.id, []).append(f"[{name}](../{one.path})")
    rows = statements()
    asserted = [one for one in rows if one.id in tests]
    lines = [
        "# RFC 1738, statement by statement",
        "",
        NOTE,
        "",
        f"{len(rows)} statements in the order of the document, in our own words; {len(asserted)} of them are asserted",
        "by the tests that are named, which say so by a marker. Where the project decides otherwise, it says why.",
        "`scripts/test --clause 3.2.2-5` runs the tests of one statement; `scripts/mutate` breaks one behaviour after",
        "the other, and sees that the tests of each statement that it breaks fail.",
    ]
    for clause, title in CLAUSES.items():
        lines += ["", f"## {clause} {title}" if clause[0].isdigit() else f"## {clause.capitalize()}: {title}", ""]
        lines += ["| statement | asserted by | |", "|---|---|---|"]
        for one in rows:
            if one.clause == clause:
                words = one.words.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
                decided = one.decided.replace("|", "\\|").replace("*", "\\*")
                lines.append(f"| {one.id}: {words} | {', '.join(tests.get(one.id, []))} | {decided} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write the page; with ``--strict`` say what is wrong, and 1 if anything is."""
    PAGE.write_text(page(), encoding="utf-8")
    wrong = faults()
    if wrong:
        sys.stderr.write("\n".join(wrong) + "\n")
    return 1 if wrong and "--strict" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
