"""What is imported is what is declared: by the package in pyproject.toml's dependencies or the extra that says so, by
the tests in the extra ``test``. An environment that has been used keeps what was dropped; this reads the text.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator

import pytest

from tests.architecture.source import ROOT, Module, called_name, modules

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
    "adapters/aiohttp.py": {"aiohttp"}, "adapters/click.py": {"click"},
    "adapters/pytest.py": {"pytest"}, "adapters/pyinstaller/hook-anyurl.py": {"PyInstaller"},
    "adapters/backends.py": {"anyio"},
    "adapters/httpcore.py": {"httpcore"}, "adapters/httpcore2.py": {"httpcore2"},
    "batch/functions.py": {"pandas", "polars"},
    "adapters/httpx2.py": {"httpcore2", "httpx2"},
    "adapters/httpx.py": {"httpcore", "httpx"}, "adapters/requests.py": {"requests", "urllib3"},
    "adapters/urllib3.py": {"urllib3"}, "adapters/pydantic.py": {"pydantic", "pydantic_core"},
    "adapters/fsspec.py": {"fsspec"}, "adapters/fsspec_files.py": {"fsspec"},
    "net/http/modern_codings.py": {"backports.zstd", "brotli"}, "net/loopback.py": {"uvicorn"},
    "batch/check/cluster.py": {"ray"}, "world/warc_index.py": {"warcio"},
    "net/http/libcurl.py": {"pycurl"}, "grammar/browser.py": {"ada-url"},
    "text/readers/pdf.py": {"pypdf"}, "text/readers/warc.py": {"brotli"},
    "url/suffixes.py": {"publicsuffixlist"}, "url/lookalike.py": {"confusable-homoglyphs"},
}  # fmt: skip
"""What an adapter imports, which is imported only by who has that client, and what is imported if it is there."""

ALONE = {"tests/batch/killed_worker.py": {"ray"}}
"""Programs that a test starts only in an environment made for them (`.ci/full`)."""

LATER = {"annotationlib", "compression"}
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


def imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The distributions outside of the standard library that a file imports, at the top or when something is called."""
    for node in nodes:
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


def undeclared(module: Module, allowed: set[str]) -> list[str]:
    """What a file imports and nothing that it may stand on brings."""
    place = module.file.relative_to(ROOT).as_posix()
    names = set(imported(module.nodes)) - allowed - ALONE.get(place, set())
    return [f"{place}: {name}" for name in sorted(names)]


def test_the_package_imports_what_its_installation_brings() -> None:
    found = []
    for module in modules():
        extra = ROOMS.get(module.room)
        brought = declared(EXTRAS[extra]) if extra is not None else set()
        brought |= CLIENTS.get(module.path, set())
        if STAND_IN in module.text:
            brought.add("cython")
        found += undeclared(module, BARE | brought)
    assert found == []


def test_who_depends_on_anyurl_gets_idna_and_nothing_that_is_compiled() -> None:
    assert sorted(BARE) == ["idna"]


def test_the_whole_command_has_what_it_has_always_had() -> None:
    assert sorted(FULL) == ["ada-url", "click", "idna", "pycurl", "rich"]
    for extra in ("all", "mcp", "test", "web"):  # what starts the command, or runs for long under it
        assert declared(EXTRAS[extra]) >= FULL - BARE, extra


def test_the_package_imports_each_thing_that_it_asks_for() -> None:
    found = {name for module in modules() for name in imported(module.nodes)}
    assert sorted(FULL - found) == []


@pytest.mark.parametrize(("folder", "extras"), [("tests", "test"), ("fuzz", "test,fuzz")])
def test_the_tests_import_what_their_extra_brings(folder: str, extras: str) -> None:
    allowed = FULL | declared([f"anyurl[{extras}]"])
    assert [fault for module in modules(ROOT / folder) for fault in undeclared(module, allowed)] == []


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
    assert list(imported(ast.walk(ast.parse(text)))) == names


def test_an_extra_brings_what_it_names_of_ours() -> None:
    assert declared(["anyurl[cookies,world]"]) == declared(EXTRAS["cookies"]) | declared(EXTRAS["world"])
    assert {"pyftpdlib", "publicsuffixlist", "selectolax", "hypothesis", "pytest"} <= declared(EXTRAS["test"])
    assert "atheris" in declared(EXTRAS["fuzz"])
