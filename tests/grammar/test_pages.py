"""The pages that are written from the data: the railroad diagrams, and the table of clauses."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from anyurl.grammar import bnf
from tests.rows import each_row

MODULES = ("anatomy", "diagnosis", "explanation", "grammars", "matcher", "mending", "repairs", "splitting")
DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


RAILROAD = script(DOCS / "grammar" / "railroad.py")
CLAUSES = script(DOCS / "clauses.py")


def test_the_pages_are_what_the_data_says() -> None:
    """Out of date? ``python docs/grammar/railroad.py`` writes them."""
    files = RAILROAD.files()
    there = {path.name for path in (DOCS / "grammar").glob("rfc1738*")}
    assert there == files.keys()
    assert [
        name for name, content in files.items() if (DOCS / "grammar" / name).read_text(encoding="utf-8") != content
    ] == []


@pytest.mark.parametrize("name", bnf.NAMES)
def test_every_production_is_drawn(name: str) -> None:
    drawn: list[str] = []
    for path in (DOCS / "grammar").glob(f"{name}-[0-9]*.svg"):
        root = ElementTree.parse(path).getroot()
        drawn += [node.text or "" for node in root.iter(f"{SVG}text") if node.get("class") == "title"]
    assert sorted(drawn) == sorted(bnf.load(name).productions)


def test_a_drawing_has_every_literal_and_name_of_its_production() -> None:
    production = bnf.load("rfc1738").productions["ftpurl"]
    root = ElementTree.fromstring(RAILROAD.picture([production]))
    texts = {
        kind: [node.text for node in root.iter(f"{SVG}text") if node.get("class") == kind]
        for kind in ("literal", "name")
    }
    assert texts == {"literal": ["ftp://", "/", ";type="], "name": ["login", "fpath", "ftptype"]}


def test_what_is_drawn_lies_in_the_picture() -> None:
    for path in (DOCS / "grammar").glob("*.svg"):
        root = ElementTree.parse(path).getroot()
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for box in list(root.iter(f"{SVG}rect"))[1:]:
            assert 0 < float(box.attrib["x"]) < float(box.attrib["x"]) + float(box.attrib["width"]) < width
            assert 0 < float(box.attrib["y"]) < float(box.attrib["y"]) + float(box.attrib["height"]) < height


def test_characters_that_follow_each_other_are_one_box() -> None:
    assert RAILROAD.ranges(list("abcdefz")) == ["a ... f", "z"]
    assert RAILROAD.ranges(list(";?&=")) == [";", "?", "&", "="]


def test_each_character_of_a_choice_is_a_choice() -> None:
    root = ElementTree.fromstring(RAILROAD.picture([bnf.load("rfc1738").productions["hsegment"]]))
    drawn = [node.text for node in root.iter(f"{SVG}text") if node.get("class") == "literal"]
    assert drawn == [";", ":", "@", "&", "="]


def test_every_picture_has_a_dark_mode() -> None:
    pictures = sorted(DOCS.rglob("*.svg"))
    assert len(pictures) > 30
    assert [path.name for path in pictures if "prefers-color-scheme" not in path.read_text(encoding="utf-8")] == []


def test_the_examples_of_the_page() -> None:
    failed, count = doctest.testfile(str(DOCS / "grammar" / "README.md"), module_relative=False, encoding="utf-8")
    assert (failed, count) == (0, 22)


@each_row("name", MODULES)
def test_the_examples_of_a_module(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(f"anyurl.grammar.{name}"))
    assert failed == 0


def test_the_examples_of_the_table_of_clauses() -> None:
    assert doctest.testmod(CLAUSES).failed == 0


def test_the_clauses_are_those_of_the_productions() -> None:
    for name in bnf.NAMES:
        assert {production.section for production in bnf.load(name).productions.values()} <= CLAUSES.CLAUSES.keys()
