"""A mail server that plays a part, octet for octet, on loopback; and a client that is led to it under a public name."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping, Sequence
from typing import Any

from anyurl.client.client import Client
from anyurl.dialogue import Secret
from anyurl.guard.policy import Policy
from anyurl.testing import SmallNetwork
from tests.servers import Connection, Part, Server

HOST, ADDRESS = "mail.example.org", "93.184.216.34"
NAMES = {HOST: [ADDRESS], "evil.example": ["151.101.1.69"]}
FEATURES = ("PIPELINING", "SIZE 1000000", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES")
FIXED = {
    "MAIL": b"250 2.1.0 Ok", "RCPT": b"250 2.1.5 Ok", "DATA": b"354 Go", "QUIT": b"221 Bye", "STARTTLS": b"220 Go",
    "AUTH": b"235 2.7.0 Ok",
}  # fmt: skip


class Script:
    """What the server says, and what it heard.

    Args:
        features: The lines behind the first of its answer to EHLO.
        replies: By the beginning of a command, the longest that fits; ``b""`` closes the connection.
        verdict: What it says to a message; ``b""`` closes the connection.
        ponders: Seconds before that.
        context: For STARTTLS.
        over_tls: What it replies from then on.

    Attributes:
        commands: The lines it got, without those of messages.
        messages: What stood between DATA and the lone dot, octet for octet.
    """

    def __init__(
        self,
        features: Sequence[str] = FEATURES,
        *,
        greeting: bytes = b"220 mail.example.org ESMTP",
        replies: Mapping[str, bytes] | None = None,
        verdict: bytes = b"250 2.0.0 Ok: queued as 1",
        ponders: float = 0.0,
        context: ssl.SSLContext | None = None,
        over_tls: Mapping[str, bytes] | None = None,
    ) -> None:
        self.features = features
        self.greeting = greeting
        self.replies = {**FIXED, **(replies or {})}
        self.verdict = verdict
        self.ponders = ponders
        self.context = context
        self.over_tls = over_tls or {}
        self.commands: list[bytes] = []
        self.messages: list[bytes] = []

    def play(self, connection: Connection) -> None:
        connection.send(self.greeting + b"\r\n")
        while line := connection.until(b"\n"):
            self.commands.append(line)
            reply = self._reply(line)
            if not reply:
                return
            connection.send(reply + b"\r\n")
            if line.startswith(b"QUIT"):
                return
            if line.startswith(b"STARTTLS") and reply.startswith(b"2") and self.context is not None:
                connection.sock = self.context.wrap_socket(connection.sock, server_side=True)
                self.replies.update(self.over_tls)
            if line.startswith(b"DATA") and reply.startswith(b"3"):
                self.messages.append((b"\r\n" + connection.until(b"\r\n.\r\n"))[2:])
                if not self.verdict:
                    return
                time.sleep(self.ponders)
                connection.send(self.verdict + b"\r\n")

    def _reply(self, line: bytes) -> bytes:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text.startswith("EHLO") and "EHLO" not in self.replies:
            lines = ["mail.example.org", *self.features]
            return "\r\n".join([*(f"250-{each}" for each in lines[:-1]), f"250 {lines[-1]}"]).encode()
        fitting = [key for key in self.replies if text.startswith(key)]
        return self.replies[max(fitting, key=len)] if fitting else b"334 "


class MailClient:
    """A client that delivers to a script.

    Attributes:
        client: The client itself.
        server: The server.
        questions: What a person was asked.
    """

    def __init__(
        self,
        part: Part,
        *,
        port: int = 2525,
        user: str = "",
        password: str | None = "hunter2",
        consent: bool = True,
        loopback: bool = False,
        context: ssl.SSLContext | None = None,
        **settings: Any,
    ) -> None:
        self.server = Server(part, context=context)
        self.questions: list[str] = []
        self._consent = consent
        where = f"127.0.0.1:{self.server.port}" if loopback else f"{HOST}:{port}"
        self.network = SmallNetwork(NAMES, {(ADDRESS, port): ("127.0.0.1", self.server.port)})
        settings.setdefault("mail_from", "me@example.org")
        self.client = Client(
            settings.pop("policy", None) or Policy.default(),
            mail_server=f"{user}@{where}" if user else where,
            network=None if loopback else self.network,
            ask_secret=lambda host, name, kind: None if password is None else Secret(password),
            ask_consent=self._ask,
            **settings,
        )

    def _ask(self, question: str) -> bool:
        self.questions.append(question)
        return self._consent

    def __enter__(self) -> MailClient:
        self.server.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.client.close()
        self.server.__exit__(*exception)
