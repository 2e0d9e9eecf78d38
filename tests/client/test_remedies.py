"""What a message tells its reader to do is in the reader's own language: a program's, or that of the command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anyurl import URL, Client
from anyurl.batch.check.links import MalformedLink
from anyurl.batch.check.sites import Sites
from anyurl.batch.check.state import CheckState
from anyurl.batch.tables import Table
from anyurl.client.dry_run import dry_run
from anyurl.errors import AnyURLError
from anyurl.guard.options import from_options
from anyurl.guard.verdict import READERS, REMEDIES, aside, option
from anyurl.saving.save import Destination
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


def menu(connection: Connection) -> None:
    connection.line()
    connection.send(b"0a\ta\th\t70\r\n0b\tb\th\t70\r\n.\r\n")
    connection.hang_up()


def test_the_limit_of_entries_names_the_key_that_raises_it(tmp_path: Path) -> None:
    limit = tmp_path / "policy.toml"
    with Server(menu) as server:
        url = f"gopher://{server.authority}/1"
        for most, code in ((1, 7), (2, 0)):
            limit.write_text(f'policy = "open"\n[limits]\nlisting_entries = {most}\n', "utf-8")
            done = run("ls", "--policy", str(limit), url)
            assert done.exit_code == code, done.stderr
            told = "allows no more (--policy FILE, listing_entries below [limits])." in " ".join(done.stderr.split())
            assert told is (code == 7)


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


def interrupted(folder: Path) -> None:
    CheckState(str(folder / "state"), "w", resume=False, now=1.0).close()


def refuses(connection: Connection) -> None:
    while head := connection.head():
        refusal = [] if b"/nameless " in head else ["WWW-Authenticate: Negotiate", 'WWW-Authenticate: Basic realm="r"']
        connection.send(reply(b"", *refusal, status="401 Unauthorized"))


def get(path: str) -> Callable[[Path, str], object]:
    return lambda folder, place: read(Client(), path.format(place=place))


BESIDE_LIMITS: dict[str, tuple[Callable[[Path, str], object], list[str], str, str]] = {
    "a file that is there": (
        lambda folder, place: Destination(folder / "taken"),
        ["get", "-o", "{folder}/taken", "http://{place}/"],
        "a file of that name (force=True replaces it)", "a file of that name (--force replaces it)",
    ),
    "a file that a mirror did not save": (
        lambda folder, place: [str(each.error) for each in Client().mirror(f"file://{folder}/from/", folder / "to")],
        ["mirror", "file://{folder}/from/", "{folder}/to"], "(force=True replaces it)", "(--force replaces it)",
    ),
    "a scheme known by name": (
        get("ssh://h/"), ["get", "ssh://h/"], "(gateways={'ssh': 'https://gateway.example/{url}'})",
        "(--gateway 'ssh=https://gateway.example/{url}'), and a plug-in (--plugin) could",
    ),
    "a mirror of such a scheme": (
        lambda folder, place: Client().mirror("ssh://h/", folder / "to"), ["mirror", "ssh://h/", "{folder}/to"],
        "anyurl.load_plugins()", "(--plugin)",
    ),
    "what it would do with such a scheme": (
        lambda folder, place: list(dry_run("ssh://h/")), ["get", "--explain", "ssh://h/"],
        "anyurl.load_plugins()", "(--plugin)",
    ),
    "a server that names no login": (
        get("http://joe:word@{place}/nameless"), ["get", "http://joe:word@{place}/nameless"],
        "(auth={ORIGIN: Login.basic(...) or Login.bearer(...)})", "(--basic or --bearer-file)",
    ),
    "a server that offers another beside Basic": (
        get("http://joe:word@{place}/"), ["get", "http://joe:word@{place}/"],
        "it can be sent at once (auth={ORIGIN: Login.basic(...)})", "it can be sent at once (--basic)",
    ),
    "the same, of its head": (
        lambda folder, place: Client().stat(f"http://joe:word@{place}/"), ["stat", "http://joe:word@{place}/"],
        "it can be sent at once (auth={ORIGIN: Login.basic(...)})", "it can be sent at once (--basic)",
    ),
    "an interrupted check": (
        lambda folder, place: CheckState(str(folder / "state"), "w", resume=False, now=2.0),
        [], "an interrupted check (resume=True continues it)", "",
    ),
    "a table of several columns": (
        lambda folder, place: Table(str(folder / "t.csv"), None), ["columns", "{folder}/t.csv"],
        "; column=... has to name", "; --column has to name",
    ),
    "a link without a scheme": (
        lambda folder, place: MalformedLink("//h/p").finding("arguments").message,
        ["check", "{folder}/a.html"], "(base=... does)", "(--base https://... or --site does)",
    ),
    "a link out of the tree": (
        lambda folder, place: Sites((f"{folder}/from",)).judge(URL(f"file://{folder}/x")).message,
        ["check", "{folder}/from"], "checked (root='{folder}' would include it)",
        "checked (--root {folder} would include it)",
    ),
}  # fmt: skip
"""What is done, the command that does it, and what helps: for a program, for a person."""


@pytest.mark.parametrize("case", BESIDE_LIMITS)
@pytest.mark.promise("refusal")
def test_what_helps_is_named_as_its_reader_says_it(case: str, tmp_path: Path) -> None:
    act, command, program, person = BESIDE_LIMITS[case]
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "t.csv").write_text("id,url\n1,http://h/\n")
    (tmp_path / "a.html").write_text('<a href="//h/p">x</a>')
    for folder in ("from", "to"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.html").write_text(f'<a href="../x">{folder}</a>')
    interrupted(tmp_path)
    with Server(refuses) as server:
        try:
            said = str(act(tmp_path, server.authority))
        except (AnyURLError, ValueError) as error:
            said = str(error)
        assert program.replace("{folder}", str(tmp_path)) in said
        assert "--" not in said
        if command:
            words = [word.replace("{folder}", str(tmp_path)).replace("{place}", server.authority) for word in command]
            assert person.replace("{folder}", str(tmp_path)) in " ".join(run(*words).output.split())


def test_each_column_of_the_table_speaks_one_language() -> None:
    for name, columns in REMEDIES.items():
        for reader, way in zip(READERS, columns, strict=True):
            assert ("--" in way) == (reader == "options" and bool(way)), (name, way)  # no option for connections
            assert reader != "arguments" or "=" in way or way.endswith(")"), (name, way)
            assert option(name, reader) == (way or columns[0])
            assert aside(name, reader).startswith(" (") == bool(way)
