"""A file that gets its name when it is whole, and one that grows, where folders have no descriptors (Windows).

Rule: it is written under a name that nobody can guess in the same folder, and moved by its path, after a look whether
that still leads to it. Two promises of `Replacement` are weaker so: a process that is killed leaves that file behind,
and where others may rename the folder itself while it is written, it goes where the path then leads.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from anyurl.net.closing import close_descriptor
from anyurl.net.files.appendix import Appendix
from anyurl.net.files.channel import Replacement, complaint, open_folder
from anyurl.net.files.system import WRITES, date, flags, is_plain_name

_FRESH = flags("RDWR", "CREAT", "EXCL", "BINARY", "NOINHERIT")
_BEHIND = flags("WRONLY", "APPEND", "NONBLOCK", "BINARY", "NOINHERIT")


class NamedReplacement(Replacement):
    """One of them.

    Args:
        where: The path of the directory.
        name: The final name, in that directory.
        shown: The final path as people may see it.
    """

    __slots__ = ("_final", "_made")

    def __init__(self, where: bytes, name: bytes, shown: str) -> None:
        super().__init__(-1, name, shown)
        _check_name(name, f"Writing {shown}")
        self._final = os.path.join(where, name)
        self._made = b""

    def standing(self) -> os.stat_result:
        """As `Replacement.standing`."""
        return os.lstat(self._final)

    def may_be_replaced(self) -> bool:
        """As `Replacement.may_be_replaced`."""
        return os.access(self._final, os.W_OK)

    def begin(self, old: os.stat_result | None) -> None:
        """As `Replacement.begin`; who may do what with it is inherited from the folder."""
        made = os.path.join(os.path.dirname(self._final), b".anyurl-%s" % os.urandom(8).hex().encode())
        self.fd = os.open(made, _FRESH, 0o666)
        self._made = made
        self.mode = self._mode_now = stat.S_IMODE(os.fstat(self.fd).st_mode)

    def _date(self) -> None:
        """Done by its path, when it is closed."""

    def _publish(self, overwrite: bool) -> None:
        """Windows moves no open file. Without a move that replaces nothing the name is claimed first."""
        if not os.path.samestat(os.lstat(self._made), os.fstat(self.fd)):
            raise complaint(errno.ESTALE, f"Writing {self.shown}", "another process has taken its part away")
        if not overwrite:
            close_descriptor(os.open(self._final, _FRESH, 0o666))
        fd, self.fd = self.fd, -1
        close_descriptor(fd)
        date(self._made, self.modified)
        try:
            os.replace(self._made, self._final)
        except OSError:
            if not overwrite:
                with contextlib.suppress(OSError):
                    os.unlink(self._final)  # it was claimed, and is empty
            raise
        self._made = b""

    def close(self) -> None:
        """As `Replacement.close`."""
        super().close()
        made, self._made = getattr(self, "_made", b""), b""
        if made:
            with contextlib.suppress(OSError):  # whoever has removed it did what we would
                os.unlink(made)


class NamedAppendix(Appendix):
    """Octets behind the end of one; as `NamedReplacement` it is opened by its path."""

    __slots__ = ("_path",)

    def __init__(self, where: bytes, name: bytes, shown: str) -> None:
        super().__init__(-1, name, shown)
        _check_name(name, f"Appending to {shown}")
        self._path = os.path.join(where, name)

    def begin(self) -> None:
        """As `Appendix.begin`. What a link leads to is opened before it is seen, and nothing is written to it."""
        try:
            self.fd = os.open(self._path, _BEHIND | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            self.fd = os.open(self._path, _BEHIND)
        self._measure()
        if not os.path.samestat(os.lstat(self._path), os.fstat(self.fd)):
            raise complaint(errno.ELOOP, f"Appending to {self.shown}", "it is a symbolic link, or became another file")

    def _sync_name(self) -> None:
        """Windows writes names by itself."""


def _check_name(name: bytes, what: str) -> None:
    if not is_plain_name(os.fsdecode(name)):
        raise complaint(errno.EINVAL, what, "Windows has no such name, or takes it for a device or another one")


def appendix(where: bytes, name: bytes, shown: str) -> Appendix:
    """A file that grows, by what this system has; the arguments are those of `replacement`.

    Raises:
        OSError: The directory can't be opened, or the name is none.
    """
    if not WRITES:
        return NamedAppendix(where, name, shown)
    return Appendix(open_folder(where), name, shown)


def replacement(where: bytes, name: bytes, shown: str) -> Replacement:
    """A file that gets its name when it is whole, by what this system has.

    Args:
        where: The path of the directory.
        name: The final name, in that directory.
        shown: The final path as people may see it.

    Raises:
        OSError: The directory can't be opened, or the name is none.
    """
    if not WRITES:
        return NamedReplacement(where, name, shown)
    return Replacement(open_folder(where), name, shown)
