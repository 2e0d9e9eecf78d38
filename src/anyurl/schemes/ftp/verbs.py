"""ftp, ftps: files and directories of FTP servers (RFC 1738 3.2, RFC 959; ftps: RFC 4217).

Rule: the url-path is a series of commands, sent exactly as it says (3.2.2): one CWD for each directory, in order, TYPE,
then RETR (or NLST, for ``;type=d``) with the name. A URL without a name designates a listing.
"""

from __future__ import annotations

from anyurl.dialogue import RECEIVE_AT_MOST, Channel, Describe, Dialogue, Emit, Note, Options, Relay, Resume, Steps
from anyurl.errors import (
    ConnectionLost,
    RemoteProtocolError,
    ReplyError,
    TransferError,
    TransferTimeout,
    Truncated,
    UnsupportedError,
)
from anyurl.schemes.ftp.listing import begin_list, find_in_list, list_folder
from anyurl.schemes.ftp.mode import choose_mode
from anyurl.schemes.ftp.parts import FtpParts, check, read
from anyurl.schemes.ftp.replies import TABLE
from anyurl.schemes.ftp.session import Control, Said, converse
from anyurl.schemes.ftp.transfer import DataTransfer, begin, finish
from anyurl.schemes.ftp.upload import UNKNOWN, send_file
from anyurl.schemes.ftp.wire import commands
from anyurl.schemes.ftp.wire.fake_server import FakeFtpServer
from anyurl.schemes.ftp.wire.list import ListedName
from anyurl.schemes.kit.ends import behind_mark
from anyurl.schemes.kit.lines import FromNetworkText
from anyurl.schemes.kit.meanings import row_of
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.kit.scheme import Scheme, octets, quoted
from anyurl.url import URL

__all__ = ["SCHEMES", "FtpParts", "append", "check", "get", "fake_server", "list_folder", "put", "read", "stat"]


def get(url: URL, options: Options) -> Dialogue:
    """Retrieve a file, or list a directory if the URL has no name, or ``;type=d``.

    Asks: one connection to the URL's host, and one to the same address for the data.

    Raises:
        NotFoundError: There is no such file.
        ReplyError: It is a directory (``meaning``), or the server refuses.
        Truncated: The server did not confirm the transfer, or sent less than it had announced.
    """
    parts = check(url)
    if parts.typecode == "d" or not parts.name:
        return (yield from list_folder(url, options))
    yield from converse(url, options, parts, lambda control: _get(control, parts, options))
    return None


def _get(control: Control, parts: FtpParts, options: Options) -> Steps[None]:
    name = octets(parts.name)
    mode = yield from choose_mode(control, parts, options)
    yield from control.say_ahead(*_foreseen(control, name, mode, options))
    if control.type != mode:
        yield from control.set_type(mode)
    size = None
    if _needs_size(control, mode, options):
        size = commands.size_of((yield from control.command("SIZE", name)))
    dated = yield from control.command("MDTM", name)
    modified = commands.modified_of(dated)
    if mode == "i" and not control.pipelines and (dated.code in UNKNOWN or _cannot_resume(options, size, modified)):
        # aioftp has neither SIZE nor MDTM, but MLST; it has no FEAT either, which would say so.
        item = yield from control.facts_about(name)
        size, modified = (size, modified) if item is None else (item.size, item.modified)
    start = 0 if options.resume is None else (yield from _resumable(options.resume, mode, size, modified))
    if start and start == size:  # the caller has it all
        yield _description(parts, mode, size, modified, start)
        yield from control.leave()
        return
    transfer = yield from begin(control, "RETR", name, restart=start)
    if start and isinstance(transfer, Reply):
        yield from Note(
            f"the server does not resume at octet {start:,} ({transfer}): the transfer starts again from the beginning"
        )
        start = 0
        transfer = yield from begin(control, "RETR", name)
    if isinstance(transfer, Reply):
        raise (yield from _no_file(control, name, transfer))
    if mode == "i" and not start:
        announced = commands.announced_size(transfer.reply)
        size = announced if size is None else size
        control.announces = announced is not None and announced == size
    yield _description(parts, mode, size, modified, start)
    yield from _receive(control, transfer, mode, None if size is None else size - start, start)


