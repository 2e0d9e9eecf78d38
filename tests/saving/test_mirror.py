"""Mirrors of servers of our own, of hostile ones, and of a process that is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from anyurl import URL, Client, Policy
from anyurl.errors import LocalFileError, RefusedError, ReplyError, SchemeError, UnsupportedError
from anyurl.files.rooted import RootedFolder
from anyurl.saving.mirror import Mirror
from anyurl.saving.tree import MENU_FILE
from anyurl.saving.worklist import NAME, Worklist
from anyurl.schemes.http.fields import format_date
from tests.schemes.ftp.small_server import ftp_part
from tests.servers import Connection, Server, reply


def files(folder: Path) -> dict[str, bytes]:
    """What is in the folder, without the records of mirrors and the menus of gopher, which are not counted as saved."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (NAME, MENU_FILE)
    }


@contextmanager
def world(scheme: str) -> Iterator[URL]:
    server = import_module(f"anyurl.world.{scheme}").start()
    try:
        yield server.root
    finally:
        server.close()


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


DOCUMENTS = {"index.html", "motd.txt", "pub/notes.txt", "pub/names/grüße.txt"}


@pytest.mark.parametrize("scheme", ["files", "ftp", "gemini", "gopher", "http", "prospero"])
def test_everything_below_and_the_second_time_nothing(scheme: str, tmp_path: Path, client: Client) -> None:
    with world(scheme) as root:
        first = list(client.mirror(root, tmp_path))
        came = files(tmp_path)
        assert set(came) >= DOCUMENTS
        assert Counter(each.outcome for each in first)["saved"] == len(came)
        with client.get(f"{root}pub/notes.txt" if scheme not in ("gopher", "prospero") else _notes(root)) as resource:
            assert came["pub/notes.txt"] == resource.read()
        second = Counter(each.outcome for each in client.mirror(root, tmp_path))
    assert files(tmp_path) == came
    if scheme not in ("gemini", "gopher"):  # whose servers say neither sizes nor times
        assert (second["saved"], second["kept"]) == (0, len(came))


def test_earlier_attempts_are_looked_for_where_there_can_be_some(
    tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    stat = RootedFolder.stat

    def seen(folder: RootedFolder, local: str) -> os.stat_result | None:
        looked.append(local)
        return stat(folder, local)

    monkeypatch.setattr(RootedFolder, "stat", seen)
    with world("ftp") as root:
        list(client.mirror(root, tmp_path / "new"))
        assert not [local for local in looked if local.endswith("-part")]
        (tmp_path / "old").mkdir()
        list(client.mirror(root, tmp_path / "old"))
    assert {local for local in looked if local.endswith("-part")} >= {f"{local}.anyurl-part" for local in DOCUMENTS}
    assert files(tmp_path / "new") == files(tmp_path / "old")


def _notes(root: URL) -> str:
    return f"{root}00/pub/notes.txt" if root.scheme == "gopher" else f"{root}/pub/notes.txt"


def test_the_articles_of_a_news_server(tmp_path: Path, client: Client) -> None:
    with world("news") as root:
        outcomes = Counter(each.outcome for each in client.mirror(root, tmp_path))
    assert outcomes["saved"] == len(files(tmp_path)) == 4
    assert b"\n\n" in files(tmp_path)["world.announce/welcome@world.example"].replace(b"\r", b"")


def test_times_are_kept_and_what_changed_comes_anew(tmp_path: Path, client: Client) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    (source / "a").write_bytes(b"old")
    (source / "b").write_bytes(b"same")
    os.utime(source / "a", (1_000_000_000, 1_000_000_000))
    list(client.mirror(f"file://{source}/", copy))
    assert (copy / "a").stat().st_mtime == 1_000_000_000
    (copy / "mine").write_bytes(b"not the server's")
    (source / "a").write_bytes(b"newer")
    outcomes = {each.path: each.outcome for each in client.mirror(f"file://{source}/", copy)}
    assert (outcomes["a"], outcomes["b"]) == ("saved", "kept")
    assert files(copy) == {"a": b"newer", "b": b"same", "mine": b"not the server's"}


@pytest.mark.parametrize("names", [None, b"jan.txt\r\nmrz.txt\r\n"])
def test_a_listing_that_is_understood_in_part_is_no_whole_mirror(
    names: bytes | None, tmp_path: Path, client: Client
) -> None:
    """Months of another language: what the lines hide is asked for by NLST, or the mirror says that it is not whole."""
    lines = b"-rw-r--r-- 1 f f 3 Jan 05 2001 jan.txt\r\n-rw-r--r-- 1 f f 3 M\xe4r 05 2001 mrz.txt\r\n"
    data = {"LIST": lines, "RETR": b"abc", **({} if names is None else {"NLST": names})}
    with Server(ftp_part({}, data)) as server:
        done = {each.path: each for each in client.mirror(f"ftp://{server.authority}/", tmp_path)}
    assert done["jan.txt"].outcome == "saved"
    if names is None:
        assert (done[""].outcome, "mrz.txt" in done) == ("failed", False)
        assert "the listing is not whole" in str(done[""].error)
    else:
        assert (done[""].outcome, done["mrz.txt"].outcome) == ("folder", "saved")


# --- what is the user's -----------------------------------------------------------------------------------------------


@pytest.mark.promise("names")
@pytest.mark.parametrize("scheme", ["file", "ftp", "gopher", "http"])
def test_no_file_is_replaced_but_those_that_the_mirror_saved(scheme: str, tmp_path: Path, client: Client) -> None:
    """A file from before the first run stays, an edited one stays, and what the mirror saved is updated."""
    content = {"mine.txt": b"theirs, longer", "edited.txt": b"first", "other.txt": b"first"}

    def mirror(**how: Any) -> dict[str, tuple[str, str]]:
        done = client.mirror(root, copy, **how)
        return {each.path: (each.outcome, str(each.error or "")) for each in done if each.path in content}

    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "mine.txt").write_bytes(b"mine")
    with serving(scheme, content, tmp_path) as (root, show):
        first = mirror()
        assert {path: outcome for path, (outcome, _) in first.items()} == {
            "mine.txt": "failed", "edited.txt": "saved", "other.txt": "saved",
        }  # fmt: skip
        assert "mine.txt: there is a file of that name, which this mirror did not save (force" in first["mine.txt"][1]
        (copy / "edited.txt").write_bytes(b"by me")
        content.update({"mine.txt": b"theirs, much longer", "edited.txt": b"second!", "other.txt": b"second!"})
        show()
        second = mirror()
        assert {path: outcome for path, (outcome, _) in second.items()} == {
            "mine.txt": "failed", "edited.txt": "failed", "other.txt": "saved",
        }  # fmt: skip
        assert "was changed since this mirror saved it (force=True" in second["edited.txt"][1]
        mine = {"mine.txt": b"mine", "edited.txt": b"by me", "other.txt": b"second!"}
        assert {path: files(copy)[path] for path in content} == mine
        forced = mirror(force=True)
        assert [outcome for outcome, error in forced.values() if error] == []
        assert {path: files(copy)[path] for path in content} == content
        content.update(dict.fromkeys(content, b"the third time"))
        show()
        assert {outcome for outcome, _ in mirror().values()} == {"saved"}  # from now on they are the mirror's
        assert {path: files(copy)[path] for path in content} == content


