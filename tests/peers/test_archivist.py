"""An archivist's journey by docs/tutorial-archive.md alone: its command lines, each interrupted twice, and pywb."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.world import World
from anyurl.world.tree import tree
from tests.architecture.source import ROOT
from tests.architecture.test_examples import with_ports
from tests.cli.runner import CLEAN, PROGRAM
from tests.peers.wayback import wayback
from tests.servers import WAIT_SECONDS
from tests.warc.test_journey import PLACES, followed

pytest.importorskip("warcio", reason="warcio is not installed")

PAGE = ROOT / "docs/tutorial-archive.md"

TRIED = PLACES if os.environ.get("ANYURL_SLOW") else PLACES[:1]
"""Each place takes some seconds."""

SLOWLY = ("--limit-rate", "300")
"""The page says that places as small as these need it, to be interrupted."""

ENVIRONMENT = {**CLEAN, "PYTHONPATH": ":".join(sys.path)}


def lines_of_page(world: World) -> list[list[str]]:
    """The command lines of its section on several places: each the words after ``anyurl``."""
    section = PAGE.read_text(encoding="utf-8").partition("## 4. Several places, one file")[2].partition("\n## ")[0]
    block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    assert block is not None
    return [line.split()[1:] for line in with_ports(block[1], world).splitlines()]


def interrupted(words: list[str], folder: Path, how: signal.Signals, copy: Path) -> tuple[int, str]:
    """Run a command until it has saved another file, and end it; returns its exit code and what it said."""
    had = len(saved(copy))
    with subprocess.Popen(
        [*PROGRAM, *words, *SLOWLY], cwd=folder, env=ENVIRONMENT, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as started:  # fmt: skip
        deadline = time.monotonic() + WAIT_SECONDS
        while len(saved(copy)) <= had:
            assert time.monotonic() < deadline, "nothing more was saved"
            assert started.poll() is None, "it ended before it was interrupted"
            time.sleep(0.01)
        started.send_signal(how)
        return_code, said = started.wait(WAIT_SECONDS), started.communicate()[1]
    return return_code, said


def saved(copy: Path) -> set[Path]:
    return {path for path in copy.rglob("*") if path.is_file() and not path.name.startswith(".")}


@contextmanager
def serve_warc(package: Path) -> Iterator[str]:
    """The page's last command; yields the address that it tells."""
    line = [*PROGRAM, "serve", "--warc", package.name, "--json"]
    with subprocess.Popen(line, cwd=package.parent, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE) as started:
        try:
            assert started.stdout is not None
            yield json.loads(started.stdout.readline())["url"]
        finally:
            started.terminate()


def test_places_interrupted_twice_and_shown_by_two_programs(tmp_path: Path) -> None:
    pytest.importorskip("pyftpdlib", reason="pyftpdlib is not installed")
    with World((*PLACES, "mailto")) as world:
        roots = [str(world.roots[scheme]) for scheme in PLACES]
        lines = lines_of_page(world)
        assert [line[1] for line in lines] == roots
        for words in lines[: len(TRIED)]:
            copy = tmp_path / words[2]
            code, said = interrupted(words, tmp_path, signal.SIGINT, copy)
            assert (code, "the same command continues the mirror" in " ".join(said.split())) == (130, True), said
            assert interrupted(words, tmp_path, signal.SIGKILL, copy) == (-signal.SIGKILL, "")
            done = subprocess.run(
                [*PROGRAM, *words], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
            )
            assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
            assert set(tree().values()) <= {path.read_bytes() for path in saved(copy)}
    package = tmp_path / "all.wacz"
    with serve_warc(package) as place:
        shown = followed(place)
    with wayback(tmp_path, package) as below, Client(Policy.open()) as client:
        for root in roots[: len(TRIED)]:
            there = {url.partition(root)[1] + url.partition(root)[2]: octets for url, octets in shown.items()}
            documents = {url: octets for url, octets in there.items() if octets in tree().values()}
            assert set(documents.values()) == set(tree().values()), root
            for url, octets in documents.items():
                assert client.get(f"{below}id_/{url}").read() == octets, url
