"""Write the list of the tests that hold the promises of SECURITY.md: ``python docs/promises.py`` writes promises.md.

Rule: a promise is an item of the section "What is promised" that begins with its name in bold; it is held where a test
says so by its marker, ``@pytest.mark.promise("children")``, and nowhere else. ``tests/clauses/promises.py`` breaks each
of them; ``python docs/promises.py --strict`` ends with 1 when a promise has no test, or a marker names no promise.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = ROOT / "SECURITY.md"
PAGE = HERE / "promises.md"
NOTE = "<!-- Written by docs/promises.py from SECURITY.md and the markers of the tests; change it there. -->"

sys.path.insert(0, str(HERE))
from clauses import Marked, markers  # noqa: E402


class Promise(NamedTuple):
    """One item of the list."""

    title: str
    text: str

    @property
    def id(self) -> str:
        """What the markers call it: its name in lower case, with hyphens."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


def promises() -> list[Promise]:
    """All of them, in the order of the page. An item without a name has an empty one."""
    section = SOURCE.read_text(encoding="utf-8").partition("\n## What is promised\n")[2].partition("\n## ")[0]
    items = re.findall(r"^- (.*(?:\n  .*)*)", section, re.MULTILINE)
    found = []
    for item in items:
        text = re.sub(r"\s+", " ", item)
        named = re.match(r"\*\*(.+?)\.\*\* ", text)
        found.append(Promise(named[1], text[named.end() :]) if named else Promise("", text))
    return found


def held() -> list[Marked]:
    """The markers of the tests."""
    return markers("promise")


def faults() -> list[str]:
    """Promises without a name or a test, and markers that name none or stand on no test."""
    known, marked = promises(), held()
    tested = {one.id for one in marked if one.test}
    said = [f"a promise has no name: {one.text[:60]}" for one in known if not one.title]
    said += [f"{one.id} is held by no test" for one in known if one.title and one.id not in tested]
    said += [f"{one.path}: {one.id} is no promise" for one in marked if one.id not in {each.id for each in known}]
    return said + [f"{one.path}: the marker {one.id} stands on no test" for one in marked if not one.test]


def page() -> str:
    """The whole page."""
    tests: dict[str, list[str]] = {}
    for one in held():
        name = one.test.removeprefix("test_").replace("::test_", " ").replace("_", " ")
        tests.setdefault(one.id, []).append(f"[{name}](../{one.path})")
    lines = [
        "# The promises, and the tests that hold them",
        "",
        NOTE,
        "",
        "Each promise of [SECURITY.md](../SECURITY.md#what-is-promised) by its name, and the tests that say by a",
        "marker that they hold it. `scripts/test --promise NAME` runs them; `scripts/mutate` puts one fault back after",
        "the other, and sees that they fail.",
        "",
        "| promise | held by |",
        "|---|---|",
    ]
    lines += [f"| {one.title} | {', '.join(tests.get(one.id, []))} |" for one in promises()]
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
