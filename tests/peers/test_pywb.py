"""pywb and the wacz program, which nobody here wrote: they take what anyurl packs, and show every record of it."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

from anyurl import Client
from anyurl.warc.cdxj import read_line, surt
from anyurl.warc.wacz import archive_of, pack
from anyurl.world import World
from tests.needs import program
from tests.servers import WAIT_SECONDS, free_port

SCHEMES = ("http", "gopher", "ftp", "gemini", "news", "prospero", "wais")

KEYS = (
    "http://www.Example.org:80/A?b=1&a=2", "https://h:8443/x//y/../z/", "http://h/a%20b%2Fc%25d?x=%41&y=%C3%BC",
    "http://h/a?", "http://h/a?B=2&&A=1", "http://h/p?a=1&PHPSESSID=0123456789abcdef0123456789abcdef&b=2",
    "ftp://127.0.0.1:2121/a/b.txt;type=i", "gopher://h/0/a%09%09+", "gemini://h/a?words%20two", "news:a@b.example",
    "http://h/A/B/C/", "http://h/a'b(c)", "http://h/%E4%B8%AD", "http://h/a+b?c+d=e", "http://h/a%23b",
)  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A WACZ of all schemes, with a second capture of each, and what it has by URL."""
    path, there = tmp_path_factory.mktemp("wacz") / "a.wacz", {}
    with World(SCHEMES) as world, Client(warc=archive_of(str(path)), **world.settings) as client:
        for scheme in SCHEMES:
            for _ in range(2):
                there[str(world.urls[scheme])] = client.get(world.urls[scheme]).read()
        for scheme in ("gopher", "ftp"):
            list(client.list(world.roots[scheme]).entries())
    pack(str(path), str(world.urls["http"]))
    return path, there


def run(*line: str, cwd: Path) -> str:
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=WAIT_SECONDS * 4, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_wacz_program_finds_it_valid(package: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    assert "is valid" in run(program("wacz"), "validate", "-f", str(package[0]), cwd=tmp_path)


def test_pywb_shows_every_record(package: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    path, there = package
    manager, wayback = program("wb-manager"), program("wayback")
    run(manager, "init", "all", cwd=tmp_path)
    run(manager, "add", "--unpack-wacz", "all", str(path), cwd=tmp_path)
    port = free_port()
    shown = subprocess.Popen(
        [wayback, "-p", str(port), "-b", "127.0.0.1"], cwd=tmp_path, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    try:
        _wait(port)
        with zipfile.ZipFile(path) as zipped:
            lines = zipped.read("indexes/index.cdx").decode().splitlines()
        for line in lines:
            told = read_line(line)
            assert told is not None
            got = _get(f"http://127.0.0.1:{port}/all/{told['timestamp']}id_/{told['url']}")
            assert got is not None, told
            if told["url"] in there and told["mime"] != "text/html":
                assert got == there[told["url"]]
    finally:
        shown.terminate()
        shown.wait(WAIT_SECONDS)


def _wait(port: int) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while _get(f"http://127.0.0.1:{port}/") is None:
        assert time.monotonic() < deadline, "pywb does not listen"
        time.sleep(0.1)


def _get(url: str) -> bytes | None:
    try:
        with urllib.request.urlopen(url, timeout=WAIT_SECONDS) as answer:
            octets: bytes = answer.read()
            return octets
    except urllib.error.URLError:
        return None


def test_the_keys_are_those_of_the_surt_library(tmp_path: Path) -> None:
    python = Path(program("wb-manager")).resolve().with_name("python")
    told = run(str(python), "-c", "import surt, sys\nfor u in sys.argv[1:]: print(surt.surt(u))", *KEYS, cwd=tmp_path)
    assert told.splitlines() == [surt(url) for url in KEYS]
