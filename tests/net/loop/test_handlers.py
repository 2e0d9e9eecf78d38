"""Handlers: what an ask is answered with where the answer takes more than one turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyurl import Policy
from anyurl.dialogue import Commit, Connect, Dialogue, Emit, ListFolder, OpenFile, OpenFolder, Receive, Send, StatFile
from anyurl.errors import AnyURLError, LimitError, LocalProtocolError, RefusedError
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.scheduler import Scheduler
from tests.net.connecting import echo, run
from tests.servers import Server


@pytest.mark.parametrize("most", [2, 3])
def test_a_directory_is_listed_as_far_as_its_limit_allows(tmp_path: Path, most: int) -> None:
    for name in "abc":
        (tmp_path / name).touch()
    policy = Policy.open()
    scheduler = Scheduler(policy.replace(limits=policy.limits.replace(listing_entries=most)), handlers)

    def listing() -> Dialogue:
        folder = yield from OpenFolder(str(tmp_path))
        try:
            facts = yield from ListFolder(folder)
        except LimitError as error:
            yield from Emit(b"refused")
            raise error
        yield from Emit(" ".join(each.name for each in facts).encode())
        return None

    try:
        if most == 3:
            assert run(scheduler, listing, "file:///x") == b"a b c"
        else:
            with pytest.raises(LimitError, match="has more than 2 entries"):
                run(scheduler, listing, "file:///x")
    finally:
        scheduler.close()


@pytest.mark.parametrize(
    ("url", "policy"),
    [("ftp://h/x", Policy.open()), ("file:///x", Policy.open().replace(files=False))],
    ids=["another scheme", "another policy"],
)
@pytest.mark.parametrize("mode", ["stat", "folder", "read", "write", "append"])
def test_no_ask_reaches_a_file_but_of_a_file_url_that_the_policy_lets(
    tmp_path: Path, url: str, policy: Policy, mode: str
) -> None:
    """Whatever a scheme asks for: a plug-in could ask for anything."""
    path = tmp_path / "file"
    path.write_bytes(b"x")
    asks = {"stat": lambda: StatFile(str(path)), "folder": lambda: OpenFolder(str(tmp_path))}
    refused: list[AnyURLError] = []

    def dialogue() -> Dialogue:
        try:
            if mode in asks:
                yield from asks[mode]()
            else:
                yield from OpenFile(str(path), mode)  # type: ignore[arg-type]
        except RefusedError as error:
            refused.append(error)
        return None

    scheduler = Scheduler(Policy.open(), handlers)
    try:
        scheduler.policy = policy  # after the one that judges URLs was made
        run(scheduler, dialogue, url)
    finally:
        scheduler.close()
    assert len(refused) == 1
    assert "does not reach the files of this machine" in str(refused[0])
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (Commit, "Only a file can be committed"),
        (ListFolder, "Only a directory can be listed"),
    ],
)
def test_a_connection_is_neither_a_file_nor_a_directory(ask: Any, what: str) -> None:
    def dialogue() -> Dialogue:
        channel = yield from Connect(server.host, server.port)
        try:
            yield from ask(channel)
        except LocalProtocolError as error:
            yield from Emit(str(error).encode())
        yield from Send(channel, b"ping")
        yield from Emit((yield from Receive(channel)))
        return None

    scheduler = Scheduler(Policy.open(), handlers)
    with Server(echo) as server:
        assert run(scheduler, dialogue) == f"{what}.ping".encode()
    scheduler.close()
