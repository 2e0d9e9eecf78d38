"""One session with the user's mail server, as asks: TLS, login, and one message (RFC 5321, RFC 6409, RFC 8314).

Rule: passwords are sent only over TLS or to this machine. Everything that a server said before TLS began is discarded
(RFC 3207 4.2). Only the server's reply after the last line tells whether a message was accepted.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.dialogue import AskSecret, Note, Steps
from anyurl.errors import (
    ConnectError,
    ConnectionLost,
    LimitError,
    SecretNeededError,
    TransferTimeout,
    Truncated,
    UnsupportedError,
)
from anyurl.schemes.kit.line_session import GREETING_SECONDS, LineSession
from anyurl.schemes.kit.meanings import FULL, TLS, Case
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.kit.scheme import is_this_machine
from anyurl.schemes.mailto.wire import smtp
from anyurl.schemes.mailto.wire.address import Address
from anyurl.url import syntax
from anyurl.url.endpoint import SUBMISSION_PORT, Endpoint
from anyurl.values import Value

LOGIN = "USER@HOST as the mail server names who logs in."
TRY_LATER = "Later it may succeed."

REFUSED = (
    r"^(?!5\.\d)(?!.*(?:unknown|no such|not found|does(?:n't| not) exist)).*(?:relay|denied|not (?:permitted|allowed)"
    r"|prohibit|policy|spam|block|black ?list|banned|reputation|\brbl\b|dnsbl|\bspf\b|dmarc|sender verify)"
)
"""Words of servers that take no mail from here, and say so with the code of a mailbox that is not there (exim)."""

# The enhanced status code, if there is one, is more precise than the three digits; the text is used last.
TABLE = (
    Case("tls", (530, 538, 554), TLS, where="clear", advice="The server takes mail only over TLS."),
    Case("tls", (523, 538), advice="The server takes mail only over TLS."),
    Case("greylisted", (421, 450, 451, 452, 454), r"gr[ea]y-?list",
        advice="Send it again in a few minutes."),
    Case("connections", (421, 450, 451, 452, 454, 554), FULL + r"|too many recipients|rate limit",
        advice="Fewer at a time, or later, may succeed."),
    Case("quota", (452, 552), advice="There is no room for it there, or it is too large."),
    Case("quota", (422, 450, 522, 550, 554), r"^[45]\.2\.2\b|quota|mailbox (?:is )?full",
        advice="There is no room for it there."),
    Case("login", (530,), advice=LOGIN),
    Case("busy", (4,), where="login", advice=TRY_LATER),
    Case("login", (534, 535)),
    Case("busy", (4,), advice=TRY_LATER),
    Case("denied", (5,), r"^5\.7\."),
    Case("denied", (554,)),
    Case("denied", (550,), where="message"),
    Case("not-found", (550, 551, 553), r"^5\.[10]\."),
    Case("denied", (550, 553), REFUSED),
    Case("not-found", (550, 551, 553), r"^(?!5\.\d{1,3}\.\d)"),
)  # fmt: skip
"""The meaning of negative replies (RFC 5321 4.2.2, RFC 3463, RFC 4954 6)."""


TLS_PORT = syntax.row("smtps").port
"""Where TLS begins at once (RFC 8314 7.3)."""

VERDICT_SECONDS = 600.0
"""Seconds for the reply to a whole message: a server may look through all of it first (RFC 5321 4.5.3.2.6)."""


class Outcome(Value):
    """The result of sending one message.

    Attributes:
        reply: The server's reply to the complete message.
        delivered: The accepted recipients.
        refused: The refused recipients, each with the server's reply.
    """

    reply: Reply
    delivered: Sequence[Address]
    refused: dict[Address, Reply]


class MailSession(LineSession):
    """One connection to a mail server; its methods are steps of a dialogue: ``yield from`` them.

    Attributes:
        user: The user to log in as, or None.
        features: The extensions from the reply to EHLO.
    """

    __slots__ = ("user", "features")

    table = TABLE
    # Mail servers make clients wait, and take one that talks before the greeting for a sender of spam.
    probe_seconds = GREETING_SECONDS

    def __init__(self, server: Endpoint, patience: float) -> None:
        super().__init__(
            smtp.REPLIES,
            server.host,
            server.port,
            tls=server.port == TLS_PORT,
            patience=patience,
        )
        self.user = server.user
        self.features: dict[str, str] = {}

    @property
    def _tls_hint(self) -> str:
        return f"mail begins with it at port {TLS_PORT} only"

    # --- greeting, TLS, login ----------------------------------------------------------------------------------------

    def _enter(self) -> Steps[None]:
        """Everything that precedes a message.

        Raises:
            ConnectError: The server has no TLS where it is needed.
            AuthRequiredError: It does not take the login.
        """
        reply = yield from self.reply()
        if reply.kind != 2:
            raise self.refusal(reply, f"{self.host} accepts no mail from here")
        yield from self._hello()
        if self._may_secure and not self._is_well_off():
            yield from self._start_tls()
        yield from self._check_secure()
        if self.user is not None:
            yield from self._log_in(self.user)

    @property
    def _may_secure(self) -> bool:
        return "STARTTLS" in self.features and not self.secure

    def _is_well_off(self) -> bool:
        # A mail server on this machine usually has a self-signed certificate, and the connection can't be intercepted.
        return is_this_machine(self.channel.peer) and (self.user is None or "AUTH" in self.features)

    def _hello(self) -> Steps[None]:
        peer = self.channel.peer[0] if self.channel.peer is not None else ""
        reply = yield from self.exchange(smtp.hello(peer))
        if reply.kind == 2:
            self.features = smtp.features_of(reply)
            return
        if reply.code in (500, 502):  # RFC 5321 3.2: a server that knows no extensions
            older = yield from self.exchange(smtp.hello(peer, "HELO"))
            if older.kind == 2:
                self.features = {}
                return
        raise self.refusal(reply, f"{self.host} does not answer EHLO", stage="login")

    def _start_tls(self) -> Steps[None]:
        yield from self.start_tls("STARTTLS", smtp.command("STARTTLS"), range(200, 300))
        yield from self._hello()

    def _check_secure(self) -> Steps[None]:
        if self.secure or is_this_machine(self.channel.peer):
            return
        # Attack: a man in the middle can remove STARTTLS from the reply.
        if self.user is not None or self.port == SUBMISSION_PORT:
            raise ConnectError(
                f"{self.host} offers no STARTTLS at port {self.port}, and neither a password nor users' "
                "mail goes out without TLS (RFC 8314 3.3). Port 465 begins with TLS.",
                stage="tls",
            )
        yield from Note(f"the message goes to {self.host} in cleartext: it offers no STARTTLS")

    def _log_in(self, user: str) -> Steps[None]:
        host = self.host
        offered = self.features.get("AUTH", "").upper().split()
        if not {"PLAIN", "LOGIN"} & set(offered):
            named = f" ({', '.join(offered)})" if offered else ""
            raise UnsupportedError(
                f"{host} offers no login that anyurl knows{named}: PLAIN and LOGIN are supported.", scheme="mailto"
            )
        secret = yield from AskSecret(host, user, "mail password")
        if secret is None:
            raise SecretNeededError(
                f"{host} asks for the password of {user!r}, and neither netrc nor a terminal can give it."
            )
        password = secret.reveal()
        self._secrets = smtp.secrets_of(user, password)
        if "PLAIN" in offered:
            reply = yield from self.exchange(smtp.plain(user, password))
        else:
            reply = yield from self.exchange(smtp.command("AUTH", b"LOGIN"))
            for answer in (user, password):
                if reply.code == 334:
                    reply = yield from self.exchange(smtp.login_answer(answer))
        if reply.kind == 2:
            return
        raise self.refusal(reply, f"{host} does not take the login of {user!r}", stage="login")

    # --- one message -------------------------------------------------------------------------------------------------

    def deliver(
        self, sender: Address, recipients: Sequence[Address], message: bytes, *, eight_bit: bool, utf8: bool
    ) -> Steps[Outcome]:
        """Hand over one message, to as many of the recipients as the server takes.

        Args:
            message: With CR LF as its only line end.
            eight_bit: The message holds octets above 127.
            utf8: Its header or an address does.

        Raises:
            ReplyError: The server takes the message for none of them, or not at all.
            LimitError: It is larger than the server takes.
            UnsupportedError: The server can't carry its content.
        """
        lines = list(map(smtp.recipient, recipients))
        while True:
            self._check_features(len(message), eight_bit=eight_bit, utf8=utf8)
            begin = smtp.mail_from(sender, self.features, size=len(message), eight_bit=eight_bit, utf8=utf8)
            # RFC 2920: a server that says so reads many commands at once; a command that may have to be repeated is
            # sent alone.
            pipelined = "PIPELINING" in self.features and not self._may_secure
            reply = yield from self.exchange(b"".join([begin, *lines]) if pipelined else begin)
            if not (self._may_secure and reply.code == 530 and "TLS" in reply.text.upper()):
                break
            yield from self._start_tls()  # RFC 3207 4: it takes mail only then
        if reply.kind != 2:
            raise self.refusal(reply, f"{self.host} accepts no mail from {sender}", "message")
        refused: dict[Address, Reply] = {}
        for address, line in zip(recipients, lines, strict=True):
            reply = yield from (self.reply() if pipelined else self.exchange(line))
            if reply.kind != 2:
                refused[address] = reply
        delivered = [address for address in recipients if address not in refused]
        if not delivered:
            address, reply = next(iter(refused.items()))
            raise self.refusal(reply, f"{self.host} refuses mail to {address}")
        reply = yield from self.exchange(smtp.command("DATA"))
        if reply.code == 354:
            reply = yield from self._hand_over(smtp.stuffed(message))
            if reply.kind == 2:
                return Outcome(reply, delivered, refused)
        raise self.refusal(reply, f"{self.host} does not take the message", "message")

    def _check_features(self, size: int, *, eight_bit: bool, utf8: bool) -> None:
        host, limit = self.host, smtp.size_limit(self.features)
        if limit is not None and size > limit:
            raise LimitError(
                f"The message has {size:,} octets, and {host} takes {limit:,} at most (RFC 1870).", limit="SIZE"
            )
        if utf8 and "SMTPUTF8" not in self.features:
            raise UnsupportedError(
                f"{host} accepts no international addresses or header fields (SMTPUTF8, RFC 6531).", scheme="mailto"
            )
        if eight_bit and not utf8 and "8BITMIME" not in self.features:
            raise UnsupportedError(
                f"{host} accepts no octets above 127 (8BITMIME, RFC 6152); quoted-printable or base64 would pass.",
                scheme="mailto",
            )

    def _hand_over(self, data: bytes) -> Steps[Reply]:
        if self._has_pending():
            raise self._unasked()
        try:
            yield from self.send(data)
        except (ConnectionLost, Truncated) as error:
            raise ConnectionLost(
                f"The connection to {self.host} broke before all of the message was sent: it is not delivered."
            ) from error
        try:
            return (yield from self.reply(VERDICT_SECONDS))
        except (ConnectionLost, TransferTimeout) as error:
            # Sent again it might arrive twice (RFC 1047): the person has to know.
            text = f"{self.host} did not confirm the message, which may or may not have been delivered. {error}"
            if isinstance(error, TransferTimeout):
                raise TransferTimeout(text, clock=error.clock) from error
            raise ConnectionLost(text) from error