@pytest.fixture
def dated() -> Iterator[tuple[str, dict[str, tuple[bytes, int]]]]:
    """A site, and what it has by name: octets, and a time in seconds."""
    documents: dict[str, tuple[bytes, int]] = {}

    def page(connection: Connection) -> None:
        while head := connection.head():
            name = head.split()[1].decode().removeprefix("/d/")
            if not name:
                links = "".join(f'<a href="{name}">' for name in documents)
                connection.send(reply(links.encode(), "Content-Type: text/html"))
            elif name in documents:
                body, modified = documents[name]
                connection.send(reply(body, "Content-Type: text/plain", f"Last-Modified: {format_date(modified)}"))
            else:
                connection.send(_status(b"404 x"))

    with Server(page) as server:
        yield f"http://{server.authority}/d/", documents


Dated = tuple[str, dict[str, tuple[bytes, int]]]

THEN = 1_700_000_000


def outcomes(client: Client, root: str, folder: Path, **how: Any) -> dict[str, str]:
    """What became of the texts of a mirror, by name."""
    return {each.path: each.outcome for each in client.mirror(root, folder, **how) if each.path.endswith(".txt")}


@pytest.mark.promise("names")
def test_an_edited_file_that_was_kept_with_force_is_the_users(dated: Dated, tmp_path: Path, client: Client) -> None:
    root, documents = dated
    documents.update({"a.txt": (b"their", THEN), "b.txt": (b"their", THEN)})
    assert set(outcomes(client, root, tmp_path).values()) == {"saved"}
    (tmp_path / "a.txt").write_bytes(b"mine!")
    for force in (True, False, True, False):
        assert outcomes(client, root, tmp_path, force=force) == {"a.txt": "kept", "b.txt": "kept"}
        assert files(tmp_path)["a.txt"] == b"mine!"
    documents.update({"a.txt": (b"longer", THEN), "b.txt": (b"longer", THEN)})
    assert outcomes(client, root, tmp_path) == {"a.txt": "failed", "b.txt": "saved"}
    assert files(tmp_path)["a.txt"] == b"mine!"


@pytest.mark.promise("names")
def test_with_force_unchanged_files_become_the_mirrors(dated: Dated, tmp_path: Path, client: Client) -> None:
    root, documents = dated
    documents["a.txt"] = b"first", THEN
    outcomes(client, root, tmp_path)
    (tmp_path / NAME).unlink()
    assert outcomes(client, root, tmp_path, force=True) == {"a.txt": "kept"}
    documents["a.txt"] = b"older", THEN - 60
    assert outcomes(client, root, tmp_path) == {"a.txt": "saved"}
    assert files(tmp_path)["a.txt"] == b"older"


@pytest.mark.promise("names")
def test_what_is_edited_before_a_mirror_goes_on_is_not_taken_for_its_original(
    dated: Dated, tmp_path: Path, client: Client
) -> None:
    """A file may have been replaced by the mirror just before it was killed, or by the user afterwards."""
    root, documents = dated
    documents["a.txt"] = b"their", THEN
    subprocess.run([sys.executable, "-c", INTERRUPTED, root, str(tmp_path), "a.txt"], check=False)
    assert files(tmp_path)["a.txt"] == b"their"
    (tmp_path / "a.txt").write_bytes(b"mine!")
    for _ in range(3):
        outcomes(client, root, tmp_path)
        assert files(tmp_path)["a.txt"] == b"mine!"


