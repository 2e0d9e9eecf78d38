"""A check by tasks of Ray against one process: ``unshare -rn python bench/cluster.py [--urls N] [--rounds N]``.

Rule: hosts of a network of its own, of which some are in trouble, each in another way; one process, one task and two
tasks take turns, with the same answers from one server. The rate of a worker is its part of the URLs by the seconds
from the first request to the last outcome. Ray gives its tasks a niceness of 15, and beside other programs they starve:
here they have that of the command.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

HOSTS = 200
TROUBLES = (
    "hangs", "hangs", "resets", "closes", "garbage", "endless head", "300 kB head", "loops", "429", "429 2", "503 3600",
    "500", "404", "slow", "endless body", "short body", "401",
)  # fmt: skip
PORT = 8000


def address(host: int) -> str:
    return f"127.1.{host // 250}.{host % 250 + 1}"


def answers(kind: str, path: bytes) -> bytes:
    """The answer of a host of a kind; empty for none."""
    status = {
        "429": "429 No",
        "429 2": "429 No",
        "503 3600": "503 No",
        "500": "500 No",
        "404": "404 No",
        "401": "401 No",
    }
    more = {"429 2": "Retry-After: 2\r\n", "503 3600": "Retry-After: 3600\r\n", "401": "WWW-Authenticate: Basic\r\n"}
    if kind == "loops":
        return b"HTTP/1.1 302 No\r\nLocation: " + path + b"\r\nContent-Length: 0\r\n\r\n"
    if kind == "garbage":
        return b"\0\1\2 what is it?\r\n\r\n" * 9
    head = f"HTTP/1.1 {status.get(kind, '200 OK')}\r\n{more.get(kind, '')}".encode()
    if kind in ("endless head", "300 kB head"):
        return head + b"X: %s\r\n" % (b"y" * 1000) * (300 if kind.startswith("3") else 3000) + b"\r\n"
    length = 10 if kind == "short body" else 0
    return head + b"Content-Length: %d\r\n\r\n" % length


class Site(asyncio.Protocol):
    """One connection of any host."""

    asked = 0
    first = 0.0

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        *_, high, low = map(int, transport.get_extra_info("sockname")[0].split("."))
        host = high * 250 + low - 1
        self._kind = TROUBLES[host] if host < len(TROUBLES) else "ok"

    def data_received(self, data: bytes) -> None:
        Site.asked += 1
        Site.first = Site.first or time.time()
        if self._kind == "resets":
            self._transport.abort()
        elif self._kind == "closes":
            self._transport.close()
        elif self._kind == "slow":
            asyncio.get_running_loop().call_later(0.5, self._transport.write, answers("ok", b"/"))
        elif self._kind == "endless body" and data.startswith(b"GET"):
            self._transport.write(b"HTTP/1.1 200 OK\r\n\r\n" + b"z" * 1_000_000)
        elif self._kind == "endless body":
            self._transport.write(answers("404", b"/"))
        elif self._kind != "hangs":
            self._transport.write(answers(self._kind, data.split(b" ", 2)[1]))


def serve(told: Connection) -> None:
    """Serve until the other end closes; each message asks for the count and the time of the first request since."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        await loop.create_server(Site, "0.0.0.0", PORT, backlog=1024)
        told.send("ready")
        while True:
            try:
                await loop.run_in_executor(None, told.recv)
            except EOFError:
                return
            told.send((Site.asked, Site.first))
            Site.asked, Site.first = 0, 0.0

    asyncio.run(run())


def task_seconds() -> dict[str, float]:
    """The seconds of processor of each process that is a task of `check_share` in this network."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_task = (place / "cmdline").read_bytes().startswith(b"ray::check_share")
            if is_task and os.readlink(place / "ns" / "net") == os.readlink("/proc/self/ns/net"):
                fields = (place / "stat").read_text().rpartition(") ")[2].split()
                found[place.name] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def play(folder: Path, links: Path, told: Connection, *more: str) -> str:
    """Play one run; returns what was measured."""
    state = folder / "state"
    for each in folder.glob("state*"):
        each.unlink()
    command = [sys.executable, "-m", "anyurl", "check", str(links), "--allow-private", "--timeout", "5", "--json"]
    began, last, looked, tasks, outcomes = time.time(), 0.0, 0.0, dict[str, float](), dict[str, int]()
    with subprocess.Popen([*command, "--state", str(state), *more], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for line in child.stdout:
            record = json.loads(line)
            if "event" not in record:
                last = time.time()
                outcomes[record["outcome"]] = outcomes.get(record["outcome"], 0) + 1
            if more and time.time() - looked > 0.5:
                looked = time.time()
                tasks |= task_seconds()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    told.send(0)
    asked, first = told.recv()
    cpu = used.ru_utime + used.ru_stime
    rate = sum(outcomes.values()) / (last - first) / max(1, len(tasks))
    return (
        f"{last - first:.1f} s ({time.time() - began:.1f} in all), {rate:,.0f}/s a worker; processor: command "
        f"{cpu:.1f} s, tasks {', '.join(f'{each:.1f}' for each in tasks.values()) or 'none'}; "
        f"{asked:,} requests, load {os.getloadavg()[0]:.0f}, {outcomes}"
    )


def main() -> None:
    """Print a line for each run."""
    options = argparse.ArgumentParser()
    options.add_argument("--urls", type=int, default=30_000)
    options.add_argument("--rounds", type=int, default=2)
    given = options.parse_args()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    own, other = Pipe()
    server = Process(target=serve, args=(other,), daemon=True)
    server.start()
    other.close()
    assert own.recv() == "ready"
    import ray  # the server is no child of what it begins

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        links = folder / "links.txt"
        links.write_text("".join(f"http://{address(n % HOSTS)}:{PORT}/{n}\n" for n in range(given.urls)))
        # In this process, whose children then have the token of the cluster.
        begun = ray.init(
            num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", logging_level="error",
            _system_config={"worker_niceness": 0},
        )  # fmt: skip
        cluster = ["--engine", "ray", "--address", begun.address_info["address"], "--workers"]
        for turn in range(given.rounds):
            for workers, more in ((1, []), (1, [*cluster, "1"]), (2, [*cluster, "2"])):
                print(turn, "ray" if more else "one process", workers, play(folder, links, own, *more), flush=True)
        ray.shutdown()
    server.terminate()
    server.join()


if __name__ == "__main__":
    main()
