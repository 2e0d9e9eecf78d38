"""PyInstaller finds the hook of anyurl by its entry point; `.ci/introspection.py` makes a program with it."""

from __future__ import annotations

import ast
import tomllib
from importlib import import_module
from pathlib import Path

from tests.architecture.source import ROOT


def test_the_entry_point_names_the_folder_of_the_hook() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pyinstaller40"]
    module, _, function = points["hook-dirs"].partition(":")
    (folder,) = getattr(import_module(module), function)()
    assert [path.name for path in Path(folder).glob("hook-*.py")] == ["hook-anyurl.py"]


def test_what_is_left_out_is_a_room() -> None:
    hook = ROOT / "src" / "anyurl" / "adapters" / "pyinstaller" / "hook-anyurl.py"
    (apart,) = [
        ast.literal_eval(node.value)
        for node in ast.parse(hook.read_text("utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "APART"
    ]
    rooms = {path.stem for path in (ROOT / "src" / "anyurl").iterdir()}
    assert set(apart) - rooms == set()