def test_times_that_the_file_system_does_not_keep_load_nothing_again(
    dated: Dated, tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, documents = dated
    documents.update({"a.txt": (b"first", THEN), "b.txt": (b"first", THEN)})
    with monkeypatch.context() as patched:
        patched.setattr("anyurl.files.rooted.date", lambda *_: None)
        assert set(outcomes(client, root, tmp_path).values()) == {"saved"}
        assert (tmp_path / "a.txt").stat().st_mtime > THEN
        documents["a.txt"] = b"older", THEN - 60
        assert outcomes(client, root, tmp_path) == {"a.txt": "saved", "b.txt": "kept"}
    assert files(tmp_path)["a.txt"] == b"older"


@contextmanager
def serving(scheme: str, content: dict[str, bytes], folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """A server with one folder of documents, and what makes it show them as they are now."""

    def write(place: Path) -> None:
        place.mkdir(exist_ok=True)
        for name, data in content.items():
            (place / name).write_bytes(data)
            os.utime(place / name, (1_000_000_000 + len(data), 1_000_000_000 + len(data)))

    def page(connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1].decode()
            links = "".join(f'<a href="{name}">' for name in content).encode()
            body = links if path == "/d/" else content.get(path.removeprefix("/d/"))
            kind = "text/html" if path == "/d/" else "text/plain"
            connection.send(_status(b"404 x") if body is None else reply(body, f"Content-Type: {kind}"))

    def item(connection: Connection) -> None:
        at = f"{server.host}	{server.port}"
        selectors = {f"/{name}": data for name, data in content.items()}
        gopher({"": menu(*(f"9{name}	/{name}	{at}" for name in content)), **selectors})(connection)

    if scheme in ("gopher", "http"):
        with Server(page if scheme == "http" else item) as server:
            yield f"{scheme}://{server.authority}/{'d/' if scheme == 'http' else ''}", lambda: None
        return
    ours = import_module("anyurl.world.ftp").start() if scheme == "ftp" else None
    place = (folder if ours is None else ours.folder) / "source"
    try:
        write(place)
        yield (f"file://{place}/" if ours is None else f"{ours.root}source/"), lambda: write(place)
    finally:
        if ours is not None:
            ours.close()


@pytest.mark.promise("names")
def test_a_page_that_is_not_saved_is_read_for_its_links(tmp_path: Path, client: Client) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "index.html").write_bytes(b"mine")
    content = {"a.txt": b"a"}
    with serving("http", content, tmp_path) as (root, _):
        done = {each.path: each.outcome for each in client.mirror(root, copy)}
    assert done == {"index.html": "failed", "a.txt": "saved"}
    assert files(copy) == {"index.html": b"mine", "a.txt": b"a"}


INTERRUPTED = """
import os, sys
from anyurl import Client, Policy
with Client(Policy.open()) as client:
    for each in client.mirror(sys.argv[1], sys.argv[2], limit=1):
        if each.path == sys.argv[3]:
            os._exit(9)
"""


@pytest.mark.promise("names")
@pytest.mark.parametrize("scheme", ["file", "gopher", "http"])
def test_what_is_edited_or_written_during_an_interruption_is_the_users(
    scheme: str, tmp_path: Path, client: Client
) -> None:
    content = {name: name.encode() * 3 for name in ("a", "b", "c", "d")}
    copy = tmp_path / "copy"
    with serving(scheme, content, tmp_path) as (root, _):
        subprocess.run([sys.executable, "-c", INTERRUPTED, root, str(copy), "b"], check=False)
        assert files(copy)["a"] == b"aaa"
        (copy / "a").write_bytes(b"by me")
        (copy / "d").write_bytes(b"mine")
        for _ in range(2):
            list(client.mirror(root, copy))
            came = {name: data for name, data in files(copy).items() if name in content}
            assert came == {"a": b"by me", "b": b"bbb", "c": b"ccc", "d": b"mine"}


@pytest.mark.parametrize("scheme", ["file", "gopher", "http"])
def test_what_a_power_failure_cut_comes_again(scheme: str, tmp_path: Path, client: Client) -> None:
    content = {name: name.encode() * 3 for name in ("a", "b", "c", "d")}
    copy = tmp_path / "copy"
    with serving(scheme, content, tmp_path) as (root, _):
        subprocess.run([sys.executable, "-c", INTERRUPTED, root, str(copy), "c"], check=False)
        when = (copy / "a").stat().st_mtime_ns
        os.truncate(copy / "a", 1)
        os.utime(copy / "a", ns=(when, when))  # as what was not flushed has the time, but not the octets
        list(client.mirror(root, copy))
    assert {name: files(copy)[name] for name in content} == content


def _tree(folder: Path) -> None:
    for name in ("a.txt", "b.bin", "sub/c.txt", "sub/deeper/d.txt", "left/e.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"include": ["*.txt"], "exclude": ["left"]}, {"a.txt", "sub/c.txt", "sub/deeper/d.txt"}),
        ({"exclude": ["sub/deeper", "*.bin"]}, {"a.txt", "sub/c.txt", "left/e.txt"}),
        ({"depth": 1}, {"a.txt", "b.bin"}),
        ({"depth": 2}, {"a.txt", "b.bin", "sub/c.txt", "left/e.txt"}),
    ],
)
def test_what_the_caller_wants_of_it(options: Any, expected: set[str], tmp_path: Path, client: Client) -> None:
    _tree(tmp_path / "source")
    list(client.mirror(f"file://{tmp_path}/source/", tmp_path / "copy", **options))
    assert set(files(tmp_path / "copy")) == expected


