"""How fast URLs are found in text, against other programs, and that hostile text costs no more than its length.

``python bench/find.py`` prints three tables, the last one of the readers (``bench/readers.py``); it ends with 1 if a
bar is not reached. The bars: 80 times linkify-it-py, 300 times urlextract, 4 times a plain ``re.findall``, on 50 MB of
prose with a URL every 250 characters; within 4 times ``grep -c ://`` on 50 MB without one. Slow peers read the
beginning of the same text; rates are compared. Peers that are not installed are left out: ``pip install linkify-it-py
urlextract``.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from anyurl.text import find, finder

SEED = 1738
VOCABULARY = """
    the of and to in is that it was for on are as with his they at be this from have or by one had not but what all
    were when we there can an your which their said if do will each about how up out them then she many some so these
    would other into has more her two like him see time could no make than first been its who now people my made over
    did down only way find use may water long little very after words called just where most know get through back
    much before go good new write our used me man too any day same right look think also around another came come work
    three word must because does part even place well such here take why help put years different away again off went
    old number great tell men say small every found still between name should home big give air line set own under
    read last never us left end along while might next sound below saw something thought both few those always looked
    show large often together asked house world going want school important until form food keep children feet land
    side without boy once animals life enough took sometimes four head above kind began almost live page got earth
"""
"""The most frequent words of English prose."""
WORDS = VOCABULARY.split()

PATTERN = re.compile(r"[a-z][a-z0-9+.-]*://\S+")

HOSTILE = (
    "http://",
    "<URL:",
    "(",
    "http://x/(",
    "<http://x ",
    "http://x.",
    "mailto:a@",
    "a:",
    "http://a,",
    "<URL:a\n> ",
)
"""What a hostile text repeats."""


def prose(chance: random.Random, length: int) -> str:
    """Sentences of about this length; a colon every now and then."""
    words: list[str] = []
    size = 0
    while size < length:
        word = chance.choice(WORDS)
        mark = chance.random()
        end = "\n" if mark < 0.08 else ". " if mark < 0.14 else ", " if mark < 0.2 else ": " if mark < 0.21 else " "
        words.append(word + end)
        size += len(word) + len(end)
    return "".join(words)


def url(chance: random.Random, number: int) -> str:
    scheme = chance.choice(("http", "https", "https", "https", "ftp"))
    tail = chance.choice(
        ("", "/", f"/a/{number}.html", f"/wiki/A_(b_{number})", f"/?q={number}&page=2", f"/a/{number}#top")
    )
    return f"{scheme}://www.{chance.choice(WORDS)}{number % 997}.example.{chance.choice(('com', 'org', 'net'))}{tail}"


def text_with_urls(size: int, every: int) -> str:
    """Prose with a URL every so many characters, wrapped, in brackets, or at the end of a sentence."""
    chance = random.Random(SEED)
    pieces = []
    for number in range(2000):
        place = chance.choice(("{} ", "{}. ", "({}) ", "<{}> ", "<URL:{}>, ", "{}\n", '"{}" '))
        shown = place.format(url(chance, number))
        pieces.append(prose(chance, every - len(shown) - 3) + shown)
    piece = "".join(pieces)
    return piece * (size // len(piece) + 1)


def spent() -> float:
    """Seconds of a processor that this process and its children have had: a neighbour's are not in it."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def rate(run: Callable[[], object], size: int, repeats: int = 5) -> float:
    """MB/s of the best of some runs: what else the machine does only ever slows it."""
    best = float("inf")
    for _ in range(repeats):
        start = spent()
        run()
        best = min(best, spent() - start)
    return size / max(best, 1e-6) / 1e6


def exhaust(found: Iterator[object]) -> int:
    return sum(1 for _ in found)


