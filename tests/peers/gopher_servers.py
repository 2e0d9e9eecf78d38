"""Gopher servers that nobody here wrote: pygopherd, which has Gopher+, and gophernicus, which is run as inetd does.

Rule: each listens on loopback, for one test; its processes are ended by their id. What is not installed skips the test.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path

from tests.peers.ftp_servers import HOST, Spawning, program
from tests.servers import WAIT_SECONDS, free_port

TREE: dict[str, bytes] = {
    "a.txt": b"one\r\ntwo\r\n",
    "pub/x.bin": bytes(range(256)) * 40,
    "pub/empty.txt": b"",
    "form.txt": b"a form\n",
}
"""What both servers serve, by path."""

SIDE_FILES = {"a.txt.abstract": b"An abstract.\n", "form.txt.ask": b"Note: Hello\nAsk: Name\tAda\nAskL: Text\n"}
"""Where pygopherd finds attributes and questions."""


def write_tree(root: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for folder, _, names in os.walk(root):
        os.chmod(folder, 0o755)
        for name in names:
            os.chmod(os.path.join(folder, name), 0o644)


class Gophernicus(Spawning):
    """gophernicus: RFC 1436 as most servers of today speak it."""

    def __init__(self, folder: Path) -> None:
        binary = program("gophernicus")
        root = folder / "root"
        write_tree(root, TREE)
        # It writes its own address into menus: here one that no test follows.
        super().__init__([binary, "-h", HOST, "-p", "70", "-r", str(root), "-nm", "-nu", "-nx", "-nr", "-ns", "-np"])


CONFIG = """\
[pygopherd]
detach = no
port = {port}
interface = 127.0.0.1
servername = 127.0.0.1
servertype = ThreadingTCPServer
timeout = 10
abstract_headers = off
abstract_entries = off
tracebacks = no
usechroot = no
enable_tls = no
root = {root}
mimetypes = /etc/pygopherd/mime.types:/etc/mime.types
"""


class Pygopherd:
    """pygopherd: Gopher+ with attributes, views and forms that are asked (it takes no answers)."""

    def __init__(self, folder: Path) -> None:
        binary = program("pygopherd")
        root = folder / "root"
        write_tree(root, {**TREE, **SIDE_FILES})
        self.port = free_port()
        packaged = Path("/etc/pygopherd/pygopherd.conf").read_text("utf-8")
        own = CONFIG.format(port=self.port, root=root)
        config = folder / "pygopherd.conf"
        rest = packaged[packaged.index("[logger]") :].replace("logmethod = syslog", "logmethod = none")
        # A menu that it has just sent it writes down for the next request, which may find half of it.
        rest = rest.replace("cachetime = 180", "cachetime = -1")
        encodings = "encoding = list(mimetypes.encodings_map.items())\n"
        config.write_text(own + encodings + rest, "utf-8")
        self._process = subprocess.Popen(
            [binary, str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
        )
        self._wait()

    def _wait(self) -> None:
        """Until it listens."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                socket.create_connection((HOST, self.port), 1).close()
                return
            except ConnectionRefusedError:
                assert time.monotonic() < deadline, "pygopherd does not listen"
                assert self._process.poll() is None, "pygopherd ended"
                time.sleep(0.02)

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(WAIT_SECONDS)
