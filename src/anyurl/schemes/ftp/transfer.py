"""Data connections of ftp and ftps: begun with a command, ended with the server's last word.

Rule: always passive (EPSV, RFC 2428, then PASV), and always to the very address of the control connection, whatever a
reply claims: an FTP server must not make us attack a third host (RFC 2577 3).
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Close, ConnectData, Secure, Steps
from anyurl.errors import RefusedError, TransferTimeout
from anyurl.schemes.ftp.session import Control
from anyurl.schemes.ftp.wire import commands
from anyurl.schemes.kit.replies import Reply
from anyurl.values import Value

PORTS_TRIED = 3
"""Data ports that a server may offer before a refused one counts: servers that take any free port, as vsftpd does,
now and then take one that belongs to another service, and the policy lets nobody point us at that."""


class DataTransfer(Value):
    """A data connection that is open, and what the server said when it began.

    Attributes:
        data: The connection.
        reply: The reply that began it (1yz), or the one that ended it already (2yz).
    """

    data: Channel
    reply: Reply


def begin(control: Control, verb: str, argument: bytes | None, *, restart: int = 0) -> Steps[DataTransfer | Reply]:
    """Open a data connection and send the command that uses it.

    Returns:
        The transfer, or the reply that refuses it; one to REST (RFC 3659 5) when that is what was refused.
    """
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
        # The session of the control connection is resumed: servers take it as proof of who comes (RFC 4217 10).
        yield from Secure(data, control.host, control.channel)
    return DataTransfer(data, reply)


def _open_data(control: Control) -> Steps[Channel]:
    for _ in range(PORTS_TRIED - 1):
        port = yield from _ask_for_port(control)
        try:
            data: Channel = yield ConnectData(control.channel, port)
            return data
        except RefusedError:  # asked again, the server takes another port
            yield from control.take_back()
    port = yield from _ask_for_port(control)
    return (yield from ConnectData(control.channel, port))


def _ask_for_port(control: Control) -> Steps[int]:
    if control.passive != "PASV":
        reply = yield from control.command("EPSV")
        if reply.code == 229:
            control.passive = "EPSV"
            return commands.extended_passive_port(reply)
        if reply.kind not in (4, 5):
            raise control.refusal(reply, f"{control.host} opens no data connection", "data")
        yield from control.take_back()
    reply = yield from control.command("PASV")
    if reply.code != 227:
        raise control.refusal(reply, f"{control.host} opens no data connection", "data")
    control.passive = "PASV"
    return commands.passive_port(reply)


def finish(control: Control, transfer: DataTransfer) -> Steps[Reply]:
    """Close the data connection and wait for the last word about it."""
    try:
        yield Close(transfer.data)
    except TransferTimeout as error:  # over TLS the server's end mark is waited for; its last word matters more
        if error.clock != "idle":
            raise
    if transfer.reply.kind == 2:
        return transfer.reply
    return (yield from control.final_reply())
