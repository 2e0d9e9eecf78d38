"""``anyurl serve``: what ``--warc`` has kept, or a folder of the user's own, until somebody stops it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anyurl import Client
from anyurl.cli import exits
from tests.cli.runner import PROGRAM, run
from tests.client.test_requests import serving
from tests.servers import reply

pytest.importorskip("warcio", reason="warcio is not installed")


def test_what_get_has_kept_is_served(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    with serving(lambda *_: reply(b"a page", "Content-Type: text/plain")) as (url, _):
        assert run("get", "--warc", str(path), url).stdout == "a page"
    command: list[Any] = [*PROGRAM, "serve", "--json", "--warc", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            assert (told["warc"], told["resources"]) == (str(path), 1)
            with Client() as client:
                assert client.get(f"{told['url']}{url}/").read() == b"a page"
            assert process.stderr is not None
            assert process.stderr.readline() == "1 resource.\n"  # said after the place, and so not before Ctrl-C
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
        finally:
            process.kill()


def test_a_folder_of_one_s_own_is_served(tmp_path: Path) -> None:
    (tmp_path / "gophermap").write_text("Welcome\n0The notes\tnotes.txt\n")
    (tmp_path / "notes.txt").write_text("one\n")
    command: list[Any] = [*PROGRAM, "serve", "--json", "--folder", tmp_path, "gopher", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            assert told["scheme"] == "gopher"
            assert run("get", "-n", "1", told["url"]).stdout == "one\n"
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["serve", "--folder", "{file}"], exits.LOCAL_FILE, "not a directory"),
        (["serve", "--folder", ".", "ftp"], exits.CANNOT, "it can by http, gopher, gemini"),
        (["serve", "--folder", ".", "--port", "7"], exits.USAGE, "--port is for one SCHEME"),
        (["serve", "--folder", ".", "--listen", "h.example"], exits.USAGE, "is not an address to listen on"),
        (["serve", "--listen", "0.0.0.0"], exits.USAGE, "it needs --folder"),
        (["serve", "--folder", ".", "--warc", "{file}"], exits.USAGE, "one of them"),
        (["serve", "--warc", "{file}", "ftp"], exits.USAGE, "it takes no SCHEME"),
        (["serve", "--port", "0"], exits.USAGE, "it needs --warc or --folder"),
        (["serve", "--warc", "{file}"], exits.LOCAL_FILE, "it is not a WARC file"),
        (["serve", "--warc", "{file}.none"], exits.LOCAL_FILE, "no such file"),
        (["get", "--warc", "{file}", "file:///"], exits.LOCAL_FILE, "it is not a WARC file"),
    ],
)
def test_what_can_not_be(tmp_path: Path, words: list[str], code: int, message: str) -> None:
    file = tmp_path / "file"
    file.write_text("some text, and no archive\n" * 40, encoding="utf-8")
    result = run(*(word.format(file=file) for word in words))
    assert result.exit_code == code
    assert message in result.stderr


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['warcio'] = None; from anyurl.cli.run import run\n"
        f"sys.exit(run(['serve', '--warc', {str(tmp_path)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("in a clone of anyurl, pip install '.[warc]'.\n")
