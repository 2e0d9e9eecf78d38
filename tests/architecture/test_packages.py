"""What packages anyurl names what is there: the workflow, the recipe for conda, the SBOM, the classifiers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from anyurl import __version__
from anyurl.cli.command_table import COMMANDS
from tests.architecture.source import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/packages.yml").read_text(encoding="utf-8"))
JOBS: dict[str, Any] = WORKFLOW["jobs"]
RECIPE: dict[str, Any] = yaml.safe_load((ROOT / "deploy/conda/recipe.yaml").read_text(encoding="utf-8"))


def used(job: str) -> dict[str, dict[str, Any]]:
    """The actions that a job uses, by name, with what they are given."""
    return {step["uses"].partition("@")[0]: step.get("with", {}) for step in JOBS[job]["steps"] if "uses" in step}


def name_of(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return found[0].lower()


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_a_workflow_runs_what_is_there(path: Path) -> None:
    jobs: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    commands = "\n".join(step["run"] for job in jobs.values() for step in job["steps"] if "run" in step)
    named = re.findall(r"(?<![\w/.])(?:\.ci|scripts|tests|src)/[\w./-]*\w", commands)
    named += [word.partition("[")[0] for word in re.findall(r'install "(\.\[\w+\])"', commands)]
    assert named
    assert [one for one in named if not (ROOT / one).exists()] == []
    extras = {extra for words in re.findall(r'"\.\[([\w,]+)\]"', commands) for extra in words.split(",")}
    assert extras <= PROJECT["optional-dependencies"].keys()
    assert {need for job in jobs.values() for need in job.get("needs", ())} <= jobs.keys()


def test_only_what_publishes_may_speak_for_the_project() -> None:
    """No password: the index trusts the workflow, at the word of the owner and for a tag alone."""
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert [name for name, job in JOBS.items() if "permissions" in job] == ["publish"]
    publish = JOBS["publish"]
    assert publish["permissions"] == {"contents": "read", "id-token": "write", "attestations": "write"}
    assert publish["if"] == "github.ref_type == 'tag' && vars.PUBLISH == 'yes'"
    assert {*publish["needs"]} == JOBS.keys() - {"publish"}
    assert used("publish")["pypa/gh-action-pypi-publish"] == {"packages-dir": "dist"}


def test_what_is_published_is_what_was_built() -> None:
    kept = [step["with"] for job in JOBS.values() for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
    taken = [step["with"] for step in JOBS["publish"]["steps"] if "download-artifact" in step["uses"]]
    assert {one["name"] for one in kept} == {"packages-${{ matrix.os }}", "packages-pure", "sbom"}
    assert taken == [{"pattern": "packages-*", "path": "dist", "merge-multiple": True}, {"name": "sbom"}]
    told = used("publish")
    assert told["actions/attest-build-provenance"] == {"subject-path": "dist/*"}
    assert told["actions/attest-sbom"] == {"subject-path": "dist/*", "sbom-path": "sbom.cdx.json"}
    assert "scripts/sbom >sbom.cdx.json" in [step.get("run") for step in JOBS["pure"]["steps"]]


def test_the_sbom_names_all_that_a_package_holds_and_asks_for() -> None:
    done = subprocess.run([sys.executable, ".ci/sbom.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    bom: dict[str, Any] = json.loads(done.stdout)
    itself = bom["metadata"]["component"]
    assert (itself["name"], itself["version"]) == ("anyurl", __version__)
    brought = {component["name"].rpartition("/")[2] for component in itself["components"]}
    assert brought == {path.name.removeprefix("LICENSE-") for path in (ROOT / "src").rglob("LICENSE-*")}
    asked = {(one["name"], one["scope"]) for one in bom["components"]}
    extras = [*PROJECT["optional-dependencies"].items()]
    wanted = {(name_of(one), "required") for one in PROJECT["dependencies"]}
    wanted |= {
        (name_of(one), "optional") for name, extra in extras if name not in ("all", "fuzz", "test") for one in extra
    }
    assert asked == wanted - {("anyurl", "optional")}
    refs = [one["bom-ref"] for one in bom["components"]]
    assert len(refs) == len({*refs})
    assert bom["dependencies"] == [{"ref": "anyurl", "dependsOn": refs}]


def test_the_recipe_asks_for_what_the_project_asks_for() -> None:
    assert RECIPE["context"]["version"] == __version__
    assert RECIPE["about"]["license"] == PROJECT["license"]
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert RECIPE["about"]["homepage"] == PROJECT["urls"]["Documentation"]
    assert [name for name in RECIPE["about"]["license_file"] if not (ROOT / name).exists()] == []
    assert {*RECIPE["about"]["license_file"]} >= {
        str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("LICENSE-*")
    }
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["http"], *extras["cli"]]
    python = f"python{PROJECT['requires-python']}"
    assert {one.replace(" ", "") for one in RECIPE["requirements"]["run"]} == {
        one.partition(";")[0].strip() for one in [python, *asked]
    }
    built = {one.replace(" ", "").lower() for one in RECIPE["requirements"]["host"]} - {"python", "pip"}
    assert built == {one.lower() for one in SETTINGS["build-system"]["requires"]}
    commands = [words.split() for test in RECIPE["tests"] for words in test.get("script", ())]
    assert {words[0] for words in commands} == PROJECT["scripts"].keys()
    assert {words[1] for words in commands} <= {"--version", *COMMANDS}


def test_the_classifiers_are_true() -> None:
    """Each version of Python and each system has its wheels; PyPy and each system its job in the tests."""
    versions = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if ":: Python :: 3." in line}
    wheels = (ROOT / "scripts" / "pypi-wheels").read_text(encoding="utf-8").split()
    assert {f"cp{version.replace('.', '')}" for version in versions} == {name.partition("-")[0] for name in wheels}
    assert {f"cp{version.replace('.', '')}-*" for version in versions} == {*SETTINGS["tool"]["cibuildwheel"]["build"]}
    systems = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if line.startswith("Operating System")}
    built = {"Windows" if "win_" in name else "MacOS" if "macosx" in name else "Linux" for name in wheels}
    assert systems == built
    tests = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert all(
        word in tests
        for word in (
            "debian:",
            "macos-",
            "windows-",
            '"pypy3.11"',
            max(versions, key=lambda one: [*map(int, one.split("."))]),
        )
    )
