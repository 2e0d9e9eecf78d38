"""The attributes of one name on an FTP server.

Rule: several commands are tried in order, and a reply about another name is ignored. MLST (RFC 3659 7) is enough if its
line is about the name. Some servers answer SIZE and MDTM for directories, too, so a name is a file only if CWD fails.
For a server without these commands, the name's line in LIST is used.
"""

from __future__ import annotations

from anyurl.dialogue import Describe, Dialogue, Options, Steps
from anyurl.schemes.ftp.listing import begin_list, find_in_list
from anyurl.schemes.ftp.parts import FtpParts, check
from anyurl.schemes.ftp.replies import TABLE
from anyurl.schemes.ftp.session import Control, converse
from anyurl.schemes.ftp.wire import commands
from anyurl.schemes.ftp.wire.list import ListedName
from anyurl.schemes.kit.meanings import row_of
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.kit.scheme import octets, quoted
from anyurl.url import URL

_ABSENT = (450, 550, 553)
"""Reply codes for a name that does not exist, or is a directory."""


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
