"""The page about installing names what an installation and each extra bring, and nothing else."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.rows import each_row

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SPOKEN = {".md", ".py", ".html", ".yml", ".yaml", ".toml", ".json", ".1", ".service", ""}
"""What people read of the tree, by suffix."""

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


@pytest.mark.skipif(os.name != "posix", reason="a compiler of Windows is not on its path")
@pytest.mark.parametrize(
    ("step", "wanted", "compiler", "is_compiled"),
    [
        ("bdist_wheel", "try", "no-such-compiler", False),
        ("bdist_wheel", "yes", "no-such-compiler", True),  # and fails where it is compiled
        ("bdist_wheel", "no", "true", False),
        ("egg_info", "yes", "true", False),  # nothing is built yet
    ],
)
def test_without_a_compiler_the_package_is_plain(
    step: str, wanted: str, compiler: str, is_compiled: bool, tmp_path: Path
) -> None:
    """One sentence says so; setuptools and Cython are only told what they would be."""
    (tmp_path / "Cython").mkdir()
    (tmp_path / "Cython" / "Build.py").write_text("def cythonize(given, **options): return given\n", "utf-8")
    told = (
        "Extension = lambda name, *sources, **options: name\ndef setup(ext_modules, **more): print(len(ext_modules))\n"
    )
    (tmp_path / "setuptools.py").write_text(told, "utf-8")
    done = subprocess.run(
        [sys.executable, "setup.py", step], cwd=ROOT, capture_output=True, text=True, check=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "ANYURL_BUILD_KERNEL": wanted, "CC": compiler},
    )  # fmt: skip
    assert (int(done.stdout) > 40) == is_compiled
    plain = "warning: anyurl stays plain Python, which is slower: no no-such-compiler, or no headers of Python\n"
    assert done.stderr == (plain if (wanted, compiler) == ("try", "no-such-compiler") else "")


def test_a_newcomer_does_what_the_first_screen_says() -> None:
    """In the bare root of `scripts/fresh`, before anything else."""
    inside = (ROOT / "scripts" / "fresh").read_text("utf-8").partition("inside='")[2]
    assert inside.index("first_screen.py") < inside.index("scripts/build") < inside.index("scripts/demo")


def test_each_client_with_a_guard_is_tried_beside_idna_alone() -> None:
    guards = {path.stem for path in (ROOT / "src" / "anyurl" / "adapters").glob("*.py")}
    clients = guards & {"aiohttp", "httpx", "httpx2", "requests", "urllib", "urllib3"}
    listed = re.search(r"^    for client in (.+); do$", (ROOT / ".ci" / "full").read_text("utf-8"), re.MULTILINE)
    assert listed is not None
    assert set(listed[1].split()) >= clients
    program = (ROOT / ".ci" / "clients.py").read_text("utf-8")
    assert all(f'"{name}": {name}' in program for name in listed[1].split())


BY_NAME = re.compile(
    r"""(?:\b(?:install|add|pipx|uvx)\b(?: [^\n`,#]*)?|--from["',]*) ?['"]?anyurl(?![\w./-]|\[[\w,]+\] @)|\bOWNER/"""
)
"""What installs anyurl from an index, whoever has put it there, and a name that is left to be filled in."""


@each_row(
    ("text", "is_one"),
    [
        ("pip install anyurl", True), ("pip install 'anyurl[web]'", True), ("uvx --from anyurl[mcp] anyurl mcp", True),
        ("uses: OWNER/anyurl@v1", True), ("pip install '.[full]'", False), ("pip install pycurl", False),
        ("in a clone of anyurl, pip install '.[web]'", False), ("uvx --from 'anyurl[mcp] @ file:///x'", False),
    ],
)  # fmt: skip
def test_what_installs_by_name(text: str, is_one: bool) -> None:
    assert bool(BY_NAME.search(text)) == is_one


def test_nothing_tells_people_to_install_a_name_that_is_not_owned() -> None:
    """Until the name is: pages, messages and examples install from a clone. `deploy/server.json` is for when it is."""
    told = [ROOT / name for name in ("action.yml", ".pre-commit-hooks.yaml", "mkdocs.yml")]
    told += ROOT.glob("*.md")
    for folder in ("docs", "deploy", "src", ".github"):
        told += [
            path
            for path in (ROOT / folder).rglob("*")
            if path.suffix in SPOKEN and path.is_file() and path.name != "server.json"
        ]
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}" for path in told for match in BY_NAME.finditer(path.read_text("utf-8"))
    ]
    assert len(told) > 300
    assert found == []
