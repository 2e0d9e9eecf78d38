"""500 small files over ftp: `Client.mirror` against lftp's mirror and wget -r, from Debian's vsftpd on loopback.

Rule: the best of three runs each, start of the process included, and the ratio to lftp.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES = 500
RUNS = 3
WAIT_SECONDS = 5.0

OURS = """
import sys
from anyurl import Client, Policy
with Client(Policy.open()) as client:
    failed = [each.error for each in client.mirror(sys.argv[1], sys.argv[2]) if each.error is not None]
sys.exit(len(failed))
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
            _compare(f"ftp://127.0.0.1:{port}/d/", folder / "copy")
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


def _compare(url: str, copy: Path) -> None:
    commands = {
        "lftp mirror": ["lftp", "-c", f"mirror {url} {copy}/to"],
        "wget -r": ["wget", "-q", "-r", "-P", str(copy), url],
        "Client.mirror": [sys.executable, "-c", OURS, url, f"{copy}/to"],
    }
    base = 0.0
    for name, command in commands.items():
        best = min(_time(command, copy) for _ in range(RUNS))
        base = base or best
        print(f"{name:14} {best:6.2f} s  {base / best:5.2f} of lftp's speed")


def _time(command: list[str], copy: Path) -> float:
    shutil.rmtree(copy, ignore_errors=True)
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
