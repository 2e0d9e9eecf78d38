"""What a news server's no becomes in the error tree (RFC 3977 3.2.1, RFC 4643 2.3, RFC 4642 2.2)."""

from __future__ import annotations

from anyurl.errors import AccessError, AuthRequiredError, DeniedError, NotFoundError, ReplyError
from anyurl.schemes.kit import replies
from anyurl.schemes.kit.replies import Reply

_CLASSES: dict[int, type[ReplyError]] = {
    411: NotFoundError,  # no such newsgroup
    412: NotFoundError,  # no newsgroup selected
    420: NotFoundError,  # the current article number is invalid
    423: NotFoundError,  # no article with that number
    430: NotFoundError,  # no article with that message-id
    440: DeniedError,  # posting not permitted
    441: DeniedError,  # posting failed
    480: AuthRequiredError,
    481: AuthRequiredError,
    482: AuthRequiredError,
    483: AuthRequiredError,  # only over TLS
    502: DeniedError,  # access restriction, or permission denied
}


def reply_error(reply: Reply, what: str, *, stage: str = "reply") -> AccessError:
    """The error for a reply that does not let a dialogue go on.

    Args:
        what: What did not work, as the beginning of the sentence.
    """
    return replies.reply_error(reply, what, _CLASSES.get(reply.code, ReplyError), stage=stage)
