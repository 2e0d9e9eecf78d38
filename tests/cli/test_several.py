"""Several URLs of one get: each into a file of its own, or to the output one after the other."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.cli.several import SavedTally
from anyurl.saving.several import SavedUrl
from anyurl.url import URL
from anyurl.world import World
from tests.cli.runner import records, run
from tests.client.test_requests import Said, serving
from tests.servers import Connection, Server, reply


@pytest.fixture
def echo() -> Iterator[tuple[str, Said]]:
    with serving(lambda line, fields, body: reply(line + b"|" + body)) as (url, said):
        yield url, said


def test_files_are_named_after_their_urls(
    echo: tuple[str, Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url, _ = echo
    assert run("get", f"{url}/a/one.txt?x", "-O").exit_code == 0
    assert (tmp_path / "one.txt").read_bytes().startswith(b"GET /a/one.txt?x")
    done = run("get", f"{url}/a", f"{url}/%2e%2e%2fx", f"{url}/", "--output-dir", "new/er", "--parallel", "3")
    assert done.exit_code == 0
    names = sorted(path.name for path in (tmp_path / "new" / "er").iterdir())
    assert len(names) == 3
    assert {"a", "index"} < set(names)
    again = run("get", f"{url}/a", f"{url}/b", "--output-dir", "new/er")
    assert (again.exit_code, (tmp_path / "new/er/b").exists()) == (9, True)
    assert run("get", f"{url}/a", f"{url}/b", "--output-dir", "new/er", "--force").exit_code == 0


def test_several_go_to_the_output_one_after_the_other(echo: tuple[str, Said]) -> None:
    url, _ = echo
    done = run("get", f"{url}/1", f"{url}/2")
    assert done.stdout_bytes == b"GET /1 HTTP/1.1|GET /2 HTTP/1.1|"
    done = run("get", f"{url}/1", "http://127.0.0.1:1/", f"{url}/2", "--method", "POST")
    assert done.exit_code == 5
    assert done.stdout_bytes == b"POST /1 HTTP/1.1|POST /2 HTTP/1.1|"
    assert run("get", f"{url}/1", f"{url}/2", "-o", "x").exit_code == 2


def test_several_as_json(echo: tuple[str, Said], tmp_path: Path) -> None:
    url, _ = echo
    done = run("get", f"{url}/1", f"{url}/2", "--output-dir", str(tmp_path), "--json")
    assert {record["saved"] for record in records(done)} == {f"{tmp_path}/1", f"{tmp_path}/2"}


def test_equal_names_in_one_command_are_two_files(world: World, tmp_path: Path) -> None:
    """--force would lose one of them: it is about files that were there before."""
    url = f"{world.roots['http']}motd.txt"
    for options in ([], ["--force"]):
        result = run("get", *options, "--output-dir", str(tmp_path), url, f"{url}?a=b", f"{url}?c=d")
        assert result.exit_code == 0, result.stderr
        assert sorted(path.name for path in tmp_path.iterdir()) == ["motd.txt", "motd.txt.1", "motd.txt.2"]


class Counted:
    """A server that counts how many it serves at once, and waits until there are as many as may be."""

    def __init__(self, most: int) -> None:
        self.gate = threading.Barrier(most)
        self.asked: list[str] = []
        self.cuts: set[str] = set()

    def __call__(self, connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1].decode()
            self.asked.append(path)
            if path.startswith("/none"):
                connection.send(reply(b"", status="404 no"))
                continue
            if path.startswith("/at-once/"):
                self.gate.wait(20)
            start = int(head.partition(b"Range: bytes=")[2].partition(b"-")[0] or 0)
            there = CONTENT[start:]
            fields = ["Accept-Ranges: bytes", 'ETag: "1"']
            fields += [f"Content-Range: bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"] if start else []
            whole = reply(there, *fields, status="206 Partial" if start else "200 OK")
            if path in self.cuts:
                self.cuts.remove(path)
                connection.send(whole[: -len(there) // 2])
                return
            connection.send(whole)


CONTENT = b"0123456789" * 50_000


def test_files_of_a_list_come_in_parallel_and_a_fault_of_one_is_told(tmp_path: Path) -> None:
    site = Counted(2)  # the first one is alone, and more than two come only from a server that is quick each time
    with Server(site) as server:
        root = f"http://{server.authority}"
        (tmp_path / "list").write_text(f"{root}/at-once\n{root}/at-once/1\n# no\nnothing\n{root}/none\n"
                                       f"{root}/at-once/a/1\n")  # fmt: skip
        done = run("get", "--from", str(tmp_path / "list"), "--output-dir", str(tmp_path / "o"), "--json")
    assert done.exit_code == 3
    assert sorted(os.listdir(tmp_path / "o")) == ["1", "1.1", "at-once"]
    assert {path.read_bytes() for path in (tmp_path / "o").iterdir()} == {CONTENT}
    assert {record["error"] for record in records(done) if "error" in record} == {"URLSyntaxError", "NotFoundError"}


def test_the_same_command_gets_what_is_missing_with_continue(tmp_path: Path) -> None:
    site = Counted(1)
    site.cuts = {"/b"}
    with Server(site) as server:
        urls = [f"http://{server.authority}/{name}" for name in "abc"]
        words = ["get", "--output-dir", str(tmp_path), "--continue", *urls]
        assert run(*words).exit_code == 7
        assert sorted(os.listdir(tmp_path)) == ["a", "b.anyurl-part", "b.anyurl-part.json", "c"]
        done = run(*words)
        assert (done.exit_code, done.stderr.count("it is complete")) == (0, 2), done.stderr
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]
    assert (tmp_path / "b").read_bytes() == CONTENT
    assert site.asked.count("/b") == 2


@pytest.mark.parametrize("goes_on", [True, False])
def test_what_breaks_off_is_tried_again(goes_on: bool, tmp_path: Path) -> None:
    site = Counted(1)
    site.cuts = {"/b"}
    with Server(site) as server:
        urls = [f"http://{server.authority}/{name}" for name in "ab"]
        done = run("get", "--output-dir", str(tmp_path), "--retry", "1", *["--continue"] * goes_on, *urls)
    assert done.exit_code == 0, done.stderr
    assert "It is tried again." in done.stderr
    assert (tmp_path / "b").read_bytes() == CONTENT
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_request_is_sent_once_even_if_its_answer_breaks_off(tmp_path: Path) -> None:
    site = Counted(1)
    site.cuts = {"/b"}
    with Server(site) as server:
        urls = [f"http://{server.authority}/{name}" for name in "ab"]
        done = run("get", "--output-dir", str(tmp_path), "--retry", "1", "--method", "POST", *urls)
    assert (done.exit_code, site.asked.count("/b")) == (7, 1)


@pytest.mark.parametrize(
    ("count", "how", "note"),
    [
        (3, {"go_on": False}, "1 of 3 files is kept; the same command with --continue gets the others"),
        (None, {"go_on": True}, "1 file is kept; the same command gets the others, and the rest of partial files"),
        (3, {"go_on": False, "by_server": True},
         "1 of 3 files is kept; the same command gets the others, and reports that these exist"),
    ],
)  # fmt: skip
def test_an_interrupted_command_says_what_gets_the_others(count: int | None, how: dict[str, bool], note: str) -> None:
    tally = SavedTally(count, **how)
    tally.add(SavedUrl(URL("http://h/x"), "x", "saved", 1))
    assert tally.kept() == note


def test_with_an_archive_a_complete_file_is_read_whole(tmp_path: Path) -> None:
    pytest.importorskip("warcio", reason="warcio is not installed")
    from anyurl.world.replay import Replay

    with Server(Counted(1)) as server:
        urls = [f"http://{server.authority}/{name}" for name in "ab"]
        words = ["get", "--output-dir", str(tmp_path / "o"), "--continue", "--warc", f"{tmp_path}/a.warc.gz"]
        assert run(*words, *urls[:1]).exit_code == 0
        os.unlink(tmp_path / "a.warc.gz")
        assert run(*words, *urls).exit_code == 0
    with Replay(tmp_path / "a.warc.gz") as replay:
        assert len(replay.index) == 2


@pytest.mark.parametrize(
    "words",
    [
        ["{0}/a", "{0}/b", "--continue"], ["{0}/a", "{0}/b", "-J", "-O", "--continue"], ["--from", "x", "--force"],
        ["--from", "x", "-O", "--checksum", "sha256:12"], ["{0}/a", "--from", "x", "-O"],
        ["--from", "x", "-O", "--method", "POST"],
    ],
)  # fmt: skip
def test_what_several_can_not_have_is_a_usage_error(words: list[str]) -> None:
    assert run("get", *(word.format("http://127.0.0.1:1") for word in words)).exit_code == 2


def test_a_listing_is_saved_as_its_urls_and_a_service_is_not_saved(tmp_path: Path) -> None:
    with World(["gopher", "telnet"]) as world:
        urls = [str(world.roots["gopher"]), str(world.urls["telnet"]), f"{world.roots['gopher']}0/nothing"]
        done = run("get", "--output-dir", str(tmp_path), *urls)
    assert done.exit_code == 4, done.stderr
    assert b"gopher://" in (tmp_path / "index").read_bytes()
    assert "there is nothing to save" in done.stderr


@pytest.mark.parametrize(
    ("told", "saved"),
    [
        ('attachment; filename="report.pdf"', "report.pdf"), ('attachment; filename="../../.bashrc"', "_.bashrc"),
        ("attachment; filename*=UTF-8''%e2%82%ac.txt", "\u20ac.txt"), ("inline", "download"),
    ],
)  # fmt: skip
def test_the_server_may_name_the_file(tmp_path: Path, told: str, saved: str) -> None:
    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(b"x", f"Content-Disposition: {told}"))

    with Server(part) as server:
        result = run("get", "-J", "--output-dir", str(tmp_path / "o"), f"http://{server.authority}/download?id=1")
    assert result.exit_code == 0, result.stderr
    assert os.listdir(tmp_path / "o") == [saved]


def test_what_names_the_file_and_makes_its_folders(world: World, tmp_path: Path) -> None:
    url = f"{world.roots['http']}motd.txt"
    assert run("get", "-J", url).exit_code == 2
    assert run("get", "-o", f"{tmp_path}/a/b/x", url).exit_code == 9
    assert run("get", "--create-dirs", "-o", f"{tmp_path}/a/b/x", url).exit_code == 0
    content = (tmp_path / "a/b/x").read_bytes()
    right, wrong = (f"sha256:{hashlib.sha256(octets).hexdigest()}" for octets in (content, b"another"))
    assert run("get", "--checksum", right, "-o", f"{tmp_path}/y", url).exit_code == 0
    result = run("get", "--checksum", wrong, "-o", f"{tmp_path}/z", url)
    assert (result.exit_code, (tmp_path / "z").exists()) == (7, False)
    assert "it is not saved" in result.stderr.replace("\n", " ")
    assert run("get", "--checksum", "sha256:12", "-o", f"{tmp_path}/z", url).exit_code == 2
    assert run("get", "--checksum", right, url).exit_code == 2
