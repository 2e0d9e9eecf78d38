"""The meaning of negative replies: a table of rows for each protocol, and the error that each row leads to.

Rule: the first row that matches decides; the class of the error depends on the meaning alone, so that callers which
look at the class only (a link checker) can rely on it. The text is examined if one code has several meanings, and only
where a wrong guess does no harm: a refused login is never taken for a full server, or retries would lock the account.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from anyurl.errors import (
    AccessError,
    AuthRequiredError,
    DeniedError,
    Meaning,
    NotFoundError,
    RemoteProtocolError,
    ReplyError,
    UnavailableError,
)

if TYPE_CHECKING:
    from anyurl.schemes.kit.replies import Reply

CLASSES: dict[Meaning, type[ReplyError]] = {
    "not-found": NotFoundError,
    "directory": ReplyError,
    "denied": DeniedError,
    "read-only": DeniedError,
    "quota": DeniedError,
    "login": AuthRequiredError,
    "tls": DeniedError,
    "connections": UnavailableError,
    "greylisted": UnavailableError,
    "busy": UnavailableError,
    "other": ReplyError,
}
"""The error class of each meaning."""

FULL = (
    r"too many (?!\w* ?(?:login|auth|fail|bad|wrong|invalid|incorrect|unrecogni[sz]ed|errors?|syntax|commands?))"
    r"|max(?:imum)? (?:number|clients|users|connections|sessions|login limit)|\(the maximum\)|no more than \d+"
    r"|(?:connection|session|user|client|login)s? limit|limit (?:has been |is )?(?:reached|exceeded)"
    r"|(?:server|service|system) (?:is )?(?:currently )?full|already (?:connected|logged in)"
)
"""Text of servers that allow no more connections, in total or for this client."""

TLS = (
    r"\b(?:ssl|tls|starttls|encrypt\w*|clear ?text|plain(?:text| ftp)|secured? (?:connection|control)"
    r"|use auth first|authentication before identifying)\b"
)
"""Text of servers that require TLS."""


class Case:
    """A row of the table: a kind of reply, and its meaning.

    Attributes:
        meaning: The meaning of these replies.
        codes: Their codes; a single digit stands for all codes that begin with it.
        words: A pattern to search for in the text, ignoring case; "" if the code is enough.
        where: Everything that must be true of the dialogue: ``greeting``, ``login``, ``write``, ``clear`` (no TLS) ...
        advice: Advice for the user, as a sentence; "" if nothing helps.
    """

    __slots__ = ("meaning", "codes", "words", "where", "advice")

    def __init__(
        self, meaning: Meaning, codes: Collection[int], words: str = "", *, where: str = "", advice: str = ""
    ) -> None:
        self.meaning: Meaning = meaning
        self.codes = frozenset(codes)
        self.words = words
        self.where = frozenset(where.split())
        self.advice = advice

    def fits(self, code: int, text: str, where: Collection[str]) -> bool:
        """Whether this row matches the reply."""
        import re

        return (
            (code in self.codes or (code >= 100 and code // 100 in self.codes))
            and self.where.issubset(where)
            and (not self.words or re.search(self.words, text, re.IGNORECASE) is not None)
        )


_OTHER = Case("other", ())


def row_of(table: Sequence[Case], code: int, text: str, where: Collection[str] = ()) -> Case:
    """The first row of the table that matches this reply; a row with the meaning ``other`` if none does."""
    return next((row for row in table if row.fits(code, text, where)), _OTHER)


def reply_error(
    table: Sequence[Case],
    reply: Reply,
    what: str,
    where: Collection[str] = (),
    *,
    stage: str = "reply",
    advice: str = "",
) -> AccessError:
    """The error for a reply with which the dialogue can't continue.

    Args:
        what: The action that failed, as the beginning of the sentence.
        where: The step of the dialogue, in the words of the table.
        advice: Advice for the user, if the row has none.
    """
    if reply.kind not in (4, 5):
        return RemoteProtocolError(f"{what}, and its reply makes no sense: {reply}.", sample=reply.said, stage=stage)
    row = row_of(table, reply.code, reply.text, where)
    return CLASSES[row.meaning](
        sentence(f"{what}: {reply}", row.advice or advice),
        code=reply.code,
        text=reply.text,
        stage=stage,
        meaning=row.meaning,
    )


def sentence(text: str, advice: str = "") -> str:
    """The text with a full stop, followed by the advice."""
    if text.endswith(".”"):  # the peer wrote the last word, and this adds the full stop
        text = f"{text[:-2]}”"
    text = text if text.endswith((".", "?", "!")) else f"{text}."
    return f"{text} {advice}" if advice else text
