"""SMTP replies: the same in any pieces; what they mean is read without fail, and holds no password."""

from __future__ import annotations

from anyurl.schemes.kit import meanings
from anyurl.schemes.kit.replies import Reply, ReplyReader
from anyurl.schemes.mailto.session import TABLE
from anyurl.schemes.mailto.wire import smtp
from anyurl.schemes.mailto.wire.smtp import MAX_REPLY_LINE_BYTES, MAX_REPLY_LINES, REPLIES
from fuzz import kit

_PASSWORD = "hunter2"


def fuzz(data: bytes) -> None:
    """What a server says."""
    replies = kit.whole_and_in_pieces(data, _read)
    for reply in replies or ():
        kit.same(len(reply.lines) <= MAX_REPLY_LINES, True, "a reply has more lines than its limit")
        kit.same(max(map(len, reply.lines)) <= MAX_REPLY_LINE_BYTES, True, "a line is longer than its limit")
        kit.same(200 <= reply.code < 600 and str(reply).isprintable(), True, "a reply is none")
        features = smtp.features_of(reply)
        limit = smtp.size_limit(features)
        kit.same(limit is None or limit > 0, True, "a size limit is no number")
        reply.secrets = smtp.secrets_of("me", _PASSWORD)
        kit.same(_PASSWORD in reply.text, False, "the password is still there")
        kit.outcome(lambda reply=reply: _raise(reply))  # type: ignore[misc]


def _read(pieces: list[bytes]) -> list[Reply]:
    reader = ReplyReader(REPLIES)
    found = []
    for piece in pieces:
        reader.feed(piece)
        while (reply := reader.next_reply()) is not None:
            found.append(reply)
    return found


def _raise(reply: Reply) -> None:
    raise meanings.reply_error(TABLE, reply, "the server says no")