def _description(parts: FtpParts, mode: str, size: int | None, modified: float | None, start: int) -> Describe:
    return Describe(
        "document",
        type=guess_type(parts.name),
        size=size,
        modified=modified,
        name=parts.name,
        start=start,
        attributes={"mode": mode},
    )


def _foreseen(control: Control, name: bytes, mode: str, options: Options) -> list[Said]:
    """The commands up to RETR. None depends on the reply to another, so all of them may be pipelined.

    RETR itself is included if the server has opened a data connection before, and so will open this one: the server
    waits there (RFC 959 3.2) until the client has read the port and connects.
    """
    said: list[Said] = [] if control.type == mode else [("TYPE", mode.upper().encode())]
    said += [("SIZE", name)] if _needs_size(control, mode, options) else []
    said += [("MDTM", name)]
    if options.resume is None or options.resume.start != options.resume.size:
        said += [(control.passive or "EPSV", None)]
    said += [("RETR", name)] if control.passive and options.resume is None else []
    return said


def _needs_size(control: Control, mode: str, options: Options) -> bool:
    """Whether SIZE must be sent: not if the server's 150 replies give the size of the file that they open."""
    # In type A the size would be that of the text on the wire, which many servers refuse to compute.
    return mode == "i" and (options.resume is not None or not control.announces)


def _cannot_resume(options: Options, size: int | None, modified: float | None) -> bool:
    """Whether SIZE and MDTM say too little to go on with what the caller has."""
    return options.resume is not None and not options.resume.compares and None in (size, modified)


def _resumable(resume: Resume, mode: str, size: int | None, modified: float | None) -> Steps[int]:
    """The offset to resume at: not 0 only in type I, and if size and time both match the earlier ones (RFC 3659 5)."""
    if not resume.start:
        return 0
    if resume.compares and mode == "i":
        if None not in (modified, resume.modified) and modified != resume.modified:
            return 0
        return resume.start if size is None or resume.start < size else 0
    if mode == "a":
        reason = "text is converted on the way, so octets can't be counted (;type=i can be resumed)"
    elif size is None or modified is None or resume.size is None or resume.modified is None:
        reason = "it is unknown whether it is still the same file"
    elif resume.anew and resume.start == resume.size and (size, modified) != (resume.size, resume.modified):
        return 0  # the caller has a whole file, and has said that it wants another version of it
    elif size != resume.size or modified != resume.modified or resume.start > size:
        reason = "the file has changed"
    else:
        return resume.start
    yield from Note(f"the transfer starts again from the beginning: {reason}")
    return 0


def _no_file(control: Control, name: bytes, reply: Reply) -> Steps[Exception]:
    """The error for a refused RETR; CWD tells a directory from a missing file."""
    error = control.refusal(reply, f"{control.host} does not send {quoted(name)}")
    may_be_one = isinstance(error, ReplyError) and error.meaning in ("not-found", "directory")
    if may_be_one and (yield from control.change_directory(name)).kind == 2:
        return ReplyError(
            f"{quoted(name)} is a directory of {control.host}, not a file: `anyurl ls`, or a URL with '/' at its end, "
            f"lists it ({reply}).",
            code=reply.code,
            text=reply.text,
            meaning="directory",
        )
    return error


def _receive(control: Control, transfer: DataTransfer, mode: str, expected: int | None, start: int) -> Steps[None]:
    broken: TransferError | None = None
    received = 0
    try:
        if mode == "a":
            received = yield from _receive_text(control, transfer)
        elif expected is None:
            received = yield from _receive_octets(control, transfer)
        else:
            received = yield from _receive_so_many(transfer.data, expected, start)
    except (ConnectionLost, Truncated) as error:
        received, broken = getattr(error, "received", 0), error
    if start and expected is not None and received >= start + expected:
        raise RemoteProtocolError(
            f"{control.host} sends {received:,} octets from octet {start:,} on, and it ends after {expected:,}: it "
            "does not resume."
        )
    confirmed = yield from _conclude(control, transfer, received, expected, broken)
    if expected is not None and received > expected:
        more = f"{received - expected:,} octets more than announced were received"
        yield from Note(f"{more}: the file grew while it was read, or its size was not known to the server")
    if confirmed:
        yield from control.leave()


