"""What is imported is what is declared: by the package in pyproject.toml's dependencies or the extra that says so, by
the tests in the extra ``test``. An environment that has been used keeps what was dropped; this reads the text.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import ROOT, called_name

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]

OWN = {"anyurl", "anyurl_start", "bench", "fuzz", "tests"}

DISTRIBUTIONS = {
    "markdown_it": "markdown-it-py",
    "ada_url": "ada-url",
    "backports": "backports.zstd",
    "html_to_markdown": "html-to-markdown",
    "confusable_homoglyphs": "confusable-homoglyphs",
    "docx": "python-docx",
    "fpdf": "fpdf2",
    "importlinter": "import-linter",
    "linkify_it": "linkify-it-py",
    "pptx": "python-pptx",
    "yaml": "pyyaml",
    "python_multipart": "python-multipart",
}
"""Modules whose distribution is called otherwise."""

ROOMS = {"cli": "cli", "batch": "batch", "mcp": "mcp", "web": "web", "world": "world"}
"""Rooms that may import what their extra brings. Every other room has what a bare installation has."""


CLIENTS = {
    "anyurl/adapters/aiohttp.py": {"aiohttp"}, "anyurl/adapters/click.py": {"click"},
    "anyurl/adapters/pytest.py": {"pytest"},
    "anyurl/adapters/backends.py": {"anyio"},
    "anyurl/adapters/httpcore.py": {"httpcore"}, "anyurl/adapters/httpcore2.py": {"httpcore2"},
    "anyurl/batch/functions.py": {"pandas", "polars"},
    "anyurl/adapters/httpx2.py": {"httpcore2", "httpx2"},
    "anyurl/adapters/httpx.py": {"httpcore", "httpx"}, "anyurl/adapters/requests.py": {"requests", "urllib3"},
    "anyurl/adapters/urllib3.py": {"urllib3"}, "anyurl/adapters/pydantic.py": {"pydantic", "pydantic_core"},
    "anyurl/adapters/fsspec.py": {"fsspec"}, "anyurl/adapters/fsspec_files.py": {"fsspec"},
    "anyurl/net/http/modern_codings.py": {"backports.zstd", "brotli"}, "anyurl/net/loopback.py": {"uvicorn"},
    "anyurl/batch/check/cluster.py": {"ray"}, "anyurl/world/warc_index.py": {"warcio"},
    "anyurl/net/http/libcurl.py": {"pycurl"}, "anyurl/grammar/browser.py": {"ada-url"},
    "anyurl/text/readers/pdf.py": {"pypdf"}, "anyurl/text/readers/warc.py": {"brotli"},
    "anyurl/url/suffixes.py": {"publicsuffixlist"}, "anyurl/url/lookalike.py": {"confusable-homoglyphs"},
}  # fmt: skip
"""What an adapter imports, which is imported only by who has that client, and what is imported if it is there."""

ALONE = {"tests/batch/killed_worker.py": {"ray"}}
"""Programs that a test starts only in an environment made for them (`.ci/full`)."""

LATER = {"compression"}
"""Of the standard library, but only of later Pythons."""

STAND_IN = "from anyurl.url.cut import _cython as cython"
"""What a compiled module imports where Cython, which only the build needs, is not installed."""


def declared(requirements: list[str]) -> set[str]:
    """The distributions that some requirements name, and those of our extras among them."""
    found = set()
    for requirement in requirements:
        name, _, rest = requirement.partition("[")
        if name == "anyurl":
            found |= declared([one for extra in rest.partition("]")[0].split(",") for one in EXTRAS[extra]])
        else:
            found.add(re.split(r"[><=~!; \[]", requirement)[0])
    return found


BARE = declared(PROJECT["project"]["dependencies"])
FULL = BARE | declared(EXTRAS["full"])


def imported(tree: ast.AST) -> Iterator[str]:
    """The distributions outside of the standard library that a syntax tree imports, at the top or when it is called."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and called_name(node) in ("import_module", "importorskip", "__import__"):
            names = [one.value for one in node.args[:1] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        for name in names:
            top = name.partition(".")[0]
            if top and top not in sys.stdlib_module_names and top not in OWN | LATER:
                yield DISTRIBUTIONS.get(top, top)


def undeclared(path: Path, allowed: set[str]) -> list[str]:
    """What a file imports and nothing that it may stand on brings."""
    names = set(imported(ast.parse(path.read_text(encoding="utf-8")))) - allowed
    names -= ALONE.get(path.relative_to(ROOT).as_posix(), set())
    return [f"{path.relative_to(ROOT)}: {name}" for name in sorted(names)]


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def test_the_package_imports_what_its_installation_brings() -> None:
    found = []
    for path in files("src"):
        extra = ROOMS.get("".join(path.relative_to(ROOT / "src").parts[1:2]))
        brought = declared(EXTRAS[extra]) if extra is not None else set()
        brought |= CLIENTS.get(path.relative_to(ROOT / "src").as_posix(), set())
        if STAND_IN in path.read_text(encoding="utf-8"):
            brought.add("cython")
        found += undeclared(path, BARE | brought)
    assert found == []


def test_who_depends_on_anyurl_gets_idna_and_nothing_that_is_compiled() -> None:
    assert sorted(BARE) == ["idna"]


def test_the_whole_command_has_what_it_has_always_had() -> None:
    assert sorted(FULL) == ["ada-url", "click", "idna", "pycurl", "rich"]
    for extra in ("all", "mcp", "test", "web"):  # what starts the command, or runs for long under it
        assert declared(EXTRAS[extra]) >= FULL - BARE, extra


def test_the_package_imports_each_thing_that_it_asks_for() -> None:
    found = {name for path in files("src") for name in imported(ast.parse(path.read_text(encoding="utf-8")))}
    assert sorted(FULL - found) == []


@pytest.mark.parametrize(("folder", "extras"), [("tests", "test"), ("fuzz", "test,fuzz")])
def test_the_tests_import_what_their_extra_brings(folder: str, extras: str) -> None:
    allowed = FULL | declared([f"anyurl[{extras}]"])
    assert [fault for path in files(folder) for fault in undeclared(path, allowed)] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import os, idna.core", ["idna"]),
        ("def f():\n    from selectolax.lexbor import LexborHTMLParser", ["selectolax"]),
        ("importlib.import_module('requests')", ["requests"]),
        ("pytest.importorskip('importlinter', reason='x')", ["import-linter"]),
        ("from . import near\nfrom anyurl.url import URL\nfrom tests.servers import Server", []),
    ],
)
def test_what_counts_as_an_import(text: str, names: list[str]) -> None:
    assert list(imported(ast.parse(text))) == names


def test_an_extra_brings_what_it_names_of_ours() -> None:
    assert declared(["anyurl[cookies,world]"]) == declared(EXTRAS["cookies"]) | declared(EXTRAS["world"])
    assert {"pyftpdlib", "publicsuffixlist", "selectolax", "hypothesis", "pytest"} <= declared(EXTRAS["test"])
    assert "atheris" in declared(EXTRAS["fuzz"])
