"""Pins: certificates that are trusted on first use.

Rule: the first certificate of a host and port is trusted if it is valid now, regardless of who signed it; after that,
no other is trusted until the pinned one expires (the Gemini specification, 4.2; OpenSSH does the same), unless the user
names it by its fingerprint: a renewed one that its owner has confirmed. Authorities are not consulted: one that could
vouch for any certificate could replace every pin. Processes write the file one at a time, so that no pin is lost, and
replace it atomically, so that no process reads half a line.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable
from contextlib import nullcontext
from threading import Lock
from typing import TYPE_CHECKING

from anyurl.errors import ConnectError, LimitError, LocalFileError, escape
from anyurl.errors.reasons import reason_of
from anyurl.guard.verdict import Reader, option

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

MAX_PINS = 100_000
"""Most servers remembered, so that URLs of strangers cannot fill the memory: some 10 MB."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Largest file that is read: a line has about a hundred octets, a host name at most 253."""

FIRST_LINE = "# Certificates that anyurl has trusted on first use"
"""How such a file begins. Any other file was named by mistake, and would be lost when a pin is written."""

NOTES = """# Each line: a host, a port, the SHA-256 of the certificate, until when it holds. Without its line, the next
# certificate of a server is trusted as if it were the first.

"""

Key = tuple[str, int]
Pin = tuple[str, float]
"""A fingerprint, and when it expires, in seconds since the epoch."""


class Pins:
    """The pinned certificates.

    Args:
        path: The file that stores them, readable only by its owner; None for memory only. It is read when a new
            certificate is to be judged.
        trusted: Fingerprints of certificates that are pinned in place of others, as `read_fingerprints` gives them.
        reader: The reader of errors, for the option that trusts another certificate.
    """

    __slots__ = ("path", "_trusted", "_reader", "_pins", "_lock")

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        trusted: Collection[str] = (),
        reader: Reader = "arguments",
    ) -> None:
        self._trusted = frozenset(trusted)
        self._reader: Reader = reader
        self.path: str | None = None if path is None else os.fspath(path)
        self._pins: dict[Key, Pin] = {}
        self._lock = Lock()

    def judge(self, host: str, port: int, certificate: bytes) -> None:
        """Check that this certificate (DER) is the one pinned for a host and port; pin it if none is.

        Raises:
            ConnectError: Another certificate is pinned, or this one cannot be trusted on first use.
            LimitError: Too many servers are pinned already.
            LocalFileError: The file cannot be read or written.
        """
        from anyurl.net.wire.certificates import fingerprint  # most clients meet no server that is pinned

        key, found = (host.lower(), port), fingerprint(certificate)
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
        if self.path is None:
            return nullcontext()
        from anyurl.files.lock import alone

        return alone(self.path)

    def _is_known(self, key: Key, found: str, now: float) -> bool:
        """Whether it is pinned in the file now: another process may have added it, or a person removed it.

        Raises:
            ConnectError: Another one is pinned.
        """
        self._read()
        known = self._pins.get(key)
        if known is not None and known[0] != found and known[1] > now and found not in self._trusted:
            raise ConnectError(self._changed(key, known, found), stage="tls")
        return known is not None and known[0] == found

    def _add(self, key: Key, found: str, until: float, now: float) -> None:
        if len(self._pins) >= MAX_PINS:
            self._pins = {key: pin for key, pin in self._pins.items() if pin[1] > now}
        if len(self._pins) >= MAX_PINS:
            # No pin is evicted: an attacker could get rid of a pin by making the user visit many servers.
            where = "in memory" if self.path is None else f"in {escape(self.path)}"
            text = (
                f"{_place(key)} is new, and {MAX_PINS:,} servers are trusted {where} already: the limit allows no more."
            )
            raise LimitError(text, limit="MAX_PINS")
        self._pins[key] = found, until
        if self.path is not None:
            from anyurl.files.output import write_text

            lines = (f"{host} {port} {pin} {_date(end)}\n" for (host, port), (pin, end) in self._pins.items())
            try:
                write_text((f"{FIRST_LINE}\n{NOTES}", *lines), self.path, 0o600)
            except LocalFileError:
                del self._pins[key]  # a pin that could not be stored is not trusted
                raise

    def _changed(self, key: Key, known: Pin, found: str) -> str:
        way = option("trust", self._reader).format(subject=found)
        return (
            f"The certificate of {_place(key)} has changed: its SHA-256 is {found}, and {known[0]} was trusted on "
            f"first use, until {_date(known[1])}. Another server may be answering in its place. Where its owner "
            f"confirms the new one, {way} trusts it."
        )

    def _read(self) -> None:
        if self.path is None:
            return
        from anyurl.files.output import refuse_device

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
            raise LocalFileError(f"{escape(self.path)} is not a file of pins: its first line is not {FIRST_LINE!r}.")
        pins: dict[Key, Pin] = {}
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith("#"):
                try:
                    host, port, pin, end = line.split()
                    pins[host, int(port)] = pin, _seconds(end)
                except ValueError:
                    raise LocalFileError(f"Line {number} of {escape(self.path)} is not a pin.") from None
        self._pins = pins


def read_fingerprints(texts: Iterable[str]) -> frozenset[str]:
    """SHA-256 fingerprints as `certificates.fingerprint` writes them, from digits with or without colons.

    Raises:
        ValueError: One is malformed.
    """
    found = set()
    for text in texts:
        digits = text.replace(":", "").lower()
        if not re.fullmatch("[0-9a-f]{64}", digits):
            raise ValueError(f"{text!r} is not the SHA-256 of a certificate: 64 hexadecimal digits would be")
        found.add(digits)
    return frozenset(found)


def _end(key: Key, certificate: bytes, now: float) -> float:
    """When a certificate expires. Raises ConnectError for one that is not valid now."""
    from anyurl.net.wire.certificates import validity

    try:
        begin, end = validity(certificate)
    except (ValueError, IndexError):
        raise ConnectError(
            f"The certificate of {_place(key)} can't be read: it was not trusted.", stage="tls"
        ) from None
    if not begin <= now < end:
        # Its pin would be expired from the start, and any certificate could replace it.
        text = f"The certificate of {_place(key)} holds from {_date(begin)} until {_date(end)}, and not now: it was not"
        raise ConnectError(f"{text} trusted on first use.", stage="tls")
    return end


def _place(key: Key) -> str:
    return f"[{key[0]}]:{key[1]}" if ":" in key[0] else f"{key[0]}:{key[1]}"


def _date(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _seconds(text: str) -> float:
    """Parse a date of the file. Raises ValueError if it is malformed."""
    from datetime import UTC, datetime

    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
