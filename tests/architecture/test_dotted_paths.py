"""Every dotted path of anyurl that a page, an example, a setting or an entry point names can be imported."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import ROOT
from tests.rows import each_row

PLACES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "docs/**/*.py", "*.yml", ".github/**/*.yml", "bench/*.py", "scripts/*")
    for path in ROOT.glob(pattern)
    if path.is_file()
)

PATH = re.compile(r"(?<![\w./@-])anyurl(?:\.[A-Za-z_]\w*)+(?![\w.]*[-/@])")

LOGGERS = {"anyurl.access", "anyurl.files", "anyurl.guard", "anyurl.net", "anyurl.schemes"}
"""Names of loggers: they stay, whatever the modules are called."""

FILES = {"toml", "1", "json", "pid", "log", "jsonl", "conf", "service", "example", "cast", "svg", "py", "spec", "md"}
"""What ends a name of a file or host, such as ``anyurl.toml``."""

GONE = {"CHANGELOG.md"}
"""Pages that name what was: their paths need not be there."""


def named() -> dict[str, str]:
    """Each path with the first file that names it."""
    found: dict[str, str] = {}
    for place in PLACES:
        if place.name in GONE:
            continue
        for path in PATH.findall(place.read_text("utf-8", "replace")):
            if path.split(".")[1] not in FILES:
                found.setdefault(path, place.relative_to(ROOT).as_posix())
    return found


def look_up(path: str) -> Any:
    """The module, or the attribute of one, that a path names. Raises ImportError or AttributeError."""
    parts = path.split(".")
    module, count = import_module(parts[0]), 1
    while count < len(parts):  # a module first: `anyurl.saving.save` is a function as well
        try:
            module = import_module(".".join(parts[: count + 1]))
        except ModuleNotFoundError:
            break
        count += 1
    value: Any = module
    for name in parts[count:]:
        value = getattr(value, name)
    return value


@each_row("path", sorted(named().keys() - LOGGERS))
def test_a_path_that_a_page_names_is_there(path: str) -> None:
    try:
        look_up(path)
    except (ImportError, AttributeError) as error:
        pytest.fail(f"{named()[path]} names {path}: {error}")


def test_the_entry_points_lead_somewhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    tables = [project["scripts"], *project.get("entry-points", {}).values()]
    for target in {one for table in tables for one in table.values()}:
        module, _, name = target.partition(":")
        found = import_module(module)
        assert not name or callable(getattr(found, name)), target  # a plug-in of pytest is its module


def test_what_has_moved_is_still_found_where_it_was() -> None:
    """Paths that programs may have: they stay, wherever the modules go."""
    for path in ("anyurl.access.Client", "anyurl.access.article.read_article", "anyurl.guard.policy.Policy"):
        assert look_up(path) is not None


def test_a_path_is_told_from_a_file() -> None:
    assert PATH.findall("`anyurl.guard.Policy`, anyurl.toml, /anyurl.x, anyurl.example/x") == [
        "anyurl.guard.Policy",
        "anyurl.toml",
    ]
    assert Path(ROOT / "README.md") in PLACES
