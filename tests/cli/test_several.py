"""Several URLs of one get: each into a file of its own, or to the output one after the other."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

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
