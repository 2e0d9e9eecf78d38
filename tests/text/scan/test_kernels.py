"""One source, three ways to run it, one result: compiled, as it is with Cython installed, as it is without.

The other ways run in processes of their own, from a copy of the sources without what was compiled.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import anyurl
from anyurl.url.cut import COMPILED, _cython
from tests.rows import each_row
from tests.url import peers

PROGRAM = """
import json, sys
if sys.argv[1] == "without":
    sys.modules["cython"] = None  # what an import finds when Cython is not installed
from anyurl.errors import URLSyntaxError
from anyurl.url.cut import COMPILED, decode_text, percent_decode
from anyurl.url import URL

NAMES = ("scheme", "raw_user", "raw_password", "raw_host", "host", "explicit_port", "port", "path", "query",
         "fragment", "url_path", "origin", "masked", "user", "password")

def read(text):
    try:
        url = URL(text)
    except URLSyntaxError as error:
        return [[d.code, d.span, d.fix] for d in error.diagnostics]
    return [str(url), *(getattr(url, name) for name in NAMES)]

texts = json.load(sys.stdin)
json.dump([COMPILED, "cython" in sys.modules and sys.modules["cython"] is not None, [read(text) for text in texts],
           [percent_decode(text).hex() for text in texts if text.isascii()]], sys.stdout)
"""


def _texts() -> list[str]:
    """The corpora, and random changes of them, the same on each run."""
    chance = random.Random(1738)
    texts = sorted({row.get("input", "") for name in ("peers.jsonl", "curl.jsonl") for row in peers.rows(name)})
    texts = [text for text in texts if len(text) < 300]
    for text in list(texts):
        if text:
            place = chance.randrange(len(text))
            char = chance.choice("ah09.:/?#[]@%!;=& \\^{}~_\0\x7féx。１-")
            texts += [text[:place] + char + text[place + chance.randrange(2) :], text[:place], "http://" + text[place:]]
    return texts


def _run(folder: Path, way: str, texts: list[str]) -> Any:
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{PROGRAM}", way],
        input=json.dumps(texts),
        capture_output=True,
        encoding="ascii",
        check=True,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sources alone, in a folder of their own."""
    folder = tmp_path_factory.mktemp("plain")
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(Path(anyurl.__file__).parent, folder / "anyurl", ignore=compiled)
    yield folder
    shutil.rmtree(folder)


def test_all_ways_of_running_read_alike(plain: Path) -> None:
    texts = _texts()
    assert len(texts) > 5_000
    compiled, _, urls, octets = _run(Path(anyurl.__file__).parent.parent, "with", texts)
    assert compiled is COMPILED
    ways = ["without", *(["with"] if find_spec("cython") else [])]
    for way in ways:
        also_compiled, has_cython, also_urls, also_octets = _run(plain, way, texts)
        assert (also_compiled, has_cython) == (False, way == "with")
        differences = [(text, a, b) for text, a, b in zip(texts, urls, also_urls, strict=True) if a != b]
        assert (differences, also_octets) == ([], octets)


def test_the_stand_in_has_what_the_kernel_takes_from_cython() -> None:
    package = Path(anyurl.__file__).parent
    used = set()
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if text.startswith("# cython:"):
            used |= {word.partition("(")[0] for word in _names(text)}
    assert used - {"cimports"} - set(vars(_cython)) == set()


def _names(text: str) -> Iterator[str]:
    for piece in text.split("cython.")[1:]:
        name = ""
        for char in piece:
            if not (char.isalnum() or char == "_"):
                break
            name += char
        yield name


@each_row(
    "use",
    [
        lambda: _cython.cfunc(len)("x"),
        lambda: _cython.cclass(len)("x"),
        lambda: _cython.no_gc(len)("x"),
        lambda: _cython.inline(len)("x"),
        lambda: _cython.exceptval(check=False)(len)("x"),
        lambda: _cython.boundscheck(False)(len)("x"),
        lambda: _cython.annotation_typing(False)(len)("x"),
        lambda: _cython.locals(x="int")(len)("x"),
        lambda: _cython.declare(_cython.int, 1),
        lambda: _cython.cast(_cython.int, 1),
    ],
)
def test_the_stand_in_does_nothing(use: Any) -> None:
    assert use() == 1
