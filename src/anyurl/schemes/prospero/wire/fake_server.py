"""An ideal Prospero server, pure and deterministic, for dry runs and ``--explain``.

Rule: it assumes that the URL is right: a name whose links are requested is a directory. If attributes are requested
too, a name with a dot in its last segment is a file that is available by FTP. One datagram each way, as ARDP and
Prospero say.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.errors import AnyURLError
from anyurl.schemes.prospero.wire.ardp_packet import Packet, decode, encode
from anyurl.schemes.prospero.wire.messages import (  # fmt: skip
    ASCII,
    DEFAULT_PORT,
    Attribute,
    Complaint,
    Line,
    Link,
    ReplyLine,
    read_request,
    write_message,
)

CONTENT = b"An ideal file\nhas two lines.\n"
"""The content of every file."""

FTP_HOST = b"ftp.ideal.example"


class FakeProsperoServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of one URL.

    Args:
        host: The host name of the server.
        port: The port of the server.
    """

    __slots__ = ("_host",)

    def __init__(self, host: str, port: int) -> None:
        self._host = host.encode("ascii", "replace") + (b"" if port == DEFAULT_PORT else b"(%d)" % port)

    def connected(self, link: int) -> bytes:
        """Nothing: the client sends first."""
        return b""

    def received(self, link: int, data: bytes) -> bytes:
        """The datagram that answers a request; nothing for an acknowledgement."""
        packet = decode(data)
        if packet.number == 0:
            return b""
        return encode(Packet(packet.cid, payload=write_message(self._answer(read_request(packet.payload)))))

    def tell(self, data: bytes) -> Sequence[str]:
        """Describe a datagram for people."""
        try:
            packet = decode(data)
        except AnyURLError:
            return ("(a datagram)",)
        if packet.number == 0:
            return ("(ARDP: acknowledgement)" if packet.option is None else "(ARDP: cancel)",)
        text = packet.payload.decode("utf-8", "surrogateescape")
        return (f"(ARDP: packet {packet.number or 1} of {packet.total or 1})", *text.splitlines())

    def _answer(self, commands: Sequence[Line]) -> list[ReplyLine]:
        out: list[ReplyLine] = []
        directory = b""
        is_file = False
        for command in commands:
            tokens = command.octets()
            if command.word == b"DIRECTORY":
                directory = tokens[1]
            elif command.word == b"GET-OBJECT-INFO":
                is_file = not _is_directory(tokens[2])
                out += self._attributes(tokens[0], tokens[2])
            elif command.word == b"LIST":
                out += [Complaint(b"FAILURE", b"NOT-A-DIRECTORY")] if is_file else self._links(directory, tokens[2:])
        return out

    def _attributes(self, asked: bytes, hsoname: bytes) -> list[ReplyLine]:
        if asked == b"CONTENTS":
            return [Attribute(b"OBJECT", b"INTRINSIC", asked, b"SEQUENCE", (b"DATA", CONTENT))]
        if _is_directory(hsoname):
            return [Line(b"NONE-FOUND")]
        method = (b"AFTP", b"INTERNET-D", FTP_HOST, ASCII, b"/pub/" + hsoname.rpartition(b"/")[2], b"BINARY")
        return [Attribute(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"", method), *_facts(b"OBJECT")]

    def _links(self, directory: bytes, names: Sequence[bytes]) -> list[ReplyLine]:
        name = names[-1].rpartition(b"/")[2] if names else b"README"
        below = directory.rstrip(b"/") + b"/pub"
        return [
            Link(b"L", b"EXTERNAL", name, b"INTERNET-D", FTP_HOST, ASCII, b"/pub/" + name),
            Attribute(b"CACHED", b"FIELD", b"ACCESS-METHOD", b"", (b"AFTP", b"", b"", b"", b"", b"TEXT")),
            *_facts(b"CACHED"),
            Link(b"L", b"DIRECTORY", b"pub", b"INTERNET-D", self._host, ASCII, below),
        ]


def _is_directory(hsoname: bytes) -> bool:
    return hsoname.startswith(b"ARCHIE") or b"." not in hsoname.rpartition(b"/")[2]


def _facts(precedence: bytes) -> list[ReplyLine]:
    facts = (
        (b"SIZE", b"%d bytes" % len(CONTENT)),
        (b"UNIX-MODES", b"-r--r--r--"),
        (b"LAST-MODIFIED", b"19941201000000Z"),
    )
    return [Attribute(precedence, b"INTRINSIC", name, b"SEQUENCE", (value,)) for name, value in facts]
