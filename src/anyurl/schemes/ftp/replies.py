"""What a server's no becomes in the error tree (RFC 959 4.2.2)."""

from __future__ import annotations

from anyurl.errors import AccessError, AuthRequiredError, DeniedError, NotFoundError, ReplyError
from anyurl.schemes.kit import replies
from anyurl.schemes.kit.replies import Reply

_LOGIN = (530, 532)
_DENIED = (533, 534, 535, 536, 537, 553)
_WORDS_OF_DENIAL = ("denied", "permission", "forbidden", "not allowed", "not permitted", "prohibited")


def reply_error(reply: Reply, what: str, *, writing: bool = False, stage: str = "reply") -> AccessError:
    """The error for a reply that does not let a dialogue go on.

    Args:
        what: What did not work, as the beginning of the sentence.
        writing: The command writes: its 550 means that it is not allowed, not that nothing is there.
    """
    return replies.reply_error(reply, what, _class_of(reply, writing), stage=stage)


def _class_of(reply: Reply, writing: bool) -> type[ReplyError]:
    if reply.code in _LOGIN:
        return AuthRequiredError
    if reply.code in _DENIED:
        return DeniedError
    if reply.code == 550:
        # RFC 959 has one code for "not found" and "no access"; only the words tell them apart.
        said = reply.text.lower()
        return DeniedError if writing or any(word in said for word in _WORDS_OF_DENIAL) else NotFoundError
    return ReplyError
