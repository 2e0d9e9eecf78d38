"""Outcome words: the only ends that a cell of the fault matrix may have, and what they are in the error tree.

Rule: what is no error of the tree has a word that no cell expects, so that it fails wherever it comes up.
"""

from __future__ import annotations

from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    LimitError,
    LocalFileError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    SchemeError,
    SecretNeededError,
    TransferTimeout,
    Truncated,
    URLSyntaxError,
)

OK = "OK"
TIMEOUT = "TIMEOUT"
LIMIT = "LIMIT"
PROTO = "PROTO"
TRUNC = "TRUNC"
LOST = "LOST"
DENY = "DENY"
NAME = "NAME"
LOCAL = "LOCAL"
AUTH = "AUTH"
TLS = "TLS"
REPLY = "REPLY"
INTERRUPT = "INTERRUPT"
UNDOCUMENTED = "UNDOCUMENTED"

WORDS = {
    OK: "data was returned, and nothing was lost",
    TIMEOUT: "TransferTimeout, not later than the deadline and a second",
    LIMIT: "LimitError, which names the limit",
    PROTO: "RemoteProtocolError, with an escaped sample",
    TRUNC: "Truncated: never a success",
    LOST: "ConnectionLost or ConnectError",
    DENY: "RefusedError, URLSyntaxError or SchemeError: nothing was sent",
    NAME: "OK, and the listing has an entry whose name safe_name changes or refuses; the others are usable",
    LOCAL: "LocalFileError: the final name is as it was",
    AUTH: "AuthRequiredError or SecretNeededError",
    TLS: "ConnectError at the stage tls",
    REPLY: "another ReplyError: the server said no",
    INTERRUPT: "KeyboardInterrupt, or the exit code of the signal",
}

_TREE: tuple[tuple[type[BaseException], str], ...] = (
    (TransferTimeout, TIMEOUT),
    (LimitError, LIMIT),
    (RemoteProtocolError, PROTO),
    (Truncated, TRUNC),
    (ConnectionLost, LOST),
    (ConnectError, LOST),
    (RefusedError, DENY),
    (URLSyntaxError, DENY),
    (SchemeError, DENY),
    (LocalFileError, LOCAL),
    (AuthRequiredError, AUTH),
    (SecretNeededError, AUTH),
    (ReplyError, REPLY),
    (KeyboardInterrupt, INTERRUPT),
)


def word_of(error: BaseException | None) -> str:
    """The word for what a transfer ended with."""
    if error is None:
        return OK
    if isinstance(error, ConnectError) and error.stage == "tls":
        return TLS
    for kind, word in _TREE:
        if isinstance(error, kind):
            return word
    tree = "of the tree" if isinstance(error, AnyURLError) else "outside of the tree"
    return f"{UNDOCUMENTED} ({type(error).__name__}, {tree})"
