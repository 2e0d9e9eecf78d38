"""The exit codes of the command, and the code of each error.

Rule: every class of `anyurl.errors` has a code here, its own or its parent's; a test compares the two.
"""

from __future__ import annotations

from anyurl import errors

OK = 0
FAULTS = 1
USAGE = 2
NOT_A_URL = 3
CANNOT = 4
REFUSED = 5
NO_CONNECTION = 6
BROKEN = 7
SERVER_SAID_NO = 8
LOCAL_FILE = 9
BUG = 70
HUNG_UP = 129
INTERRUPTED = 130
CLOSED_PIPE = 141
TERMINATED = 143

MEANINGS = {
    OK: "success",
    FAULTS: "faults were found (`parse`, `fix`, `explain`, `check`)",
    USAGE: "the command line is invalid",
    NOT_A_URL: "the argument is not a URL",
    CANNOT: "the scheme is unknown, does not support the operation, or needs a package that is not installed",
    REFUSED: "the policy refuses it; nothing was sent",
    NO_CONNECTION: "no connection: the name, the route, the port, or TLS",
    BROKEN: "the transfer failed, timed out or exceeded a limit, or the peer violated the protocol",
    SERVER_SAID_NO: "the server refused",
    LOCAL_FILE: "a local file cannot be read or written",
    BUG: "an internal error of anyurl (EX_SOFTWARE of sysexits.h)",
    HUNG_UP: "the terminal was closed (SIGHUP)",
    INTERRUPTED: "interrupted (Ctrl-C, SIGINT)",
    CLOSED_PIPE: "the reader of the output closed the pipe (SIGPIPE)",
    TERMINATED: "terminated (SIGTERM)",
}
"""The meanings of the codes, for the reference."""

CODES: dict[type[errors.AnyURLError], int] = {
    errors.AnyURLError: BUG,
    errors.URLSyntaxError: NOT_A_URL,
    errors.SchemeError: CANNOT,
    errors.PolicyError: REFUSED,
    errors.LimitError: BROKEN,
    errors.AccessError: BROKEN,
    errors.ConnectError: NO_CONNECTION,
    errors.TransferError: BROKEN,
    errors.ProtocolError: BROKEN,
    errors.ReplyError: SERVER_SAID_NO,
    errors.LocalFileError: LOCAL_FILE,
    errors.MissingExtraError: CANNOT,
}
"""The code of each class; other classes have the code of their nearest listed parent."""


def exit_code(error: errors.AnyURLError) -> int:
    """The exit code of a command that this error ends."""
    return next(CODES[kind] for kind in type(error).__mro__ if kind in CODES)
