"""The meaning of negative FTP replies (RFC 959 4.2.2, RFC 4217 for TLS, RFC 3659 2.3.1).

Rule: RFC 959 has one code for "not found" and "no access", and one for "log in" and "too many"; only the text tells
them apart: that of vsftpd, proftpd, pure-ftpd, pyftpdlib, inetutils, wu-ftpd, IIS, FileZilla, Serv-U and glFTPd.
"""

from __future__ import annotations

from anyurl.schemes.kit.meanings import FULL, TLS, Case

USE_TLS = "The server wants TLS: use ftps:// with the same host and port."

DENIED = (
    r"denied|permission|forbidden|not (?:allowed|permitted)|prohibited|privilege|unauthori[sz]ed|read[- ]only"
    r"|access is|policy|cannot upload|may not"
)
ABSENT = r"no such|not found|does(?:n't| not) exist|cannot find|can't find|not exist|can't check for file existence"
DIRECTORY = r"(?:is|was) a directory|not a (?:regular|plain) file|is not a file|not a plain"

TABLE = (
    # Accounts get locked after several failed logins: a reply about one must never mean "try again".
    Case("login", (421, 430, 530), r"fail|attempt|incorrect|invalid|wrong|password", where="login"),
    Case("connections", (4, 5), FULL, where="login", advice="Fewer connections at a time, or later, may succeed."),
    Case("connections", (421, 425, 426, 450, 530), FULL, advice="Fewer connections at a time, or later, may succeed."),
    Case("tls", (4, 5), TLS, where="clear login", advice=USE_TLS),
    Case("tls", (4, 5), TLS, where="clear data", advice=USE_TLS),
    Case("busy", (421,), advice="Later it may succeed."),
    Case("login", (530, 532)),
    Case("busy", (4,), where="login", advice="Later it may succeed."),
    Case("denied", (5,), where="login"),
    Case("quota", (452, 552), advice="There is no room left there for the file."),
    Case("quota", (4, 5), r"quota|no space|disk full|insufficient storage|exceeded storage", where="write",
        advice="There is no room left there for the file."),
    Case("quota", (451,), r"writing to local file|during write to file", where="write",  # vsftpd, pure-ftpd
        advice="There is probably no room left there for the file."),
    Case("directory", (550, 553), DIRECTORY, where="write", advice="The name is that of a directory."),
    Case("not-found", (450, 550, 553), ABSENT, where="write", advice="The directory that it goes into is not there."),
    Case("read-only", (4, 5), r"read[- ]only|cannot upload", where="write"),
    Case("denied", (550, 553), where="write"),
    Case("tls", (521, 522, 533), where="clear", advice=USE_TLS),
    Case("denied", (521, 522, 533, 534, 535, 536, 537)),
    Case("denied", (550, 553), DENIED),
    Case("directory", (550,), DIRECTORY, advice="A URL with '/' at its end lists a directory."),
    Case("not-found", (450, 451, 553), ABSENT),
    Case("not-found", (550,)),
    Case("denied", (553,)),
    Case("busy", (4,), advice="Later it may succeed."),
)  # fmt: skip
