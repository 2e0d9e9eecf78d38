"""One check by two machines, of which one is lost at ten moments: nothing is lost, little is asked twice, and it ends.

Run by `test_engines.py` in a network of its own. The second machine is a network of its own behind a cable (veth): for
every other moment the cable is pulled first, so that nothing is heard of the end of its processes.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from anyurl.batch.check.run import LIMIT
from anyurl.batch.check.state import BATCH
from anyurl.cli import exits
from tests.servers import Connection, Server, reply

URLS, HOSTS, MOMENTS = 3000, 30, 10
HERE, THERE, PORT = "10.9.0.1", "10.9.0.2", 6379

BOUND = 300
"""Seconds for a check of which a machine is lost: it takes ten, and Ray needs a minute to notice."""

RAY = str(Path(sys.executable).with_name("ray"))


class Site(Server):
    """Answers for every host, and calls `lose` when it has been asked `at` times."""

    def __init__(self, at: int, lose: threading.Event) -> None:
        self.asked: Counter[str] = Counter()
        self._at = at
        self._lose = lose
        self._lock = threading.Lock()
        super().__init__(self._serve, host="0.0.0.0")

    def _serve(self, connection: Connection) -> None:
        while head := connection.head():
            with self._lock:
                self.asked[head.split(b" ")[1].decode()] += 1
                if self.asked.total() >= self._at:
                    self._lose.set()
            connection.send(reply())


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class OtherMachine:
    """A network of its own with a node of Ray, at the other end of a cable."""

    def __init__(self) -> None:
        self._holder = subprocess.Popen(["unshare", "-n", "sleep", "inf"])
        while self._network() == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        run("ip", "link", "add", "here", "type", "veth", "peer", "name", "there")
        run("ip", "link", "set", "there", "netns", str(self._holder.pid))
        run("ip", "address", "add", f"{HERE}/24", "dev", "here")
        run("ip", "link", "set", "here", "up")
        for host in range(HOSTS):
            run("ip", "address", "add", f"10.9.1.{host + 1}/32", "dev", "lo")
        for words in (
            "link set lo up", f"address add {THERE}/24 dev there", "link set there up",
            f"route add 10.9.1.0/24 via {HERE}",
        ):  # fmt: skip
            run(*self._inside, "ip", *words.split())

    @property
    def _inside(self) -> tuple[str, ...]:
        return "nsenter", f"--net=/proc/{self._holder.pid}/ns/net"

    def _network(self) -> str:
        return os.readlink(f"/proc/{self._holder.pid}/ns/net")

    def start(self) -> None:
        """Join the cluster."""
        run(*self._inside, RAY, "start", f"--address={HERE}:{PORT}", f"--node-ip-address={THERE}", "--num-cpus=1")

    def lose(self, pulled: bool) -> int:
        """End all of its processes; returns their number."""
        if pulled:
            run("ip", "link", "set", "here", "down")
        own, lost = self._network(), 0
        for place in Path("/proc").glob("[0-9]*"):
            try:
                is_there = os.readlink(place / "ns" / "net") == own
            except OSError:
                continue
            if is_there and int(place.name) != self._holder.pid:
                os.kill(int(place.name), signal.SIGKILL)
                lost += 1
        return lost

    def plug(self) -> None:
        """Put the cable in again."""
        run("ip", "link", "set", "here", "up")

    def close(self) -> None:
        """End all of it."""
        self.lose(pulled=False)
        self._holder.kill()
        self._holder.wait()


def play(machine: OtherMachine, moment: int, folder: Path) -> None:
    """Lose the machine when a share of the requests was sent."""
    machine.plug()
    machine.start()
    lose, lost = threading.Event(), []
    with Site(1 + URLS * moment // MOMENTS, lose) as site:
        links = folder / f"links{moment}.txt"
        links.write_text("".join(f"http://10.9.1.{n % HOSTS + 1}:{site.port}/{n}\n" for n in range(URLS)))
        command = [
            sys.executable, "-m", "anyurl", "check", str(links), "--state", str(folder / f"state{moment}"),
            "--allow-private", "--engine", "ray", "--address", f"{HERE}:{PORT}", "--workers", "4", "--delay", "0.01",
            "--json",
        ]  # fmt: skip
        began = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        watch = threading.Thread(target=lambda: lose.wait(BOUND) and lost.append(machine.lose(moment % 2 == 1)))
        watch.start()
        said, complained = child.communicate(timeout=BOUND)
        watch.join()
        assert lost[0] > 2, "the machine was not there"
        assert child.returncode == exits.OK, (child.returncode, complained)
        records = [record for record in map(json.loads, said.splitlines()) if "event" not in record]
        assert len({record["url"] for record in records}) == len(records) == URLS
        assert {record["outcome"] for record in records} == {"ok"}
        assert len(site.asked) == URLS
        twice = site.asked.total() - URLS
        assert twice <= 4 * (BATCH + LIMIT), twice
    sys.stderr.write(
        f"moment {moment}: {lost[0]} processes lost, {time.monotonic() - began:.0f} s, {twice} requests repeated\n"
    )


def end_here() -> None:
    """End what runs in this network, which is this program's own (`test_engines.py`)."""
    own = os.readlink("/proc/self/ns/net")
    for place in Path("/proc").glob("[0-9]*"):
        try:
            is_here = os.readlink(place / "ns" / "net") == own
        except OSError:
            continue
        if is_here and int(place.name) not in (os.getpid(), os.getppid()):
            os.kill(int(place.name), signal.SIGKILL)


def main() -> None:
    """Play it."""
    assert Path("/proc/self/net/dev").read_text().count(":") == 1, "it needs a network of its own"
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    machine = OtherMachine()
    try:
        run(RAY, "start", "--head", f"--node-ip-address={HERE}", f"--port={PORT}", "--num-cpus=1",
            "--include-dashboard=false")  # fmt: skip
        with tempfile.TemporaryDirectory() as name:
            for moment in [int(word) for word in sys.argv[1:]] or range(MOMENTS):
                play(machine, moment, Path(name))
    finally:
        machine.close()
        end_here()


if __name__ == "__main__":
    main()
