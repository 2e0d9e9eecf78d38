"""Four times a hostile text costs every reader at most six times the instructions: ``python bench/hostile.py``.

The readers' tests count lines of Python. A pattern that reads the rest of a text again for each beginning in it runs in
one line, and is seen here alone: by callgrind, in instructions, which are the same on every machine at every load. What
is repeated is what the tests of each reader name, and beginnings that any format may have. It ends with 1 if a reader
is not linear; that takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from ast import literal_eval
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from find import HOSTILE, exhaust

from anyurl.text import find

ROOT = Path(__file__).resolve().parents[1]
FEW, MANY = 2_000, 8_000
"""Octets: few enough for Python without the compiled kernel, and enough to see what is quadratic."""
MOST = 6.0
"""Times the instructions that four times the text may cost: 4 is linear, some 4.5 sorted, 16 quadratic."""
BEGINNINGS = (
    b"<", b"</", b"<a ", b"<a b='", b"<!--", b"(", b"[", b"[a](", b"{", b'"', b"'", b"\\", b"&", b"`", b"=?", b"\x1b[",
    b"url(", b"@import ", b"a: ", b"http://", b"http://h/(", b"mailto:", b"data:,", b"data:...", b"http://h/E<gt",
)  # fmt: skip
"""What begins something in one format or another, and does not end."""


def hostile(formats: list[str]) -> Iterator[tuple[str, bytes]]:
    """Of these formats, or of all of them, each, and what a text of it is full of."""
    from tests.text.readers.contract import Contract

    units: dict[str, tuple[bytes, ...]] = {"text": tuple(unit.encode() for unit in HOSTILE)}
    for path in sorted((ROOT / "tests/text/readers").glob("test_*.py")):
        for contract in vars(import_module(f"tests.text.readers.{path.stem}")).values():
            if isinstance(contract, type) and issubclass(contract, Contract) and contract is not Contract:
                units[contract.format] = contract.hostile
    for format in formats or sorted(units):
        for unit in dict.fromkeys((*units[format], *BEGINNINGS)):
            yield format, unit


def instructions(action: Callable[[], object], folder: Path) -> int:
    """The instructions of an action: callgrind writes what it has counted whenever this is called: ``os.getppid``."""
    os.getppid()
    action()
    os.getppid()
    parts = sorted(folder.glob("counted.*"), key=lambda path: int(path.suffix[1:]))
    counted = re.search(r"^totals: (\d+)", parts[-1].read_text(), re.M)
    for part in parts:
        part.unlink()
    assert counted is not None
    return int(counted[1])


def measure(texts: list[tuple[str, bytes]], folder: Path) -> bool:
    """Print a line for each text that is not read in linear time, and one for each reader; whether there is none."""
    linear = True
    for format, cases in groupby(texts, itemgetter(0)):
        steepest = (0.0, b"")
        for _, unit in cases:
            exhaust(find(unit * 20, format=format))  # what is loaded at first is no work of the text
            few, many = (
                instructions(partial(_read, unit * (size // len(unit)), format), folder) for size in (FEW, MANY)
            )  # fmt: skip
            steepest = max(steepest, (many / few, unit))
            if many > MOST * few:
                linear = False
                print(f"{format:10} {unit!r}: {few:,} instructions, of four times as much {many:,}  BROKEN", flush=True)
        print(f"{format:10} {steepest[0]:5.2f} times at the most, of {steepest[1]!r}", flush=True)
    return linear


def _read(text: bytes, format: str) -> None:
    exhaust(find(text, format=format))


def main() -> int:
    """Measure in a process of callgrind's; 1 if a reader is not linear."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="of these readers (all of them)")
    parser.add_argument("--counted", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.counted:
        return int(not measure(literal_eval(sys.stdin.read()), options.counted))
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "-q", "--tool=callgrind", "--dump-before=getppid", f"--callgrind-out-file={folder}/counted",
            sys.executable, __file__, "--counted", folder,
        ]  # fmt: skip
        texts = repr(list(hostile(options.formats)))
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        return subprocess.run(command, input=texts, text=True, env=environment, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
