"""What the site of the documents has beside docs/: hooks of mkdocs, which `scripts/site` runs.

Rule: nothing is written twice. The README and its neighbours are pages as they are, the reference is made from the
docstrings of the public modules, and a link that leads out of the documents leads to the source, wherever it is kept.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

import griffe
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
SOURCE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
NEIGHBOURS = {name: f"{name.lower()}.md" for name in ("README", "SECURITY", "CHANGELOG", "CONTRIBUTING")}
"""Files beside docs/ and the pages that they are."""

LINK = re.compile(r"""(?P<before>\]\(|\b(?:src|href)=")(?P<path>(?![a-z]+:|#|/)[^)"#\s]+)""")


ROW = re.compile(r"^## (anyurl\S*)$|^\| `(\w+)` \|", re.MULTILINE)


def public_names() -> dict[str, list[str]]:
    """What each public module offers, as docs/python.md has it, which follows from the code."""
    found: dict[str, list[str]] = {}
    module = ""
    for heading, name in ROW.findall((ROOT / "docs" / "python.md").read_text("utf-8")):
        module = heading or module
        if module:
            found.setdefault(module, []).extend([name] if name else ())
    return found


def reference(module: str, names: list[str]) -> str:
    """The page of a module: what it is, and each of its names."""
    of_each = "    options: { show_root_heading: true, show_root_full_path: false, show_root_toc_entry: true }"
    pieces = [f"# {module}", f"::: {module}\n    options: {{ members: false }}"]
    pieces += [f"::: {module}.{name}\n{of_each}" for name in names if not name.startswith("__")]
    return "\n\n".join(pieces) + "\n"


def on_config(config: Any) -> Any:
    """The pages of the reference stand below that of the names."""
    (pages,) = (entry["From Python"] for entry in config.nav if "From Python" in entry)
    pages += [{name: f"reference/{name}.md"} for name in public_names()]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add what is no file of docs/."""
    for name, page in NEIGHBOURS.items():
        files.append(File.generated(config, page, content=(ROOT / f"{name}.md").read_text("utf-8")))
    for name, names in public_names().items():
        files.append(File.generated(config, f"reference/{name}.md", content=reference(name, names)))
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_more: Any) -> str:
    """Lead the links to where things are in the site, and what is not in it to the source."""
    path = page.file.src_uri
    home = "" if path in NEIGHBOURS.values() else PurePosixPath("docs", path).parent.as_posix()

    def led(link: re.Match[str]) -> str:
        target = normpath(PurePosixPath(home, link["path"]).as_posix())
        name = target.removesuffix(".md")
        inside = NEIGHBOURS.get(name) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        if inside is None or files.get_file_from_path(inside) is None:
            return f"{link['before']}{SOURCE}/{target}"
        return link["before"] + relpath(inside, PurePosixPath(path).parent.as_posix())

    return "".join(
        piece if number % 2 else LINK.sub(led, piece)
        for number, piece in enumerate(re.split(r"(?ms)^(```.*?^```)", markdown))
    )


class Examples(griffe.Extension):
    """Examples in docstrings are code, wherever they stand."""

    _EXAMPLE = re.compile(r"(?m)(?:^>>> .*\n?)(?:^.+\n?)*")

    _RULE = re.compile(r"(?ms)^Rule: .*?(?:\n\n|\Z)")

    def on_object(self, *, obj: griffe.Object, **_more: Any) -> None:
        """Fence those of one object, and leave out the rule of its file, which is for those who change it."""
        if obj.docstring is not None:
            obj.docstring.value = self._EXAMPLE.sub(self._fenced, self._RULE.sub("", obj.docstring.value))

    def _fenced(self, example: re.Match[str]) -> str:
        return "\n```pycon\n" + example[0].rstrip("\n") + "\n```\n"
