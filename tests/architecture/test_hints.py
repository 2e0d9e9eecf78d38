"""What is public can be read at run time: hints, signatures, what an editor completes. And an edited source runs."""

from __future__ import annotations

import gc
import inspect
import shutil
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, finalize

import pytest

import anyurl
from anyurl import Found, Resource
from anyurl.dialogue import Channel, Describe, Relay, Request, Response
from anyurl.net.http.body import Body
from anyurl.values import STRANGER
from tests.architecture.test_documents import script
from tests.rows import each_row

REFERENCE = script("reference")
HOME = Path(anyurl.__file__).parent

OF_A_LIBRARY = {
    "anyurl.adapters.requests.GuardedAdapter",
    "anyurl.adapters.requests.GuardedSession",
    "anyurl.adapters.requests.RequestsRefusedError",
}
"""Classes whose base, in requests, annotates its attributes with names that only type checkers see."""


def public() -> Iterator[tuple[str, Any]]:
    """Each public class and function with its full name, and each public method and constructor of a class."""
    seen: set[int] = set()
    for module_name in REFERENCE.PUBLIC:
        module = import_module(module_name)
        for name in module.__all__:
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isroutine(value)) or id(value) in seen:
                continue
            seen.add(id(value))
            yield f"{module_name}.{name}", value
            for member, inner in vars(value).items() if inspect.isclass(value) else ():
                function = getattr(inner, "__func__", inner)
                if (member == "__init__" or not member.startswith("_")) and inspect.isroutine(function):
                    yield f"{module_name}.{name}.{member}", function


def failing(read: Callable[[Any], object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in public():
        try:
            read(value)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def test_all_hints_can_be_read() -> None:
    """Dependency injectors, validators and documentation tools evaluate them."""
    found = failing(typing.get_type_hints)
    assert {name: why for name, why in found.items() if name not in OF_A_LIBRARY} == {}


def test_all_signatures_can_be_read() -> None:
    assert failing(inspect.signature) == {}


SAYS_ITS_OWN = [anyurl.URL, Found, Channel, Describe, Relay, Request, Resource, Response]
"""Public classes that are compiled: C keeps no signature of a constructor."""


@each_row("kind", SAYS_ITS_OWN, ids=lambda kind: kind.__name__)
def test_the_signature_of_a_compiled_class_is_that_of_its_constructor(kind: type) -> None:
    said = inspect.signature(kind)
    assert "self" not in said.parameters
    assert said.return_annotation is inspect.Signature.empty
    if inspect.isfunction(kind.__init__):  # not compiled
        constructor = inspect.signature(kind.__init__)
        assert list(said.parameters.values()) == list(constructor.parameters.values())[1:]


def test_a_signature_has_types_and_defaults() -> None:
    assert str(inspect.signature(anyurl.URL)) == "(text: 'str | bytes | URL')"
    assert str(inspect.signature(Relay)) == "(channel: 'Channel', limit: 'int | None' = None)"
    assert inspect.signature(Found).parameters["origin"].default is STRANGER


def test_a_class_that_inherits_has_the_signature_of_its_own_constructor() -> None:
    assert list(inspect.signature(Body).parameters) == ["go_on", "give_up", "limits"]


FOR_EVER = {"anyurl.Row", "anyurl.Scheme"}
"""What a scheme is, which lives as long as the process."""

ASKS = "anyurl.dialogue."
"""Those of a dialogue live for a step: a transfer makes thousands."""


def test_what_a_caller_gets_can_be_weakly_referenced() -> None:
    """Caches that forget with the value, and what has to happen when it goes."""
    classes = {name: value for name, value in public() if inspect.isclass(value)}
    without = {name for name, kind in classes.items() if kind.__weakrefoffset__ == 0 and not issubclass(kind, int)}
    assert {name for name in without if not name.startswith(ASKS)} == FOR_EVER


def test_a_weak_reference_ends_with_its_value() -> None:
    url = anyurl.URL("http://h.example/")
    found = next(iter(anyurl.find("see http://h.example/ now")))
    known = WeakKeyDictionary({url: 1, found: 2, anyurl.Policy.untrusted().check(url): 3})
    gc.collect()
    assert dict(known) == {url: 1, found: 2}
    assert known[anyurl.URL("http://h.example/")] == 1
    ended: list[str] = []
    finalize(url, ended.append, "url")
    del url
    gc.collect()
    assert (ended, list(known.values())) == (["url"], [2])


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("import anyurl\nanyurl.URL('x').", "join"),
        ("import anyurl\nanyurl.Client().", "mirror"),
        ("import anyurl\nanyurl.get('x').", "iter_bytes"),
        ("import anyurl.guard\nanyurl.guard.Policy.", "untrusted"),
        ("import anyurl\nfor found in anyurl.find('x'): found.", "alternatives"),
    ],
)
def test_an_editor_completes(program: str, name: str) -> None:
    jedi = pytest.importorskip("jedi")
    project = jedi.Project("/", added_sys_path=[str(HOME.parent)])
    assert name in [one.name for one in jedi.Script(program, project=project).complete()]


@pytest.mark.parametrize("module", ["guard/policy.py", "errors/__init__.py", "schemes/registry.py"])
def test_an_edited_source_is_what_runs(module: str, tmp_path: Path) -> None:
    """Whoever debugs or patches an installed package in place must not be misled."""
    shutil.copytree(HOME, tmp_path / "anyurl", ignore=shutil.ignore_patterns("data"))
    file = tmp_path / "anyurl" / module
    file.write_text(file.read_text("utf-8") + "\nEDITED = True\n", "utf-8")
    name = "anyurl." + module.removesuffix(".py").replace("/", ".")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {name} as module; print(module.EDITED)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
