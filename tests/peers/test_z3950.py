"""wais against a server of today's Z39.50 (yaz-ztest): a person is told soon that it is no WAIS server."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.errors import RemoteProtocolError
from tests.needs import program
from tests.peers.ftp_servers import HOST
from tests.servers import WAIT_SECONDS


def _is_refused(port: int) -> bool:
    try:
        socket.create_connection((HOST, port)).close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_target_of_z3950_is_told_from_a_wais_server_that_is_silent(tmp_path: Path) -> None:
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    command = [program("yaz-ztest"), "-S", f"tcp:{HOST}:{port}"]  # one process
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        try:
            assert server.stdout is not None
            assert b"Adding" in server.stdout.readline()  # it listens soon
            begun = time.monotonic()
            while _is_refused(port):
                assert time.monotonic() - begun < WAIT_SECONDS
                time.sleep(0.01)
            with (
                Client(Policy.open()) as client,
                pytest.raises(RemoteProtocolError, match=r"speaks Z39\.50 as it is today"),
            ):
                client.search(f"wais://{HOST}:{port}/Default", "utah")
            assert time.monotonic() - begun < WAIT_SECONDS
        finally:
            server.kill()
