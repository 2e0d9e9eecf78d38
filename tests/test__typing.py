"""What stands for `typing` at run time: it does nothing, and keeps the values of a Literal."""

from __future__ import annotations

import subprocess
import sys
import typing

import pytest

import anyurl
from anyurl import _typing
from anyurl.dialogue import values
from tests.servers import Connection, Server


@pytest.mark.parametrize("name", ["Kind", "Verb"])
def test_a_public_literal_is_one_of_typing(name: str) -> None:
    """Whoever evaluates annotations (pydantic, typer) finds what `typing` has."""
    given = getattr(anyurl, name)
    assert typing.get_origin(given) is typing.Literal
    assert typing.get_args(given) == typing.get_args(getattr(values, name)) != ()


def test_every_name_is_there_at_run_time() -> None:
    """Type checkers see `typing`; whoever runs the code must find the same names."""
    seen = {name for name in vars(_typing) if not name.startswith("_")} - {"TYPE_CHECKING", "annotations"}
    assert {name for name in seen if not hasattr(typing, name)} == set()
    with open(_typing.__file__.replace(".pyc", ".py"), encoding="utf-8") as source:
        promised = {line.split()[-1] for line in source if line.startswith("    from typing import")}
    assert promised == seen


def test_bases_and_marks_change_nothing() -> None:
    class Box(_typing.Generic[int]):  # type: ignore[misc]
        __slots__ = ("held",)

    assert not hasattr(Box(), "__dict__")
    assert Box[str] is Box  # type: ignore[misc,comparison-overlap]
    assert _typing.cast("list[int]", 5) == 5
    assert _typing.final(Box) is Box
    assert _typing.get_args(_typing.Literal["a", "b"]) == ("a", "b")


UNUSED = ("typing", "re", "contextlib", "dataclasses", "anyurl.access.gateways", "anyurl.grammar", "anyurl.text")
"""What a plain get does not use, and others load."""

GET = """
import sys
sys.modules["cython"] = None  # Cython's own module, which is there where anyurl was built
import atexit, datetime, heapq, importlib.machinery, selectors, signal, socket, threading, weakref  # and what they load
before = set(sys.modules)
from anyurl.cli.run import run
code = run(["get", "--allow-port", sys.argv[1], f"http://127.0.0.1:{sys.argv[1]}/"])
print(code, *sorted((set(sys.modules) - before) & set(sys.argv[2:])), file=sys.stderr)
"""


def test_a_get_loads_nothing_that_it_does_not_use() -> None:
    with Server(answer) as server:
        done = subprocess.run(
            [sys.executable, "-c", GET, str(server.port), *UNUSED], capture_output=True, text=True, check=False
        )
    assert (done.stdout, done.stderr) == ("x", "0\n")


def answer(link: Connection) -> None:
    link.head()
    link.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx")
