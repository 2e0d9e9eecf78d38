"""The screen of many transfers: what it shows at 80x24, without a terminal, as JSON, and after a Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import URL
from anyurl.cli.terminal import watch as module
from anyurl.cli.terminal.watch import Rate, Watch, left_in_words
from anyurl.client.under_way import UnderWay
from tests.cli.runner import run
from tests.cli.test_terminal import Screen
from tests.servers import Connection, Server, reply

LARGE = 3_000_000


class Slow:
    """A site with a page, small documents and two large ones, whose second half waits until it may come."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.is_half = threading.Event()

    def end_after(self, seconds: float) -> None:
        """Let the large document end, so long after its first half."""

        def wait() -> None:
            if self.is_half.wait(30):
                self.may_end.wait(seconds)
                self.may_end.set()

        threading.Thread(target=wait, daemon=True).start()

    def __call__(self, connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1].decode()
            if path == "/":
                links = b"".join(b'<a href="/%d.txt">' % number for number in range(5))
                connection.send(reply(links + b'<a href="/big.iso">', "Content-Type: text/html"))
            elif path == "/big.iso":
                octets = reply(b"x" * LARGE, "Content-Type: application/octet-stream")
                connection.send(octets[: LARGE // 2])
                self.is_half.set()
                self.may_end.wait(30)
                connection.send(octets[LARGE // 2 :])
            elif path == "/late":
                self.is_half.set()
                self.may_end.wait(30)
            elif path.endswith(".txt"):
                connection.send(reply(b"text", "Content-Type: text/plain"))
            else:
                connection.send(reply(b"", status="404 no"))


@pytest.fixture
def slow() -> Iterator[tuple[Slow, str]]:
    site = Slow()
    with Server(site) as server:
        yield site, f"http://{server.authority}"
        site.may_end.set()


def test_a_rate_is_that_of_the_last_seconds() -> None:
    now = [0.0]
    rate = Rate(clock=lambda: now[0])
    assert rate.per_second(0) == 0
    for now[0] in range(1, 21):
        fast = rate.per_second(now[0] * 100)
    assert fast == 100
    for now[0] in range(21, 40):
        stopped = rate.per_second(2000)
    assert stopped == 0


def test_a_rate_that_is_asked_for_rarely_is_that_since_the_last_time() -> None:
    now = [0.0]
    rate = Rate(clock=lambda: now[0])
    for now[0] in (30.0, 30.001, 60.0, 60.001):  # the totals and the line of a file ask one after the other
        assert round(rate.per_second(round(now[0]) * 100)) == 100


class Watched(Watch):
    """One of transfers that are given."""

    def __init__(self, here: list[UnderWay], left: float | None = None) -> None:
        self.here = here

        class Nobody:
            can_draw = False
            json = False

        super().__init__(Nobody(), None, lambda: ["f: 3 saved"], dict, lambda: 1000, lambda: left)  # type: ignore[arg-type]


def test_the_lines_fit_and_name_the_slowest_host(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = ("a.example", "b.example")
    here = [
        UnderWay(number, URL(f"ftp://{hosts[number % 2]}/{'long/' * 30}{number}.iso"), 1000 * (number + 1), 10_000_000)
        for number in range(12)
    ]
    monkeypatch.setattr(module, "under_way", lambda client: client)
    watch = Watched(here, 5.0)
    watch._client = here  # type: ignore[assignment]
    watch.lines()
    lines = watch.lines(80, 8)
    assert len(lines) == 1 + 8 + 1 + 1
    assert max(map(len, lines)) < 80
    assert lines[0].startswith("f: 3 saved  79.0 kB  ")
    assert all(re.search(r"\.iso +\d+(\.\d)? kB of 10\.0 MB  ", line) for line in lines[1:9])
    assert lines[9] == "  and 4 more"
    assert lines[10].startswith("slowest: ")


def test_the_screen_of_a_mirror(slow: tuple[Slow, str], tmp_path: Path) -> None:
    site, root = slow
    site.end_after(4.0)
    screen = Screen("mirror", f"{root}/", str(tmp_path), "--allow-private")
    assert screen.code == 0
    assert re.search(r"big\.iso +1\.5 MB of 3\.0 MB", screen.raw.decode())
    assert re.search(r"\d saved  1\.5 MB  ", screen.raw.decode())
    assert f"{tmp_path}: 7 saved (" in screen.text.splitlines()[-1]


@pytest.mark.parametrize("as_json", [False, True])
def test_without_a_terminal_there_is_a_line_now_and_then(
    slow: tuple[Slow, str], tmp_path: Path, as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, root = slow
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.3)
    site.end_after(2.0)
    done = run("mirror", f"{root}/", str(tmp_path), "--allow-private", *(["--json"] if as_json else []))
    assert done.exit_code == 0
    if as_json:
        events = [event for line in done.stdout.splitlines() if "event" in (event := json.loads(line))]
        assert any(each["under_way"][0]["size"] == LARGE for each in events if each["under_way"])
        assert all(each["event"] == "progress" for each in events)
    else:
        assert re.search(r"saved 1\.5 MB .*big\.iso 1\.5 MB of 3\.0 MB", done.stderr)
        assert all(line.count("\t") == 2 for line in done.stdout.splitlines())


@pytest.mark.parametrize("as_json", [False, True])
def test_a_check_says_how_far_it_is(slow: tuple[Slow, str], as_json: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.0)
    urls = [f"{slow[1]}/{number}.txt" for number in range(3)]
    done = run("check", *urls, "--allow-private", *(["--json"] if as_json else []))
    assert done.exit_code == 0
    if as_json:
        events = [event for line in done.stdout.splitlines() if "event" in (event := json.loads(line))]
        told = [f"{each['done']} of {each['urls']}" for each in events]
    else:
        told = re.findall(r"(\d of \d) \(", done.stderr)
    assert list(dict.fromkeys(told)) == ["1 of 3", "2 of 3", "3 of 3"]  # with pauses between, in which it ticks as well


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["mirror", "{0}/", "{1}"], r"note: \d documents? (?:is|are) kept in .*; the same command continues"),
        (["get", "{0}/1.txt", "{0}/big.iso", "--output-dir", "{1}"], r"note: 1 of 2 files is kept; the same command"),
        (["get", "{0}/big.iso", "-o", "{1}/x", "--warc", "{1}/a.warc.gz"], r"nothing of it is kept but in the archive"),
        (["check", "{0}/late", "--state", "{1}/state"], r"results so far are kept .*the same command with --resume"),
        (["check", "{0}/late"], r"note: with --state FILE an interrupted check can be continued"),
    ],
)  # fmt: skip
def test_an_interrupted_command_says_what_is_kept_and_how_it_goes_on(
    slow: tuple[Slow, str], tmp_path: Path, line: list[str], told: str
) -> None:
    site, root = slow
    words = [word.format(root, tmp_path) for word in line]
    child = subprocess.Popen(
        [sys.executable, "-m", "anyurl", *words, "--allow-private"], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, env=os.environ,
    )  # fmt: skip
    assert site.is_half.wait(30)
    threading.Event().wait(1.0)  # what came before it is saved by now
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert child.returncode == 130
    assert re.search(told, said), said


@pytest.mark.parametrize(("seconds", "words"), [(None, "time left unknown"), (61, "1:01 left"), (7384, "2:03:04 left")])
def test_the_time_left(seconds: float | None, words: str) -> None:
    assert left_in_words(seconds) == words