def peers(text: str) -> Iterator[tuple[str, float, float]]:
    """Name, rate and bar of each peer that is installed."""
    yield "re.findall", rate(lambda: PATTERN.findall(text), len(text), 2), 4.0
    for name, module, size, bar in (
        ("linkify-it-py", "linkify_it", 1_000_000, 80.0),
        ("urlextract", "urlextract", 300_000, 300.0),
    ):
        try:
            loaded = import_module(module)
        except ImportError:
            print(f"{name} is not installed: left out")
            continue
        part = text[:size]
        if module == "linkify_it":
            matcher = loaded.LinkifyIt()
            yield name, rate(lambda m=matcher, p=part: m.match(p), size, 3), bar
        else:
            extractor = loaded.URLExtract()
            yield name, rate(lambda e=extractor, p=part: e.find_urls(p), size, 3), bar


def compare(size: int) -> bool:
    """The first table; whether every bar is reached."""
    text = text_with_urls(size, 250)
    count = exhaust(find(text))
    mine = rate(lambda: exhaust(find(text)), len(text))
    print(f"{len(text) / 1e6:.0f} MB of prose, {count:,} URLs, one every {len(text) // count} characters")
    print(f"  {'anyurl.text.find':24} {mine:9.1f} MB/s  {1e9 * len(text) / count / mine / 1e6:7.0f} ns for each URL")
    octets = text.encode()
    print(f"  {'the same, octets':24} {rate(lambda: exhaust(find(octets)), len(octets)):9.1f} MB/s")
    reached = True
    for name, theirs, bar in peers(text):
        reached &= mine >= bar * theirs
        print(f"  {name:24} {theirs:9.1f} MB/s  {mine / theirs:7.1f} times, bar {bar:.0f}")
    return compare_with_grep(size) and reached


def compare_with_grep(size: int) -> bool:
    """A file without a URL, against grep, which only looks for ://."""
    grep = shutil.which("grep")
    if grep is None:
        print("grep is not installed: left out")
        return True
    chance = random.Random(SEED)
    piece = prose(chance, 1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "prose.txt")
        path.write_text(piece * (size // len(piece)))
        length = path.stat().st_size

        def mine() -> None:
            with path.open("rb", buffering=0) as file:
                assert exhaust(find(file)) == 0

        def theirs() -> None:
            subprocess.run([grep, "-c", "://", str(path)], stdout=subprocess.DEVNULL, check=False)

        ours, other = rate(mine, length, 9), rate(theirs, length, 9)
    colons = piece.count(":") * 1e3 / len(piece)
    print(f"{length / 1e6:.0f} MB of prose without a URL, {colons:.1f} colons in 1,000 characters")
    print(f"  {'anyurl.text.find':24} {ours:9.1f} MB/s")
    print(f"  {'grep -c ://':24} {other:9.1f} MB/s  {other / ours:7.1f} times as fast, bar 4")
    return other <= 4 * ours


def endure(size: int) -> bool:
    """The second table: twice the hostile text takes twice the time; and no memory."""
    print(f"hostile text, {size / 1e6:.0f} MB of each")
    reached = True
    for unit in HOSTILE:
        whole, half = unit * (size // len(unit)), unit * (size // len(unit) // 2)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        fast = rate(lambda t=half: exhaust(find(t, emails=True, www=True)), len(half), 2)
        slow = rate(lambda t=whole: exhaust(find(t, emails=True, www=True)), len(whole), 2)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        ratio = fast / slow * 2
        reached &= ratio < 2.6
        print(f"  {unit!r:24} {slow:9.1f} MB/s  twice as much takes {ratio:4.2f} times as long", end="")
        print(f", {max(grown, 0) / 1024:.0f} MB more")
    return reached


def main() -> int:
    """Print the tables; 1 if a bar is not reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=50, help="MB of text (50)")
    parser.add_argument("--hostile", type=int, default=10, help="MB of hostile text (10)")
    parser.add_argument("--formats", type=int, default=10, help="MB for each reader (10)")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {'compiled' if finder.COMPILED else 'pure'} kernel")
    from readers import compare as compare_readers  # which takes what it needs from here

    reached = compare(options.size * 1_000_000)
    reached &= endure(options.hostile * 1_000_000)
    reached &= compare_readers(options.formats * 1_000_000)
    return int(not reached)


if __name__ == "__main__":
    raise SystemExit(main())
