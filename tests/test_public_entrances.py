"""Every public name, by construction: whatever can be called refuses what it does not take, in words of its own.

Rule: the entrances are those of the reference (`docs/reference.py`) and their arguments those of their signatures; what
is not tried stands below with its reason, and a name that no longer needs to stand there fails.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import anyurl
from anyurl import URL, Policy
from anyurl.schemes.registry import find_scheme
from tests.architecture.test_public_types import REFERENCE


class Wrong:
    """What no argument takes."""


GIVEN: dict[str, Any] = {
    "text": "http://h/", "url": URL("gopher://127.0.0.1/7a"), "urls": [], "source": b"", "words": "x",
    "host": "127.0.0.1", "port": 80, "scheme": "http", "policy": Policy.untrusted(), "method": "GET", "path": "/none/x",
    "name": "x", "data": ["http://h/"], "base": "http://h/", "address": "192.0.2.1", "group": "a.b", "user": "x",
    "start": 0, "who": "document", "content": b"", "explanation": anyurl.explain("http://h/"),
    "folder": "/none/x", "column": "x", "count": 1,
    "register.scheme": find_scheme("http"), "replace.data": b"", "change": str,
    "save.resource": SimpleNamespace(iter_bytes=lambda: iter(())),
}  # fmt: skip
"""What is given for the arguments that must be."""

ELSEWHERE = {
    "anyurl.adapters.pytest": "fixtures, which pytest calls",
    "anyurl.dialogue": "what a scheme asks for: the scheduler answers it, `anyurl.testing` says what is wrong with it",
    "anyurl.testing": "for tests of schemes, which fail where it breaks",
    "anyurl.world": "servers for demonstrations and tests",
    "anyurl.batch.check": "what `anyurl check` is made of; its settings are checked where they are read",
}
"""Modules, and why nothing of them is tried."""

MADE_HERE = frozenset({
    "AsyncResource", "Change", "Cookie", "Decision", "Derivation", "Difference", "Explanation", "FormalGrammar",
    "Found", "Guess", "Hop", "Mirrored", "Part", "Question", "Reading", "Repair", "Resource", "Result", "Rule",
    "Session", "Verdict", "Diagnostic", "Entry", "Scope",
})  # fmt: skip
"""Values and handles that the library makes and callers only read."""

OTHERS: dict[str, str] = {
    "Scheme": "of a scheme's author: `register` looks at it",
    "Row": "of a scheme's author: `register` looks at it",
    "Reader": "of a reader's author: `register_reader` looks at it",
    "AnyURLFileSystem": "its arguments are those of fsspec",
    "GuardedBackend": "its gate is made by the other adapters",
    "AsyncGuardedBackend": "its gate is made by the other adapters",
    "GuardedConnector": "aiohttp makes nothing without a running loop",
    "consent_to_all": "says yes to whatever it is asked",
}
ARGUMENTS: dict[str, str] = {
    "object": "anything",
    "Any": "anything; what it is is found out by its octets",
}
"""Annotations that say nothing of what is wrong."""

THEIRS = frozenset({"verify", "cert", "http1", "http2", "limits", "retries", "local_address", "socket_options",
                    "num_pools", "headers", "context", "options", "resolver"})  # fmt: skip
"""Arguments of adapters that go on to the client that is guarded, which says what it takes."""


def names() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    seen: set[int] = set()
    for module in REFERENCE.PUBLIC:
        if module in ELSEWHERE:
            continue
        for name in import_module(module).__all__:
            found = getattr(import_module(module), name)
            is_error = isinstance(found, type) and issubclass(found, BaseException)
            if callable(found) and not is_error and found.__module__ != "typing" and id(found) not in seen:
                seen.add(id(found))
                yield module, name, found


def parameters(found: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        declared = list(inspect.signature(found).parameters.values())
    except ValueError:  # a compiled class tells nothing but that it takes something
        declared = list(inspect.signature(found.__init__).parameters.values())[1:]  # type: ignore[misc]
    return [each for each in declared if each.kind is not each.VAR_KEYWORD]


def entrances() -> Iterator[tuple[str, Callable[[], Any]]]:
    for module, name, found in names():
        if name in MADE_HERE or name in OTHERS:
            continue
        declared = parameters(found)
        needed = {each.name for each in declared if each.default is each.empty and each.kind is not each.VAR_POSITIONAL}
        for each in declared:
            if str(each.annotation) in ARGUMENTS or (".adapters." in module and each.name in THEIRS):
                continue
            given = {key: GIVEN.get(f"{name}.{key}", GIVEN.get(key)) for key in needed - {each.name}}
            yield f"{module}.{name}({each.name})", called(found, each, given)


def called(found: Callable[..., Any], wrong: inspect.Parameter, given: dict[str, Any]) -> Callable[[], Any]:
    async def awaited(answer: Any) -> Any:
        return await answer

    def call() -> Any:
        if wrong.kind in (wrong.VAR_POSITIONAL, wrong.POSITIONAL_ONLY):
            answer = found(Wrong(), **given)
        else:
            answer = found(**given, **{wrong.name: Wrong()})
        return asyncio.run(awaited(answer)) if inspect.iscoroutine(answer) else answer

    return call


def why_not(call: Callable[[], Any]) -> str | None:
    """What is wrong with the answer to a wrong value."""
    try:
        call()
    except TypeError as error:
        said = str(error)
        is_pythons = "Wrong" not in said or re.match("'Wrong' object|expected (?!a )|object of type", said)
        return f"Python's own words: {said}" if is_pythons else None
    except Exception as error:
        return repr(error)
    return "it is taken"


def test_what_is_not_taken_is_told_in_words_of_our_own() -> None:
    tried = {where: why_not(call) for where, call in entrances()}
    assert {where: why for where, why in tried.items() if why is not None} == {}
    assert len(tried) > 200


def test_what_is_not_tried_is_there() -> None:
    there = {name for _, name, _ in names()}
    assert (MADE_HERE | set(OTHERS)) <= there
    assert set(ELSEWHERE) <= set(REFERENCE.PUBLIC)
