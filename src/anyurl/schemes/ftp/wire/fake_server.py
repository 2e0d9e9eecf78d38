"""An ideal FTP server, pure and deterministic, for dry runs and ``--explain``.

Rule: it assumes that the URL is right (every directory and file exists, every login is accepted) and answers as
RFC 959, RFC 3659 and RFC 4217 say. Connection 1 is the control connection, all others are data connections.
"""

from __future__ import annotations

from typing import Literal

from anyurl.schemes.kit.lines import LineReader, to_network_text

FILE = b"An ideal file\nhas two lines.\n"
"""The content of every file."""

FACTS = b"type=file;size=%d;modify=19941201000000;" % len(FILE)
NAMES = b"README\r\npub\r\n"
MLSD = FACTS + b" README\r\ntype=dir;modify=19941201000000; pub\r\n"
LIST = (
    b"-rw-r--r--    1 ftp      ftp            %d Dec 01  1994 README\r\n"
    b"drwxr-xr-x    2 ftp      ftp          4096 Dec 01  1994 pub\r\n" % len(FILE)
)

FEATURES = (
    "AUTH TLS", "EPSV", "MDTM", "MLST type*;size*;modify*;", "PASV", "PBSZ", "PROT", "REST STREAM", "SIZE", "UTF8",
)  # fmt: skip
"""The reply of a complete modern server to FEAT."""

_LINE_LIMIT = 8 * 1024

_FIXED = {
    b"PASS": b"230 Login successful.",
    b"CWD": b"250 Directory successfully changed.",
    b"PWD": b'257 "/" is the current directory',
    b"EPSV": b"229 Entering Extended Passive Mode (|||49152|)",
    b"PASV": b"227 Entering Passive Mode (127,0,0,1,192,0)",
    b"MDTM": b"213 19941201000000",
    b"SYST": b"215 UNIX Type: L8",
    b"REST": b"350 Restart position accepted.",
    b"OPTS": b"200 Always in UTF8 mode.",
    b"AUTH": b"234 Proceed with negotiation.",
    b"PBSZ": b"200 PBSZ set to 0.",
    b"PROT": b"200 PROT now Private.",
    b"STOR": b"150 Ok to send data.\r\n226 Transfer complete.",
    b"APPE": b"150 Ok to send data.\r\n226 Transfer complete.",
    b"RETR": b"150 Opening data connection.\r\n226 Transfer complete.",
    b"LIST": b"150 Here comes the directory listing.\r\n226 Directory send OK.",
    b"NLST": b"150 Here comes the directory listing.\r\n226 Directory send OK.",
    b"QUIT": b"221 Goodbye.",
}


class FakeFtpServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of one URL.

    Args:
        holds: A ``file``, a ``directory``, or a directory asked for its ``names``.
        features: The lines of its reply to FEAT; without ``MLST`` it supports LIST only.
    """

    __slots__ = ("_holds", "_features", "_lines", "_type")

    def __init__(
        self, holds: Literal["file", "directory", "names"] = "file", *, features: tuple[str, ...] = FEATURES
    ) -> None:
        self._holds = holds
        self._features = features
        self._lines = LineReader(_LINE_LIMIT, limit="MAX_COMMAND_BYTES", what="a command")
        self._type = b""

    def connected(self, link: int) -> bytes:
        """The greeting, or the entire content of a data connection."""
        if link == 1:
            return b"220 (ideal FTP server)\r\n"
        # RFC 1738 3.2.2: a TYPE command goes before the access to a file; without one it is a listing that is wanted.
        if self._type:
            return to_network_text(FILE) if self._type == b"A" else FILE
        if self._holds == "names":
            return NAMES
        return MLSD if self._knows_mlst else LIST

    def received(self, link: int, data: bytes) -> bytes:
        """The replies to the commands in these octets; none on a data connection."""
        if link != 1:
            return b""
        self._lines.feed(data)
        return b"".join(self._reply(line) + b"\r\n" for line in self._lines.lines())

    @property
    def _knows_mlst(self) -> bool:
        return any(feature.startswith("MLST") for feature in self._features)

    def _reply(self, line: bytes) -> bytes:
        verb, _, argument = line.partition(b" ")
        if verb in _FIXED:
            return _FIXED[verb]
        if verb == b"USER":
            return b"331 Please specify the password."
        if verb == b"FEAT":
            lines = "".join(f" {feature}\r\n" for feature in self._features)
            return b"211-Features:\r\n" + lines.encode("ascii") + b"211 End"
        if verb == b"TYPE":
            self._type = argument
            return b"200 Switching to ASCII mode." if argument == b"A" else b"200 Switching to Binary mode."
        if verb == b"SIZE":
            return b"550 SIZE not allowed in ASCII mode." if self._type == b"A" else b"213 %d" % len(FILE)
        if self._knows_mlst and verb == b"MLSD":
            return _FIXED[b"LIST"]
        if self._knows_mlst and verb == b"MLST":
            facts = FACTS if self._holds == "file" else b"type=dir;modify=19941201000000;"
            return b"250-Listing\r\n " + facts + b" " + (argument or b".") + b"\r\n250 End"
        return b"502 Command not implemented."
