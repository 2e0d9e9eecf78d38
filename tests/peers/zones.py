"""Mirrors of FTP servers whose clock is behind, at and ahead of UTC: a table of peers, with wget and lftp beside.

Rule: each row is a real server. Its folder is mirrored, then all files but one are changed to others of the same size,
which are older, or newer by as many hours as the zones differ, and it is mirrored again by the same command.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tests.needs import program
from tests.peers.beside import TASKS, start
from tests.peers.ftp_more import InetutilsFtpd, Proftpd
from tests.peers.ftp_servers import HOST, PureFtpd, Spawning, Vsftpd

ZONES = {"UTC-8": ("<-08>8", -8), "UTC": ("UTC0", 0), "UTC+13": ("<+13>-13", 13)}
"""The clocks of the servers: how POSIX writes them, and their hours."""

LATER = (-1 / 60, 1 / 60, 1, 8, 13)
"""By how many hours the time of a changed file differs: within those of the zones, and by exactly these."""

OTHERS = ("wget", "lftp")
"""Who else has a command that mirrors by FTP."""


class Row(NamedTuple):
    """A server.

    Attributes:
        name: What it is called, and how it is set up.
        make: Starts it, in a folder of its own.
        user: The login, as a URL has it.
        verb: How a folder is listed.
        listed: Whose hours the listing has: ``UTC`` or ``own``.
        asked: Whose hours MDTM has.
        others: A word of `beside.WORDS` for each of `OTHERS`, the same in all zones.
    """

    name: str
    make: Callable[[Path], Spawning]
    user: str
    verb: str
    listed: str
    asked: str
    others: str = "wrong whole"

    def url(self, server: Spawning) -> str:
        """The folder that is mirrored."""
        return f"ftp://{self.user}{HOST}:{server.port}/pub/"


_JOE = "joe:s3cret%20pass@"
_OLD = ("TimesGMT off", "FactsAdvertise off", "<Limit MLSD MLST>", "DenyAll", "</Limit>")

ROWS = (
    Row("vsftpd", Vsftpd, "", "LIST", "UTC", "UTC"),
    Row("vsftpd, use_localtime", lambda folder: Vsftpd(folder, use_localtime="YES"), "", "LIST", "own", "own"),
    Row("pure-ftpd", PureFtpd, _JOE, "MLSD", "UTC", "UTC"),
    Row("proftpd", Proftpd, _JOE, "MLSD", "UTC", "UTC"),
    Row("proftpd, TimesGMT off, no MLSD", lambda folder: Proftpd(folder, settings=_OLD), _JOE, "LIST", "own", "UTC"),
    Row("inetutils-ftpd", InetutilsFtpd, "", "LIST", "own", "UTC"),
)


def set_clock(server: Spawning, zone: str) -> None:
    """Start the processes of a server with this clock from now on."""
    server.command = [program("env"), f"TZ={ZONES[zone][0]}", *server.command]


def write(folder: Path, words: str, *, changes: bool = False) -> set[str]:
    """Write the files that are mirrored, or change them.

    Args:
        folder: Of the server.
        words: What is in them.
        changes: All but `steady` get another time.

    Returns:
        The names of those that were written.
    """
    owner, steady = folder.stat(), folder / "steady"
    if changes:
        then = int(steady.stat().st_mtime)  # by the clock a minute may have passed since
    else:
        then = (int(time.time()) // 60 - 15 * 60) * 60  # a full minute: LIST has minutes, and could be taken for it
    times = {f"by {hours * 60:.0f} minutes": then + changes * int(hours * 3600) for hours in LATER}
    if not changes:
        times[steady.name] = then
    for name, modified in times.items():
        file = folder / name
        file.write_text(words, encoding="ascii")
        os.utime(file, (modified, modified))
        os.chown(file, owner.st_uid, owner.st_gid)
    return set(times)


def content(folder: Path) -> Mapping[str, str]:
    """What is in those files, by name."""
    files = [*folder.rglob("by * minutes"), *folder.rglob("steady")]
    return {file.name: file.read_text("ascii") for file in files}


def play(client: str, row: Row, zone: str, home: Path, folder: Path) -> str:
    """What another client has after the second run, in a word.

    Args:
        client: One of `OTHERS`.
        row: The server.
        zone: One of `ZONES`.
        home: An empty folder, for the server.
        folder: Another one, where the client runs.
    """
    with closing(row.make(home)) as server:
        set_clock(server, zone)
        pub = home / "root" / "pub"
        write(pub, "first")
        words = shlex.split(TASKS["mirror"][client].format(url=row.url(server)))
        environment = {"HOME": str(folder), "LC_ALL": "C.UTF-8"}
        codes = [start(words, folder, environment)]
        write(pub, "later", changes=True)
        codes.append(start(words, folder, environment))
    if any(codes):
        return "refused"
    return "whole" if content(folder / "x") == content(pub) else "wrong"


def section() -> list[str]:
    """The section of docs/peers.md."""
    lines = [
        "## Mirrors, and servers in three time zones",
        "",
        f"The clock of the server has {', '.join(ZONES)}. Its files are mirrored; then all but one become others of",
        "the same size, which are older by a minute, or newer by up to 13 hours, and the same command runs again",
        "(`tests/peers/zones.py`). The words and the clients are those of the tables above. What wget lacks is what",
        "has become older.",
        "",
        f"| the server | lists by | in the hours of | MDTM | anyurl | {' | '.join(OTHERS)} |",
        "|" + "---|" * (5 + len(OTHERS)),
    ]
    for row in ROWS:
        others = " | ".join(row.others.split())
        lines.append(f"| {row.name} | {row.verb} | {row.listed} | {row.asked} | whole | {others} |")
    return [*lines, ""]
