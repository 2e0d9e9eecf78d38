"""The examples of the reference are run, and every public member of every public class has one."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from anyurl.schemes import registry
from anyurl.url import syntax
from anyurl.world import World
from anyurl.world.world import USUAL_PORTS
from tests.architecture.test_documents import script
from tests.architecture.test_public_types import REFERENCE

EXAMPLES = script("examples")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL

INNER = {
    "anyurl.adapters.httpcore": "below httpx, whose adapter makes it",
    "anyurl.adapters.httpcore2": "below httpx2, whose adapter makes it",
}
"""Modules of which nothing is used alone."""

CALLED = {
    "AsyncGuardedTransport": {"handle_async_request", "aclose", "gate"},
    "GuardedTransport": {"handle_request", "close", "gate"},
    "GuardedAdapter": {"send", "init_poolmanager", "proxy_manager_for", "check_text"},
    "GuardedSession": {"get_adapter", "prepare_request", "rebuild_auth"},
    "GuardedPoolManager": {"urlopen", "connection_from_host", "check"},
    "GuardedConnector": {"connect"},
    "HttpxRefusedError": {"target"}, "Httpx2RefusedError": {"target"}, "RequestsRefusedError": {"target"},
    "Urllib3RefusedError": {"target"}, "AiohttpRefusedError": {"target"}, "UrllibRefusedError": {"target"},
    "FsspecRefusedError": {"target"},
    "AnyURLFileSystem": {"protocol", "async_impl", "root_marker", "unstrip_protocol", "open_async", "aclose",
                         "close", "modified"},
    "URLParam": {"convert", "name"},
    "URLField": {"validate"},
    "SmallNetwork": {"begin", "datagram_socket", "socket_to"},
    "SchemeContract": {"options", "test_every_dialogue_ends_with_an_ideal_peer",
                       "test_forbidden_octets_are_refused_before_anything_is_asked",
                       "test_it_can_be_dropped_at_every_ask",
                       "test_whatever_is_thrown_in_only_errors_of_the_tree_come_out"},
}  # fmt: skip
"""Members that another library calls, or pytest, or that `RefusedError` shows: a program has no line with them."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as running:
        yield running


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What an example registers goes with it."""
    monkeypatch.setattr("anyurl.text.readers.registry._registered", {})
    monkeypatch.setattr("anyurl.schemes.registry._registered", set())
    monkeypatch.setattr("anyurl.schemes.registry._loaded", dict(registry._loaded))
    rows = dict(syntax.ROWS)
    yield
    syntax.ROWS.clear()
    syntax.ROWS.update(rows)


def with_ports(text: str, world: World) -> str:
    """The text with the ports of the servers that run in the place of those of `anyurl serve`."""
    at = {str(port): str(world.roots[scheme].port) for scheme, port in USUAL_PORTS.items() if scheme in world.roots}
    at[str(USUAL_PORTS["mailto"])] = str(world.settings["mail_server"]).rpartition(":")[2]
    return re.sub(rf"\b(?:{'|'.join(at)})\b", lambda port: at[port[0]], text)


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("heading", list(EXAMPLES.sections()))
def test_what_stands_there_is_what_happens(
    heading: str, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in re.findall(r"\b(?:httpx2?|requests|urllib3|aiohttp|fsspec|pydantic|pyarrow|duckdb|pandas|polars)\b",
                             EXAMPLES.sections()[heading]):  # fmt: skip
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    text = with_ports(EXAMPLES.sections()[heading], world)
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, heading, None, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(test, out=report.append, clear_globs=False)
    assert report == [], "".join(report)
    assert {name: shown for name, value in test.globs.items() if " at 0x" in (shown := shown_of(value))} == {}


def shown_of(value: object) -> str:
    """What is shown of a value of ours; functions and classes are told by their names."""
    return repr(value) if type(value).__module__.startswith("anyurl") and not inspect.isroutine(value) else ""


def offered() -> Iterator[tuple[str, str, Any]]:
    """Each public class and function once: its module, its name, and itself."""
    seen: set[int] = set()
    for module in REFERENCE.PUBLIC:
        for name in REFERENCE.public_names(import_module(module)):
            value = getattr(import_module(module), name)
            is_ours = str(getattr(value, "__module__", "")).startswith("anyurl")
            if id(value) not in seen and is_ours and (isinstance(value, type) or inspect.isroutine(value)):
                seen.add(id(value))
                yield module, name, value


def lacking() -> Iterator[str]:
    for module, name, value in offered():
        if module in INNER:
            continue
        own = EXAMPLES.by_name().get(f"{module}.{name}", "")
        if not own and ">>>" not in (inspect.getdoc(value) or ""):
            yield f"{module}.{name}"
        if isinstance(value, type):
            text = own + "\n" + (inspect.getdoc(value) or "")
            used = {name for one in EXAMPLES.statements(text) for name in EXAMPLES.used(one.source)}
            for member in REFERENCE.members(value):
                alone = ">>>" in (inspect.getdoc(inspect.getattr_static(value, member, None)) or "")
                if member not in used and not alone and member not in CALLED.get(name, ()):
                    yield f"{module}.{name}.{member}"


def test_every_member_has_an_example() -> None:
    missing = list(lacking())
    assert missing == [], f"no statement in docs/examples/*.txt uses: {', '.join(missing)}"


def test_every_member_is_told() -> None:
    """By a docstring of its own, or by the list of attributes or arguments of its class: both stand on its page."""
    listed = re.compile(r"(?m)^    (?:\w+, )*(\w+)(?:, \w+)*: ")
    untold = []
    for module, name, value in offered():
        if isinstance(value, type) and module not in INNER:
            homes = [home for home in value.__mro__ if home.__module__.startswith("anyurl")]
            docs = [inspect.cleandoc(home.__doc__ or "") for home in homes]
            docs += [inspect.getdoc(vars(home).get("__init__")) or "" for home in homes]
            told = {
                one for doc in docs for entry in listed.finditer(doc) for one in re.findall(r"\w+(?=[,:])", entry[0])
            }
            told |= {
                one for one in REFERENCE.members(value) if inspect.getdoc(inspect.getattr_static(value, one, None))
            }
            untold += [f"{module}.{name}.{one}" for one in REFERENCE.members(value) if one not in told]
    assert untold == []


def test_every_section_names_what_is_public() -> None:
    there = {f"{module}.{name}" for module, name, _ in offered()}
    assert set(EXAMPLES.by_name()) - there == set()


def test_what_has_no_example_is_there() -> None:
    there = {name: value for _, name, value in offered()}
    for name, members in CALLED.items():
        assert members - set(REFERENCE.members(there[name])) == set(), name
