"""Each fact stands in one place: a default port in ``url/syntax.py``, the version in ``_version.py``."""

from __future__ import annotations

import ast
import re

from anyurl._version import __version__
from anyurl.url import syntax
from tests.architecture.source import ROOT, Module, modules

PORTS = {row.port for row in syntax.ROWS.values() if row.port}
FACTS = "url/syntax.py"

OTHER_FACTS = {
    "guard/ports.py": "which ports belong to other protocols is a fact of its own: the list of ports that are refused",
}
"""Modules with numbers of ports that are not a scheme's default."""


def names_a_port(text: str) -> bool:
    """A name such as ``port`` or ``FTP_PORT``; the number of a fault about ports is none."""
    if "fault" in text.lower():
        return False
    return re.search(r"(^|_|\.)ports?($|_|\b)", text, re.IGNORECASE) is not None


def is_default_port(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value in PORTS


def repeated_ports(module: Module) -> list[str]:
    """Places where a scheme's default port is written out again, as a value of something that is called a port."""
    found: list[ast.AST] = []
    for node in module.nodes:
        if isinstance(node, ast.Dict):
            found += [
                value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and key.value in syntax.ROWS and is_default_port(value)
            ]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if is_default_port(node.value) and any(names_a_port(ast.unparse(target)) for target in targets):
                found.append(node)
        elif isinstance(node, ast.keyword) and node.arg and names_a_port(node.arg) and is_default_port(node.value):
            found.append(node.value)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(is_default_port, sides)) and any(names_a_port(ast.unparse(side)) for side in sides):
                found.append(node)
        elif isinstance(node, ast.arguments):
            named = [*zip(reversed(node.posonlyargs + node.args), reversed(node.defaults), strict=False)]
            named += [(arg, default) for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True) if default]
            found += [default for arg, default in named if names_a_port(arg.arg) and is_default_port(default)]
    return [module.at(node) for node in found]


def test_a_default_port_stands_in_one_place() -> None:
    elsewhere = [module for module in modules() if module.path not in {FACTS, *OTHER_FACTS}]
    assert [place for module in elsewhere for place in repeated_ports(module)] == []


def test_the_version_stands_in_one_place() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    assert [module.path for module in modules() if f'"{__version__}"' in module.text] == ["_version.py"]
    assert __version__ not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
