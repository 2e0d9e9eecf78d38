"""The public names of the package, and how they are found."""

from __future__ import annotations

import asyncio
import builtins
import re
import subprocess
import sys
from types import ModuleType

import pytest

import anyurl
from anyurl.schemes import registry
from tests.rows import each_row

EXAMPLES = (
    "ftp://h/", "http://h/", "gopher://h/", "mailto:a@b.c", "news:a.b", "nntp://h/a.b", "telnet://h/", "wais://h/db",
    "file:///a", "prospero://h/a",
)  # fmt: skip


@each_row("name", anyurl.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(anyurl, name) is getattr(anyurl, name)
    assert name in dir(anyurl)


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'anyurl' has no attribute 'fetch'"):
        anyurl.fetch  # type: ignore[attr-defined]  # noqa: B018


def test_the_names_of_the_schemes_are_a_function_and_their_room_a_package() -> None:
    assert anyurl.known_schemes() == registry.known_schemes()
    assert isinstance(anyurl.schemes, ModuleType)
    assert not callable(anyurl.schemes)


@pytest.mark.parametrize("name", ["open", "list"])
def test_what_is_named_as_a_builtin_is_there_and_in_no_star(name: str) -> None:
    assert getattr(anyurl, name) is not getattr(builtins, name)
    assert name in dir(anyurl)


@pytest.mark.parametrize("module", ["anyurl", "anyurl.access", "anyurl.errors", "anyurl.grammar", "anyurl.text"])
def test_a_star_hides_no_builtin(module: str) -> None:
    names: dict[str, object] = {}
    exec(f"from {module} import *", names)
    assert [name for name in names if hasattr(builtins, name) and not name.startswith("__")] == []


def test_each_error_and_each_parts_class_has_its_name_here() -> None:
    errors = vars(anyurl.errors).values()
    tree = {one.__name__ for one in errors if isinstance(one, type) and one.__module__ == "anyurl.errors"}
    parts = {type(anyurl.URL(text).parts).__name__ for text in EXAMPLES}
    assert len(parts) == 10
    assert tree | parts <= set(anyurl.__all__)
    assert {name for name in parts if getattr(anyurl, name).__name__ != name} == set()


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("http://host.dom/", {"current", "rfc1738", "rfc1738-draft07", "browser"}),
        ("http://host.dom/~user", {"current", "rfc1738-draft07", "browser"}),
        ("http:host.dom\\a b", {"browser"}),
        ("1x:y", {"rfc1738", "rfc1738-draft07"}),
    ],
)
def test_one_door_to_four_grammars(text: str, reads: set[str]) -> None:
    found = set()
    for grammar in ("current", "rfc1738", "rfc1738-draft07", "browser"):
        try:
            anyurl.parse(text, grammar)
        except anyurl.errors.URLSyntaxError:
            continue
        found.add(grammar)
    assert found == reads


FRESH = {
    "lazily": "import anyurl; print('ftp' in anyurl.known_schemes())",
    "by name": "from anyurl import known_schemes; print('ftp' in known_schemes())",
    "a builtin by name": "from anyurl import list; print(list.__module__.startswith('anyurl'))",
    "after a module of it": "import anyurl.schemes.http; print('ftp' in anyurl.known_schemes())",
    "errors": "import anyurl; print(issubclass(anyurl.errors.URLSyntaxError, ValueError))",
    "the reader is wired": "from anyurl.url import URL; print(URL('http://h/a').parts.path == 'a')",
    "no grammar for nothing": "import anyurl, sys; anyurl.parse('x:'); print('anyurl.grammar' not in sys.modules)",
    "no scheme for nothing": "import anyurl, sys; anyurl.URL('http://h'); print('anyurl.schemes' not in sys.modules)",
}


@pytest.mark.parametrize("program", FRESH.values(), ids=FRESH)
def test_in_a_fresh_interpreter(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.parametrize("switches", ["-bb -X dev", "-OO -X utf8=0"])
def test_every_scheme_works_in_an_interpreter_that_is_stricter_or_leaves_out_more(switches: str) -> None:
    demo = [sys.executable, *switches.split(), "-W", "error", "-m", "anyurl", "demo"]
    done = subprocess.run(demo, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    schemes = set(re.findall("^([a-z]+):", done.stdout, re.MULTILINE))
    assert {"file", "ftp", "gopher", "http", "news", "prospero", "wais"} <= schemes


@pytest.mark.parametrize("text", ["http://[fe80::1%25eth0]/", "ftp://[fe80::1%eth0]/x"])
def test_an_address_with_a_zone_is_told_the_same_whoever_takes_it(text: str) -> None:
    """RFC 9844: a zone names an interface of one machine, and belongs into no URL."""

    async def asked() -> None:
        async with anyurl.AsyncClient() as client:
            await client.get(text)

    for call in (lambda: anyurl.URL(text), lambda: anyurl.get(text), lambda: asyncio.run(asked())):
        with pytest.raises(anyurl.URLSyntaxError, match="can't have a zone"):
            call()
