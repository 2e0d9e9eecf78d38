"""FTP replies: cut anywhere, the same replies; what single ones mean is a value, None, or an error of the tree."""

from __future__ import annotations

from anyurl.schemes.ftp.wire import commands as ftp
from anyurl.schemes.kit.replies import Reply, ReplyReader
from fuzz import kit

_MEANINGS = (
    ftp.passive_port, ftp.extended_passive_port, ftp.size_of, ftp.modified_of, ftp.announced_size,
    ftp.features_of, ftp.facts_line_of,
)  # fmt: skip


def fuzz(data: bytes) -> None:
    """What the server sends on the control connection."""
    replies = kit.whole_and_in_pieces(data, _read)
    for reply in replies or []:
        kit.same(100 <= reply.code <= 599, True, f"{reply!r} has no code")
        kit.same(str(reply).isprintable(), True, f"{reply!r} would reach a terminal")
        for meaning in _MEANINGS:
            value, _ = kit.outcome(lambda meaning=meaning, reply=reply: meaning(reply))  # type: ignore[misc]
            if meaning in (ftp.passive_port, ftp.extended_passive_port) and value is not None:
                kit.same(isinstance(value, int) and 1 <= value <= 65535, True, f"{value!r} is no port")
    kit.outcome(lambda: _check_command(data))


def _read(pieces: list[bytes]) -> list[Reply]:
    reader = ReplyReader(ftp.REPLIES)
    replies = []
    for piece in pieces:
        reader.feed(piece)
        while (reply := reader.next_reply()) is not None:
            replies.append(reply)
    return replies


def _check_command(argument: bytes) -> None:
    written = ftp.encode_command("CWD", argument)
    kit.same(written.count(b"\n") + written.count(b"\0"), 1, "a command is one line")
    kit.same(written.endswith(b"\r\n"), True, "a command ends as one")
