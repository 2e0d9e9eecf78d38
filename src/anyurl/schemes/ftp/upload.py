"""Uploads by ftp and ftps: STOR and APPE, an interrupted upload that is continued, and the time of the file.

Rule: an upload resumes after the octets that the server has (REST, RFC 3659 5, or APPE) only if the last of them are
the caller's own. It is an error if the server's file finally differs from the source.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Describe, Note, Options, Receive, Rewind, Send, Steps, Take
from anyurl.errors import ConnectionLost, TransferError, Truncated
from anyurl.schemes.ftp.mode import choose_mode
from anyurl.schemes.ftp.parts import FtpParts
from anyurl.schemes.ftp.session import Control
from anyurl.schemes.ftp.transfer import begin, finish
from anyurl.schemes.ftp.wire import commands
from anyurl.schemes.kit.lines import to_network_text
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.kit.scheme import octets, quoted

COMPARED_BYTES = 64 * 1024
"""Octets before the end of the server's file that are compared with the caller's: two files rarely share so long a
block at the same place, and it takes no longer than a round trip to fetch."""


UNKNOWN = (500, 502)
"""The replies to a command that a server does not have (RFC 959 4.2); aioftp has no SIZE, but MLST."""


def send_file(control: Control, parts: FtpParts, options: Options, verb: str) -> Steps[None]:
    """Send the caller's octets by STOR or APPE, and describe the resulting file."""
    name = octets(parts.name)
    mode = yield from choose_mode(control, parts, options)
    yield from control.set_type(mode)
    start = (yield from _there(control, name, mode, options)) if options.resumes_upload else 0
    sent = 0
    if not start or options.upload_size is None or start < options.upload_size:
        sent = yield from _send(control, name, mode, verb, start)
    if start:
        yield from _check_size(control, name, start + sent)
    modified = None
    if options.upload_mtime is not None:
        modified = yield from _set_time(control, name, int(options.upload_mtime))
    yield from control.leave()
    yield from Describe(
        "document",
        size=start + sent,
        name=parts.name,
        start=start,
        modified=modified,
        attributes={"mode": mode},
    )


def _send(control: Control, name: bytes, mode: str, verb: str, start: int) -> Steps[int]:
    """Send the rest of the source; returns the number of octets."""
    what = f"{control.host} does not store {quoted(name)}"
    transfer = yield from begin(control, verb, name, restart=start)
    if isinstance(transfer, Reply) and start and transfer.kind in (4, 5):  # proftpd: 451 Restart not permitted
        transfer = yield from begin(control, "APPE", name)
    if isinstance(transfer, Reply):
        raise control.refusal(transfer, what, "write")
    sent, broken = yield from _send_all(transfer.data, mode)
    try:
        reply = yield from finish(control, transfer)
    except ConnectionLost as error:
        raise Truncated(f"{what} for certain: {error}", received=sent) from error
    if reply.kind != 2:
        if sent:
            what += ", of which a part may be there now"
        raise control.refusal(reply, what, "write", stage="transfer")
    if broken is not None:
        raise broken
    return sent


def _send_all(data: Channel, mode: str) -> Steps[tuple[int, TransferError | None]]:
    """Send the caller's octets; returns their number, and the error if the connection broke, which the server's final
    reply will explain."""
    sent = 0
    while piece := (yield from Take()):
        try:
            yield from Send(data, to_network_text(piece) if mode == "a" else piece)
        except (ConnectionLost, Truncated) as error:
            return sent, error
        sent += len(piece)
    return sent, None


def _set_time(control: Control, name: bytes, mtime: int) -> Steps[float | None]:
    """Give the file its time (MFMT, draft-somers-ftp-mfxx); None if the server has no such command, or refuses."""
    value = commands.time_value(mtime)
    if value is None or "MFMT" not in (yield from control.ask_features()):
        return None
    reply = yield from control.command("MFMT", value + b" " + name)
    return float(mtime) if reply.kind == 2 else None


# --- continuing ------------------------------------------------------------------------------------------------------


def _there(control: Control, name: bytes, mode: str, options: Options) -> Steps[int]:
    """The number of the caller's octets that the server has; the source is then positioned after them.

    Raises:
        TransferError: It has others.
    """
    if mode == "a":
        yield from Note(
            "the upload starts from the beginning: text is converted on the way, so octets can't be counted "
            "(;type=i can be continued)"
        )
        return 0
    reply = yield from control.command("SIZE", name)
    there = commands.size_of(reply) if reply.kind == 2 else None
    if there is None and reply.code in UNKNOWN:
        item = yield from control.facts_about(name)
        there = None if item is None else item.size
    if not there:
        if there is None and reply.code != 550:  # 550: it has no such file, so there is nothing to continue
            yield from Note(f"the upload starts from the beginning: {control.host} does not say how much it has")
        return 0
    if options.upload_size is not None and there > options.upload_size:
        raise _another(control, name, f"it has {there:,} octets, and only {options.upload_size:,} are sent")
    compared = min(there, COMPARED_BYTES)
    own = yield from _take_behind(there - compared, compared)
    if len(own) < compared:
        raise _another(control, name, f"it has {there:,} octets, more than are sent")
    theirs = yield from _fetch_tail(control, name, there - compared, compared)
    if isinstance(theirs, str):
        yield from Note(f"what {control.host} has could not be compared with what is sent: {theirs}")
    elif theirs != own:
        raise _another(control, name, f"the last of its {there:,} octets differ")
    return there


def _another(control: Control, name: bytes, why: str) -> TransferError:
    return TransferError(
        f"What {control.host} has as {quoted(name)} is not the beginning of what is sent: {why}. Nothing was sent; an "
        "upload from the beginning replaces it."
    )


def _take_behind(offset: int, count: int) -> Steps[bytes]:
    """Octets of the source from an offset on; fewer if it ends before."""
    if not (yield from Rewind(offset)):
        left = offset
        while left and (piece := (yield from Take(min(left, COMPARED_BYTES)))):
            left -= len(piece)
    taken = bytearray()
    while len(taken) < count and (piece := (yield from Take(count - len(taken)))):
        taken += piece
    return bytes(taken)


def _fetch_tail(control: Control, name: bytes, offset: int, count: int) -> Steps[bytes | str]:
    """The octets that the server has from an offset on, or why they can't be fetched, as a clause."""
    transfer = yield from begin(control, "RETR", name, restart=offset)
    if isinstance(transfer, Reply):
        return f"it does not send them ({transfer})"
    tail = bytearray()
    broken = ""
    try:
        while len(tail) <= count and (piece := (yield from Receive(transfer.data))):
            tail += piece
    except (ConnectionLost, Truncated) as error:
        broken = str(error)
    yield from finish(control, transfer)
    return broken or bytes(tail)


def _check_size(control: Control, name: bytes, size: int) -> Steps[None]:
    reply = yield from control.command("SIZE", name)
    there = commands.size_of(reply) if reply.kind == 2 else None
    if there is not None and there != size:
        raise Truncated(
            f"{control.host} has {there:,} octets of {quoted(name)} now, and {size:,} were sent in all: another upload "
            "may have come between. Send it again from the beginning.",
            received=there,
            expected=size,
        )
