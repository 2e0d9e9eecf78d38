"""Names in certificates: subjectAltName is the only place for one, in our own TLS and in libcurl's alike (RFC 9525)."""

from __future__ import annotations

import base64
import datetime as dt
import ipaddress
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from anyurl import Client, Policy
from anyurl.errors import ConnectError, LocalFileError
from anyurl.net.http.certificates import Nameless, names_hosts
from anyurl.net.wire.connector import Network
from anyurl.net.wire.tls import handshake_failed
from anyurl.world.certificate import self_signed
from tests.servers import Connection, Server, certificate, reply

NAME = "cn.test"
NAMES: dict[str, list[x509.GeneralName] | None] = {
    "none": None,
    "only mail": [x509.RFC822Name("a@cn.test")],
    "a host in a URI": [x509.UniformResourceIdentifier("http://cn.test/, DNS:cn.test")],
    "host": [x509.DNSName(NAME)],
    "mail and host": [x509.RFC822Name("a@cn.test"), x509.DNSName(NAME)],
    "address": [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))],
}
GOOD = {"host", "mail and host"}


def issue(names: list[x509.GeneralName] | None, folder: Path) -> tuple[ssl.SSLContext, Path, x509.Certificate]:
    """A server's context with such a certificate for the Common Name `NAME`, and the file of who signed it."""
    root, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")])
    now = dt.datetime.now(dt.UTC)

    def begin(name: x509.Name, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(public)
        builder = builder.serial_number(x509.random_serial_number())
        return builder.not_valid_before(now - dt.timedelta(days=1)).not_valid_after(now + dt.timedelta(days=1))

    authority = begin(issuer, root.public_key()).add_extension(x509.BasicConstraints(True, None), True)
    # What the strict checks of Python 3.13 want to see (RFC 5280 4.2.1.1 to 4.2.1.3).
    signs = {"digital_signature": False, "content_commitment": False, "key_encipherment": False,
             "data_encipherment": False, "key_agreement": False, "key_cert_sign": True, "crl_sign": True,
             "encipher_only": False, "decipher_only": False}  # fmt: skip
    authority = authority.add_extension(x509.KeyUsage(**signs), True)
    authority = authority.add_extension(x509.SubjectKeyIdentifier.from_public_key(root.public_key()), False)
    own = begin(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)]), key.public_key())
    own = own.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root.public_key()), False)
    if names is not None:
        own = own.add_extension(x509.SubjectAlternativeName(names), False)
    certificate = own.sign(root, hashes.SHA256())
    pem = serialization.Encoding.PEM
    (folder / "authority.pem").write_bytes(authority.sign(root, hashes.SHA256()).public_bytes(pem))
    (folder / "server.pem").write_bytes(
        certificate.public_bytes(pem)
        + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    return context, folder / "authority.pem", certificate


@pytest.mark.parametrize("scheme", ["https", "gophers"])
@pytest.mark.parametrize("kind", list(NAMES))
def test_a_common_name_names_no_host(kind: str, scheme: str, tmp_path: Path) -> None:
    context, authority, _ = issue(NAMES[kind], tmp_path)

    def answer(connection: Connection) -> None:
        if scheme == "gophers":
            connection.line()
            connection.send(b"ok")
            assert isinstance(connection.sock, ssl.SSLSocket)
            connection.sock.unwrap()
            return
        while connection.head():
            connection.send(reply(b"ok"))

    with (
        Server(answer, context=context) as server,
        Client(
            policy=Policy.open(),
            ca_file=authority,
            network=Network(lambda _host: ["127.0.0.1"], lambda _endpoint: ("127.0.0.1", server.port)),
        ) as client,
    ):
        url = f"{scheme}://{NAME}/0x"
        for _ in range(2):  # what libcurl keeps of the first must not serve the second
            if kind in GOOD:
                assert client.get(url).read() == b"ok"
                assert [result.resource.read() for result in client.map([url]) if result.resource] == [b"ok"]
                continue
            with pytest.raises(ConnectError) as caught:
                client.get(url)
            assert caught.value.stage == "tls"
            assert [type(result.error) for result in client.map([url, url])] == [ConnectError, ConnectError]
        if kind not in GOOD:
            assert all(received == b"" for received in server.received)


@pytest.mark.parametrize("scheme", ["https", "gophers"])
@pytest.mark.parametrize(
    ("data", "reason"), [(None, "no such file or directory"), (b"x", "there is no PEM certificate in it")]
)
def test_roots_that_cannot_be_read_are_a_file_of_this_machine(
    data: bytes | None, reason: str, scheme: str, tmp_path: Path
) -> None:
    file = tmp_path / "roots.pem"
    if data is not None:
        file.write_bytes(data)
    with Server(lambda connection: None) as server, Client(Policy.open(), ca_file=file) as client:
        url = f"{scheme}://{server.authority}/0x"
        for _ in range(2):  # and so it stays: no handle goes out with the roots of this machine
            with pytest.raises(LocalFileError) as caught:
                client.get(url)
            assert str(caught.value) == f"Can't read certificates from {file}: {reason}."
        assert [type(result.error) for result in client.map([url, url])] == [LocalFileError, LocalFileError]


@pytest.mark.parametrize("scheme", ["https", "gophers"])
def test_an_answer_that_is_none_of_tls_is_told_in_plain_words(scheme: str) -> None:
    def answer(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        connection.wait_for_close()  # a reset because of what nobody read might come first

    with Server(answer) as server, Client(Policy.open()) as client, pytest.raises(ConnectError) as caught:
        client.get(f"{scheme}://{server.authority}/0x")
    assert str(caught.value) == f"{server.authority} answered, but not in TLS. Does it speak TLS there?"
    assert caught.value.stage == "tls"


@pytest.mark.parametrize(
    "reason",
    ["TLSV1_ALERT_PROTOCOL_VERSION", "TLS connect error: error:0A00042E:SSL routines::tlsv1 alert protocol version"],
)
def test_a_handshake_that_fails_is_told_in_the_same_words_whoever_does_it(reason: str) -> None:
    assert str(handshake_failed("h:1", reason)) == "TLS with h:1 could not be started: no version suits both."


def told(certificate: x509.Certificate) -> list[list[tuple[str, str]]]:
    return [[("Subject", "x"), ("Cert", certificate.public_bytes(serialization.Encoding.PEM).decode())]]


@pytest.mark.parametrize("kind", list(NAMES))
def test_what_libcurl_tells_is_read(kind: str, tmp_path: Path) -> None:
    assert names_hosts(told(issue(NAMES[kind], tmp_path)[2])) is (kind in GOOD or kind == "address")


def test_what_is_no_certificate_names_nobody(tmp_path: Path) -> None:
    assert not names_hosts([])
    assert not names_hosts([[("Subject", "CN = cn.test")]])
    der = issue(NAMES["host"], tmp_path)[2].public_bytes(serialization.Encoding.DER)
    for cut in range(0, len(der) - 1, 7):
        text = base64.encodebytes(der[:cut]).decode()
        assert not names_hosts([[("Cert", f"-----BEGIN CERTIFICATE-----\n{text}-----END CERTIFICATE-----\n")]])


def test_a_connection_that_was_refused_stays_so_until_its_port_is_another_one(tmp_path: Path) -> None:
    nameless = Nameless()
    bad, good = (told(issue(NAMES[kind], tmp_path)[2]) for kind in ("none", "host"))
    assert nameless.judge("h:443", 5000, good) is None
    assert nameless.judge("h:443", 5001, bad) is not None
    assert nameless.judge("h:443", 5001, None) is not None
    assert nameless.judge("h:443", 5000, None) is None
    assert nameless.judge("h:443", 5001, good) is None
    assert nameless.judge("h:443", 5001, None) is None


@pytest.mark.parametrize("limit", [1, 4])
def test_each_connection_to_a_server_shows_its_certificate(limit: int, tmp_path: Path) -> None:
    """A TLS session that was taken up again showed none, and every second connection was refused for it."""

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(b"good", "Connection: close"))

    with (
        certificate(tmp_path, "127.0.0.1") as (context, authority),
        Server(part, context=context) as server,
        Client(ca_file=authority) as client,
    ):
        url = f"https://{server.authority}/"
        for _ in range(3):
            assert client.get(url).read() == b"good"
        for result in client.map([url] * 8, limit):
            assert result.error is None


@pytest.mark.parametrize("content", [None, b"", b"no certificate", "certificate", "key"])
def test_a_certificate_that_can_not_be_shown_is_told_before_anything_is_opened(
    tmp_path: Path, content: bytes | str | None
) -> None:
    """libcurl has an error of its own for each of them, and reads the file only during the handshake."""
    path = tmp_path / "mine.pem"
    if isinstance(content, str):
        content = self_signed("the caller")[content == "key"]
    if content is not None:
        path.write_bytes(content)

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(b"clear"))

    with Server(part) as server, Client(Policy.open(), cert=path) as client:
        with pytest.raises(LocalFileError, match=f"Your certificate can't be read from {path}: n"):
            client.get(f"https://{server.authority}/")
        assert server.received == []
        assert client.get(f"http://{server.authority}/").read() == b"clear"  # where none is shown
