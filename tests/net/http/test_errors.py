"""What libcurl reports is told in words of ours: why there is no connection, and which rule of HTTP was broken."""

from __future__ import annotations

import errno
import socket

import pytest

from anyurl import Client, Policy
from anyurl.errors import AnyURLError, ConnectError, ConnectionLost, RemoteProtocolError, Truncated
from anyurl.net.http.errors import translate_curl
from anyurl.net.http.libcurl import pycurl
from anyurl.net.wire.tls import not_valid
from tests.rows import each_row
from tests.servers import Connection, Server

ROWS: list[tuple[int, str, int | None, int, type[AnyURLError], str]] = [
    (pycurl.E_COULDNT_CONNECT, "Failed to connect to h port 80 after 0 ms: Could not connect to server", None,
     errno.EHOSTUNREACH, ConnectError, "Connecting to h port 80: no route to host."),
    (pycurl.E_COULDNT_CONNECT, "Could not connect", None, 0,
     ConnectError, "Connecting to h port 80: no connection was made."),
    (pycurl.E_RECV_ERROR, "", None, errno.ECONNREFUSED,  # of a datagram (HTTP/3)
     ConnectError, "Connecting to h port 80: connection refused."),
    (pycurl.E_COULDNT_CONNECT, "TLS connect error: error:0A000438:SSL routines::tlsv1 alert internal error", None, 0,
     ConnectError, "TLS with h:80 could not be started: the server has a fault."),
    (pycurl.E_GOT_NOTHING, "Empty reply from server", None, 0,
     ConnectionLost, "h:80 closed the connection before it had answered."),
    (pycurl.E_RECV_ERROR, "Recv failure: Connection reset by peer", None, errno.ECONNRESET,
     ConnectionLost, "h:80 closed the connection before it had answered (connection reset by peer)."),
    (pycurl.E_PARTIAL_FILE, "transfer closed with 5 bytes remaining to read", 1234, 0,
     Truncated, "The body from h:80 broke off after 1,234 of 1,239 octets."),
    (pycurl.E_PARTIAL_FILE, "transfer closed with outstanding read data remaining", 1234, 0,  # chunked
     Truncated, "The body from h:80 broke off after 1,234 octets."),
    (pycurl.E_SSL_CONNECT_ERROR, "TLS connect error: error:0A000410:SSL routines::alert handshake failure", None, 0,
     ConnectError, "TLS with h:80 could not be started: nothing suits both to encrypt with."),
    (pycurl.E_PEER_FAILED_VERIFICATION, "SSL certificate problem: certificate has expired", None, 0,
     ConnectError, "The certificate of h:80 is not valid: it has expired."),
    (pycurl.E_PEER_FAILED_VERIFICATION, "a sentence of tomorrow", None, 0,
     ConnectError, "The certificate of h:80 is not valid: its verification failed."),
]  # fmt: skip


@each_row(("code", "text", "received", "number", "kind", "sentence"), ROWS)
def test_what_libcurl_says_is_told_in_other_words(
    code: int, text: str, received: int | None, number: int, kind: type[AnyURLError], sentence: str
) -> None:
    error = translate_curl(code, text, "h:80", received, number)
    assert type(error) is kind
    assert not isinstance(error, ConnectError) or error.errno == (number or None)
    assert str(error) == sentence


BROKEN = {
    b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n":
        "its Content-Length is not a number of octets, or there are two",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n":
        "the length of a chunk of the body is not a hexadecimal number",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n3\r\nabc\r\n0\r\n\r\n":
        "its Transfer-Encoding names a coding after `chunked`, which must be the last",
    b"HTTP/1.1 200 OK\r\nX: \0\r\n\r\n": "a field of its head holds a NUL",
    b"HTTP/1.1 200 OK\r\nno field\r\n\r\n": "a line of its head or trailer has no colon",
    b"HTTP/1.1 302 Go\r\nLocation: /a\r\nLocation: /b\r\n\r\n": "it redirects to two places at once",
    b"HTTP/7.1 200 OK\r\n\r\n": "its first line is not a status line of a supported version of HTTP",
}  # fmt: skip


@pytest.mark.parametrize("answer", BROKEN)
def test_which_rule_of_http_was_broken(answer: bytes) -> None:
    def serve(connection: Connection) -> None:
        connection.head()
        connection.send(answer)

    with Server(serve) as server, Client(Policy.open()) as client, pytest.raises(RemoteProtocolError) as caught:
        client.get(f"http://{server.authority}/").read()
    assert str(caught.value) == f"{server.authority} broke the rules of HTTP: {BROKEN[answer]}."


@pytest.mark.parametrize(
    ("sent", "how"),
    [(b"", "before it had answered"), (b"HTTP/1.1 200 OK\r\nX: y\r\n", "before the head of its answer was complete")],
)
def test_how_much_of_an_answer_there_was(sent: bytes, how: str) -> None:
    def serve(connection: Connection) -> None:
        connection.head()
        connection.send(sent)
        connection.hang_up()

    with Server(serve) as server, Client(Policy.open()) as client, pytest.raises(ConnectionLost) as caught:
        client.get(f"http://{server.authority}/").read()
    assert str(caught.value) == f"{server.authority} closed the connection {how}."


def test_a_refused_connection_is_told_as_one_of_any_scheme() -> None:
    with socket.socket() as sock, Client(Policy.open()) as client:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]  # nobody listens there, and nobody else gets it
        for scheme in ("http", "https", "gopher"):
            with pytest.raises(ConnectError) as caught:
                client.get(f"{scheme}://127.0.0.1:{port}/")
            assert str(caught.value) == f"Connecting to 127.0.0.1 port {port}: connection refused."


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("self-signed certificate", "The certificate of h:1 is not valid for n: it is self-signed."),
        ("unable to get local issuer certificate",
         "The certificate of h:1 is not valid for n: its issuer is not trusted by this machine."),
        ("Hostname mismatch, certificate is not valid for 'n'.",
         "The certificate of h:1 is not valid for n: it is that of another host."),
    ],
)  # fmt: skip
def test_a_certificate_that_does_not_hold(said: str, sentence: str) -> None:
    assert str(not_valid("h:1", said, "n")) == sentence


@pytest.mark.parametrize(
    ("head", "expected"), [(b"Content-Length: 10", 10), (b"Transfer-Encoding: chunked", None)], ids=["known", "unknown"]
)
def test_how_much_was_announced_of_what_broke_off(head: bytes, expected: int | None) -> None:
    def serve(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n" + (b"abc" if expected else b"9\r\nabc"))

    with Server(serve) as server, Client(Policy.open()) as client, pytest.raises(Truncated) as caught:
        client.get(f"http://{server.authority}/").read()
    assert (caught.value.received, caught.value.expected) == (3, expected)