def _receive_so_many(data: Channel, expected: int, start: int) -> Steps[int]:
    """All octets of a file whose length is known; a file that grows meanwhile has more."""
    received = (yield from _relayed(data, expected)) if expected else 0
    if received < expected or not (more := (yield from behind_mark(data, RECEIVE_AT_MOST))):
        return received
    yield Emit(more)
    # A server that ignores REST sends the whole: one octet more than it has is enough to see it.
    most = start + 1 - len(more) if start else None
    relayed = (yield from _relayed(data, most)) if most is None or most > 0 else 0
    return received + len(more) + relayed


def _relayed(data: Channel, at_most: int | None) -> Steps[int]:
    count: int = yield Relay(data, at_most)
    return count


def _receive_octets(control: Control, transfer: DataTransfer) -> Steps[int]:
    received = 0
    while piece := (yield from transfer.receive(control)):
        received += len(piece)
        yield Emit(piece)
    return received


def _receive_text(control: Control, transfer: DataTransfer) -> Steps[int]:
    text = FromNetworkText()
    received = 0
    while piece := (yield from transfer.receive(control)):
        received += len(piece)
        if converted := text.feed(piece):
            yield Emit(converted)
    if rest := text.finish():
        yield from Emit(rest)
    return received


def _conclude(
    control: Control, transfer: DataTransfer, received: int, expected: int | None, broken: TransferError | None
) -> Steps[bool]:
    """Whether the server confirmed the transfer; if not, it counts as complete only if its size is as announced."""
    try:
        reply = yield from finish(control, transfer)
    except (ConnectionLost, TransferTimeout) as error:
        if isinstance(error, TransferTimeout) and error.clock != "idle":
            raise
        if expected is None or received != expected:
            text = f"{control.host} did not say that the transfer is complete after {received:,} octets: {error}"
            raise Truncated(text, received=received, expected=expected) from error
        yield from Note(
            f"unverified: the server did not confirm the end; the {expected:,} octets that it announced were received"
        )
        return False
    if reply.kind != 2:
        text = f"{control.host} aborted the transfer after {received:,} octets: {reply}"
        raise Truncated(text, received=received, expected=expected)
    if expected is not None and received < expected:
        text = f"{control.host} announced {expected:,} octets, but sent only {received:,}."
        raise Truncated(text, received=received, expected=expected)
    if broken is not None and expected is None:
        raise broken
    return broken is None


def put(url: URL, options: Options) -> Dialogue:
    """Store a file (STOR), replacing an existing one of that name.

    Fetching it by the same URL returns the same octets. With `Options.resumes_upload` it continues after the octets
    that are there.

    Raises:
        TransferError: An upload is to be resumed, but the server's file is not a beginning of it.
        UnsupportedError: The URL designates a directory.
    """
    yield from _store(url, options, "STOR")
    return None


def append(url: URL, options: Options) -> Dialogue:
    """Append to a file (APPE), which is created if it does not exist; otherwise as `put`.

    Raises:
        UnsupportedError: The URL designates a directory.
    """
    yield from _store(url, options, "APPE")
    return None


def _store(url: URL, options: Options, verb: str) -> Steps[None]:
    parts = check(url)
    if parts.typecode == "d" or not parts.name:
        raise UnsupportedError(
            f"{url.masked} designates a directory: a URL that ends with a file's name can be written to.",
            scheme=url.scheme,
            verb="put" if verb == "STOR" else "append",
        )
    fresh = verb == "APPE"  # a retry on a kept connection might append twice
    yield from converse(
        url, options, parts, lambda control: send_file(control, parts, options, verb), fresh=fresh,
        makes=options.ftp_create_dirs,
    )  # fmt: skip


