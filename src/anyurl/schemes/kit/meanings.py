"""What a server's no means: rows of a table for each protocol, and the error that follows from the row.

Rule: the first row that fits decides; the class of the error follows from the meaning alone, so that whoever looks at
the class only (a link checker) is told the truth. Words are looked at where one code stands for several things, and
only where they can't lead to a worse mistake: a refused login is never taken for a full server, or accounts get locked.
"""

from __future__ import annotations

import re
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
)  # fmt: skip

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
"""Words of servers that have, or let one have, no more connections."""

TLS = (
    r"\b(?:ssl|tls|starttls|encrypt\w*|clear ?text|plain(?:text| ftp)|secured? (?:connection|control)"
    r"|use auth first|authentication before identifying)\b"
)
"""Words of servers that let nobody in without TLS."""


class Case:
    """Which replies mean what.

    Attributes:
        meaning: What they mean.
        codes: Their codes; a single digit stands for all that begin with it.
        words: A pattern that is found in the text, in whatever letters; "" where the code says enough.
        where: What the dialogue has to be doing, all of it: ``greeting``, ``login``, ``write``, ``clear`` (no TLS) ...
        advice: What helps, as a sentence; "" where nothing does.
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
        """Whether it is about this reply."""
        return (
            (code in self.codes or (code >= 100 and code // 100 in self.codes))
            and self.where.issubset(where)
            and (not self.words or re.search(self.words, text, re.IGNORECASE) is not None)
        )


_OTHER = Case("other", ())


def row_of(table: Sequence[Case], code: int, text: str, where: Collection[str] = ()) -> Case:
    """The row of the table that is about this reply; one that says nothing where there is none."""
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
    """The error for a reply that does not let a dialogue go on.

    Args:
        what: What did not work, as the beginning of the sentence.
        where: What the dialogue was doing, in the words of the table.
        advice: What helps, where the row knows nothing better.
    """
    if reply.kind not in (4, 5):
        return RemoteProtocolError(f"{what}, and its answer makes no sense: {reply}.", sample=str(reply), stage=stage)
    row = row_of(table, reply.code, reply.text, where)
    return CLASSES[row.meaning](
        sentence(f"{what}: {reply}", row.advice or advice),
        code=reply.code, text=reply.text, stage=stage, meaning=row.meaning,
    )  # fmt: skip


def sentence(text: str, advice: str = "") -> str:
    """The text with its full stop, and the advice behind it."""
    text = text if text.endswith((".", "?", "!")) else f"{text}."
    return f"{text} {advice}" if advice else text
