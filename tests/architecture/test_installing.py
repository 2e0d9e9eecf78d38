"""The page about installing names what an installation and each extra bring, and nothing else."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ROW = re.compile(r"^\| `?([^|`]+)`? \| ([^|]+) \|", re.MULTILINE)


def packages(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w.-]+", one)[0] for one in requirements}  # type: ignore[index]


def rows(heading: str) -> dict[str, str]:
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    table = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = {name.strip(): rest.strip() for name, rest in ROW.findall(table)}
    return {name: rest for name, rest in found.items() if name not in ("package", "extra") and set(name) != {"-"}}


def test_every_dependency_is_told() -> None:
    assert set(rows("Dependencies")) == packages(PROJECT["dependencies"])


def test_every_extra_is_told_with_what_it_brings() -> None:
    extras = PROJECT["optional-dependencies"]
    told = rows("Extras")
    assert set(told) == set(extras) - {"all"}
    for name in set(told) - {"test"}:
        missing = {one for one in packages(extras[name]) if one.removeprefix("backports.") not in told[name]}
        assert not missing, f"{name} brings {', '.join(sorted(missing))} too"


def test_each_extra_is_installed_alone_and_tried() -> None:
    """By `.ci/full`; but for those that gather others, and the two whose packages take hundreds of megabytes."""
    extras = set(PROJECT["optional-dependencies"]) - {"all", "test", "fuzz", "cluster"}
    listed = re.search(r"^    for extra in (.+); do$", (ROOT / ".ci" / "full").read_text("utf-8"), re.MULTILINE)
    assert listed is not None
    assert set(listed[1].split()) == extras
    tree = ast.parse((ROOT / ".ci" / "extras.py").read_text("utf-8"))
    checks = next(
        node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CHECKS"
    )
    assert {ast.literal_eval(key) for key in checks.value.keys} == extras  # type: ignore[attr-defined]


def test_what_the_scripts_build_from_holds_every_file_that_is_installed() -> None:
    setup = (ROOT / "scripts" / "setup").read_text("utf-8")
    copied = re.search(r"^files='(.+)'$", setup, re.MULTILINE)
    assert copied is not None
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    installed = {name for names in tables["data-files"].values() for name in names}
    assert installed <= set(copied[1].split())
