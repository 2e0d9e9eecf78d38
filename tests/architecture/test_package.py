"""What is installed is what is in the tree, and says the same of itself."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import anyurl
from anyurl._version import __version__
from tests.architecture.source import ROOT, SRC

HOME = Path(anyurl.__file__).parent
LEFT_BY_TOOLS = re.compile(r"(__pycache__|\.egg-info|\.(py[co]|so|c)$)")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def names(folder: Path) -> set[str]:
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if not LEFT_BY_TOOLS.search(name)}


def test_the_installed_package_has_every_file_of_the_tree_and_no_other() -> None:
    """A grammar or a template that the build forgets is missed here, not by a user."""
    # A licence of others is where the licences are, and once.
    licences = {str(path.relative_to(SRC)) for path in SRC.rglob("LICENSE-*")}
    # Headers are for the compiler, which has the sdist.
    headers = {name for name in names(SRC) if name.endswith((".h", ".pxd"))}
    assert names(HOME) == names(SRC) - (set() if HOME == SRC else licences | headers)
    if HOME != SRC:
        there = {path.name for path in metadata.files("anyurl") or () if ".dist-info" in str(path)}
        assert {Path(name).name for name in licences} <= there


def test_no_file_of_the_package_is_there_twice() -> None:
    """`check-wheel-contents` refuses a wheel that has one."""
    seen: dict[bytes, list[str]] = {}
    for name in sorted(names(SRC)):
        seen.setdefault((SRC / name).read_bytes(), []).append(name)
    assert [same for content, same in seen.items() if content and len(same) > 1] == []


def test_the_package_says_that_it_is_typed() -> None:
    assert (HOME / "py.typed").exists()


def test_the_command_tells_the_version() -> None:
    program = "from anyurl.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", program, "--version"], capture_output=True, text=True, check=True)
    assert __version__ in result.stdout


@pytest.mark.skipif(HOME == SRC, reason="anyurl is not installed, its source is used: run scripts/test")
def test_the_metadata_tell_the_version_and_the_extras() -> None:
    assert metadata.version("anyurl") == __version__
    extras = set(metadata.metadata("anyurl").get_all("Provides-Extra") or ())
    assert extras == set(PROJECT["project"]["optional-dependencies"])


@pytest.mark.skipif(HOME == SRC, reason="anyurl is not installed, its source is used: run scripts/test")
def test_no_link_of_the_published_page_is_relative() -> None:
    """A package index shows it without the files beside it."""
    page = metadata.metadata("anyurl").json["description"]
    assert isinstance(page, str)
    assert "# anyurl" in page
    links = re.findall(r"""\]\(([^)]*)|src="([^"]*)""", page)
    assert [one for pair in links for one in pair if one and not one.startswith(("#", "https://", "http://"))] == []


def test_the_project_has_one_address() -> None:
    """Wherever it is written, it is that of pyproject.toml."""
    home = PROJECT["project"]["urls"]["Documentation"]
    assert PROJECT["project"]["urls"]["Source"].startswith(home + "/")
    for name in ("CITATION.cff", ".github/ISSUE_TEMPLATE/config.yml"):
        assert f"url: {home}" in (ROOT / name).read_text("utf-8")
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_versions_of_python_are_the_ones_that_are_named() -> None:
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    named = [line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if ":: 3." in line]
    assert named[0] == oldest
    assert PROJECT["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")
    assert PROJECT["tool"]["mypy"]["python_version"] == PROJECT["tool"]["pyright"]["pythonVersion"] == oldest