@pytest.mark.parametrize("scheme", ["ftp", "http"])
def test_a_dry_run_writes_nothing(scheme: str, tmp_path: Path, client: Client) -> None:
    with world(scheme) as root:
        planned = {
            each.path for each in client.mirror(root, tmp_path / "none", dry_run=True) if each.outcome == "planned"
        }
    assert planned >= DOCUMENTS
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_a_dry_run_tells_what_the_run_does(scheme: str, dated: Dated, tmp_path: Path, client: Client) -> None:
    root, documents = dated
    source, copy = tmp_path / "source", tmp_path / "copy?#%41"
    source.mkdir()
    copy.mkdir()
    root = root if scheme == "http" else f"file://{source}/"

    def show(**changed: tuple[bytes, int]) -> None:
        documents.update({f"{name}.txt": document for name, document in changed.items()})
        for name, (data, modified) in documents.items():
            (source / name).write_bytes(data)
            os.utime(source / name, (modified, modified))

    first = b"first", THEN
    show(steady=first, older=first, newer=first, edited=first, changed=first, before=first)
    (copy / "before.txt").write_bytes(b"mine")
    outcomes(client, root, copy)
    (copy / "edited.txt").write_bytes(b"by me")
    (copy / "changed.txt").write_bytes(b"by me")
    show(older=(b"other", THEN - 60), newer=(b"later", THEN + 60), changed=(b"longer", THEN), new=first)
    there = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in copy.iterdir()}
    dry = outcomes(client, root, copy, dry_run=True)
    assert {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in copy.iterdir()} == there
    done = outcomes(client, root, copy)
    assert done == {
        "steady.txt": "kept", "older.txt": "saved", "newer.txt": "saved", "edited.txt": "kept",
        "changed.txt": "failed", "before.txt": "failed", "new.txt": "saved",
    }  # fmt: skip
    assert dry == {name: "planned" if outcome == "saved" else outcome for name, outcome in done.items()}


@pytest.mark.parametrize("url", ["telnet://h/", "mailto:a@b.example", "wais://h/db", "dict://h/d:w"])
def test_what_has_no_listing(url: str, tmp_path: Path, client: Client) -> None:
    with pytest.raises(UnsupportedError, match="can't be mirrored: ftp, "):
        client.mirror(url, tmp_path / "copy")


def test_what_is_not_known_at_all_is_told(tmp_path: Path, client: Client) -> None:
    with pytest.raises(SchemeError, match="did you mean gopher"):
        client.mirror("gofer://h/", tmp_path / "copy")


# --- hostile servers -------------------------------------------------------------------------------------------------


def menu(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in (*lines, ".")).encode("utf-8", "surrogateescape")


def gopher(replies: dict[str, bytes]) -> Callable[[Connection], None]:
    def part(connection: Connection) -> None:
        connection.send(replies.get(connection.line().decode(), b"text\r\n.\r\n"))

    return part


def test_no_name_leads_out_of_the_folder(tmp_path: Path, client: Client) -> None:
    names = ["../../up", "/etc/passwd", "a/../../b", "..", ".", "%2e%2e/c", "..\\..\\d", ".bashrc", "con", "x\x1b[31m"]

    def part(connection: Connection) -> None:
        at = f"{server.host}\t{server.port}"
        lines = [f"0{name}\t{name}\t{at}" for name in names]
        gopher({"": menu(*lines)})(connection)

    with Server(part) as server:
        folder = tmp_path / "deep" / "copy"
        list(client.mirror(f"gopher://{server.authority}/", folder))
    assert {path.name for path in tmp_path.iterdir()} == {"deep"}
    assert {path.name for path in (tmp_path / "deep").iterdir()} == {"copy"}
    written = set(files(folder))
    assert written >= {"etc/passwd", "_.bashrc", "_con", "x%1B[31m"}
    assert all(".." not in path.split("/") for path in written)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["0a\ta\tother.test\t70", "1b\tb\tother.test\t70"], "elsewhere, as gopher://other.test/0a: none of them"),
        (["0a\ta\tother.test\t70", "0b\tb\t{}\t{}"], ""),
        (["inothing here\t\tnull.test\t70"], ""),
    ],
    ids=["all of it", "one is here", "there are none"],
)
def test_a_menu_that_only_leads_elsewhere_is_told(lines: list[str], told: str, tmp_path: Path, client: Client) -> None:
    def part(connection: Connection) -> None:
        gopher({"": menu(*(line.format(server.host, server.port) for line in lines))})(connection)

    with Server(part) as server:
        done = list(client.mirror(f"gopher://{server.authority}/", tmp_path / "copy"))
    notes = [each.note for each in done if each.note]
    assert (told in notes[0]) if told else not notes


def test_what_is_remarked_of_a_resource_is_told(tmp_path: Path, client: Client) -> None:
    """Each of them may say that something is missing."""

    def part(connection: Connection) -> None:
        at = f"{server.host}\t{server.port}"
        cut = menu(f"0w\tw\t{at}", f"0c\tc\t{at}").removesuffix(b".\r\n")
        gopher({"": cut, "w": b"text\r\n.\r\n", "c": b"text\r\n.\r\nmore\r\n"})(connection)

    with Server(part) as server:
        done = {
            each.path: (each.outcome, each.note) for each in client.mirror(f"gopher://{server.authority}/", tmp_path)
        }
    assert done == {
        "": ("folder", "the server did not mark the end of the menu: it may be incomplete"),
        "w": ("saved", ""),
        "c": ("saved", "a lone dot, which ends a text (RFC 1436 3.8), is followed by more text: all of it is kept"),
    }


def test_a_directory_that_is_named_as_a_file_is_no_empty_mirror(tmp_path: Path, client: Client) -> None:
    with world("ftp") as root:
        (done,) = client.mirror(f"{root}pub", tmp_path)
    assert (done.outcome, type(done.error)) == ("failed", ReplyError)
    assert "a directory" in str(done.error)


def test_a_mirror_copies_no_copy_of_itself(tmp_path: Path, client: Client) -> None:
    source = tmp_path / "source"
    (source / "in").mkdir(parents=True)
    (source / "a").write_text("a")
    (source / "in" / "b").write_text("b")
    for _ in range(2):
        list(client.mirror(f"file://{source}/", source / "in" / "~copy"))
        assert set(files(source)) == {"a", "in/b", "in/~copy/a", "in/~copy/in/b"}
    with pytest.raises(LocalFileError, match="which is to be copied"):
        list(client.mirror(f"file://{source}/", source / "in" / ".."))
    assert set(files(source)) == {"a", "in/b", "in/~copy/a", "in/~copy/in/b"}


