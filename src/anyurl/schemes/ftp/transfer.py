"""Data connections of ftp and ftps, from the command that begins a transfer to the server's final reply.

Rule: always passive (EPSV, RFC 2428, then PASV), and always to the address of the control connection, whatever a reply
claims. Attack: an FTP server could otherwise direct the client at a third host (RFC 2577 3).
"""

from __future__ import annotations

from anyurl.dialogue import RECEIVE_AT_MOST, Channel, Close, ConnectData, Receive, Secure, Steps
from anyurl.errors import AnyURLError, ConnectError, ConnectionLost, RefusedError, TransferTimeout
from anyurl.schemes.ftp.session import Control
from anyurl.schemes.ftp.wire import commands
from anyurl.schemes.kit.ends import behind_mark
from anyurl.schemes.kit.replies import Reply

PORTS_TRIED = 3
"""Data ports to try before a port that the policy refuses is an error: servers that use any free port, such as vsftpd,
sometimes offer one that belongs to another service, to which the policy allows no connection."""


EXTENDED_WITHIN = 3.0
"""Seconds for the first connection to a port of EPSV: a firewall that does not read its reply drops the packets."""


SILENCE_SECONDS = 0.4
"""Seconds of silence on a data connection before the control connection is checked for the end of the transfer: some
servers and middleboxes never close a data connection that they have announced as closed."""

GLANCE_SECONDS = 0.05
"""How long a look at the control connection takes that has nothing to say."""


class DataTransfer:
    """An open data connection, and the server's reply to the command that uses it.

    Attributes:
        data: The data connection.
        reply: The preliminary reply (1yz), or the final one (2yz) if it has come already.
    """

    __slots__ = ("data", "reply")

    def __init__(self, data: Channel, reply: Reply) -> None:
        self.data = data
        self.reply = reply

    def receive(self, control: Control, at_most: int = RECEIVE_AT_MOST) -> Steps[bytes]:
        """The next octets; ``b""`` at the end, which the final reply proves, too, where nothing follows it.

        Raises:
            AnyURLError: As `Receive`; or the final reply is a refusal.
        """
        try:
            return (yield from Receive(self.data, at_most, within=SILENCE_SECONDS))
        except TransferTimeout as error:
            if not error.early:
                raise
        if self.reply.kind == 1:
            try:
                self.reply = yield from control.reply(GLANCE_SECONDS)
            except (ConnectionLost, TransferTimeout):
                pass  # the end of the transfer will meet it again
        if self.reply.kind == 1:
            return (yield from Receive(self.data, at_most))
        return (yield from behind_mark(self.data, at_most))


LISTS = ("LIST", "NLST", "MLSD")
"""The commands whose data is text."""


def begin(control: Control, verb: str, argument: bytes | None, *, restart: int = 0) -> Steps[DataTransfer | Reply]:
    """Open a data connection and send the command that uses it.

    Returns:
        The transfer, or the reply that refuses it, which may be that to REST (RFC 3659 5).
    """
    if verb in LISTS and control.type == "i":  # RFC 959 4.1.3: a listing is text (after a login the type is A)
        yield from control.set_type("a")
    data = yield from _open_data(control)
    if restart:
        reply = yield from control.command("REST", b"%d" % restart)
        if reply.kind != 3:
            yield from Close(data)
            return reply
    reply = yield from control.command(verb, argument)
    if reply.kind not in (1, 2):
        yield from Close(data)
        return reply
    if control.protects:
        # The TLS session of the control connection is resumed: servers require it to authenticate the client (RFC 4217
        # 10).
        yield from Secure(data, control.host, control.channel)
    return DataTransfer(data, reply)


def _open_data(control: Control) -> Steps[Channel]:
    for _ in range(PORTS_TRIED - 1):
        try:
            return (yield from _open_once(control))
        except RefusedError:  # if asked again, the server offers another port
            yield from control.take_back()
    return (yield from _open_once(control))


def _open_once(control: Control) -> Steps[Channel]:
    """A data connection by EPSV, or by PASV after an EPSV that led to none: firewalls may know one of them only."""
    failed: AnyURLError | None = None
    if control.passive != "PASV":
        reply = yield from control.command("EPSV")
        if reply.code == 227:  # the reply that PASV would give
            return (yield from _connect(control, "PASV", commands.passive_port(reply)))
        if reply.code == 229:
            port = commands.extended_passive_port(reply)
            try:
                return (yield from _connect(control, "EPSV", port))
            except (ConnectError, TransferTimeout) as error:
                if getattr(error, "clock", "connect") != "connect" or not _has_pasv(control):
                    raise
                failed = error
        elif reply.kind not in (4, 5):
            failed = control.refusal(reply, f"{control.host} opens no data connection", "data")
        yield from control.take_back()
    reply = yield from control.command("PASV")
    if reply.code != 227:
        raise failed or control.refusal(reply, f"{control.host} opens no data connection", "data")
    return (yield from _connect(control, "PASV", commands.passive_port(reply)))


def _connect(control: Control, way: str, port: int) -> Steps[Channel]:
    within = EXTENDED_WITHIN if way == "EPSV" and not control.passive and _has_pasv(control) else None
    data = yield from ConnectData(control.channel, port, within)
    control.passive = way
    return data


def _has_pasv(control: Control) -> bool:
    """Whether PASV has a form for the server's address (RFC 959 4.1.2 knows four numbers)."""
    peer = control.channel.peer
    return peer is not None and ":" not in peer[0]


def finish(control: Control, transfer: DataTransfer) -> Steps[Reply]:
    """Close the data connection and wait for the final reply to its command."""
    try:
        yield Close(transfer.data)
    except TransferTimeout as error:  # closing TLS waits for the server's close_notify; only the final reply matters
        if error.clock != "idle":
            raise
    if transfer.reply.kind != 1:
        return transfer.reply
    return (yield from control.final_reply())
