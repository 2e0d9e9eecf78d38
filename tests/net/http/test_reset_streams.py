"""A stream of HTTP/2 that its server resets in the middle of a document (RFC 9113 5.4.2, 8.1)."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import RequestReceived

from anyurl import Client, Policy
from anyurl.errors import Truncated
from tests.servers import Connection, Server

OCTETS = b"x" * 5_000
LENGTH = ("content-length", "10000")


def resetting(connection: Connection) -> None:
    """Send a part of a document, and reset its stream with the code in the path; ``known`` announces more."""
    spoken = H2Connection(H2Configuration(client_side=False))
    spoken.initiate_connection()
    while True:
        connection.send(spoken.data_to_send())
        data = connection.sock.recv(65_536)
        if not data:
            return
        for event in spoken.receive_data(data):
            if isinstance(event, RequestReceived):
                path = dict(event.headers)[b":path"].decode()
                known = [LENGTH] if path.endswith("known") else []
                spoken.send_headers(event.stream_id, [(":status", "200"), *known])
                spoken.send_data(event.stream_id, OCTETS)
                spoken.reset_stream(event.stream_id, int(path.split("/")[1]))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Client]]:
    authority = trustme.CA()
    file: Path = tmp_path_factory.mktemp("authority") / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    context.set_alpn_protocols(["h2"])
    with Server(resetting, context=context) as server, Client(Policy.open(), ca_file=str(file)) as client:
        yield f"https://{server.authority}", client


@pytest.mark.parametrize("code", [ErrorCodes.CANCEL, ErrorCodes.INTERNAL_ERROR, ErrorCodes.PROTOCOL_ERROR])
def test_a_stream_that_is_reset_is_no_whole_document(served: tuple[str, Client], code: ErrorCodes) -> None:
    base, client = served
    with pytest.raises(Truncated):
        client.get(f"{base}/{int(code)}/").read()


def test_fewer_octets_than_announced_are_no_whole_document(served: tuple[str, Client]) -> None:
    base, client = served
    with pytest.raises(Truncated):
        client.get(f"{base}/{int(ErrorCodes.NO_ERROR)}/known").read()


def test_no_error_without_a_length_passes_for_an_end(served: tuple[str, Client]) -> None:
    """As docs/http.md says: libcurl does not tell it from an end. If it does one day, this is to be an error, too."""
    base, client = served
    assert client.get(f"{base}/{int(ErrorCodes.NO_ERROR)}/").read() == OCTETS
