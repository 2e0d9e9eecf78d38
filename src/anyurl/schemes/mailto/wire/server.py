"""A mail server without I/O (RFC 5321): it keeps the messages for its mailboxes, and forwards nothing.

Rule: a line ends with CR LF, and a message with a lone dot between two of them: any other line end is
data here, so that a client that smuggles commands is found out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.values import Value

MAX_MESSAGE = 25 * 1024 * 1024
"""Octets of one message, unless the server has another limit; it is announced in the reply to EHLO."""

MAX_KEPT = 100
"""Messages that are kept; the oldest one makes room."""

MAX_LINE = 2048
MAX_RECIPIENTS = 100

SECURE = ("STARTTLS", "AUTH PLAIN LOGIN")
"""The further extensions of a typical submission server."""

_SENDER = re.compile(r"FROM: ?<([^<>]*)>(?: .*)?\Z", re.IGNORECASE)
_RECIPIENT = re.compile(r"TO: ?<([^<>]+)>(?: .*)?\Z", re.IGNORECASE)
_SIZE = re.compile(r" SIZE=(\d{1,19})(?: |\Z)", re.IGNORECASE)


class StoredMail(Value):
    """A message that was dropped.

    Attributes:
        sender: Whom the envelope says it is from.
        recipients: Whom it is to.
        data: As received, without the doubled dots.
    """

    sender: str
    recipients: tuple[str, ...]
    data: bytes


class MailServer(WireServer):
    """A mail server.

    Args:
        host: Its own name, which is the domain of its mailboxes.
        mailboxes: The names before the ``@``; None if every mailbox of every domain exists.
        greeting: How it introduces itself, after its name.
        extensions: EHLO keywords besides the usual ones: those of `SECURE`. It accepts any login.
        max_message: Octets of the largest message.

    Attributes:
        kept: The messages, oldest first.
    """

    def __init__(
        self,
        host: str = "ideal.example",
        mailboxes: Sequence[str] | None = None,
        *,
        greeting: str = "ESMTP",
        extensions: Sequence[str] = (),
        max_message: int = MAX_MESSAGE,
    ) -> None:
        super().__init__()
        self.host = host
        self.mailboxes = mailboxes
        self.greeting = greeting
        self.features = (
            "PIPELINING", f"SIZE {max_message}", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", *extensions,
        )  # fmt: skip
        self.max_message = max_message
        self.kept: list[StoredMail] = []

    def serve(self, client: ServedClient) -> Conversation[None]:
        """One client."""
        yield from _MailConversation(self, client).run()

    def keep(self, message: StoredMail) -> None:
        """Keep a message."""
        self.kept = [*self.kept, message][-MAX_KEPT:]


class _MailConversation:
    """The commands of one client, line by line."""

    def __init__(self, server: MailServer, client: ServedClient) -> None:
        self._server = server
        self._client = client
        self._sender: str | None = None
        self._recipients: list[str] = []

    def run(self) -> Conversation[None]:
        self._say(f"220 {self._server.host} {self._server.greeting}")
        while (line := (yield from self._client.until(b"\r\n", MAX_LINE))) is not None:
            verb, _, argument = line.decode("utf-8", "replace").partition(" ")
            reply = yield from self._reply(verb.upper(), argument.strip())
            self._say(*reply)
            if reply[0][:3] in ("221", "421"):
                return

    def _say(self, *lines: str) -> None:
        self._client.send("".join(f"{line}\r\n" for line in lines).encode())

    def _reply(self, verb: str, argument: str) -> Conversation[list[str]]:
        if verb == "DATA":
            return (yield from self._data())
        if verb == "AUTH" and any(feature.startswith("AUTH ") for feature in self._server.features):
            return (yield from self._log_in(argument))
        return self._line(verb, argument)

    def _line(self, verb: str, argument: str) -> list[str]:
        """The reply to a command that is a line alone."""
        host, features = self._server.host, self._server.features
        if verb == "EHLO":
            return [f"250-{host}", *(f"250-{feature}" for feature in features[:-1]), f"250 {features[-1]}"]
        if verb in ("HELO", "NOOP"):
            return [f"250 {host}"]
        if verb == "RSET":
            self._sender, self._recipients = None, []
            return ["250 2.0.0 Ok"]
        if verb == "QUIT":
            return ["221 2.0.0 Bye"]
        if verb == "MAIL":
            return self._mail(argument)
        if verb == "RCPT":
            return self._recipient(argument)
        if verb == "STARTTLS" and verb in features:
            return ["220 2.0.0 Ready to start TLS"]
        return ["502 5.5.1 There is no such command here"]

    def _log_in(self, mechanism: str) -> Conversation[list[str]]:
        if mechanism.upper() == "LOGIN":
            for prompt in ("VXNlcm5hbWU6", "UGFzc3dvcmQ6"):  # Username: and Password:
                self._say(f"334 {prompt}")
                yield from self._client.until(b"\r\n", MAX_LINE)
        return ["235 2.7.0 Accepted"]

    def _mail(self, argument: str) -> list[str]:
        found = _SENDER.match(argument)
        if found is None or self._sender is not None:
            return ["501 5.5.4 MAIL FROM:<address>, once"]
        size = _SIZE.search(argument)
        if size is not None and int(size[1]) > self._server.max_message:
            return [f"552 5.3.4 A message has {self._server.max_message} octets at the most"]
        self._sender = found[1]
        return ["250 2.1.0 Ok"]

    def _recipient(self, argument: str) -> list[str]:
        found = _RECIPIENT.match(argument)
        if found is None or self._sender is None:
            return ["503 5.5.1 MAIL FROM comes first, then RCPT TO:<address>"]
        local, _, domain = found[1].rpartition("@")
        mailboxes = self._server.mailboxes
        if mailboxes is not None and domain.lower() != self._server.host:
            return ["550 5.7.1 Mail to elsewhere is not taken"]
        if mailboxes is not None and local.lower() not in mailboxes:
            return [f"550 5.1.1 There is {' and '.join(mailboxes)} here, and nobody else"]
        if len(self._recipients) >= MAX_RECIPIENTS:
            return ["452 4.5.3 Too many recipients"]
        self._recipients.append(found[1])
        return ["250 2.1.5 Ok"]

    def _data(self) -> Conversation[list[str]]:
        if self._sender is None or not self._recipients:
            return ["503 5.5.1 RCPT TO comes first"]
        self._say("354 Go on; a line with a dot alone ends it")
        self._client.buffer[:0] = b"\r\n"  # the dot that ends an empty message has a line end before it, too
        data = yield from self._client.until(b"\r\n.\r\n", self._server.max_message + MAX_LINE)
        if data is None:
            return ["421 4.3.4 That is more than a message"]
        text = (data + b"\r\n").replace(b"\r\n..", b"\r\n.")[2:]
        self._server.keep(StoredMail(self._sender, tuple(self._recipients), text))
        self._sender, self._recipients = None, []
        return ["250 2.0.0 Kept; it goes no further"]
