"""TLS to the proxy itself, and within it whatever the place speaks."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl import URL, Client
from anyurl.errors import ConnectError
from anyurl.testing import SmallNetwork
from tests.net.wire.proxies.told import ORIGIN, PROXY, Told, menu, page
from tests.servers import Connection, Part, Server, certificate

URLS = ["http://o.test/", "gopher://o.test/0x"]


class TestTlsToTheProxy:
    """A proxy of the scheme https: what goes through is within its TLS, TLS of the place's own included."""

    @pytest.fixture
    def secured(self, tmp_path: Path) -> Iterator[tuple[Told, SmallNetwork, Path]]:
        with certificate(tmp_path, "p.test", "o.test") as (context, ca):
            with Server(page) as web, Server(page, context=context) as https, Server(menu) as gopher:
                at = {f"{ORIGIN}:{port}": (server.host, server.port)
                      for port, server in ((80, web), (443, https), (70, gopher))}  # fmt: skip
                told = Told(at)
                with Server(self.within_tls(told), context=context) as proxy:
                    network = SmallNetwork(
                        {"o.test": [ORIGIN], "p.test": [PROXY]}, {(PROXY, 443): (proxy.host, proxy.port)}
                    )
                    yield told, network, ca

    @staticmethod
    def within_tls(told: Told) -> Part:
        def part(connection: Connection) -> None:
            # A TLS socket tells a select of its own nothing of octets it has read already: a plain pair does.
            plain, ours = socket.socketpair()
            secured = connection.sock
            inner = Connection(plain, bytearray())
            thread = threading.Thread(target=lambda: (told(inner), plain.close()), daemon=True)
            thread.start()
            secured.setblocking(False)
            carry(secured, ours)
            ours.close()
            thread.join(10)

        return part

    @pytest.mark.parametrize("url", ["http://o.test/", "https://o.test/", "gopher://o.test/0x"])
    def test_every_scheme(self, secured: tuple[Told, SmallNetwork, Path], url: str) -> None:
        told, network, ca = secured
        with Client(proxy="https://p.test", network=network, ca_file=ca) as client:
            for _ in range(2):
                assert client.get(url).read().strip() == b"inner"
        assert set(told.asked) == {f"{ORIGIN}:{URL(url).port}"}
        assert set(network.connected) == {(PROXY, 443)}

    def test_its_certificate_is_verified(self, secured: tuple[Told, SmallNetwork, Path]) -> None:
        told, network, _ = secured
        with Client(proxy="https://p.test", network=network) as client:
            for url in URLS:
                with pytest.raises(ConnectError, match=r"certificate of p\.test:443 is not valid"):
                    client.get(url)
        assert told.asked == []


def carry(secured: Any, plain: socket.socket) -> None:
    """Carry octets between a TLS socket and a plain one until one of them ends."""

    def take() -> bytes | None:
        try:
            return bytes(secured.recv(65536))
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None

    with contextlib.suppress(OSError):
        while True:
            select.select([secured, plain], [], [])
            while (data := take()) is not None:
                if not data:
                    return
                plain.sendall(data)
            if select.select([plain], [], [], 0)[0]:
                data = plain.recv(65536)
                if not data:
                    return
                secured.setblocking(True)
                secured.sendall(data)
                secured.setblocking(False)
