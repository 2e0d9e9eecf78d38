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
    """The packages that some requirements name, and the extras of ours."""
    found = set()
    for one in requirements:
        name, _, rest = one.partition("[")
        if name == "anyurl":
            found |= {f"`{extra}`" for extra in rest.partition("]")[0].split(",")}
        else:
            found.add(re.match(r"[\w.-]+", one)[0])  # type: ignore[index]
    return found


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


def test_whatever_installs_the_command_asks_for_all_of_it() -> None:
    """With what the package itself depends on there is neither http nor help."""
    for path, words in {
        "scripts/demo": "setup full,world,web\n", "scripts/build": "setup full,world,web\n",
        "action.yml": 'install --quiet "$SOURCE[full]"\n', ".pre-commit-hooks.yaml": 'dependencies: [".[full]"]\n',
        "README.md": "\npip install '.[full]' requests\n", "docs/install.md": "pip install '.[full]'\n",
    }.items():  # fmt: skip
        assert words in (ROOT / path).read_text("utf-8"), path


def test_each_client_with_a_guard_is_tried_beside_idna_alone() -> None:
    guards = {path.stem for path in (ROOT / "src" / "anyurl" / "adapters").glob("*.py")}
    clients = guards & {"aiohttp", "httpx", "httpx2", "requests", "urllib", "urllib3"}
    listed = re.search(r"^    for client in (.+); do$", (ROOT / ".ci" / "full").read_text("utf-8"), re.MULTILINE)
    assert listed is not None
    assert set(listed[1].split()) >= clients
    program = (ROOT / ".ci" / "clients.py").read_text("utf-8")
    assert all(f'"{name}": {name}' in program for name in listed[1].split())
