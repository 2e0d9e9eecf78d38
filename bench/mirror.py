"""500 small files over ftp: `Client.mirror` and `Client.map` against lftp's mirror and wget -r, from Debian's vsftpd on
loopback.

Rule: seven rounds, in each of which every program has its turn, into a folder of its own, start of the process included
and the policy in force; printed are the median and the range of each, and of its ratio to lftp in the same round.
"""

from __future__ import annotations

import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES = 500
ROUNDS = 7
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
listen_address=127.0.0.1
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
            (folder / "root" / "d" / f"file{number:03}.bin").write_bytes(b"x" * (number + 100))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        settings = folder / "vsftpd.conf"
        settings.write_text(SETTINGS.format(port=port, user=os.environ.get("USER", "root"), folder=folder))
        server = subprocess.Popen(["/usr/sbin/vsftpd", str(settings)])
        try:
            _wait_for(port)
            _compare(f"ftp://127.0.0.1:{port}/d/", folder)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


def _wait_for(port: int) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return


def _compare(url: str, folder: Path) -> None:
    taken: dict[str, list[float]] = {}
    for number in range(ROUNDS):
        copies = [folder / f"copy{number}-{each}" for each in range(4)]  # what was just removed makes new files slow
        commands = {
            "lftp mirror": ["lftp", "-c", f"mirror {url} {copies[0]}/to"],
            "wget -r": ["wget", "-q", "-r", "-P", str(copies[1]), url],
            "Client.mirror": [sys.executable, "-c", OURS, url, f"{copies[2]}/to"],
            "Client.map": [sys.executable, "-c", MAPPED, url, f"{copies[3]}/to"],
        }
        for (name, command), copy in zip(commands.items(), copies, strict=True):
            taken.setdefault(name, []).append(_time(command, copy))
    for name, seconds in taken.items():
        ratios = [base / one for base, one in zip(taken["lftp mirror"], seconds, strict=True)]
        print(f"{name:14} {_spread(seconds)} s   {_spread(ratios)} of lftp's speed")


def _spread(figures: list[float]) -> str:
    return f"{statistics.median(figures):5.2f} ({min(figures):.2f} to {max(figures):.2f})"


def _time(command: list[str], copy: Path) -> float:
    copy.mkdir()
    began = time.perf_counter()
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - began
    came = sum(1 for path in copy.rglob("file*.bin"))
    if came != FILES:
        raise SystemExit(f"{command[0]} got {came} of {FILES} files")
    return seconds


if __name__ == "__main__":
    main()
