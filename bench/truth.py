"""Which links of the libraries that everybody uses the readers find, on the files that a machine has.

``python bench/truth.py`` reads 20 MB of each kind that packages of Debian and PyPI brought, prints what was not found,
and ends with 1 if that is more than one link of a thousand.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.text.readers.truth import FILES, PLACES, files, missed

LEAST = 0.999
"""Of a library's links that must be found."""
UNREAD = (ValueError, LookupError, csv.Error, SyntaxError, AttributeError, TypeError, AssertionError)
"""What the libraries raise for what they don't read."""


def compare(kind: str, size: int, shown: int, places: list[Path]) -> bool:
    """Print a line, and what was not found; whether it is little enough."""
    read, suffixes = FILES[kind]
    octets = count = unread = 0
    lacking: list[tuple[str, str]] = []
    start = time.monotonic()
    for path, data in files(suffixes, size, places):
        try:
            wanted, got = read(data)
        except UNREAD:
            unread += 1
            continue
        octets += len(data)
        count += len(wanted)
        lacking += [(str(path), url) for url in missed(wanted, got)]
    share = 1 - len(lacking) / max(1, count)
    print(
        f"{kind:12} {octets / 1e6:6.1f} MB {count:8,} links {share:9.4%} found, {unread} files not read by the library,"
        f" {time.monotonic() - start:.0f} s",
        flush=True,
    )
    for path, url in islice(lacking, shown):
        print(f"    {path}: {url[:150]}")
    return share >= LEAST


def main() -> int:
    """Compare every kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("kinds", nargs="*", default=list(FILES))
    parser.add_argument("--size", type=float, default=20, help="MB of each kind (20)")
    parser.add_argument("--shown", type=int, default=20, help="links shown of those that were not found (20)")
    parser.add_argument("--place", type=Path, action="append", help="a folder with such files (those of the machine)")
    options = parser.parse_args()
    places = options.place or list(PLACES)
    return int(sum(not compare(kind, int(options.size * 1e6), options.shown, places) for kind in options.kinds) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
