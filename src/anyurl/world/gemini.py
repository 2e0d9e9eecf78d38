"""gemini: the world's tree on a Gemini server, which is trusted on first use (the Gemini specification).

Rule: a folder is a page of links. Besides the tree there is one path for each kind of reply:

    /search     asks for words, and answers with the lines that contain them
    /door       asks for a secret word: `tree.PASSWORD`
    /old        has moved to the welcome note
    /members    wants a certificate, whatever it is shown
    /busy       wants to be left alone for five seconds
"""

from __future__ import annotations

from collections.abc import Mapping

from anyurl.schemes.gemini.wire.server import GeminiServer
from anyurl.url import URL
from anyurl.url.cut import percent_decode, percent_encode
from anyurl.world.certificate import over_tls, self_signed, server_context
from anyurl.world.listener import SchemeListener
from anyurl.world.tree import PASSWORD, SAFE, content_type, tree

PAGE = "text/gemini; lang=en"
SECRET = "The word that everybody knows?"


class GeminiPages:
    """Files in memory, with their pages of links.

    Args:
        files: Their octets by their paths.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def answer(self, url: URL) -> bytes:
        """The reply to a request."""
        path = percent_decode(url.path.removeprefix("/")).decode("utf-8", "replace")
        words = None if url.query is None else percent_decode(url.query).decode("utf-8", "replace")
        return self._special(path, words) or self._found(path)

    def _special(self, path: str, words: str | None) -> bytes | None:
        if path == "search":
            return self._search(words) if words else b"10 Words to look for\r\n"
        if path == "door":
            right = words == PASSWORD
            return b"20 text/plain\r\nCome in.\r\n" if right else f"11 {SECRET}\r\n".encode()
        return {
            "old": b"31 /motd.txt\r\n",
            "members": b"60 Only those who are known by their certificate\r\n",
            "busy": b"44 5\r\n",
        }.get(path)

    def _found(self, path: str) -> bytes:
        if path in self._files:
            return f"20 {content_type(path)}\r\n".encode() + self._files[path]
        if path == "" or (path.endswith("/") and any(name.startswith(path) for name in self._files)):
            return self._page(path)
        if any(name.startswith(f"{path}/") for name in self._files):
            return f"31 /{_encoded(path)}/\r\n".encode()
        return b"51 There is no such thing here\r\n"

    def _page(self, folder: str) -> bytes:
        names = {name.removeprefix(folder).partition("/")[:2] for name in self._files if name.startswith(folder)}
        lines = [f"=> {_encoded(name)}{slash} {name}{slash}" for name, slash in sorted(names)]
        if not folder:
            lines += ["=> search Search the texts", "=> old The welcome note, where it was"]
        return _text(f"# {folder or 'The world'}", *lines)

    def _search(self, words: str) -> bytes:
        wanted = words.casefold().split()
        lines = []
        for path, data in sorted(self._files.items()):
            if path.endswith(".txt"):
                for line in data.decode("utf-8", "replace").splitlines():
                    if all(word in line.casefold() for word in wanted):
                        lines.append(f"=> /{_encoded(path)} {line.strip()}")
        return _text(f"# {len(lines)} lines", *lines)


def _encoded(path: str) -> str:
    return percent_encode(path.encode(), SAFE + b"/")


def _text(*lines: str) -> bytes:
    return f"20 {PAGE}\r\n".encode() + "".join(f"{line}\n" for line in lines).encode()


def start(port: int = 0, files: Mapping[str, bytes] | None = None) -> SchemeListener:
    """Serve the tree, or other files, by gemini, at a port of the system's choice if 0.

    Raises:
        MissingExtraError: The extra `world` is not installed.
        OSError: The port is taken.
    """
    context, server = server_context(*self_signed("the world")), GeminiServer(GeminiPages(files or tree()).answer)
    return SchemeListener(
        lambda _port: server, "gemini", port, "gemini://{}/", {"gemini": "gemini://{}/pub/notes.txt"},
        wrap=lambda connection: over_tls(connection, context),
    )  # fmt: skip
