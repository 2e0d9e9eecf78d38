"""The server: on loopback, with limits."""

from __future__ import annotations

import socket

import pytest

from anyurl.errors import LocalFileError
from anyurl.web.server import HOST, serve


def test_a_port_that_is_taken() -> None:
    def told(link: str) -> None:
        raise AssertionError(link)

    with (
        socket.create_server((HOST, 0)) as taken,
        pytest.raises(LocalFileError, match=f"port {taken.getsockname()[1]}"),
    ):
        serve({}, taken.getsockname()[1], told)
