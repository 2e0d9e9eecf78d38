"""The terminal rig: the command on a pseudo-terminal, in a process of its own; and the cells D7 and D8.

Rule: a terminal gets line ends, tabs and printable characters, and of escape sequences only our own bold on and off.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import sys
import termios
from collections.abc import Callable, Mapping
from typing import Any

from tests.evil.cell import Cell, Column
from tests.evil.children import Child
from tests.evil.outcomes import OK
from tests.evil.rig import Got, Rig

STYLE = re.compile(rb"\x1b\[(?:0|1)m")
"""What our own tables write: bold on and off."""

EVIL_TEXT = b"\x1b[31mred\x1b]52;c;YQ==\x07 \x1bP1$r\x1b\\ \x9b31m \xc2\x9b1m \x7f\x08 end"
BIDI_NAME = "\u202egpj.exe\u2066x".encode()


def on_terminal(*args: str, env: Mapping[str, str] | None = None, seconds: float = 15.0) -> tuple[bytes, int]:
    """Run the command on a terminal 200 columns wide: what it wrote, and its exit code."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))

    def command() -> Any:
        os.close(master)
        os.environ.update({"TERM": "xterm", "COLUMNS": "200", **(env or {})})
        os.environ.pop("NO_COLOR", None)
        for number in (0, 1, 2):
            os.dup2(slave, number)
        os.close(slave)
        return main(*args)

    child = Child(command)
    os.close(slave)
    written = b""
    while select.select([master], [], [], seconds)[0]:
        try:
            data = os.read(master, 65536)
        except OSError:  # EIO: nobody has the other end any more
            break
        written += data
    os.close(master)
    return written, child.result()


def main(*args: str) -> int:
    """The command in this (child) process, with the standard streams as they are now; its exit code."""
    import io

    from anyurl.cli.run import run

    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "wb", closefd=False)), "utf-8", line_buffering=True
        )
        setattr(sys, name, stream)
    code = run(args)
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def check_harmless(written: bytes) -> str:
    """What was written as text, once it is certain that a terminal obeys nothing of it."""
    text = STYLE.sub(b"", written).decode("utf-8").replace("\r\n", "\n")
    bad = sorted({char for char in text if not char.isprintable() and char not in "\n\t"})
    assert not bad, f"{bad} reached the terminal: {text!r}"
    return text


def add_terminal(
    column: Column,
    text: Callable[[bytes], Any],
    url: str,
    names: Callable[[list[bytes]], Any] | None = None,
    names_url: str = "/",
    *,
    verb: str = "get",
    shows: str = "red",
) -> None:
    """Give a column the cells D7 and D8.

    Args:
        text: The script of a server that sends this text at `url`.
        names: The script of one that lists these names at `names_url`; a text that holds them where None.
        shows: What must be seen of the text.
    """
    column.add(
        Cell("D7", OK, run=lambda rig: _shown(rig, text(EVIL_TEXT), url, verb, shows)),
        Cell("D8", OK, run=lambda rig: _shown(rig, (names or _as_text(text))([BIDI_NAME]), names_url if names else url,
                                              "ls" if names else verb, "\\u202e")),
    )  # fmt: skip


def _as_text(text: Callable[[bytes], Any]) -> Callable[[list[bytes]], Any]:
    return lambda names: text(names[0])


def _shown(rig: Rig, script: Any, url: str, verb: str, shows: str) -> Got:
    server = rig.enter(rig.column.player(script))
    written, code = on_terminal(
        verb, rig.column.url("127.0.0.1", url, port=server.port), "--allow-port", str(server.port)
    )
    shown = check_harmless(written)
    assert shows in shown, shown
    assert "Traceback" not in shown
    got = Got()
    got.word = OK if code == 0 else f"exit code {code}: {shown}"
    return got
