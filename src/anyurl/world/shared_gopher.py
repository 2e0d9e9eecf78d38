"""gopher: the user's own folder (RFC 1436), with the menus that its ``gophermap`` files write.

Rule: a selector is the path of a file or folder. A gophermap is read as the servers of the field read it (Bucktooth,
gophernicus, pygopherd): a line without a tab is shown unchanged; of one with tabs, missing fields are those of this
server, and a selector that does not begin with ``/`` is relative to the folder; ``*`` stands for the names in the
folder, ``.`` ends the menu, and ``#`` begins a comment.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import BinaryIO

from anyurl.files.shared import SharedFolder
from anyurl.schemes.kit.media import guess_type, is_binary
from anyurl.world.listener import HOST, Listener

MAX_REQUEST = 4096
"""Octets of a request: more than any path of this system."""

MAX_GOPHERMAP = 1 << 20
"""Octets of a gophermap that are read: a menu for people."""

IDLE_SECONDS = 60.0
PIECE = 64 * 1024
GOPHERMAP = "gophermap"

_TYPES = {"image/gif": "g", "text/html": "h"}
_KINDS = {"text": "0", "image": "I", "audio": "s"}


class GopherFolder:
    """A gopher server of one folder.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, folder: SharedFolder, address: str = HOST, port: int = 0) -> None:
        self._folder = folder
        self._listener = Listener(self.serve, "gopher", port, address)
        self.port: int = self._listener.port

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """One request, one reply."""
        connection.settimeout(IDLE_SECONDS)
        line = b""
        while b"\n" not in line and len(line) < MAX_REQUEST and (piece := connection.recv(MAX_REQUEST - len(line))):
            line += piece
        request = line.partition(b"\n")[0].rstrip(b"\r")
        selector = request.partition(b"\t")[0].decode("utf-8", "surrogateescape")
        for piece in self._reply(selector, connection.getsockname()[0]):
            connection.sendall(piece)

    def _reply(self, selector: str, host: str) -> Iterator[bytes]:
        menu = self._menu(selector, host)
        if menu is not None:
            yield "".join(f"{line}\r\n" for line in (*menu, ".")).encode("utf-8", "surrogateescape")
            return
        found = self._folder.open_file(selector)
        if found is None:
            yield b"3There is no such item here.\t\terror.host\t1\r\n.\r\n"
            return
        with found[0] as file:
            if _type_of(file, found[1].name) == "0":
                yield from _dotted(file)
            else:
                yield from iter(lambda: file.read(PIECE), b"")

    def _menu(self, selector: str, host: str) -> list[str] | None:
        """The lines of a folder's menu; None if it is not a folder."""
        listed = self._folder.names(selector)
        if listed is None:
            return None
        parent = "/" + selector.strip("/")
        parent = parent.rstrip("/") + "/"

        def own() -> Iterator[str]:
            for entry in listed:
                if entry.name != GOPHERMAP:
                    place = parent + entry.name
                    yield f"{self._type(place, entry.is_folder)}{_shown(entry.name)}\t{place}\t{host}\t{self.port}"

        found = self._folder.open_file(parent + GOPHERMAP)
        if found is None:
            return list(own())
        with found[0] as file:
            text = file.read(MAX_GOPHERMAP).decode("utf-8", "surrogateescape")
        lines: list[str] = []
        for line in text.splitlines():
            if line == ".":
                break
            if line == "*":
                lines += own()
            elif "\t" in line:
                lines.append(self._line(line, parent, host))
            elif not line.startswith("#"):
                lines.append(f"i{line}\t\terror.host\t1")
        return lines

    def _line(self, line: str, parent: str, host: str) -> str:
        """A line of a gophermap with all its fields."""
        name, selector, *place = line.split("\t")
        selector = selector or name[1:]
        if not place or not place[0]:
            if not selector.startswith(("/", "URL:")):
                selector = parent + selector
            return f"{name}\t{selector}\t{host}\t{self.port}"
        return f"{name}\t{selector}\t{place[0]}\t{place[1] if len(place) > 1 and place[1] else 70}"

    def _type(self, selector: str, is_folder: bool) -> str:
        if is_folder:
            return "1"
        found = self._folder.open_file(selector)
        if found is None:
            return "9"
        with found[0] as file:
            return _type_of(file, found[1].name)


def _type_of(file: BinaryIO, name: str) -> str:
    """The type of a file by its name, or by its first octets."""
    head = file.read(PIECE)
    file.seek(0)
    type = guess_type(name)
    if type is None:
        return "9" if is_binary(head) else "0"
    kind = _TYPES.get(type) or _KINDS.get(type.partition("/")[0], "9")
    return "9" if kind in ("0", "h") and is_binary(head) else kind


def _shown(name: str) -> str:
    """A name without characters that would end a field."""
    return "".join("?" if char in "\t\r\n" else char for char in name)


def _dotted(file: BinaryIO) -> Iterator[bytes]:
    """A text as RFC 1436 3.8 sends it: CR LF after lines, a dot before one that leads, and a lone dot at the end."""
    begins = True
    while piece := file.readline(PIECE):
        ends = piece.endswith(b"\n")
        dot = b"." if begins and piece.startswith(b".") else b""
        yield dot + (piece[:-1].removesuffix(b"\r") + b"\r\n" if ends else piece)
        begins = ends
    yield b".\r\n" if begins else b"\r\n.\r\n"
