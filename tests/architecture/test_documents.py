"""The documents say what is true: versions, commands, schemes, links, and the picture of a URL taken apart."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from anyurl import URL
from anyurl._version import __version__
from anyurl.errors import URLSyntaxError
from tests.architecture.source import ROOT
from tests.rows import each_row

SVG = "{http://www.w3.org/2000/svg}"
FOLDERS = ("src", "tests", "docs", "scripts", "bench", "fuzz", ".ci")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"])


def texts() -> list[Path]:
    """The project's own files that are text, without what tools leave behind."""
    found = [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]  # a file where it is a worktree
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return [path for path in found if path.suffix not in (".pyc", ".png", ".gz", ".bin", ".so")]


@cache
def script(name: str) -> ModuleType:
    """A script of the documents' folder, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_changelog_has_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(.+?)\] - (Unreleased|\d{4}-\d{2}-\d{2})$", text, re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__


def test_a_version_is_one_screen() -> None:
    """Without the names that came and went, which are for those who look for one."""
    _, *versions = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for version in versions:
        text, _, names = version.partition("\n### Names\n")
        assert len(text.splitlines()) <= 60, version.splitlines()[0]
        assert names.lstrip().startswith("- Renamed")


@pytest.mark.parametrize("name", ["anyurl.1", "commands.md", "messages.md", "python.md", "schemes.md"])
def test_the_reference_is_what_the_code_says(name: str) -> None:
    """Out of date? ``python docs/reference.py`` writes it."""
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == script("reference").PAGES[name]()


def test_every_command_is_in_the_readme() -> None:
    from anyurl.cli.app import COMMANDS

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"anyurl {name}" not in text] == []


@each_row("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_between_documents_leads_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"(?:\]\(|src=\")([^)\s\"]+)[)\"]", text)
    local = [target.partition("#")[0] for target in targets if not re.match(r"[a-z]+:", target)]
    assert [target for target in local if target and not (document.parent / target).exists()] == []


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    folders = re.compile(r"(?<![\w.%-])/(?:work|root|farm|Users|home/(?!(?:user|foo)\b))[\w.-]*/")
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in texts()
        for match in folders.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


@pytest.mark.needs("terminal")
def test_the_terminal_shows_what_the_commands_print() -> None:
    """Out of date? ``python docs/terminal.py`` draws it."""
    drawn = script("terminal").picture()
    assert (ROOT / "docs" / "terminal.svg").read_text(encoding="utf-8") == drawn


def test_the_picture_shows_what_the_library_does() -> None:
    tree = ElementTree.parse(ROOT / "docs" / "anatomy.svg")
    words = ["".join(node.itertext()) for node in tree.iter(f"{SVG}text")]
    written = "".join("".join(node.itertext()) for node in tree.iter(f"{SVG}text") if "textLength" in node.attrib)
    url = URL(written)
    shown = {name: ast.literal_eval(value) for name, value in pairwise(words) if "url." in name}
    assert shown != {}
    for name, value in shown.items():
        actual: object = url
        for attribute in name.split(".")[1:]:
            actual = getattr(actual, attribute)
        assert actual == value, name


def test_an_error_shown_in_the_documents_is_the_error() -> None:
    """``SECURITY.md`` promises that these are refused."""
    for text in ("http://h\\x/", "http://h/a b", "http://h%41/", "http://0x7f.1/", "ftp://h:65536/"):
        with pytest.raises(URLSyntaxError):
            URL(text)


def test_what_is_copied_from_the_manual_page_is_what_was_meant() -> None:
    """Some versions of troff show these characters as others, and part words at the end of a line."""
    page = (ROOT / "docs" / "anyurl.1").read_text(encoding="utf-8")
    assert "\n.nh\n.ad l\n" in page
    comment, _, text = page.partition("\n")
    assert comment.startswith('.\\"')
    assert re.findall(r"['`~^]|(?<!\\)-", text.replace('"User Commands"', "")) == []
