"""An FTP server as a script: a session that answers as it should, but for what a cell puts in its place."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping, Sequence

from anyurl.guard.ports import SMALLEST_DATA_PORT, service_at
from tests.evil.player import Link, Over, Step, Steps, send
from tests.servers import PATIENCE

_NEGOTIATION = re.compile(rb"\xff[\xfb-\xfe].", re.DOTALL)
TRANSFERS = (b"RETR", b"LIST", b"NLST", b"MLSD", b"STOR", b"APPE")


class Session:
    """What one control connection plays.

    Args:
        data: The steps of each data connection; the last list goes on.
        replies: Steps in the place of an answer, by command.
        features: What FEAT tells, or none.
        size: What SIZE tells; None: it is not known.
        time: What MDTM tells.
        opening: What a transfer begins with.
        ending: What it ends with; None for never.
        lasting: The session goes on after a transfer.
    """

    def __init__(
        self,
        *data: Steps,
        replies: Mapping[bytes, Steps] | None = None,
        greeting: Steps | None = None,
        features: Sequence[bytes] = (),
        size: int | bytes | None = None,
        time: bytes | None = None,
        opening: bytes = b"150 here it comes",
        ending: bytes | None = b"226 that was all",
        lasting: bool = False,
    ) -> None:
        self._data = list(data) or [()]
        self._greeting = greeting if greeting is not None else send(b"220 ready\r\n")
        self._opening = opening
        self._ending = ending
        self._lasting = lasting
        listed = b"211-features\r\n" + b"".join(b" %s\r\n" % feature for feature in features) + b"211 end\r\n"
        self._answers: dict[bytes, Steps] = {
            b"USER": send(b"331 the password\r\n"),
            b"PASS": send(b"230 welcome\r\n"),
            b"TYPE": send(b"200 so be it\r\n"),
            b"CWD": send(b"250 there\r\n"),
            b"OPTS": send(b"200 so be it\r\n"),
            b"REST": send(b"350 from there\r\n"),
            b"QUIT": send(b"221 good-bye\r\n"),
            b"FEAT": send(listed if features else b"500 what?\r\n"),
            b"SIZE": send(b"550 not told\r\n" if size is None else b"213 %s\r\n" % str(size).encode()
                          if isinstance(size, int) else b"213 %s\r\n" % size),
            b"MDTM": send(b"550 not told\r\n" if time is None else b"213 %s\r\n" % time),
            b"EPSV": self._offer,
            b"PASV": self._offer_old,
            **dict.fromkeys(TRANSFERS, self._transfer),
            **(replies or {}),
        }  # fmt: skip

    def __call__(self, link: Link) -> None:
        """Play it: this is a step."""
        state = _State()
        link.session = state  # type: ignore[attr-defined]
        try:
            link.run(self._greeting)
            while line := link.line():
                verb = _NEGOTIATION.sub(b"", line).partition(b" ")[0].upper()
                link.run(self._answers.get(verb, send(b"502 no such command\r\n")))
        finally:
            state.close()

    def _offer(self, link: Link) -> None:
        link.send(b"229 there (|||%d|)\r\n" % listen(link))

    def _offer_old(self, link: Link) -> None:
        port = listen(link)
        link.send(b"227 there (127,0,0,1,%d,%d)\r\n" % divmod(port, 256))

    def _transfer(self, link: Link) -> None:
        link.send(self._opening + b"\r\n")
        self.play_data(link)
        if self._ending is None:
            return
        link.send(self._ending + b"\r\n")
        if not self._lasting:
            raise Over

    def play_data(self, link: Link) -> None:
        """Take the data connection, and play the next steps on it."""
        state: _State = link.session  # type: ignore[attr-defined]
        steps = self._data[min(state.count, len(self._data) - 1)]
        state.count += 1
        play_on(link, steps)


class _State:
    """The data port of one session, and how many transfers there were."""

    def __init__(self) -> None:
        self.listener: socket.socket | None = None
        self.count = 0

    def close(self) -> None:
        if self.listener is not None:
            self.listener.close()
            self.listener = None


def listen(link: Link) -> int:
    """Listen for a data connection at a port that no policy refuses."""
    state: _State = link.session  # type: ignore[attr-defined]
    state.close()
    while True:
        listener = socket.create_server(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
        if port >= SMALLEST_DATA_PORT and service_at(port) is None:
            break
        listener.close()
    listener.settimeout(PATIENCE)
    state.listener = listener
    return port


def play_on(link: Link, steps: Steps) -> None:
    """Play steps on the data connection that the client makes."""
    state: _State = link.session  # type: ignore[attr-defined]
    assert state.listener is not None
    sock, _ = state.listener.accept()
    sock.settimeout(PATIENCE)
    received = bytearray()
    data = Link(sock, received, link.server)
    try:
        data.run(steps)
    except Over:
        pass
    finally:
        data.sock.close()
        link.server.__dict__.setdefault("uploads", []).append(received)


def answer(octets: bytes) -> Step:
    """One more answer."""
    return send(octets + b"\r\n")
