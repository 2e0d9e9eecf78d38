"""What a mail server's no means (RFC 5321 4.2.2, RFC 3463, RFC 4954 6).

Rule: the enhanced status code, where there is one, knows more than the three digits; the words are looked at last.
"""

from __future__ import annotations

from anyurl.schemes.kit.meanings import FULL, TLS, Row

LOGIN = "--mail-server USER@HOST names who logs in."
TRY_LATER = "Later it may succeed."

TABLE = (
    Row("tls", (530, 538, 554), TLS, where="clear", advice="The server takes mail only over TLS."),
    Row("tls", (523, 538), advice="The server takes mail only over TLS."),
    Row("greylisted", (421, 450, 451, 452, 454), r"gr[ea]y-?list", advice="The server wants it again in some minutes."),
    Row("connections", (421, 450, 451, 452, 454, 554), FULL + r"|too many recipients|rate limit",
        advice="Fewer at a time, or later, may succeed."),
    Row("quota", (452, 552), advice="There is no room for it there, or it is too large."),
    Row("quota", (422, 450, 522, 550, 554), r"^[45]\.2\.2\b|quota|mailbox (?:is )?full",
        advice="There is no room for it there."),
    Row("login", (530,), advice=LOGIN),
    Row("busy", (4,), where="login", advice=TRY_LATER),
    Row("login", (534, 535)),
    Row("busy", (4,), advice=TRY_LATER),
    Row("denied", (5,), r"^5\.7\."),
    Row("denied", (554,)),
    Row("denied", (550,), where="message"),
    Row("not-found", (550, 551, 553), r"^5\.[10]\."),
    Row("not-found", (550, 551, 553), r"^(?!5\.\d{1,3}\.\d)"),
)  # fmt: skip
