"""What a dialogue of any scheme may ask of TLS: trust on first use, and that the caller's certificate is shown."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl import URL, Policy
from anyurl.dialogue import Connect, Dialogue, Emit, Keep, Receive, Secure, Send
from anyurl.errors import ConnectError, LocalFileError, SecretNeededError
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.wire.tls import AUTHORITY, TLSConfig, TLSTerms
from anyurl.values import CONFIGURATION, USER, Provenance
from anyurl.world.certificate import self_signed, server_context
from tests.net.connecting import echo, run, talk
from tests.servers import Connection, Server

STRANGER = Provenance("document", scope=None, scheme="x-test", host="o.example", port=1)
CALLER = self_signed("the caller")


def whoever(connection: Connection) -> None:
    """Says whether it was shown a certificate, to each question."""
    shown: Any = connection.sock
    while connection.sock.recv(100):
        connection.send(b"shown" if shown.getpeercert(binary_form=True) else b"not shown")


def asking(tmp_path: Path) -> ssl.SSLContext:
    """A server that asks for a certificate, and takes the caller's."""
    context = server_context(*self_signed("the server"))
    (tmp_path / "known.pem").write_bytes(CALLER[0])
    context.load_verify_locations(tmp_path / "known.pem")
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


@contextlib.contextmanager
def scheduling(**config: Any) -> Iterator[Scheduler]:
    scheduler = Scheduler(Policy.open(), handlers, tls_config=TLSConfig(**config))
    with contextlib.closing(scheduler):
        yield scheduler


def secured(host: str, port: int, **how: Any) -> Callable[[], Dialogue]:
    def dialogue() -> Dialogue:
        channel = yield from Connect(host, port)
        yield from Secure(channel, host, **how)
        yield from Send(channel, b"ping")
        yield from Emit((yield from Receive(channel)))
        return None

    return dialogue


@pytest.mark.parametrize("begin", [lambda *to, **how: talk(*to, tls=True, **how), secured], ids=["Connect", "Secure"])
def test_a_server_is_held_to_the_certificate_that_it_was_met_with(begin: Any) -> None:
    with scheduling() as scheduler:
        with Server(echo, context=server_context(*self_signed("a"))) as server:
            to = (server.host, server.port)
            with pytest.raises(ConnectError, match="not valid"):
                run(scheduler, begin(*to))
            for _ in range(2):
                assert run(scheduler, begin(*to, trust="first-use")) == b"ping"
        pins = scheduler.tls_config.pins
        with Server(echo, context=server_context(*self_signed("b"))) as server:
            pins._pins[server.host, server.port] = pins._pins[to]  # it was the other's port
            with pytest.raises(ConnectError, match="has changed"):
                run(scheduler, begin(server.host, server.port, trust="first-use"))
            assert bytes(server.received[-1]) == b""


def test_a_certificate_is_shown_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "mine.pem").write_bytes(b"".join(CALLER))
    with Server(whoever, context=asking(tmp_path)) as server, scheduling(cert=tmp_path / "mine.pem") as scheduler:
        to, url = (server.host, server.port), f"x-test://{server.authority}/"
        for begin in (lambda **how: talk(*to, tls=True, trust="first-use", **how),
                      lambda **how: secured(*to, trust="first-use", **how)):  # fmt: skip
            assert run(scheduler, begin(certificate=True), url) == b"shown"
            assert run(scheduler, begin(), url) == b"not shown"
        # Not to another server than that of the URL, which somebody has named meanwhile.
        with pytest.raises(SecretNeededError, match="was not shown"):
            run(scheduler, talk(*to, tls=True, trust="first-use", certificate=True), "x-test://127.0.0.1:4000/")


@pytest.mark.parametrize(
    ("came_from", "asked_by", "shown"),
    [
        (USER, None, True), (STRANGER, None, False),
        (CONFIGURATION, STRANGER, False),  # a gateway of the user's, on a stranger's word
    ],
)  # fmt: skip
def test_a_certificate_is_not_shown_on_the_word_of_others(
    tmp_path: Path, came_from: Provenance, asked_by: Provenance | None, shown: bool
) -> None:
    (tmp_path / "mine.pem").write_bytes(b"".join(CALLER))
    with Server(whoever, context=asking(tmp_path)) as server, scheduling(cert=tmp_path / "mine.pem") as scheduler:
        dialogue = talk(server.host, server.port, tls=True, trust="first-use", certificate=True)
        url = URL(f"x-test://{server.authority}/")
        task = scheduler.start(Parties(url, came_from, asked_by), dialogue)
        if shown:
            assert task.pull() == b"shown"
        else:
            with pytest.raises(SecretNeededError, match=r"was not shown to 127\.0\.0\.1"):
                task.pull()
            assert server.received == []


def test_a_kept_connection_serves_nobody_who_trusts_or_shows_otherwise(tmp_path: Path) -> None:
    """Attack: a dialogue that wants an authority to vouch gets a connection that was trusted for being the first."""
    (tmp_path / "mine.pem").write_bytes(b"".join(CALLER))
    with Server(whoever, context=asking(tmp_path)) as server, scheduling(cert=tmp_path / "mine.pem") as scheduler:
        url = f"x-test://{server.authority}/"

        def keeping(**how: Any) -> Callable[[], Dialogue]:
            def dialogue() -> Dialogue:
                channel = yield from Connect(server.host, server.port, tls=True, session="s", **how)
                yield from Send(channel, b"ping")
                yield from Emit((yield from Receive(channel)))
                yield from Keep(channel, "s")
                return None

            return dialogue

        for how, said in (({}, b"not shown"), ({"certificate": True}, b"shown"), ({}, b"not shown")):
            assert run(scheduler, keeping(trust="first-use", **how), url) == said
        assert len(server.received) == 2
        with pytest.raises(ConnectError, match="not valid"):
            run(scheduler, keeping(), url)


@pytest.mark.parametrize("content", [None, b"no certificate"])
def test_a_file_without_a_certificate(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "mine.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LocalFileError, match="Your certificate can't be read"):
        TLSConfig(cert=path).context(TLSTerms("first-use", True))


def test_tls_is_1_2_at_least_and_authorities_are_the_usual() -> None:
    config = TLSConfig()
    assert config.context().verify_mode == ssl.CERT_REQUIRED
    assert config.context().check_hostname
    assert config.judge(AUTHORITY) is None
    for how in (AUTHORITY, TLSTerms("first-use")):
        assert config.context(how).minimum_version == ssl.TLSVersion.TLSv1_2
        assert config.context(how) is config.context(how)
