"""What each status means, and to whom a certificate of the caller's is shown."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.errors import (
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    DeniedError,
    LimitError,
    NotFoundError,
    RemoteProtocolError,
    ReplyError,
    UnavailableError,
)
from anyurl.schemes.kit.ends import UNMARKED
from anyurl.values import Provenance, Scope
from anyurl.world.certificate import self_signed, server_context
from tests.schemes.gemini.serving import CERTIFICATE, end, saying
from tests.servers import Connection, Server

STRANGER = Provenance("document", scope=Scope.LOCAL, scheme="gemini", host="o.example", port=1965, tls=True)
CALLER = self_signed("the caller")


def url(server: Server, path: str = "") -> str:
    return f"gemini://{server.authority}/{path}"


NO: dict[bytes, tuple[type[ReplyError], str, str]] = {
    b"40 x": (UnavailableError, "busy", "fails for now"), b"41": (UnavailableError, "busy", "not available"),
    b"42 x": (UnavailableError, "busy", "program"), b"43 x": (UnavailableError, "busy", "server that it forwards to"),
    b"44 17": (UnavailableError, "connections", "too many requests"), b"49 x": (ReplyError, "other", "for now"),
    b"50 x": (ReplyError, "other", "never"), b"51 x": (NotFoundError, "not-found", "no such resource"),
    b"52 x": (NotFoundError, "not-found", "gone"), b"53 x": (DeniedError, "denied", "other hosts"),
    b"59 x": (ReplyError, "other", "understand"), b"60 Who?": (AuthRequiredError, "login", "Who"),
    b"61 x": (AuthRequiredError, "login", "rejects your"), b"62 x": (AuthRequiredError, "login", "not valid"),
}  # fmt: skip


def test_each_no() -> None:
    lines = list(NO)
    with saying(lambda request: lines[int(request.rpartition(b"/")[2])] + b"\r\n") as server:
        with Client(Policy.open()) as client:
            for number, (line, (error, meaning, words)) in enumerate(NO.items()):
                with pytest.raises(error, match=words) as caught:
                    client.get(url(server, str(number)))
                assert type(caught.value) is error
                assert (caught.value.code, caught.value.meaning) == (int(line[:2]), meaning)
                if isinstance(caught.value, UnavailableError):
                    assert caught.value.retry_after == (17.0 if line[:2] == b"44" else None)


WRONG: dict[bytes, type[Exception]] = {
    b"": ConnectionLost, b"20 text": ConnectionLost, b"HTTP/1.1 400 No\r\n": RemoteProtocolError,
    b"20 " + b"x" * 1025 + b"\r\n": LimitError, b"x" * 5000: LimitError, b"20 a\rb\r\n": RemoteProtocolError,
}  # fmt: skip


def test_what_is_no_reply() -> None:
    said = list(WRONG)
    with saying(lambda request: said[int(request.rpartition(b"/")[2])]) as server, Client(Policy.open()) as client:
        for number, error in enumerate(WRONG.values()):
            with pytest.raises(error):
                client.get(url(server, str(number)))


def test_a_document_without_the_end_mark_of_tls_may_be_cut() -> None:
    with saying(b"20 text/plain\r\nhalf", cut=True) as server, Client(Policy.open()) as client:
        document = client.get(url(server))
        assert (document.read(), document.notes) == (b"half", [UNMARKED])


def test_another_certificate_is_refused(tmp_path: Path) -> None:
    with saying(b"20 text/plain\r\nx") as server:
        port = server.port
        with Client(Policy.open(), pins=tmp_path / "pins") as client:
            assert client.get(url(server)).read() == b"x"
    text = (tmp_path / "pins").read_text()
    with saying(b"20 text/plain\r\nx", server_context(*self_signed("another"))) as server:
        (tmp_path / "pins").write_text(text.replace(f" {port} ", f" {server.port} "))
        with Client(Policy.open(), pins=tmp_path / "pins") as client:
            with pytest.raises(ConnectError, match="has changed"):
                client.get(url(server))
            assert bytes(server.received[-1]) == b""


def wanting(tmp_path: Path) -> ssl.SSLContext:
    """Asks everybody for a certificate, and takes the caller's."""
    (tmp_path / "mine.pem").write_bytes(b"".join(CALLER))
    (tmp_path / "known.pem").write_bytes(CALLER[0])
    context = server_context(*CERTIFICATE)
    context.load_verify_locations(tmp_path / "known.pem")
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


def members_only(connection: Connection) -> None:
    """Says whether it knows who is there; 60 to whom it does not know, but for ``/open``."""
    sock: Any = connection.sock
    request, shown = connection.line(), sock.getpeercert(binary_form=True)
    known = b"20 text/plain\r\n" + (b"member" if shown else b"nobody")
    connection.send(known if shown or request.endswith(b"/open") else b"60 Who is there?\r\n")
    end(connection)


def test_a_certificate_is_shown_where_the_server_wants_one_and_the_user_leads(tmp_path: Path) -> None:
    with Server(members_only, context=wanting(tmp_path)) as server:
        with Client(Policy.open(), cert=tmp_path / "mine.pem") as client:
            assert client.get(url(server)).read() == b"member"
            assert len(server.received) == 2
            # A server that would take one, and does not want it, learns nothing of who asks.
            assert client.get(url(server, "open")).read() == b"nobody"
            with pytest.raises(AuthRequiredError, match="was not shown to 127"):
                client.get(url(server), came_from=STRANGER)
            with saying(b"30 " + url(server).encode() + b"\r\n") as other:
                with pytest.raises(AuthRequiredError, match="was not shown to 127"):
                    client.get(url(other))
        with Client(Policy.open()) as client:
            with pytest.raises(AuthRequiredError, match=r"requires a client certificate .*cert='FILE'"):
                client.get(url(server))
