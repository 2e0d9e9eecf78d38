"""Whether a type checker knows all that is public: ``pyright --verifytypes`` for what docs/reference.py lists.

Run by `.ci/run` with the Python of an environment in which anyurl is installed. Exits with what is not known. With
``stubtest``, as `.ci/full` runs it: whether what runs, compiled, is what the types say (``mypy.stubtest``); with
``pages``: whether the examples of the pages are as strict as a reader's program may be (``mypy --strict``).
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from doctest import DocTestParser
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

UNTYPED_BASES = frozenset({"anyurl.adapters.fsspec.AnyURLFileSystem"})
"""Classes of which nothing is unknown but the base, which a library without types brings."""


def reference() -> ModuleType:
    """The program that writes the pages of the reference."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def public(pages: ModuleType) -> Iterator[str]:
    """Each public name with its module, and where it is defined."""
    for name in pages.PUBLIC:
        module = import_module(name)
        for one in pages.public_names(module):
            yield f"{name}.{one}"
            home = getattr(getattr(module, one), "__module__", None)
            if isinstance(home, str) and home.startswith("anyurl"):
                yield f"{home}.{one}"


def symbols() -> list[dict[str, Any]]:
    """What pyright says of each symbol of the installed package. It looks at the Python that PATH finds."""
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    environment["VIRTUAL_ENV"] = str(programs.parent)
    command = [os.environ.get("PYRIGHT", str(programs / "pyright"))]
    command += ["--verifytypes", "anyurl", "--ignoreexternal", "--outputjson"]
    with TemporaryDirectory() as empty:  # in the repository it would look at the source, which is not installed
        done = subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)["typeCompleteness"]["symbols"]
    return found


EXPECTED = (
    r".* is not a Union",  # an alias of Literal, which stubtest takes for one of a union
    r".*\.__signature__ variable differs .*",  # made when it is asked for
    r".*\.__match_args__ variable differs .*",  # what is private is no pattern
    r".*stub parameter \"__arg\d\" .*",  # behind a decorator an argument has no name
    r".*\.register_\w+ is inconsistent, runtime does not have \*.*",  # the same of functools.cache
    r".*\.__\w+__ is inconsistent, .* should be positional-only .*",  # C passes operands by position
    r".*\.__(ge|gt|rtruediv)__ is not present in stub",  # Cython makes both directions of an operator
    r".* is a disjoint base at runtime, .*",  # what types say of it comes with Python 3.15
    r"anyurl\.adapters\.fsspec\.AnyURLFileSystem is inconsistent, metaclass differs",  # of a library without types
)
"""What stubtest takes for a difference, and is none for who calls."""


def differing() -> str | None:
    """What of the public names is at run time not what the types say."""
    names = set(public(reference()))
    with TemporaryDirectory() as empty:
        settings = Path(empty, "mypy.ini")
        settings.write_text("[mypy]\nignore_missing_imports = True\nignore_errors = True\n", "utf-8")
        command = [sys.executable, "-m", "mypy.stubtest", "anyurl", "--concise", "--mypy-config-file", str(settings)]
        done = subprocess.run(command, cwd=empty, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.stderr or len(lines) < len(EXPECTED):  # it did not begin: each of these is there many times
        return f"stubtest says nothing: {done.stdout}{done.stderr}"
    found = []
    for line in lines:
        name = line.partition(" ")[0]
        is_private = any(part[0] == "_" and part[:2] != "__" for part in name.split("."))
        if is_private or not any(name == one or name.startswith(f"{one}.") for one in names):
            continue
        if not any(re.fullmatch(kind, line) for kind in EXPECTED):
            found.append(line)
    return "\n".join(found) or None


OF_OTHERS = frozenset({"columns", "fsspec", "scale", "types"})
"""Pages whose examples stand on libraries that have no types, or make what is called at run time."""

FRAGMENTS = frozenset({"CONTRIBUTING"})
"""Pages that show a piece of a file."""


def untyped_pages() -> str | None:
    """What mypy says of the examples: a page is one program, and each of its blocks without prompts another one."""
    with TemporaryDirectory() as folder:
        for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
            if page.stem in OF_OTHERS | FRAGMENTS:
                continue
            blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
            typed = [block for block in blocks if ">>>" in block]
            name = re.sub(r"\W", "_", page.relative_to(ROOT).with_suffix("").as_posix())
            examples = [one.source for block in typed for one in DocTestParser().get_examples(block)]
            Path(folder, f"page_{name}.py").write_text("".join(examples), "utf-8")
            for number, block in enumerate(block for block in blocks if block not in typed):
                Path(folder, f"page_{name}_{number}.py").write_text(block, "utf-8")
        command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--config-file=", "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stdout + done.stderr


def main() -> str | None:
    """What is not known; with the number of what is, on standard output."""
    names = set(public(reference()))
    known, faults = 0, []
    for symbol in symbols():
        name = symbol["name"]
        if not symbol["isExported"] or not any(name == one or name.startswith(f"{one}.") for one in names):
            continue
        if symbol["isTypeKnown"]:
            known += 1
            continue
        found = [each["message"] for each in symbol["diagnostics"]]
        if name in UNTYPED_BASES and set(found) == {"Type of metaclass unknown", "Type of base class unknown"}:
            continue
        faults += [f"{name}: {message}" for message in found] or [f"{name}: partly unknown"]
    sys.stdout.write(f"{known} public symbols have a known type\n")
    if known < len(names) // 2:
        faults.append("pyright does not find the installed package")
    return "\n".join(faults) or None


if __name__ == "__main__":
    sys.exit({"": main, "stubtest": differing, "pages": untyped_pages}["".join(sys.argv[1:])]())
