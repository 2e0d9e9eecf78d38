"""What anyurl offers, as a list of names: ``python -m tests.architecture.surface`` writes it down.

Rule: it is written down when a version is released, and then only. Until the next one the changelog names what has come
and what has gone since, which `test_surface` looks at.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module

import click

from anyurl.values import RecordType, Value
from tests.architecture.source import ROOT, Function, modules
from tests.architecture.test_documents import script
from tests.test_public_entrances import MADE_HERE

KEPT = ROOT / "tests" / "architecture" / "surface.txt"
HEAD = "# Written by `python -m tests.architecture.surface` when a version is released.\n"
REFERENCE = script("reference")


def surface() -> frozenset[str]:
    """Every public name of Python, every member and argument of it, every command, option, exit code and code."""
    return frozenset((*python(), *commands(), *codes()))


def python() -> Iterator[str]:
    """``anyurl.url Part`` is a name at its door, ``Part.label`` a member, ``find(text)`` an argument."""
    from anyurl.client.options import OPTIONS

    yield from (f"Client({option.name})" for option in OPTIONS)
    for door in REFERENCE.PUBLIC:
        module = import_module(door)
        for name in REFERENCE.public_names(module):
            yield f"{door} {name}"
            value = getattr(module, name)
            for home in getattr(value, "__mro__", (value,)):
                where = str(getattr(home, "__module__", None))
                if where.partition(".")[0] == "anyurl" and hasattr(home, "__name__"):
                    yield from of_definition(name, where, home.__name__, is_record(home))


def is_record(home: object) -> bool:
    """Whether its fields are only the arguments of its constructor; those of a Value are members."""
    return isinstance(home, RecordType) and not issubclass(home, Value)


def of_definition(owner: str, where: str, name: str, record: bool) -> Iterator[str]:
    """What a class or function has, under the name by which it is offered; who only reads a value makes none."""
    path = where.removeprefix("anyurl").lstrip(".").replace(".", "/")
    homes = (f"{path}.py", f"{path}/__init__.py".lstrip("/"))
    for node in (node for home, node in definitions()[name] if home in homes):
        if isinstance(node, Function):
            yield from (f"{owner}({argument})" for argument in arguments(node))
            continue
        for one in node.body:
            if isinstance(one, Function) and one.name == "__init__" and owner not in MADE_HERE:
                yield from (f"{owner}({argument})" for argument in arguments(one))
            elif isinstance(one, Function) and is_public(one.name):
                yield f"{owner}.{one.name}"
                yield from (f"{owner}.{one.name}({argument})" for argument in arguments(one))
            elif isinstance(one, ast.AnnAssign | ast.Assign):
                targets = [one.target] if isinstance(one, ast.AnnAssign) else one.targets
                names = [target.id for target in targets if isinstance(target, ast.Name)]
                shown = f"{owner}(%s)" if record else f"{owner}.%s"
                yield from (shown % each for each in names if is_public(each))
                if isinstance(
                    one.value, ast.Attribute
                ):  # a function of another module, whose first argument is the object
                    taken = [argument for _, found in definitions()[one.value.attr] if isinstance(found, Function)
                             for argument in list(arguments(found))[1:]]  # fmt: skip
                    yield from (
                        f"{owner}.{each}({argument})" for each in names if is_public(each) for argument in taken
                    )


@cache
def definitions() -> defaultdict[str, list[tuple[str, Function | ast.ClassDef]]]:
    """The classes and functions at the top of the modules, by name: the path of the module, and the tree."""
    found: defaultdict[str, list[tuple[str, Function | ast.ClassDef]]] = defaultdict(list)
    for module in modules():
        for node in module.tree.body:
            if isinstance(node, Function | ast.ClassDef):
                found[node.name].append((module.path, node))
    return found


def arguments(node: Function) -> Iterator[str]:
    """The names by which it takes arguments; those of a TypedDict, where it takes what that has."""
    given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    yield from (each.arg for each in given if each.arg not in ("self", "cls") and is_public(each.arg))
    if node.args.kwarg is not None and node.args.kwarg.annotation is not None:
        unpacked = re.search(r"Unpack\[(\w+)\]", ast.unparse(node.args.kwarg.annotation))
        for _, kind in definitions()[unpacked[1]] if unpacked else ():
            yield from (
                one.target.id
                for one in kind.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            )


def is_public(name: str) -> bool:
    """Whether a name does not begin with an underscore."""
    return not name.startswith("_")


def commands() -> Iterator[str]:
    """``anyurl get`` is a command, ``anyurl get --output`` an option."""
    from anyurl.cli.app import COMMANDS, app

    context = click.Context(app, info_name="anyurl")
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        yield f"anyurl {name}"
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                yield from (f"anyurl {name} {each}" for each in (*option.opts, *option.secondary_opts))


def codes() -> Iterator[str]:
    """The codes by which a program tells cases apart: ``code bad-port`` of a fault or a refusal, ``exit 3``."""
    from anyurl.cli.exits import MEANINGS
    from anyurl.guard.verdict import CODES
    from anyurl.url.faults import FAULTS

    yield from (f"exit {code}" for code in MEANINGS)
    yield from (f"code {code}" for code in CODES)
    yield from (f"code {code}" for code, *_ in FAULTS.values())
    yield from (f"code {kind}" for kind, _, place in REFERENCE.said() if not place and kind != "...")


def kept() -> frozenset[str]:
    """What the released version has."""
    return frozenset(line for line in KEPT.read_text("utf-8").splitlines() if not line.startswith("#"))


if __name__ == "__main__":
    KEPT.write_text(HEAD + "".join(f"{line}\n" for line in sorted(surface())), encoding="utf-8")
