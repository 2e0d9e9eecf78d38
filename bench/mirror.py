"""5,000 small files over ftp: `Client.mirror` and `Client.map` against lftp's mirror and wget -r, from Debian's vsftpd:
``unshare -rn python -m bench.mirror``.

Rule: seven rounds on loopback, in each of which every program has its turn, into a folder of its own, start of the
process included and the policy in force; printed are the median and the range of each, of its ratio to lftp in the same
round, and of the CPU time that it takes itself. All have the settings that they come with (lftp: one connection;
`--parallel=8` is a line of its own). Python's byte code is kept, as an installation has it. Then three rounds more with
a server at a distance (`bench.distance`), as it is everywhere but on loopback.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import distance

FILES = 5_000
ROUNDS = 7
DELAYED_ROUNDS = 3
ROUND_TRIP = 0.01
"""Seconds: to a server of the same country."""

WAIT_SECONDS = 5.0

OURS = """
import sys
from anyurl import Client, Policy
with Client(Policy.default()) as client:
    failed = [each.error for each in client.mirror(sys.argv[1], sys.argv[2]) if each.error is not None]
sys.exit(len(failed))
"""

MAPPED = """
import sys
from pathlib import Path
from anyurl import Client, Policy
with Client(Policy.default()) as client:
    folder = Path(sys.argv[2])
    folder.mkdir()
    entries = list(client.list(sys.argv[1]).entries())
    for result in client.map(entries, limit=8):
        (folder / result.url.name).write_bytes(result.resource.read())
"""

SETTINGS = """
listen=YES
listen_address={host}
listen_port={port}
background=NO
run_as_launching_user=YES
ftp_username={user}
secure_chroot_dir={folder}/empty
seccomp_sandbox=NO
anonymous_enable=YES
local_enable=NO
anon_root={folder}/root
pasv_min_port=49152
pasv_max_port=65535
"""


def main() -> None:
    """Print a line for each program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "root" / "d").mkdir(parents=True)
        (folder / "empty").mkdir()
        for number in range(FILES):
            (folder / "root" / "d" / f"file{number:04}.bin").write_bytes(b"x" * (number + 100))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with _near(_vsftpd(folder, "127.0.0.1", port)):
            _compare("127.0.0.1", port, folder, ROUNDS)
        print(f"a round trip takes {ROUND_TRIP * 1000:.0f} ms:")
        with distance.far_away(_vsftpd(folder, distance.THERE, port), ROUND_TRIP):
            _compare(distance.THERE, port, folder, DELAYED_ROUNDS)


def _vsftpd(folder: Path, host: str, port: int) -> list[str]:
    settings = folder / f"{host}.conf"
    user = os.environ.get("USER", "root")
    settings.write_text(SETTINGS.format(host=host, port=port, user=user, folder=folder))
    return ["/usr/sbin/vsftpd", str(settings)]


@contextmanager
def _near(command: list[str]) -> Iterator[None]:
    server = subprocess.Popen(command)
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def _wait_for(host: str, port: int) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection((host, port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return


def _compare(host: str, port: int, folder: Path, rounds: int) -> None:
    _wait_for(host, port)
    url = f"ftp://{host}:{port}/d/"
    taken: dict[str, list[float]] = {}
    busy: dict[str, list[float]] = {}
    for _ in range(rounds):
        top = Path(tempfile.mkdtemp(dir=folder))  # what was just removed makes new files slow
        commands = {
            "lftp mirror": ["lftp", "-c", f"mirror {url} {top}/0/to"],
            "lftp, 8 at once": ["lftp", "-c", f"mirror --parallel=8 {url} {top}/1/to"],
            "wget -r": ["wget", "-q", "-r", "-P", f"{top}/2", url],
            "Client.mirror": [sys.executable, "-c", OURS, url, f"{top}/3/to"],
            "Client.map": [sys.executable, "-c", MAPPED, url, f"{top}/4/to"],
        }
        for place, (name, command) in enumerate(commands.items()):
            wall, processor = _time(command, top / str(place), folder / "code")
            taken.setdefault(name, []).append(wall)
            busy.setdefault(name, []).append(processor)
    for name, seconds in taken.items():
        ratios = [base / one for base, one in zip(taken["lftp mirror"], seconds, strict=True)]
        print(f"{name:16} {_spread(seconds)} s   {_spread(busy[name])} s CPU   {_spread(ratios)} of lftp's speed")


def _spread(figures: list[float]) -> str:
    return f"{statistics.median(figures):5.2f} ({min(figures):.2f} to {max(figures):.2f})"


def _time(command: list[str], copy: Path, code: Path) -> tuple[float, float]:
    """The seconds that a program takes, and those of a processor."""
    copy.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    process = subprocess.Popen(command, env={**environment, "PYTHONPYCACHEPREFIX": str(code)})
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    came = sum(1 for path in copy.rglob("file*.bin"))
    if status or came != FILES:
        raise SystemExit(f"{command[0]} ended with {status} and got {came} of {FILES} files")
    return seconds, used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
