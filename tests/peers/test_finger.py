"""The scheme of the page "A scheme of your own", as it stands there, against the finger server that everybody had."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import anyurl
from tests.peers.ftp_servers import HOST, Spawning, program

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-scheme.md").read_text(encoding="utf-8")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The page's file, and what installing the page's package would write beside it."""
    found = re.search(r"^```python\n# finger\.py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    entry = re.search(r'^finger = "(.*?)"', PAGE, re.MULTILINE)
    assert found is not None
    assert entry is not None
    (tmp_path / "finger.py").write_text(found[1], encoding="utf-8")
    info = tmp_path / "anyurl_finger-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: anyurl-finger\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[anyurl.schemes]\nfinger = {entry[1]}\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def server() -> Iterator[Spawning]:
    with contextlib.closing(Spawning([program("in.fingerd"), "-p", program("finger")])) as server:
        yield server


def anyurl_command(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    source = Path(anyurl.__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{source}", "ANYURL_CONFIG": ""}
    command = [sys.executable, "-m", "anyurl", *args]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=30)


def test_the_command_asks_a_finger_server_about_a_user(package: Path, server: Spawning) -> None:
    url = f"finger://{HOST}:{server.port}/root"
    done = anyurl_command(package, "get", "--plugin", "finger", url)
    assert done.returncode == 0, done.stderr
    assert re.match(r"Login: root\s+Name: ", done.stdout)
    unasked = anyurl_command(package, "get", url)
    assert unasked.returncode == 4
    assert "can only parse its URLs" in unasked.stderr
    assert server.connections == 1
