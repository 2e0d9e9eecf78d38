"""One check by two tasks of Ray, one of which is killed: nothing is lost, little is asked twice, delays hold.

Run by `test_engines.py` in a network of its own, for Ray has no login; exits with what went wrong.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from itertools import chain
from pathlib import Path

import ray

from anyurl.batch.check.run import LIMIT
from anyurl.batch.check.state import BATCH
from anyurl.cli import exits
from tests.servers import Connection, Server, reply

URLS, HOSTS, KILL_AT = 4000, 40, 1500
DELAY = 0.02

SLACK = 0.9
"""All of a host's questions together can't be faster than their delays, but for what the first of them was late."""


class Site(Server):
    """Answers for every host, and kills the process of one task when it has been asked often enough.

    Attributes:
        asked: When each path was asked for, in order.
        killed: It was.
    """

    def __init__(self) -> None:
        self.asked: dict[str, list[float]] = defaultdict(list)
        self.killed = False
        self._lock = threading.Lock()
        self._count = 0
        super().__init__(self._serve, host="0.0.0.0")

    def _serve(self, connection: Connection) -> None:
        while head := connection.head():
            path = head.split(b" ")[1].decode()
            with self._lock:
                self._count += 1
                self.asked[path].append(time.monotonic())
                if self._count == KILL_AT:
                    os.kill(workers()[0], signal.SIGKILL)
                    self.killed = True
            connection.send(reply(status="404 No" if path.endswith("3") else "200 OK"))


def workers() -> list[int]:
    """The processes of the tasks."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if place.read_bytes().startswith(b"ray::check_share") and is_here(place.parent):
                found.append(int(place.parent.name))
        except OSError:
            continue
    return found


def is_here(process: Path) -> bool:
    """Whether it is in this network: others may have workers, too."""
    return os.readlink(process / "ns" / "net") == os.readlink("/proc/self/ns/net")


def main() -> None:
    """Play it."""
    context = ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", logging_level="error")
    with tempfile.TemporaryDirectory() as name, Site() as site:
        links, state = Path(name) / "links.txt", Path(name) / "state"
        links.write_text("".join(f"http://127.0.1.{n % HOSTS + 1}:{site.port}/{n}\n" for n in range(URLS)))
        strange = Path(name) / "strange"
        strange.mkdir()
        for module in ("anyurl", "sqlite3"):  # a worker would import both
            (strange / f"{module}.py").write_text(f"open({str(strange / 'RAN')!r}, 'w').close()")
        command = [
            sys.executable, "-P", "-m", "anyurl", "check", str(links), "--state", str(state), "--allow-private",
            "--engine", "ray", "--address", context.address_info["address"], "--workers", "2", "--delay", str(DELAY),
            "--json",
        ]  # fmt: skip
        done = subprocess.run(command, cwd=strange, capture_output=True, text=True, check=False)
        assert done.returncode == exits.FAULTS, done
        assert not (strange / "RAN").exists()
        records = [record for record in map(json.loads, done.stdout.splitlines()) if "event" not in record]
        assert len({record["url"] for record in records}) == len(records) == URLS
        assert sum(record["outcome"] == "broken" for record in records) == URLS // 10
        base = sqlite3.connect(state)
        assert base.execute("SELECT count(*) FROM results").fetchone() == (URLS,)
        base.close()
        # What is not there is proved by a second request, with GET.
        twice = sum(len(times) - (2 if path.endswith("3") else 1) for path, times in site.asked.items())
        assert site.killed
        assert twice <= BATCH + LIMIT, twice
        for host in range(HOSTS):
            own = [times for path, times in site.asked.items() if int(path[1:]) % HOSTS == host]
            times = sorted(chain.from_iterable(own))
            assert times[-1] - times[0] >= SLACK * DELAY * (len(times) - 1), host
    ray.shutdown()


if __name__ == "__main__":
    main()
