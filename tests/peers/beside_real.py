"""What curl, wget, lftp and aria2 do with servers that many people run, beside `anyurl`: the second table of peers.

Rule: the servers are rows of `farm`, the words for what became of a document those of `beside`. A client of which the
table says nothing has no such command.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tests.peers.beside import CLIENTS, TASKS, Start, start
from tests.peers.farm import PEERS, Place

_LFTP = "set net:max-retries 1; set net:timeout 5; set cmd:fail-exit yes; "

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "get": TASKS["get"],
    "continue": TASKS["continue"],
    "mirror": TASKS["mirror"],
    "put": {
        "anyurl": "anyurl put {url} up", "curl": "curl -sSf -T up {url}",
        "lftp": f"lftp -c '{_LFTP}put up -o {{url}}'",
    },
}  # fmt: skip
"""How each client is asked for the same."""

TRIED = {
    "get": "a file of 10,240 octets",
    "continue": "the same, of which half is there; then the command again",
    "mirror": "a folder with two below it, and names such as `a;type=a`, `what?`, `100%41`, `ü.bin`",
    "put": "a file, which is then what the server has",
}
"""What is done with each server."""


class Row(NamedTuple):
    """What is done with a server, and a word of `beside.WORDS` for each client, ``-`` where it has no command."""

    server: str
    task: str
    outcomes: str


ROWS = (
    Row("vsftpd", "get", "whole whole whole whole whole"),
    Row("vsftpd", "continue", "whole whole whole whole whole"),
    Row("vsftpd", "mirror", "whole - wrong whole -"),
    Row("vsftpd", "put", "whole whole - whole -"),
    Row("pure-ftpd", "get", "whole whole whole whole whole"),
    Row("pure-ftpd", "continue", "whole whole whole whole whole"),
    Row("pure-ftpd", "mirror", "whole - wrong whole -"),
    Row("pure-ftpd", "put", "whole whole - whole -"),
    Row("proftpd", "get", "whole whole whole whole whole"),
    Row("proftpd", "continue", "whole whole whole whole whole"),
    Row("proftpd", "mirror", "whole - wrong whole -"),
    Row("proftpd", "put", "whole whole - whole -"),
    Row("inetutils-ftpd", "get", "whole whole whole whole whole"),
    Row("inetutils-ftpd", "continue", "whole whole whole whole whole"),
    Row("inetutils-ftpd", "mirror", "whole - wrong whole -"),
    Row("inetutils-ftpd", "put", "whole whole - whole -"),
    Row("pyftpdlib", "get", "whole whole whole whole whole"),
    Row("pyftpdlib", "continue", "whole whole whole whole whole"),
    Row("pyftpdlib", "mirror", "whole - wrong whole -"),
    Row("pyftpdlib", "put", "whole whole - whole -"),
    Row("aioftp", "get", "whole whole whole whole whole"),
    Row("aioftp", "continue", "whole whole whole whole whole"),
    Row("aioftp", "mirror", "whole - refused whole -"),
    Row("aioftp", "put", "whole whole - whole -"),
    Row("nginx, with gzip", "get", "whole whole whole whole whole"),
    Row("nginx, with gzip", "continue", "whole kept whole whole whole"),
    Row("nginx, with gzip", "mirror", "whole - whole whole -"),
    Row("apache2, with DAV and gzip", "get", "whole whole whole whole whole"),
    Row("apache2, with DAV and gzip", "continue", "whole whole whole whole whole"),
    Row("apache2, with DAV and gzip", "mirror", "whole - whole whole -"),
    Row("apache2, with DAV and gzip", "put", "whole whole - whole -"),
    Row("lighttpd", "get", "whole whole whole whole whole"),
    Row("lighttpd", "continue", "whole whole whole whole whole"),
    Row("lighttpd", "mirror", "whole - whole whole -"),
    Row("caddy, with gzip", "get", "whole whole whole whole whole"),
    Row("caddy, with gzip", "continue", "whole kept whole whole whole"),
    Row("caddy, with gzip", "mirror", "whole - whole whole -"),
)


def play(client: str, task: str, place: Place, served: Path, folder: Path, start: Start = start) -> str:
    """What becomes of it, in a word.

    Args:
        client: One of `CLIENTS`.
        task: One of `COMMANDS`.
        place: The server.
        served: The folder that the server serves.
        folder: An empty one, where the client runs.
        start: Runs a command line.
    """
    line = COMMANDS[task].get(client)
    if line is None:
        return "-"
    home = folder / ".home"
    home.mkdir()
    document = next(iter(place.documents))
    url = {"mirror": place.listing[0], "put": place.writable + f"by-{client}"}.get(task, document)
    wanted = place.documents[document]
    if task == "continue":
        (folder / "x").write_bytes(wanted[: len(wanted) // 2])
    (folder / "up").write_bytes(wanted)
    words = shlex.split(line.format(url=url))
    codes = [start(words, folder, {"HOME": str(home), "LC_ALL": "C.UTF-8"}) for _ in range(1 + (task == "continue"))]
    if task == "mirror":
        return _word(_files(folder / "x"), _files(served / "pub"), codes)
    there = next(served.rglob(f"by-{client}"), None) if task == "put" else folder / "x"
    octets = there.read_bytes() if there is not None and there.exists() else b""
    return _word({"x": octets} if octets else {}, {"x": wanted}, codes)


def _files(folder: Path) -> dict[str, bytes]:
    """Content by name, but for what a client notes: the pages in which a web server lists a folder, a journal."""
    files = (path for path in folder.rglob("*") if path.is_file())
    ours = ("index.html", ".anyurl-mirror")
    return {path.name: path.read_bytes() for path in files if not path.name.startswith(ours)}


def _word(found: Mapping[str, bytes], wanted: Mapping[str, bytes], codes: list[int]) -> str:
    if not any(codes):
        return "whole" if found == wanted else "wrong"
    if any(not wanted.get(name, b"").startswith(octets) for name, octets in found.items()):
        return "lost"
    return "kept" if found else "refused"


def running(name: str, folder: Path, stack: ExitStack) -> tuple[Place, Path]:
    """A server of the farm, and the folder that it serves."""
    peer = next(each for each in PEERS if each.name == name)
    place = peer.start(folder, stack)
    return place, next(each for each in (folder / "root", folder / "www") if each.exists())


def section() -> list[str]:
    """The section of docs/peers.md."""
    lines = [
        "## Beside other clients, with servers as they are",
        "",
        "The same clients and words, with the servers of the first table; the words of each command are in",
        "`tests/peers/beside_real.py`.",
        "",
        *(f"- **{name}**: {text}." for name, text in TRIED.items()),
        "",
        f"| the server | what is done | {' | '.join(CLIENTS)} |",
        "|" + "---|" * (len(CLIENTS) + 2),
    ]
    for row in ROWS:
        lines.append(f"| {row.server} | {row.task} | {' | '.join(row.outcomes.split())} |".replace(" - ", "  "))
    return [*lines, ""]
