"""mailto: a drop for mail (RFC 5321): it accepts messages for two mailboxes, keeps them, and forwards nothing.

Rule: a line ends with CR LF, and a message with a lone dot between two of them: any other line end is
data here, so that a client that smuggles commands is found out. The drop is on loopback; its domain exists nowhere.
"""

from __future__ import annotations

import re
import socket
import threading

from anyurl.url import URL
from anyurl.values import Value
from anyurl.world.listener import HOST, Listener

DOMAIN = "world.example"
MAILBOXES = ("guest", "postmaster")

MAX_MESSAGE = 1024 * 1024
"""Octets of one message, announced in the reply to EHLO."""

MAX_KEPT = 100
"""Messages that are kept; the oldest one makes room."""

MAX_LINE = 2048
MAX_RECIPIENTS = 100
IDLE_SECONDS = 60.0

FEATURES = ("PIPELINING", f"SIZE {MAX_MESSAGE}", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES")

_SENDER = re.compile(r"FROM: ?<([^<>]*)>(?: .*)?\Z", re.IGNORECASE)
_RECIPIENT = re.compile(r"TO: ?<([^<>]+)>(?: .*)?\Z", re.IGNORECASE)


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


class MailDrop:
    """A mail server that keeps its messages in memory.

    Attributes:
        port: Where it listens.
        kept: The messages, oldest first.
    """

    def __init__(self, port: int = 0) -> None:
        self.kept: list[StoredMail] = []
        self._lock = threading.Lock()
        self._listener = Listener(self.serve, "mail", port)
        self.port = self._listener.port

    @property
    def root(self) -> URL:
        """The mailbox of the guest."""
        return URL(f"mailto:guest@{DOMAIN}")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL to which the demo delivers: its message is in it."""
        return {"mailto": URL(f"{self.root}?subject=A%20visit&body=I%20was%20here.")}

    @property
    def settings(self) -> dict[str, str]:
        """The settings with which a client delivers here."""
        return {"mail_server": f"{HOST}:{self.port}", "mail_from": f"visitor@{DOMAIN}"}

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """One conversation."""
        connection.settimeout(IDLE_SECONDS)
        # Commands that arrived together get small replies each: none may wait until the one before is acknowledged.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(f"220 {DOMAIN} ESMTP the mail drop of a small world\r\n".encode())
        _MailConversation(self, connection).run()

    def keep(self, message: StoredMail) -> None:
        """Keep a message."""
        with self._lock:
            self.kept = [*self.kept, message][-MAX_KEPT:]


class _MailConversation:
    """The session of one client, line by line."""

    def __init__(self, drop: MailDrop, connection: socket.socket) -> None:
        self._drop = drop
        self._connection = connection
        self._buffer = b""
        self._sender: str | None = None
        self._recipients: list[str] = []

    def run(self) -> None:
        while (line := self._until(b"\r\n", MAX_LINE)) is not None:
            verb, _, argument = line.decode("utf-8", "replace").partition(" ")
            reply = self._reply(verb.upper(), argument.strip())
            self._connection.sendall("\r\n".join([*reply, ""]).encode())
            if reply[0][:3] in ("221", "421"):
                return

    def _until(self, mark: bytes, limit: int) -> bytes | None:
        """Everything before the next mark; None at the end, or when it is more than the limit."""
        while mark not in self._buffer:
            data = self._connection.recv(65536) if len(self._buffer) <= limit else b""
            if not data:
                return None
            self._buffer += data
        found, _, self._buffer = self._buffer.partition(mark)
        return found if len(found) <= limit else None

    def _reply(self, verb: str, argument: str) -> list[str]:
        if verb == "EHLO":
            return [f"250-{DOMAIN}", *(f"250-{feature}" for feature in FEATURES[:-1]), f"250 {FEATURES[-1]}"]
        if verb in ("HELO", "NOOP"):
            return [f"250 {DOMAIN}"]
        if verb == "RSET":
            self._sender, self._recipients = None, []
            return ["250 2.0.0 Ok"]
        if verb == "QUIT":
            return ["221 2.0.0 Bye"]
        if verb == "MAIL":
            return self._mail(argument)
        if verb == "RCPT":
            return self._recipient(argument)
        return self._data() if verb == "DATA" else ["502 5.5.1 There is no such command here"]

    def _mail(self, argument: str) -> list[str]:
        found = _SENDER.match(argument)
        if found is None or self._sender is not None:
            return ["501 5.5.4 MAIL FROM:<address>, once"]
        size = re.search(r" SIZE=(\d{1,19})(?: |\Z)", argument, re.IGNORECASE)
        if size is not None and int(size[1]) > MAX_MESSAGE:
            return [f"552 5.3.4 A message has {MAX_MESSAGE} octets at the most"]
        self._sender = found[1]
        return ["250 2.1.0 Ok"]

    def _recipient(self, argument: str) -> list[str]:
        found = _RECIPIENT.match(argument)
        if found is None or self._sender is None:
            return ["503 5.5.1 MAIL FROM comes first, then RCPT TO:<address>"]
        local, _, domain = found[1].rpartition("@")
        if domain.lower() != DOMAIN:
            return ["550 5.7.1 Mail to elsewhere is not taken"]
        if local.lower() not in MAILBOXES:
            return [f"550 5.1.1 There is {' and '.join(MAILBOXES)} here, and nobody else"]
        if len(self._recipients) >= MAX_RECIPIENTS:
            return ["452 4.5.3 Too many recipients"]
        self._recipients.append(found[1])
        return ["250 2.1.5 Ok"]

    def _data(self) -> list[str]:
        if self._sender is None or not self._recipients:
            return ["503 5.5.1 RCPT TO comes first"]
        self._connection.sendall(b"354 Go on; a line with a dot alone ends it\r\n")
        self._buffer = b"\r\n" + self._buffer  # the dot that ends an empty message has a line end before it, too
        data = self._until(b"\r\n.\r\n", MAX_MESSAGE + MAX_LINE)
        if data is None:
            return ["421 4.3.4 That is more than a message"]
        text = (data + b"\r\n").replace(b"\r\n..", b"\r\n.")[2:]
        self._drop.keep(StoredMail(self._sender, tuple(self._recipients), text))
        self._sender, self._recipients = None, []
        return ["250 2.0.0 Kept; it goes no further"]


def start(port: int = 0) -> MailDrop:
    """Wait for mail. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return MailDrop(port=port)
