"""What a message tells its reader to do is in the reader's own language: a program's, or that of the command."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anyurl import Client
from anyurl.errors import AnyURLError
from anyurl.guard.options import from_options
from anyurl.guard.verdict import READERS, REMEDIES, aside, option
from tests.cli.runner import run
from tests.servers import Connection, Server, reply

LONG = b"x" * 4096


def part(connection: Connection) -> None:
    """Answers `/long` with much, and everything else never."""
    while head := connection.head():
        if b" /long " not in head:
            connection.wait_for_close()
            return
        connection.send(reply(LONG))


def failure(act: Callable[[], object]) -> str:
    with pytest.raises(AnyURLError) as caught:
        act()
    return str(caught.value)


def read(client: Client, url: str) -> object:
    with client:
        return client.get(url).read()


TOLD = [
    ("/never", {"timeout": 0.2}, ["--timeout", "0.2"], "0.2 seconds{}.", " (timeout=... allows more)",
     " (--timeout allows more)"),
    ("/long", {"max_bytes": 100}, ["--max-bytes", "100"], "allows no more{}.", " (max_bytes=...)", " (--max-bytes)"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "arguments", "options", "said", "program", "person"), TOLD)
def test_a_limit_names_what_raises_it_for_its_reader(
    path: str, arguments: dict[str, float], options: list[str], said: str, program: str, person: str
) -> None:
    with Server(part) as server:
        url = f"http://{server.authority}{path}"
        assert said.format(program) in failure(lambda: read(Client(**arguments), url))  # type: ignore[arg-type]
        policy = from_options(allow_private=True).replace(allow_ports=[server.port])
        assert said.format(person) in failure(lambda: read(Client(policy, **arguments), url))  # type: ignore[arg-type]
        keys = policy.replace(remedies="keys")
        assert said.format("") in failure(lambda: read(Client(keys, **arguments), url))  # type: ignore[arg-type]
        done = run("get", *options, url)
        assert said.format(person) in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("verb", "url", "program", "person"),
    [
        (
            lambda client: client.get("news:a.b"),
            "news:a.b",
            "news_server='HOST' or",
            "--news-server HOST, the variable",
        ),
    ],
)
def test_what_is_not_configured_is_named_as_its_reader_sets_it(
    verb: Callable[[Client], object], url: str, program: str, person: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NNTPSERVER", raising=False)
    with Client() as client:
        assert program in failure(lambda: verb(client))
    assert person in " ".join(run("get", url).stderr.split())


def test_each_column_of_the_table_speaks_one_language() -> None:
    for name, columns in REMEDIES.items():
        for reader, way in zip(READERS, columns, strict=True):
            assert ("--" in way) == (reader == "options" and bool(way)), (name, way)  # no option for connections
            assert reader != "arguments" or "=" in way, (name, way)
            assert option(name, reader) == (way or columns[0])
            assert aside(name, reader).startswith(" (") == bool(way)