def test_links_to_other_servers_are_not_followed(tmp_path: Path, client: Client) -> None:
    secret = tmp_path / "secret"
    secret.write_text("private")

    def part(connection: Connection) -> None:
        at = f"{server.host}\t{server.port}"
        gopher({"/in": menu(f"0ours\t/in/a\t{at}", f"0other\t/in/b\t{other.host}\t{other.port}", f"0up\t/out\t{at}",
                            f"hfile\tURL:file://{secret}\t{at}")})(connection)  # fmt: skip

    with Server(part) as server, Server(gopher({})) as other:
        outcomes = list(client.mirror(f"gopher://{server.authority}/1/in", tmp_path / "copy"))
        assert not other.received
    assert set(files(tmp_path / "copy")) == {"a"}
    assert all(each.error is None for each in outcomes)


def test_names_that_some_file_systems_do_not_tell_apart_are_told(tmp_path: Path, client: Client) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("README", "readme", "caf\u00e9", "cafe\u0301"):
        (source / name).write_text(name)
    outcomes = list(client.mirror(f"file://{source}/", tmp_path / "copy"))
    came = files(tmp_path / "copy")
    assert sorted(came.values()) == sorted(name.encode() for name in ("README", "readme", "caf\u00e9", "cafe\u0301"))
    assert len({name.casefold() for name in came}) == 4
    assert sum("Another one has the name" in each.note for each in outcomes) == 2


@pytest.mark.parametrize("scheme", ["file", "ftp"])
def test_each_name_of_a_folder_is_a_file_and_an_empty_folder_is_one(
    scheme: str, tmp_path: Path, client: Client
) -> None:
    content = {name: name.encode() for name in ("back\\slash", "..\\up", "slash", "con\x01trol", " x ")}
    with serving(scheme, content, tmp_path) as (root, _):
        if scheme == "file":
            (tmp_path / "source" / "empty").mkdir()
        outcomes = list(client.mirror(root, tmp_path / "copy"))
    assert files(tmp_path / "copy") == {
        "back%5Cslash": b"back\\slash", "_..%5Cup": b"..\\up", "slash": b"slash", "con%01trol": b"con\x01trol",
        " x _": b" x ",
    }  # fmt: skip
    assert {each.outcome for each in outcomes} == {"saved", "folder"}
    assert (tmp_path / "copy" / "empty").is_dir() is (scheme == "file")


@pytest.mark.parametrize("options", [{"depth": 1}, {"include": ["*.zip"]}, {"exclude": ["full", "empty"]}])
def test_a_folder_of_which_nothing_is_mirrored_is_not_made(
    options: dict[str, Any], tmp_path: Path, client: Client
) -> None:
    (tmp_path / "source" / "full").mkdir(parents=True)
    (tmp_path / "source" / "full" / "a.txt").write_bytes(b"a")
    outcomes = list(client.mirror(f"file://{tmp_path}/source/", tmp_path / "copy", **options))
    assert {each.outcome for each in outcomes} <= {"folder"}
    assert os.listdir(tmp_path / "copy") == []


@pytest.mark.parametrize("way", ["file", "link", "file above"])
def test_what_has_the_name_of_an_empty_folder_stays(way: str, tmp_path: Path, client: Client) -> None:
    """And is no failure: everything of the source is there."""
    (tmp_path / "source" / "e" / "f").mkdir(parents=True)
    taken = tmp_path / "copy" / ("e" if way == "file above" else "e/f")
    taken.parent.mkdir(parents=True)
    taken.symlink_to(tmp_path) if way == "link" else taken.write_bytes(b"mine")
    (told,) = [each for each in client.mirror(f"file://{tmp_path}/source/", tmp_path / "copy") if each.path == "e/f"]
    assert (told.outcome, told.error, "a file or a link has its name" in told.note) == ("folder", None, True)
    assert taken.is_symlink() if way == "link" else taken.read_bytes() == b"mine"


def test_what_is_below_a_folder_of_another_name_is_told_with_the_folder(tmp_path: Path, client: Client) -> None:
    def part(connection: Connection) -> None:
        at = f"{server.host}\t{server.port}"
        below = menu(f"0a\t/docs/a\t{at}", f"1deep\t/docs/deep\t{at}")
        top = menu(f"0docs\t/docs\t{at}", f"1docs\t/docs/\t{at}")
        gopher({"": top, "/docs/": below, "/docs/deep": menu(), "/docs": b"text\r\n.\r\n", "/docs/a": b"a\r\n.\r\n"})(
            connection
        )

    with Server(part) as server:
        outcomes = list(client.mirror(f"gopher://{server.authority}/", tmp_path))
    assert {each.url.path for each in outcomes if "Another one has the name" in each.note} == {"/1/docs/"}
    assert {path.rpartition("/")[2] for path in files(tmp_path)} == {"docs", "a"}


def test_a_link_in_the_folder_leads_nothing_out(tmp_path: Path, client: Client) -> None:
    _tree(tmp_path / "source")
    outside, copy = tmp_path / "outside", tmp_path / "copy"
    outside.mkdir()
    copy.mkdir()
    (copy / "sub").symlink_to(outside)
    (copy / "a.txt").symlink_to(outside / "a.txt")
    for force in (False, True):
        outcomes = {each.path: each for each in client.mirror(f"file://{tmp_path}/source/", copy, force=force)}
        assert isinstance(outcomes["sub/c.txt"].error, LocalFileError)
        assert list(outside.iterdir()) == []
        assert (copy / "a.txt").is_symlink() != force
    assert (copy / "a.txt").read_text() == "a.txt"


