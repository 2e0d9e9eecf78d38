"""pywb, which nobody here wrote: it shows archives for as long as a block lasts."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anyurl import Client, Policy
from anyurl.errors import AnyURLError
from tests.needs import program
from tests.servers import WAIT_SECONDS, free_port


def run(*line: str, cwd: Path) -> str:
    """Run a program to its end; returns what it says."""
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=WAIT_SECONDS * 4, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@contextmanager
def wayback(folder: Path, package: Path) -> Iterator[str]:
    """Show a WACZ, as docs/tutorial-archive.md says it; yields the address below which its URLs are."""
    manager, server = program("wb-manager"), program("wayback")
    run(manager, "init", "visits", cwd=folder)
    run(manager, "add", "--unpack-wacz", "visits", str(package), cwd=folder)
    port = free_port()
    with subprocess.Popen(
        [server, "-p", str(port), "-b", "127.0.0.1"], cwd=folder, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)},
    ) as shown:  # fmt: skip
        try:
            _wait(f"http://127.0.0.1:{port}/")
            yield f"http://127.0.0.1:{port}/visits/"
        finally:
            shown.terminate()


def _wait(url: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    with Client(Policy.open()) as client:
        while True:
            try:
                client.get(url).read()
                return
            except AnyURLError:
                assert time.monotonic() < deadline, "pywb does not listen"
                time.sleep(0.1)
