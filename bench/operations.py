"""What is done with a URL after it was read, against can_ada and yarl in the same run: ``python bench/operations.py``.

Rules. Each operation is done to 5,000 different URLs, made anew for each round, in interleaved rounds with the
garbage collector off; each figure is the best round of a contestant, in nanoseconds of CPU for one URL. can_ada has no
operation that normalizes: it reads a text so, and is compared with reading and normalizing together.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

import can_ada
import yarl

from anyurl import URL
from anyurl.url.cut import COMPILED

COUNT, ROUNDS = 5_000, 9

Contestant = tuple[str, Callable[[str], Any], Callable[[Any], Any]]
"""Its name, what it does before the clock runs, and what it does then."""


def texts(form: str) -> list[str]:
    """Texts that all differ, with ``{}`` for a number."""
    return [form.replace("{}", str(number)) for number in range(COUNT)]


def normal(text: str) -> str:
    return str(URL(text).normalize())


def href(text: str) -> str:
    made: str = can_ada.parse(text).href
    return made


PLAIN = "http://www.example{}.com/some/path/{}.html?x={}"

ROWS: dict[str, tuple[str, tuple[Contestant, ...]]] = {
    **{
        f"read and normalize, {name}": (form, (("anyurl", str, normal), ("can_ada", str, href)))
        for name, form in (
            ("normal already", PLAIN),
            ("plain", "HTTP://www.Example{}.com:80/some/path"),
            ("escapes", "http://h{}.dom/%7euser/%41%42%43/%e4%b8%ad%e6%96%87/%2D%2E"),
            ("IPv6", "http://[2001:DB8:0:0::{}]/a/b"),
        )
    },
    "replace the host": (PLAIN, (
        ("anyurl", URL, lambda url: url.replace(host="other.dom")),
        ("yarl", yarl.URL, lambda url: url.with_host("other.dom")),
    )),
    "with_query": (PLAIN, (
        ("anyurl", URL, lambda url: url.with_query({"a": "1", "b": "x y"})),
        ("yarl", yarl.URL, lambda url: url.with_query({"a": "1", "b": "x y"})),
    )),
    "query_items": (PLAIN, (("anyurl", URL, lambda url: url.query_items), ("yarl", yarl.URL, lambda url: url.query))),
    "build": ("/some/path/{}", (
        ("anyurl", str, lambda path: URL.build(scheme="http", host="h.dom", path=path, query="a=1")),
        ("yarl", str, lambda path: yarl.URL.build(scheme="http", host="h.dom", path=path, query_string="a=1")),
    )),
    "join": (PLAIN, (
        ("anyurl", URL, lambda url: url.join("../x/y.html")),
        ("yarl", yarl.URL, lambda url: url.join(yarl.URL("../x/y.html"))),
    )),
    "parent": (PLAIN, (("anyurl", URL, lambda url: url.parent), ("yarl", yarl.URL, lambda url: url.parent))),
}  # fmt: skip


def measured(form: str, contestants: tuple[Contestant, ...]) -> dict[str, float]:
    """The nanoseconds of each contestant."""
    best = {name: float("inf") for name, _, _ in contestants}
    for _ in range(ROUNDS):
        for name, make, do in contestants:
            given = [make(text) for text in texts(form)]
            gc.disable()
            begin = time.process_time_ns()
            for each in given:
                do(each)
            best[name] = min(best[name], (time.process_time_ns() - begin) / COUNT)
            gc.enable()
    return best


def main() -> None:
    """Print the rows for RESULTS.md."""
    if not COMPILED:
        sys.exit("The kernel is not compiled: scripts/build")
    for row, (form, contestants) in ROWS.items():
        ours, (peer, theirs) = 0.0, ("", 0.0)
        for name, found in measured(form, contestants).items():
            if name == "anyurl":
                ours = found
            else:
                peer, theirs = name, found
        sys.stdout.write(f"| {row} | {ours:,.0f} ns | {peer} | {theirs / ours:.2f} |\n")


if __name__ == "__main__":
    main()
