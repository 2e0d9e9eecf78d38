"""The public names of the package, and how they are found."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import anyurl
from anyurl.schemes import registry


@pytest.mark.parametrize("name", anyurl.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(anyurl, name) is getattr(anyurl, name)
    assert name in dir(anyurl)


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'anyurl' has no attribute 'fetch'"):
        anyurl.fetch  # type: ignore[attr-defined]  # noqa: B018


def test_schemes_is_the_package_and_the_function() -> None:
    """Importing ``anyurl.schemes.x`` binds the package to the name of the function: it must stay one."""
    assert isinstance(anyurl.schemes, ModuleType)
    assert anyurl.schemes() == registry.schemes()


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
    "lazily": "import anyurl; print('ftp' in anyurl.schemes())",
    "by name": "from anyurl import schemes; print('ftp' in schemes())",
    "after a module of it": "import anyurl.schemes.http; print('ftp' in anyurl.schemes())",
    "errors": "import anyurl; print(issubclass(anyurl.errors.URLSyntaxError, ValueError))",
    "the reader is wired": "from anyurl.url import URL; print(URL('http://h/a').parts.path == 'a')",
    "no grammar for nothing": "import anyurl, sys; anyurl.parse('x:'); print('anyurl.grammar' not in sys.modules)",
    "no scheme for nothing": "import anyurl, sys; anyurl.URL('http://h'); print('anyurl.schemes' not in sys.modules)",
}


@pytest.mark.parametrize("program", FRESH.values(), ids=FRESH)
def test_in_a_fresh_interpreter(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")
