"""The meaning of negative replies of dictionary servers (RFC 2229 2.4.2).

Rule: 4yz is a temporary failure, 5yz a permanent one.
"""

from __future__ import annotations

from anyurl.schemes.kit.meanings import Case

TABLE = (
    Case("login", (530, 531, 532), where="auth"),
    Case("connections", (420,), r"connections|users|load", advice="Later it may succeed."),
    Case("busy", (420, 421), advice="Later it may succeed."),
    Case("denied", (530, 531, 532)),
    Case("not-found", (550,)),  # no such database
    Case("not-found", (551,)),  # no such strategy
    Case("not-found", (552,)),  # no match
    Case("not-found", (554, 555)),  # no databases, no strategies
)
