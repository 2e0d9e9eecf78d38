"""telnet: a library's catalogue of the nineties over the world's texts (RFC 1738 3.8; RFC 854).

Rule: a command is a line; all of them are in `HELP`.
"""

from __future__ import annotations

from anyurl.schemes.telnet.wire.server import TelnetServer, TerminalReader
from anyurl.world.listener import SchemeListener
from anyurl.world.tree import USER, tree

IDLE_SECONDS = 300.0
"""A reader may think for a while; a program that was forgotten must not stay."""

GREETING = "Welcome to the catalogue of the small world.\nType help for help.\n\n"
PROMPT = "command: "
HELP = """\
list            what there is
find WORDS      the lines that hold all words
show NAME       a text
terminal        what the catalogue knows about your terminal
bye             leave
"""


class TextCatalogue:
    """The texts of the world."""

    def __init__(self) -> None:
        self._texts = {path: data.decode("utf-8", "replace") for path, data in tree().items() if path.endswith(".txt")}

    def reply(self, line: str, reader: TerminalReader) -> tuple[str, bool]:
        """The answer to a line, and whether the reader leaves."""
        command, _, rest = line.strip().partition(" ")
        if command.lower() in ("bye", "quit", "exit"):
            return "Come back soon.\n", True
        return self._answer(command.lower(), rest.strip(), reader) + PROMPT, False

    def _answer(self, command: str, rest: str, reader: TerminalReader) -> str:
        if command == "list":
            return "".join(f"{path:24}{len(text):6} characters\n" for path, text in sorted(self._texts.items()))
        if command == "find":
            found = [
                f"{path}: {line}\n"
                for path, text in sorted(self._texts.items())
                for line in text.splitlines()
                if rest and all(word in line.casefold() for word in rest.casefold().split())
            ]
            return "".join(found) or "Nothing holds all these words.\n"
        if command == "show":
            return self._texts.get(rest, f"There is no {rest!r} here.\n")
        if command == "terminal":
            return f"{reader.name or 'unknown'}, {reader.columns} columns, {reader.rows} rows\n"
        return HELP if command == "help" else "Type help for help.\n" if command else ""


def start(port: int = 0) -> SchemeListener:
    """Start it; the caller closes it. At a port of the system's choice, if 0; raises OSError if it is taken."""
    server = TelnetServer(GREETING + PROMPT, TextCatalogue().reply)
    # It advises a user, as RFC 1738 3.8 has it.
    urls = {"telnet": f"telnet://{USER}@{{}}/"}
    return SchemeListener(lambda _port: server, "telnet", port, "telnet://{}/", urls, idle=IDLE_SECONDS)