def test_a_worklist_of_somebody_else_is_refused(tmp_path: Path, client: Client) -> None:
    _tree(tmp_path / "source")
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / NAME).write_bytes(b"")
    (copy / NAME).chmod(0o644)
    with pytest.raises(LocalFileError, match="others may have written it"):
        client.mirror(f"file://{tmp_path}/source/", copy)
    (copy / NAME).chmod(0o600)
    (copy / NAME).write_bytes(b"no database at all" * 100)
    with pytest.raises(LocalFileError, match="not the work list"):
        client.mirror(f"file://{tmp_path}/source/", copy)


def test_two_at_once_and_two_roots_are_refused(tmp_path: Path, client: Client) -> None:
    _tree(tmp_path / "source")
    first = client.mirror(f"file://{tmp_path}/source/", tmp_path / "copy", limit=1)
    next(first)
    with pytest.raises(LocalFileError, match="another process is using it"):
        client.mirror(f"file://{tmp_path}/source/", tmp_path / "copy")
    first.close()  # type: ignore[attr-defined]
    with pytest.raises(LocalFileError, match="unfinished mirror of file:"):
        client.mirror(f"file://{tmp_path}/source/sub/", tmp_path / "copy")
    assert Counter(each.outcome for each in client.mirror(f"file://{tmp_path}/source/", tmp_path / "copy"))["saved"]
    done = list(client.mirror(f"file://{tmp_path}/source/sub/", tmp_path / "copy"))  # that one is finished
    assert not [each.error for each in done if each.error is not None]


# --- the web ---------------------------------------------------------------------------------------------------------


class Web:
    """Pages by path, and the paths that were asked for."""

    def __init__(self, pages: dict[str, bytes], robots: bytes | None = None) -> None:
        self.asked: list[str] = []
        self._pages, self._robots = pages, robots

    def __call__(self, connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1].decode()
            if path == "/robots.txt":
                connection.send(reply(self._robots) if self._robots is not None else _status(b"404 x"))
                continue
            self.asked.append(path)
            body = self._pages.get(path)
            if body is None:
                connection.send(_status(b"404 x"))
            elif body.startswith(b"Location: "):
                connection.send(b"HTTP/1.1 302 x\r\n" + body + b"\r\nContent-Length: 0\r\n\r\n")
            else:
                page = b"application/rss+xml" if body.startswith(b"<?xml") else b"text/html"
                kind = page if body.startswith(b"<") else b"text/plain"
                connection.send(
                    b"HTTP/1.1 200 x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (kind, len(body), body)
                )


def _status(status: bytes) -> bytes:
    return b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n"


PAGES = {
    "/d/": b'<a href="a.txt">a</a> <a href="?C=N;O=D">x</a> <a href="/up">u</a> <a href="sub/">s</a><a href="a.txt#x">',
    "/d/a.txt": b"a",
    "/d/sub/": b'<img src="p.png"> <a href="..">up</a> <a href="../page">page</a> <a href="moved">m</a>',
    "/d/sub/p.png": b"p",
    "/d/page": b"<p>page",
    "/d/sub/moved": b"Location: /up",
    "/up": b"out",
}


def test_the_links_of_pages_within_the_path(tmp_path: Path, client: Client) -> None:
    web = Web(PAGES)
    with Server(web) as server:
        outcomes = list(client.mirror(f"http://{server.authority}/d/", tmp_path))
    assert set(files(tmp_path)) == {"index.html", "a.txt", "sub/index.html", "sub/p.png", "page"}
    assert Counter(web.asked) == Counter(dict.fromkeys(PAGES, 1))
    assert [each.note for each in outcomes if each.outcome == "skipped"] == [
        f"It redirects out of the mirror: http://{server.authority}/up."
    ]


def test_a_feed_leads_on_and_a_base_does_not(tmp_path: Path, client: Client) -> None:
    pages = {
        "/d/": b'<base href="/d/b/"><link rel=alternate href="/d/feed"><a href="x">',
        "/d/b/x": b"x",
        "/d/new": b"n",
    }
    web = Web(pages)
    with Server(web) as server:
        item = f"<?xml version='1.0'?><rss><item><link>http://{server.authority}/d/new</link></item></rss>"
        pages["/d/feed"] = item.encode()
        outcomes = list(client.mirror(f"http://{server.authority}/d/", tmp_path))
    assert set(files(tmp_path)) == {"index.html", "feed", "b/x", "new"}
    assert [each.outcome for each in outcomes] == ["saved"] * 4


def test_a_feed_is_saved_only_if_it_is_wanted(tmp_path: Path, client: Client) -> None:
    pages = {"/d/": b'<a href="feed.xml">', "/d/new.txt": b"n"}
    with Server(Web(pages)) as server:
        item = f"<?xml version='1.0'?><rss><item><link>http://{server.authority}/d/new.txt</link></item></rss>"
        pages["/d/feed.xml"] = item.encode()
        for include, names in (("*.txt", {"new.txt"}), ("*.xml", {"feed.xml"})):
            copy = tmp_path / include[2:]
            list(client.mirror(f"http://{server.authority}/d/", copy, include=[include]))
            assert set(files(copy)) == {"index.html", *names}


