"""500 small files over ftp: `Client.mirror` and `Client.map` against lftp's mirror and wget -r, from Debian's vsftpd on
loopback.

Rule: seven rounds, in each of which every program has its turn, into a folder of its own, start of the process included
and the policy in force; printed are the median and the range of each, and of its ratio to lftp in the same round. All
have the settings that they come with (lftp: one connection; `--parallel=8` is a line of its own). Python's byte code is
kept, as an installation has it. Then three rounds more in which a round trip to the server takes time, as it does
everywhere but on loopback: a relay holds back what the control connections say.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FILES = 500
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
            _compare(f"ftp://127.0.0.1:{port}/d/", folder, ROUNDS)
            with far_away(port) as relayed:
                print(f"a round trip takes {ROUND_TRIP * 1000:.0f} ms:")
                _compare(f"ftp://127.0.0.1:{relayed}/d/", folder, DELAYED_ROUNDS)
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


@contextmanager
def far_away(port: int) -> Iterator[int]:
    """A port that leads to the server, half a round trip later each way; data connections go to the server itself."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(lambda *ends: _relay(port, *ends), "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _relay(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    from_server, to_server = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_carry(reader, to_server), _carry(from_server, writer))


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    later: Callable[..., object] = asyncio.get_running_loop().call_later
    try:
        while data := await reader.read(65536):
            later(ROUND_TRIP / 2, writer.write, data)
    except ConnectionError:
        pass
    later(ROUND_TRIP / 2, writer.close)


def _compare(url: str, folder: Path, rounds: int) -> None:
    taken: dict[str, list[float]] = {}
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
            taken.setdefault(name, []).append(_time(command, top / str(place), folder / "code"))
    for name, seconds in taken.items():
        ratios = [base / one for base, one in zip(taken["lftp mirror"], seconds, strict=True)]
        print(f"{name:16} {_spread(seconds)} s   {_spread(ratios)} of lftp's speed")


def _spread(figures: list[float]) -> str:
    return f"{statistics.median(figures):5.2f} ({min(figures):.2f} to {max(figures):.2f})"


def _time(command: list[str], copy: Path, code: Path) -> float:
    copy.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    subprocess.run(command, check=True, env={**environment, "PYTHONPYCACHEPREFIX": str(code)})
    seconds = time.perf_counter() - began
    came = sum(1 for path in copy.rglob("file*.bin"))
    if came != FILES:
        raise SystemExit(f"{command[0]} got {came} of {FILES} files")
    return seconds


if __name__ == "__main__":
    main()
