"""What is found in two thousand texts, of which it is known what is in them; the figures end the report of the run.

Other finders read the same octets: one that has no reader for a format is not told how to read it.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from itertools import chain, islice
from pathlib import Path
from urllib.parse import unquote

import pytest

from anyurl.text import find
from anyurl.url import URL
from tests.text.corpus import KINDS, Text


def ours(text: Text) -> list[str]:
    return [str(item) for item in find(text.text, format=text.format)]


def told(text: Text, got: list[str], same: Callable[[str], str] = str) -> Counter[str]:
    """How many URLs of a text are found, how many are cut, too long or missed, and how much else is reported."""
    left = [same(url) for url in got]
    figures: Counter[str] = Counter()
    for url in (same(str(URL(url))) for url in text.urls):
        if url in left:
            left.remove(url)
            figures["found"] += 1
        elif near := [each for each in left if each.startswith(url[:9])]:
            left.remove(near[0])
            figures["cut" if url.startswith(near[0]) else "longer"] += 1
        else:
            figures["missed"] += 1
    figures["invented"] += len(left)
    return figures


def _same(url: str) -> str:
    """A URL as finders write it that encode nothing, or all, and that end an empty path with a slash."""
    return unquote(url).replace("xn--mller-kva", "m\u00fcller").removesuffix("/")


def rates(figures: Counter[str]) -> str:
    """Precision and recall."""
    wanted = sum(figures[name] for name in ("found", "cut", "longer", "missed"))
    got = sum(figures[name] for name in ("found", "cut", "longer", "invented"))
    return f"precision {figures['found'] / max(1, got):.2%}, recall {figures['found'] / max(1, wanted):.2%}"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_there_is_found_and_nothing_else(kind: str, record_property: Callable[[str, object], None]) -> None:
    texts = list(KINDS[kind]())
    figures: Counter[str] = Counter()
    faulty = []
    for text in texts:
        one = told(text, ours(text))
        figures += one
        if one["found"] != sum(one.values()):
            faulty.append(text)
    wanted = sum(len(text.urls) for text in texts)
    shown = ", ".join(f"{figures[name]} {name}" for name in ("found", "cut", "longer", "missed", "invented"))
    record_property("figures", f"{kind}: {len(texts)} texts, {wanted} URLs: {shown}; {rates(figures)}")
    assert faulty == []
    assert figures["found"] == wanted > 140


def linkify(folder: Path) -> Callable[[str], list[str]]:
    match = (
        pytest.importorskip("linkify_it", reason="linkify-it-py is not installed (the extra test)").LinkifyIt().match
    )
    return lambda text: [found.url for found in match(text) or ()]


def urlextract(folder: Path) -> Callable[[str], list[str]]:
    module = pytest.importorskip("urlextract", reason="urlextract is not installed (the extra test)")
    shutil.copy(Path(module.__file__).parent / "data" / "tlds-alpha-by-domain.txt", folder)  # it locks what it reads
    urls = module.URLExtract(cache_dir=str(folder)).gen_urls
    return lambda text: [str(url) for url in urls(text)]


@pytest.mark.parametrize(("name", "peer"), [("linkify-it-py", linkify), ("urlextract", urlextract)])
def test_others_find_less(
    name: str,
    peer: Callable[[Path], Callable[[str], list[str]]],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    read = peer(tmp_path)
    theirs: Counter[str] = Counter()
    for text in islice(chain.from_iterable(make() for make in KINDS.values()), 0, None, 7):
        theirs += told(text, read(text.text.decode()), _same)
    record_property("figures", f"{name}, every seventh text, each read as plain text: {rates(theirs)}")
    assert theirs["missed"] + theirs["cut"] > 0 < theirs["found"]


def test_there_are_two_thousand_different_texts() -> None:
    texts = [text for make in KINDS.values() for text in make()]
    assert len({(text.kind, text.text) for text in texts}) >= 2000
