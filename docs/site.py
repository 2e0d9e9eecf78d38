"""What the site of the documents has beside docs/: hooks of mkdocs, which `scripts/site` runs.

Rule: nothing is written twice. The README and its neighbours are pages as they are, the reference is made from the
docstrings of the public modules, and a link that leads out of the documents leads to the source, wherever it is kept.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from types import ModuleType
from typing import Any

import griffe
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
SOURCE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
NEIGHBOURS = {name: f"{name.lower()}.md" for name in ("README", "SECURITY", "CHANGELOG", "CONTRIBUTING")}
"""Files beside docs/ and the pages that they are."""

LINK = re.compile(r"""(?P<before>\]\(|\b(?:src|href)=")(?P<path>(?![a-z]+:|#|/)[^)"#\s]+)""")
ROW = re.compile(r"^## (anyurl\S*)$|^\| `(\w+)` \| (.*) \|$", re.MULTILINE)
ATTRIBUTES = re.compile(r"(?m)^Attributes:\n((?:    .*\n?|\n)+)")


@cache
def script(name: str) -> ModuleType:
    """Another script of this folder, which is no package."""
    spec = spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def public_names() -> dict[str, dict[str, str]]:
    """What each public module offers, with its sentence, as docs/python.md has it, which follows from the code."""
    found: dict[str, dict[str, str]] = {}
    module = ""
    for heading, name, sentence in ROW.findall((ROOT / "docs" / "python.md").read_text("utf-8")):
        module = heading or module
        if module:
            found.setdefault(module, {}).update({name: sentence} if name and not name.startswith("__") else {})
    return found


@cache
def homes() -> dict[str, griffe.Object]:
    """The object of each public name: ``anyurl.Client``, and what is the same under another module."""
    package = griffe.load("anyurl", search_paths=[ROOT / "src"], resolve_aliases=True)
    found: dict[str, griffe.Object] = {}
    for module, names in public_names().items():
        for name in names:
            known = package[f"{module}.{name}".removeprefix("anyurl.")]
            if known.is_module and name in known.members:  # a function in a module of its own that has its name
                known = known.members[name]
            found[f"{module}.{name}"] = known.final_target if isinstance(known, griffe.Alias) else known
    return found


def anchor(name: str) -> str:
    """The name under which mkdocstrings finds it: where a module has the name, the function in it."""
    path = homes()[name].path
    return path if path.startswith(f"{name}.") else name


@cache
def pages() -> dict[str, str]:
    """The page of each class, by the first public name that it has; and which name that is for the others."""
    first: dict[str, str] = {}
    return {name: first.setdefault(home.path, name) for name, home in homes().items() if isinstance(home, griffe.Class)}


def class_page(name: str) -> str:
    """One class: what it is, its examples, its members."""
    options = "{ heading_level: 1, show_root_heading: true, show_root_full_path: false, show_root_toc_entry: true }"
    text = script("examples").by_name().get(name, "")
    module = name.rpartition(".")[0]
    pieces = [f"::: {name}\n    options: {options}", f"[All of `{module}`]({module}.md)"]
    if text:
        pieces[1:1] = ["## Examples", script("examples").in_markdown(text)]
    return "\n\n".join(pieces) + "\n"


def module_page(module: str) -> str:
    """What a module offers: its classes as a table that leads to their pages, and its functions here."""
    names = public_names()[module]
    pieces = [f"# {module}", f"::: {module}\n    options: {{ members: false }}"]
    rows = [
        f"| [`{name}`]({pages()[f'{module}.{name}']}.md) | {sentence} |"
        for name, sentence in names.items()
        if f"{module}.{name}" in pages()
    ]
    if rows:
        pieces += ["## Classes", "\n".join(["| class | |", "|---|---|", *rows])]
    others = [name for name in names if f"{module}.{name}" not in pages()]
    options = "{ heading_level: 3, show_root_heading: true, show_root_full_path: false, show_root_toc_entry: true }"
    shown: set[str] = set()
    for name in others:
        if not shown:
            pieces.append("## Functions and types" if rows else "## Contents")
        pieces.append(f"::: {anchor(f'{module}.{name}')}\n    options: {options}")
        text = script("examples").by_name().get(f"{module}.{name}", "")
        if text and text not in shown:
            pieces.append(script("examples").in_markdown(text))
        shown.add(text)
    return "\n\n".join(pieces) + "\n"


def reference() -> dict[str, str]:
    """The pages of the reference by their names: one for each module, one for each class."""
    made = {module: module_page(module) for module in public_names()}
    return made | {name: class_page(name) for name in dict.fromkeys(pages().values())}


def on_config(config: Any) -> Any:
    """The pages of the reference stand below that of the names."""
    (below,) = (entry["From Python"] for entry in config.nav if "From Python" in entry)
    for module in public_names():
        own = [name for name in dict.fromkeys(pages().values()) if name.rpartition(".")[0] == module]
        listed = [{name.rpartition(".")[2]: f"reference/{name}.md"} for name in own]
        below.append({module: [f"reference/{module}.md", *listed]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add what is no file of docs/."""
    for name, page in NEIGHBOURS.items():
        files.append(File.generated(config, page, content=(ROOT / f"{name}.md").read_text("utf-8")))
    for name, content in reference().items():
        files.append(File.generated(config, f"reference/{name}.md", content=content))
    return files


def with_links(markdown: str) -> str:
    """The page of the names, each of which leads to where it is told."""
    module = ""

    def led(row: re.Match[str]) -> str:
        nonlocal module
        heading, name, sentence = row.groups()
        module = heading or module
        if heading:
            return f"## [{heading}](reference/{heading}.md)"
        if name not in public_names().get(module, {}):
            return row[0]
        page = pages().get(f"{module}.{name}")
        target = f"reference/{page}.md" if page else f"reference/{module}.md#{anchor(f'{module}.{name}')}"
        return f"| [`{name}`]({target}) | {sentence} |"

    return ROW.sub(led, markdown)


def on_page_markdown(markdown: str, page: Any, files: Files, **_more: Any) -> str:
    """Lead the links to where things are in the site, and what is not in it to the source."""
    path = page.file.src_uri
    if path == "python.md":
        markdown = with_links(markdown)
    if path.startswith("reference/"):  # made here: its links are where they lead
        return markdown
    home = "" if path in NEIGHBOURS.values() else PurePosixPath("docs", path).parent.as_posix()

    def led(link: re.Match[str]) -> str:
        target = normpath(PurePosixPath(home, link["path"]).as_posix())
        name = target.removesuffix(".md")
        inside = NEIGHBOURS.get(name) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        if inside is None or files.get_file_from_path(inside) is None:
            return f"{link['before']}{SOURCE}/{target}"
        return link["before"] + relpath(inside, PurePosixPath(path).parent.as_posix())

    def coloured(block: str) -> str:
        """What is typed and what is answered differ in their colours."""
        return block.replace("```python", "```pycon", 1) if ">>> " in block else block

    return "".join(
        coloured(piece) if number % 2 else LINK.sub(led, piece)
        for number, piece in enumerate(re.split(r"(?ms)^(```.*?^```)", markdown))
    )


class Examples(griffe.Extension):
    """Examples in docstrings are code; members have those of docs/examples, and what their bases tell of them."""

    _EXAMPLE = re.compile(r"(?m)(?:^>>> .*\n?)(?:^.+\n?)*")

    _RULE = re.compile(r"(?ms)^Rule: .*?(?:\n\n|\Z)")

    def on_object(self, *, obj: griffe.Object, **_more: Any) -> None:
        """Fence those of one object, and leave out the rule of its file, which is for those who change it."""
        if obj.docstring is not None and not obj.is_alias:
            obj.docstring.value = self._EXAMPLE.sub(self._fenced, self._RULE.sub("", obj.docstring.value))

    def on_package(self, *, pkg: griffe.Module, **_more: Any) -> None:
        """Now that each class knows its bases."""
        self.on_object(obj=pkg)
        examples = script("examples")
        for name, home in homes().items():
            if pages().get(name) != name:
                continue
            kind = pkg[home.path.removeprefix("anyurl.")]
            self._inherit(kind)
            self._adopt(kind, [pkg["url.operations"], pkg["url.paths"]] if kind.path == "anyurl.url.url.URL" else [])
            for one in (kind, *kind.mro()):
                for member in one.members.values():
                    self._show(member, examples.of_member(examples.by_name().get(name, ""), member.name))

    @staticmethod
    def _adopt(kind: griffe.Class, homes: list[griffe.Module]) -> None:
        """A member that is a function of another module is told as that function."""

        def own(returned: str | griffe.Expr | None) -> str | griffe.Expr | None:
            return kind.name if str(returned) == "U" else returned  # the class itself

        for name, member in list(kind.members.items()):
            function = next((home.members[name] for home in homes if name in home.members), None)
            if member.docstring is not None or function is None or function.docstring is None:
                continue
            docstring = griffe.Docstring(function.docstring.value, parser="google")
            value = str(getattr(member, "value", ""))
            if "Derived(" in value:
                made: griffe.Object = griffe.Attribute(name, annotation=own(function.returns), docstring=docstring)
                made.labels.add("property")
            else:
                arguments = list(function.parameters)[1 if value else 0 :]  # the first one is the object
                made = griffe.Function(name, parameters=griffe.Parameters(*arguments), returns=own(function.returns))
                made.docstring = docstring
            docstring.parent = made
            kind.set_member(name, made)

    def _inherit(self, kind: griffe.Class) -> None:
        """The attributes that the bases tell of are this class's, too."""
        if kind.docstring is None:
            return
        own = ATTRIBUTES.search(kind.docstring.value)
        known = set(re.findall(r"(?m)^    (\w+): ", own[1] if own else ""))
        lines = ""
        for base in kind.mro():
            told = ATTRIBUTES.search(base.docstring.value if base.docstring else "")
            for entry in re.findall(r"(?m)^    \w+: .*\n(?:     +.*\n)*", (told[1].rstrip() + "\n") if told else ""):
                name = entry.strip().partition(":")[0]
                lines += "" if name in known else entry
                known.add(name)
        if lines and own:
            text = kind.docstring.value
            kind.docstring.value = f"{text[: own.start(1)]}{own[1].rstrip()}\n{lines.rstrip()}\n\n{text[own.end(1) :]}"
        elif lines:
            kind.docstring.value += f"\n\nAttributes:\n{lines}"

    @staticmethod
    def _show(member: griffe.Object | griffe.Alias, example: str) -> None:
        """Put an example to a member that has none; `on_object`, which comes later, fences it."""
        if example and not member.is_alias and member.docstring is not None and ">>>" not in member.docstring.value:
            member.docstring.value += f"\n\n{example}"

    def _fenced(self, example: re.Match[str]) -> str:
        return "\n```pycon\n" + example[0].rstrip("\n") + "\n```\n"