def test_robots_txt_is_obeyed(tmp_path: Path, client: Client) -> None:
    web = Web(PAGES, b"User-agent: *\nDisallow: /d/sub\n")
    with Server(web) as server:
        list(client.mirror(f"http://{server.authority}/d/", tmp_path / "a"))
        assert set(files(tmp_path / "a")) == {"index.html", "a.txt"}
        assert "/d/sub/" not in web.asked
        with pytest.raises(RefusedError, match=r"robots\.txt"):
            list(client.mirror(f"http://{server.authority}/d/sub/", tmp_path / "b"))
    with Server(lambda connection: connection.head() and connection.send(_status(b"500 x"))) as server:
        with pytest.raises(ReplyError):
            list(client.mirror(f"http://{server.authority}/d/", tmp_path / "c"))


# --- killed ----------------------------------------------------------------------------------------------------------

KILLED = """
import sys
from anyurl import Client, Policy
with Client(Policy.open()) as client:
    list(client.mirror(sys.argv[1], sys.argv[2], limit=2))
"""


@pytest.mark.parametrize("scheme", ["gopher", "http"])
def test_killed_at_many_moments_nothing_is_lost_and_nothing_comes_twice(
    scheme: str, tmp_path: Path, client: Client
) -> None:
    names = [f"f{number:02}" for number in range(24)]
    asked: Counter[str] = Counter()
    lock = threading.Lock()
    running: list[subprocess.Popen[bytes]] = []
    kill_at = [0]

    def count(what: str) -> None:
        with lock:
            asked[what] += 1
            if running and asked.total() >= kill_at[0]:
                running.pop().send_signal(signal.SIGKILL)

    def http(connection: Connection) -> None:
        while head := connection.head():
            path = head.split(b" ")[1].decode()
            if path == "/robots.txt":
                connection.send(_status(b"404 x"))
                continue
            count(path.strip("/"))
            page = "".join(f'<a href="{name}">' for name in names).encode()
            type = "text/plain" if path.strip("/") else "text/html"
            connection.send(reply(b"text\r\n.\r\n" if path.strip("/") else page, f"Content-Type: {type}"))

    def part(connection: Connection) -> None:
        line = connection.until(b"\n").decode()
        selector = line.strip()
        if not line:  # it was killed before it asked
            return
        count(selector)
        at = f"{server.host}\t{server.port}"
        listing = menu(*(f"9{name}\t/{name}\t{at}" for name in names))
        connection.send(b"text\r\n.\r\n" if selector else listing)

    kills = 0
    with Server(part if scheme == "gopher" else http) as server:
        root = f"{scheme}://{server.authority}/"
        for kill_at[0] in (1, 2, 5, 9, 14, 20):
            with subprocess.Popen([sys.executable, "-c", KILLED, root, str(tmp_path)]) as child:
                running[:] = [child]
            kills += child.returncode == -signal.SIGKILL
        list(client.mirror(root, tmp_path))
    assert kills == 6
    there = files(tmp_path)
    there.pop("index.html", None)
    assert there == dict.fromkeys(names, b"text\r\n.\r\n")
    # What is under way in the moment of a kill comes again: two at once.
    assert asked.total() <= len(names) + 1 + kills * 2
    assert asked[""] <= 3


