"""One state, one writer: whose file may change what of a transfer, and what a client sees of it.

Rule: an object of each of these classes is named as the class is (``task``, ``stream``, ``timing``, ``parties``,
``turn``); under another name, an attribute that only one of them has gives it away.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.stream import Stream
from anyurl.net.loop.task import Task, Timing
from anyurl.net.loop.turns import Turn
from tests.architecture.source import SRC, Module, modules

LOOP = "net/loop/"
WRITERS = {
    Task: {LOOP + "task.py"},
    Timing: {LOOP + "task.py", LOOP + "clocks.py"},
    Stream: {LOOP + "stream.py"},
    Parties: {LOOP + "provenance.py"},
    Turn: {LOOP + "turns.py", LOOP + "manners.py"},
}
BESIDE = {
    (Task, "turn"): {LOOP + "manners.py"},
    (Task, "counted"): {LOOP + "scheduler.py"},
    (Stream, "notify"): {"client/aio.py", "client/mapper.py", "client/together.py"},  # it is the consumer's
    (Stream, "attended"): {"client/session.py", "client/aio_session.py"},
}
FOR_THE_CONSUMER = {
    "parties", "notify", "described", "notes", "unproved", "secrets", "outbox", "unread", "emitted", "entries", "held",
    "channel", "inputs", "hears", "attended", "follow", "error", "refused", "way_made", "done", "deadline", "has_room",
    "pull", "take", "take_octets", "whole", "demand", "go_on", "give", "close", "abandon",
}  # fmt: skip


def slots(owned: type) -> set[str]:
    """The attributes of a class: its slots, or what is declared for the compiler."""
    tree = next(
        module.tree for module in modules() if f"anyurl.{module.path[:-3].replace('/', '.')}" == owned.__module__
    )
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owned.__name__)
    (named,) = (
        node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__slots__"
    )
    return set(ast.literal_eval(named)) - {"__weakref__"}


SLOTS = {owned: slots(owned) for owned in WRITERS}
NAMES = {owned.__name__.lower(): owned for owned in WRITERS}


def of(module: Module, target: ast.Attribute) -> type | None:
    """The class whose object is written."""
    receiver = target.value
    name = receiver.attr if isinstance(receiver, ast.Attribute) else getattr(receiver, "id", "")
    if name.lstrip("_") in NAMES:
        owned = NAMES[name.lstrip("_")]
        return owned if target.attr in SLOTS[owned] else None
    if name == "self":
        return None
    having = [owned for owned in SLOTS if target.attr in SLOTS[owned]]
    return having[0] if len(having) == 1 and module.room == "net" and target.attr not in others() else None


@cache
def others() -> set[str]:
    """The attributes that classes of other files have."""
    files = (module for module in modules() if module.path not in set().union(*WRITERS.values()))
    return {
        node.attr
        for module in files
        for node in module.nodes
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"
    }


def strange_writers(all_modules: tuple[Module, ...]) -> list[str]:
    found = []
    for module in all_modules:
        for node in module.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                owned = of(module, node)
                if owned is not None and module.path not in WRITERS[owned] | BESIDE.get((owned, node.attr), set()):
                    found.append(f"{module.at(node)}: {ast.unparse(node)} is {owned.__name__}'s")
    return found


def test_each_state_of_a_transfer_has_one_writer() -> None:
    assert strange_writers(modules()) == []


def test_of_a_transfer_other_rooms_see_its_stream() -> None:
    """No room outside of `net` names a task or its time, nor speaks for the dialogue of a stream."""
    strange = []
    for module in modules():
        if module.room == "net":
            continue
        strange += [
            module.at(node)
            for name, node in module.imports()
            if name in ("anyurl.net.loop.task.Task", "anyurl.net.loop.clocks")
        ]
        if module.room not in ("client", "saving"):
            continue
        for node in module.nodes:
            if isinstance(node, ast.Attribute):
                is_stream = ast.unparse(node.value).rpartition(".")[2].lstrip("_") == "stream"
                if node.attr in ("timing", "clocks") or (is_stream and node.attr not in FOR_THE_CONSUMER):
                    strange.append(f"{module.at(node)}: {ast.unparse(node)}")
    assert strange == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("net/loop/handlers.py", "def f(task): task.stream.held = True"),
        ("net/loop/relays.py", "def f(task, n): task.stream.emitted += n"),
        ("net/http/request.py", "class T:\n    def f(self): self.task.timing.waits_until = None"),
        ("net/http/upload.py", "def f(each): each.waits_until, x = None, 1"),
        ("client/redirect.py", "def f(parties): parties.stands_for = None"),
        ("client/session.py", "class S:\n    def f(self): self._stream.held = True"),
        ("net/loop/scheduler.py", "def f(task): del task.turn"),
    ],
)
def test_a_strange_writer_is_found(path: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    assert len(strange_writers((Module(file, tmp_path),))) == 1


def test_the_files_of_the_writers_are_there() -> None:
    named = set().union(*WRITERS.values(), *BESIDE.values())
    assert [path for path in sorted(named) if not (SRC / path).is_file()] == []