# --- stat ------------------------------------------------------------------------------------------------------------


_ABSENT = (450, 550, 553)
"""Reply codes for a name that does not exist, or is a directory."""


# Several commands are tried in order, and a reply about another name is ignored. MLST (RFC 3659 7) is enough if its
# line is about the name. Some servers answer SIZE and MDTM for directories, too, so a name is a file only if CWD fails.
# For a server without these commands, the name's line in LIST is used.


def stat(url: URL, options: Options) -> Dialogue:
    """Describe a file or directory.

    Raises:
        NotFoundError: There is no such directory or file.
    """
    parts = check(url)
    yield from converse(url, options, parts, lambda control: _stat(control, parts))
    return None


def _stat(control: Control, parts: FtpParts) -> Steps[None]:
    name = octets(parts.name)
    item: ListedName | None = None
    if "MLST" in (yield from control.ask_features()):
        item = yield from control.facts_about(name)
    if item is None or item.kind is None:
        item = yield from _measure(control, name, item)
    yield from control.leave()
    is_file = item.kind != "listing"
    yield from Describe(
        item.kind or "document",
        type=guess_type(parts.name) if is_file else None,
        # Transferred as text it has another size, which is unknown before the transfer.
        size=item.size if is_file and parts.typecode != "a" else None,
        modified=item.modified,
        name=parts.name or None,
        attributes=item.facts,
    )


def _measure(control: Control, name: bytes, known: ListedName | None) -> Steps[ListedName]:
    """The attributes from SIZE, MDTM and CWD, or else from the name's line in the listing."""
    facts = known.facts if known is not None else {}
    if not name:
        return ListedName(name, "listing", None, None, facts)
    yield from control.set_type("i")
    sized = yield from control.command("SIZE", name)
    dated = yield from control.command("MDTM", name)
    modified = commands.modified_of(dated) if dated.kind == 2 else None
    entered = yield from control.change_directory(name)
    if entered.kind == 2:
        return ListedName(name, "listing", None, modified, facts)
    if sized.kind == 2 or dated.kind == 2:
        size = commands.size_of(sized) if sized.kind == 2 else None
        return ListedName(name, "document", size, modified, facts)
    # The reply to CWD is about the name; to SIZE some servers reply "not a plain file" for missing names, too.
    refused = entered if entered.code in _ABSENT else sized
    if not (_says_absent(sized) and _says_absent(dated)):
        transfer = yield from begin_list(control)
        if not isinstance(transfer, Reply):
            item = yield from find_in_list(control, transfer, name)
            if item is not None:
                return item
    raise control.refusal(refused, f"{control.host} knows nothing of {quoted(name)}")


def _says_absent(reply: Reply) -> bool:
    """Whether a reply is about the name: "550 Permission denied" may be about the command (vsftpd's cmds_denied)."""
    return reply.code in _ABSENT and row_of(TABLE, reply.code, reply.text).meaning != "denied"


# --- the schemes -----------------------------------------------------------------------------------------------------


def fake_server(url: URL, _options: Options) -> FakeFtpServer:
    """An ideal server for this URL."""
    parts = read(url)
    if parts.typecode == "d":
        return FakeFtpServer("names")
    return FakeFtpServer("file" if parts.name else "directory")


def _scheme(name: str, reference: str, summary: str) -> Scheme:
    return Scheme(
        name,
        reference=reference,
        summary=summary,
        read=read,
        verbs={"get": get, "list": list_folder, "stat": stat, "put": put, "append": append},
        fake_server=fake_server,
        check=check,
        resumes_uploads=True,
    )


SCHEMES = (
    _scheme("ftp", "RFC 1738 3.2", "A file or a directory of an FTP server."),
    _scheme("ftps", "RFC 4217", "A file or a directory of an FTP server; over TLS."),
)
