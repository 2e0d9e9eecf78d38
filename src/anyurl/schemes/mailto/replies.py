"""The meaning of negative replies of mail servers (RFC 5321 4.2.2, RFC 3463, RFC 4954 6).

Rule: the enhanced status code, if there is one, is more precise than the three digits; the text is used last.
"""

from __future__ import annotations

from anyurl.schemes.kit.meanings import FULL, TLS, Case

LOGIN = "USER@HOST as the mail server names who logs in."
TRY_LATER = "Later it may succeed."

REFUSED = (
    r"^(?!5\.\d)(?!.*(?:unknown|no such|not found|does(?:n't| not) exist)).*(?:relay|denied|not (?:permitted|allowed)"
    r"|prohibit|policy|spam|block|black ?list|banned|reputation|\brbl\b|dnsbl|\bspf\b|dmarc|sender verify)"
)
"""Words of servers that take no mail from here, and say so with the code of a mailbox that is not there (exim)."""

TABLE = (
    Case("tls", (530, 538, 554), TLS, where="clear", advice="The server takes mail only over TLS."),
    Case("tls", (523, 538), advice="The server takes mail only over TLS."),
    Case("greylisted", (421, 450, 451, 452, 454), r"gr[ea]y-?list",
        advice="Send it again in a few minutes."),
    Case("connections", (421, 450, 451, 452, 454, 554), FULL + r"|too many recipients|rate limit",
        advice="Fewer at a time, or later, may succeed."),
    Case("quota", (452, 552), advice="There is no room for it there, or it is too large."),
    Case("quota", (422, 450, 522, 550, 554), r"^[45]\.2\.2\b|quota|mailbox (?:is )?full",
        advice="There is no room for it there."),
    Case("login", (530,), advice=LOGIN),
    Case("busy", (4,), where="login", advice=TRY_LATER),
    Case("login", (534, 535)),
    Case("busy", (4,), advice=TRY_LATER),
    Case("denied", (5,), r"^5\.7\."),
    Case("denied", (554,)),
    Case("denied", (550,), where="message"),
    Case("not-found", (550, 551, 553), r"^5\.[10]\."),
    Case("denied", (550, 553), REFUSED),
    Case("not-found", (550, 551, 553), r"^(?!5\.\d{1,3}\.\d)"),
)  # fmt: skip