@pytest.mark.parametrize("size", [3 * 1024 * 1024])
def test_a_large_document_goes_on_where_it_broke_off(size: int, tmp_path: Path, client: Client) -> None:
    content = os.urandom(size)
    ranges: list[bytes] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            if b"/robots.txt" in head:
                connection.send(_status(b"404 x"))
                continue
            said = b'ETag: "e"\r\nLast-Modified: Mon, 01 Jan 2001 00:00:00 GMT\r\nContent-Type: application/x-y\r\n'
            wished = [line for line in head.split(b"\r\n") if line.lower().startswith(b"range:")]
            if not wished:
                connection.send(
                    b"HTTP/1.1 200 x\r\n" + said + b"Content-Length: %d\r\n\r\n" % size + content[: size // 2]
                )
                return
            ranges.append(wished[0])
            start = int(wished[0].split(b"=")[1].rstrip(b"-"))
            span = b"Content-Range: bytes %d-%d/%d\r\n" % (start, size - 1, size)
            connection.send(b"HTTP/1.1 206 x\r\n" + said + span + b"Content-Length: %d\r\n\r\n" % (size - start))
            connection.send(content[start:])

    with Server(part) as server:
        outcomes = list(client.mirror(f"http://{server.authority}/big", tmp_path))
    assert [each.outcome for each in outcomes] == ["saved"]
    assert files(tmp_path) == {"big": content}
    assert len(ranges) == 1


@pytest.mark.parametrize("scheme", ["ftp", "http", "gopher", "prospero", "files"])
def test_stopped_after_a_file_has_its_name_and_before_that_is_written_down(
    scheme: str, tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with world(scheme) as root:
        whole = list(client.mirror(root, tmp_path / "whole"))
        for _ in range(4):
            with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
                saved = Mirror._save

                def save_and_stop(*args: Any, saved: Any = saved, patch: Any = patch) -> Any:
                    patch.setattr(Worklist, "done", stopped)
                    yield from saved(*args)

                patch.setattr(Mirror, "_save", save_and_stop)
                list(client.mirror(root, tmp_path / "copy", limit=1))
        rest = list(client.mirror(root, tmp_path / "copy"))
    told = {str(each.error) for each in whole}  # what failed before is told again
    assert {str(each.error) for each in rest if each.error is not None} <= told
    assert files(tmp_path / "copy") == files(tmp_path / "whole")
    assert whole


# --- with an archive -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["ftp", "http", "files"])
def test_a_mirror_over_a_copy_says_what_is_not_in_the_archive(scheme: str, tmp_path: Path) -> None:
    archive = tmp_path / "a.warc.gz"
    with world(scheme) as root, Client(Policy.open()) as plain, Client(Policy.open(), warc=archive) as client:
        first = [each.url for each in plain.mirror(root, tmp_path / "copy") if each.outcome == "saved"]
        second = list(client.mirror(root, tmp_path / "copy"))
    there = {fields["url"] for fields in _archived(archive) if not fields["cut"]}
    told = {str(each.url) for each in second if each.outcome == "kept" and "nothing of it was added" in each.note}
    assert first
    assert {str(url) for url in first} == {str(url) for url in first} & (there | told)
    assert not there & told
    assert not [fields for fields in _archived(archive) if fields["cut"]]


def test_an_interrupted_mirror_that_goes_on_with_an_archive_says_what_may_be_missing(tmp_path: Path) -> None:
    archive = tmp_path / "a.warc.gz"
    with world("ftp") as root, Client(Policy.open()) as plain, Client(Policy.open(), warc=archive) as client:
        for each in plain.mirror(root, tmp_path / "copy", limit=1):
            if each.outcome == "saved":
                break
        notes = [each.note for each in client.mirror(root, tmp_path / "copy") if "another archive" in each.note]
    assert len(notes) == 1


def _archived(path: Path) -> list[dict[str, Any]]:
    archiveiterator = pytest.importorskip("warcio.archiveiterator", reason="warcio is not installed")
    if not path.exists():
        return []
    with path.open("rb") as file:
        fields = [each.rec_headers for each in archiveiterator.ArchiveIterator(file)]
    return [
        {"url": each.get_header("WARC-Target-URI"), "cut": each.get_header("WARC-Truncated")}
        for each in fields
        if each.get_header("WARC-Type") in ("response", "resource", "revisit")
    ]


def test_a_mirror_keeps_to_a_rate(tmp_path: Path, client: Client) -> None:
    with world("ftp") as root:
        begun = time.monotonic()
        size = sum(each.size or 0 for each in client.mirror(root, tmp_path / "m", rate=20_000))
        assert time.monotonic() - begun > 0.8 * size / 20_000 > 0.2
        with pytest.raises(ValueError, match="a rate is at least"):
            client.mirror(root, tmp_path / "n", rate=0)


def test_a_failure_before_an_interruption_is_told_by_the_run_that_ends_it(tmp_path: Path, client: Client) -> None:
    asked: list[bytes] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1]
            asked.append(path)
            if path == b"/":
                page = b"".join(b'<a href="%d">' % number for number in range(5))
                connection.send(reply(page, "Content-Type: text/html"))
            elif path in (b"/0", b"/robots.txt"):
                connection.send(reply(b"", status="404 no"))
            else:
                connection.send(reply(path))

    with Server(part) as server:
        root = f"http://{server.authority}/"
        begun = client.mirror(root, tmp_path, limit=1)
        assert "failed" in {next(begun).outcome for _ in range(3)}
        begun.close()  # type: ignore[attr-defined]
        asked.clear()
        again = [each for each in client.mirror(root, tmp_path, limit=1) if each.outcome != "kept"]
    assert [type(each.error).__name__ for each in again if each.outcome == "failed"] == ["NotFoundError"]
    assert Counter(each.outcome for each in again)["saved"] == 3
    assert b"/1" not in asked


@contextmanager
def site_that_changes_its_mind(then: bytes) -> Iterator[str]:
    """A page with a link to a text, which breaks off, and is then what is given; a link of that is "c"."""
    count = 0

    def part(connection: Connection) -> None:
        nonlocal count
        while head := connection.head():
            path = head.split()[1]
            if path == b"/a":
                count += 1
                text = reply(TEXT, "Content-Type: text/plain", DATED, "Connection: close")
                connection.send(text[:-1] if count == 1 else then)
                return
            elif path == b"/robots.txt":
                connection.send(reply(b"", status="404 no"))
            else:
                page = b'<a href="a"><a href="b"><a href="d">' if path == b"/" else path
                connection.send(reply(page, f"Content-Type: text/{'html' if path == b'/' else 'plain'}"))

    with Server(part) as server:
        yield f"http://{server.authority}/"


DATED = "Last-Modified: Thu, 01 Dec 1994 00:00:00 GMT"

TEXT = bytes(500_000)
"""So long that it gets its name before all of it is there."""


def test_a_site_is_asked_for_what_broke_off_before(tmp_path: Path, client: Client) -> None:
    """The user has got the file meanwhile: it is the one that the server has."""
    with site_that_changes_its_mind(reply(TEXT, DATED, "Content-Type: text/plain", "Connection: close")) as root:
        begun = client.mirror(root, tmp_path, limit=1)
        assert {next(begun).path for _ in range(2)} == {"index.html", "b"}
        begun.close()  # type: ignore[attr-defined]
        (tmp_path / "a").write_bytes(TEXT)
        again = {each.path: each.outcome for each in client.mirror(root, tmp_path, limit=1)}
    assert again["a"] == "kept"


def test_a_text_that_becomes_a_page_loses_none_of_its_links(
    tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends between the page, which has the length of the text, and its links."""
    page = reply(b'<a href="c">'.ljust(len(TEXT)), DATED, "Content-Type: text/html", "Connection: close")
    with site_that_changes_its_mind(page) as root:
        begun = client.mirror(root, tmp_path, limit=1)
        assert {next(begun).path for _ in range(2)} == {"index.html", "b"}
        begun.close()  # type: ignore[attr-defined]
        with monkeypatch.context() as patch:
            patch.setattr(Mirror, "_follow", lambda *_: sys.exit("killed"))
            with suppress(SystemExit):
                list(client.mirror(root, tmp_path, limit=1))
        assert (tmp_path / "a").exists()
        list(client.mirror(root, tmp_path, limit=1))
    assert "c" in files(tmp_path)
