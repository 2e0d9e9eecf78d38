"""Pins: certificates that are trusted because they were met first (trust on first use).

Rule: the first certificate of a host and port is believed, whoever signed it, if it holds now; from then on no other
is, until the end of the one that was pinned (the Gemini specification, 4.2; OpenSSH does the same). No authority is
asked: one that could vouch for any certificate could replace every pin. Processes write the file one after the other,
so that none loses a pin of another's, and it is replaced whole, so that none reads half a line.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import AbstractContextManager, nullcontext

from anyurl.errors import ConnectError, LimitError, LocalFileError, escape
from anyurl.net import certificates
from anyurl.reasons import reason_of

MAX_PINS = 100_000
"""Servers that are remembered, so that strangers' URLs can't fill the memory: some 10 MB."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of a file that is read: a line has some hundred octets, and a host name 253 at most."""

FIRST_LINE = "# Certificates that anyurl has trusted on first use"
"""How such a file begins. Another one is somebody's by mistake, and would be lost when a pin is written."""

NOTES = """# Each line: a host, a port, the SHA-256 of the certificate, until when it holds. Without its line, the next
# certificate of a server is trusted as if it were the first.

"""

Key = tuple[str, int]
Pin = tuple[str, float]
"""A fingerprint, and until when it counts, in seconds since the epoch."""


class Pins:
    """The certificates that are trusted.

    Args:
        path: The file that keeps them, which only its owner can read; None for memory only. It is read when there is
            something to be judged.
    """

    __slots__ = ("path", "_pins", "_lock")

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path: str | None = None if path is None else os.fspath(path)
        self._pins: dict[Key, Pin] = {}
        self._lock = threading.Lock()

    def judge(self, host: str, port: int, certificate: bytes) -> None:
        """Whether this certificate (DER) is the one that is trusted there; where none is, it is from now on.

        Raises:
            ConnectError: It is another one, or can't be trusted as the first.
            LimitError: There are too many already.
            LocalFileError: The file can't be read, or can't be written.
        """
        key, found = (host.lower(), port), certificates.fingerprint(certificate)
        known = self._pins.get(key)
        if known is not None and known[0] == found:
            return
        with self._lock:
            now = time.time()
            if self._is_known(key, found, now):
                return
            until = _end(key, certificate, now)
            with self._alone():
                if not self._is_known(key, found, now):
                    self._add(key, found, until, now)

    def _alone(self) -> AbstractContextManager[None]:
        from anyurl.net.files.lock import alone

        return nullcontext() if self.path is None else alone(self.path)

    def _is_known(self, key: Key, found: str, now: float) -> bool:
        """Whether it is trusted. Another process may have pinned it, or a person may have taken it out.

        Raises:
            ConnectError: Another one is.
        """
        self._read()
        known = self._pins.get(key)
        if known is not None and known[0] != found and known[1] > now:
            raise ConnectError(self._changed(key, known, found), stage="tls")
        return known is not None and known[0] == found

    def _add(self, key: Key, found: str, until: float, now: float) -> None:
        if len(self._pins) >= MAX_PINS:
            self._pins = {key: pin for key, pin in self._pins.items() if pin[1] > now}
        if len(self._pins) >= MAX_PINS:
            # None makes way: who can make us visit many servers would get rid of a pin by that.
            where = "in memory" if self.path is None else f"in {escape(self.path)}"
            text = (
                f"{_place(key)} is new, and {MAX_PINS:,} servers are trusted {where} already: the limit allows no more."
            )
            raise LimitError(text, limit="MAX_PINS")
        self._pins[key] = found, until
        if self.path is not None:
            from anyurl.net.files.output import write_text

            lines = (f"{host} {port} {pin} {_date(end)}\n" for (host, port), (pin, end) in self._pins.items())
            try:
                write_text((f"{FIRST_LINE}\n{NOTES}", *lines), self.path, 0o600)
            except LocalFileError:
                del self._pins[key]  # what is not kept is not trusted
                raise

    def _changed(self, key: Key, known: Pin, found: str) -> str:
        way = "a client that begins anew trusts it."
        if self.path is not None:
            way = f"delete the line of {key[0]} {key[1]} in {escape(self.path)}."
        return (
            f"The certificate of {_place(key)} has changed: its SHA-256 is {found}, and {known[0]} was trusted on "
            f"first use, until {_date(known[1])}. Somebody on the way may answer in its place. Where its owner "
            f"confirms the new one, {way}"
        )

    def _read(self) -> None:
        if self.path is None:
            return
        from anyurl.net.files.output import refuse_device

        refuse_device(self.path)
        try:
            with open(self.path, "rb") as file:
                octets = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            self._pins = {}
            return
        except OSError as error:
            raise LocalFileError(f"{escape(self.path)} can't be read: {reason_of(error)}.") from None
        lines = octets.decode("utf-8", "replace").splitlines()
        if len(octets) > MAX_FILE_BYTES or (octets and lines[0] != FIRST_LINE):
            raise LocalFileError(f"{escape(self.path)} keeps no pins: its first line is not {FIRST_LINE!r}.")
        pins: dict[Key, Pin] = {}
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith("#"):
                try:
                    host, port, pin, end = line.split()
                    pins[host, int(port)] = pin, _seconds(end)
                except ValueError:
                    raise LocalFileError(f"Line {number} of {escape(self.path)} holds no pin.") from None
        self._pins = pins


def _end(key: Key, certificate: bytes, now: float) -> float:
    """Until when a certificate holds. Raises ConnectError for one that does not hold now."""
    try:
        begin, end = certificates.validity(certificate)
    except (ValueError, IndexError):
        raise ConnectError(
            f"The certificate of {_place(key)} can't be read: it was not trusted.", stage="tls"
        ) from None
    if not begin <= now < end:
        # A pin of it would end before it began, and anybody could take its place.
        text = f"The certificate of {_place(key)} holds from {_date(begin)} until {_date(end)}, and not now: it was not"
        raise ConnectError(f"{text} trusted on first use.", stage="tls")
    return end


def _place(key: Key) -> str:
    return f"[{key[0]}]:{key[1]}" if ":" in key[0] else f"{key[0]}:{key[1]}"


def _date(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _seconds(text: str) -> float:
    """Raises ValueError for no date."""
    from datetime import UTC, datetime

    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
