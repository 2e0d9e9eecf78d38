"""Reading to the letter: the strict check of RFC 1738, and `parse` by it, against the plain `URL(text)`.

Rule: every figure is a ratio of the best of interleaved rounds on the same texts. The bar: the check of a valid URL
costs no more than twice the plain URL. ``python bench/strict.py`` prints a table; `--markdown` the rows for RESULTS.md.
"""

from __future__ import annotations

import argparse
import sys
import timeit
from collections.abc import Callable

from anyurl.grammar import parse
from anyurl.grammar.strict import COMPILED, accepts
from anyurl.url import URL

TEXTS = (
    "http://www.acl.lanl.gov/URI/archive/uri-archive.index.html",
    "http://www.example.com/some/path/of/usual/length?query=abc",
    "ftp://info.cern.ch/pub/www/doc;type=d",
    "gopher://host.dom/0item%09%09+application/postscript%20Es_ES",
    "news:comp.infosystems.www.misc",
    "mailto:user@host.dom",
    "telnet://user:password@host.dom:2323/",
    "wais://host.dom/db/TEXT/doc%3Did",
    "prospero://host.dom:1526/x;OBJECT-VERSION=3",
    "file://vms.host.edu/disk$user/my/notes/note12345.txt",
    "https://www.example.com/some/path",
)

BAR = 2.0
"""Times the plain URL that the strict check may cost."""


def best(calls: dict[str, Callable[[str], object]], text: str, rounds: int) -> dict[str, float]:
    """Nanoseconds of one call of each: the best of rounds that take turns."""
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            statement = 'call(text, "rfc1738")' if name == "parse" else "call(text)"
            seconds = timeit.timeit(statement, globals={"call": call, "text": text}, number=2000)
            found[name] = min(found[name], seconds / 2000 * 1e9)
    return found


def main() -> int:
    """Print the table; 1 if the bar is not reached with the compiled kernel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    calls: dict[str, Callable[..., object]] = {"URL": URL, "check": accepts, "parse": parse}
    total = dict.fromkeys(calls, 0.0)
    worst = 0.0
    rows = []
    for text in TEXTS:
        times = best(calls, text, options.rounds)
        total = {name: total[name] + times[name] for name in calls}
        worst = max(worst, times["check"] / times["URL"])
        rows.append((text, times))
    if options.markdown:
        check, parsed = total["check"] / total["URL"], total["parse"] / total["URL"]
        print(
            f"| strict rfc1738 check | `URL(text)` | <= {BAR:g} | {check:.2f} (worst {worst:.2f}); parse {parsed:.2f} |"
        )
        return 0
    print(f"kernel: {'compiled' if COMPILED else 'pure'}; nanoseconds, and times the plain URL")
    for text, times in [*rows, ("all", total)]:
        ratios = f"{times['check'] / times['URL']:5.2f} {times['parse'] / times['URL']:6.2f}"
        print(
            f"URL {times['URL']:6.0f}   check {times['check']:6.0f}   parse {times['parse']:6.0f}   {ratios}   {text}"
        )
    print(f"worst check: {worst:.2f} (the bar is {BAR:g})")
    return 1 if COMPILED and worst > BAR else 0


if __name__ == "__main__":
    sys.exit(main())
