"""The meaning of negative NNTP replies (RFC 3977 3.2.1, RFC 4643 2.3, RFC 4642 2.2).

Rule: unlike in FTP and mail, 4yz does not mean "try again": it is sent for every correct command that failed (RFC 3977
3.2).
"""

from __future__ import annotations

from anyurl.schemes.kit.meanings import FULL, TLS, Case

USE_TLS = "The server wants TLS: use nntps:// (snews:// for a news URL) with the same host."

FULL_UP = Case(
    "connections", (400, 480, 481, 482, 502), FULL, advice="Fewer connections at a time, or later, may succeed."
)
NO_TLS = Case("tls", (483,), advice=USE_TLS)
REFUSED_LOGIN = Case("login", (481, 482), r"fail|attempt|incorrect|invalid|wrong|password")

NO_LOGIN = (REFUSED_LOGIN, FULL_UP, NO_TLS, Case("login", (4, 5)))
"""The meaning of negative replies to AUTHINFO."""

TABLE = (
    REFUSED_LOGIN,
    FULL_UP,
    NO_TLS,
    Case("tls", (480, 502), TLS, where="clear", advice=USE_TLS),
    Case("busy", (400, 403), advice="Later it may succeed."),
    Case("not-found", (411,)),  # no such newsgroup
    Case("not-found", (412,)),  # no newsgroup selected
    Case("not-found", (420, 423)),  # no article with that number
    Case("not-found", (430,)),  # no article with that message-id
    Case("read-only", (440,)),  # posting not permitted
    Case("quota", (441,), r"no space|quota|too (?:large|big|long)"),
    Case("busy", (436, 441), r"try (?:again )?later|temporar", advice="Later it may succeed."),
    Case("denied", (437, 441)),  # posting failed
    Case("login", (480, 481, 482)),
    Case("denied", (502,)),  # access restriction, or permission denied
)
