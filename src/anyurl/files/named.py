"""Replacing and appending to files on systems without descriptors of folders (Windows).

Rule: a replacement is written under an unpredictable name in the same folder, and moved by its path, after a check that
the path still leads to it. So two guarantees of `Replacement` are weaker: that file survives a killed process, and if
another process renames the folder while it is written, the file goes where the path then leads.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from anyurl.files.appendix import Appendix
from anyurl.files.channel import Replacement, complaint, open_folder
from anyurl.files.closing import close_descriptor
from anyurl.files.system import WRITES, date, flags, is_plain_name

_FRESH = flags("RDWR", "CREAT", "EXCL", "BINARY", "NOINHERIT")
_BEHIND = flags("WRONLY", "APPEND", "NONBLOCK", "BINARY", "NOINHERIT")


class NamedReplacement(Replacement):
    """A `Replacement` that is opened and moved by its path.

    Args:
        where: The path of the directory.
        name: The final name in that directory.
        shown: The final path, escaped for display.
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
        """As `Replacement.begin`; permissions are inherited from the folder."""
        made = os.path.join(os.path.dirname(self._final), b".anyurl-%s" % os.urandom(8).hex().encode())
        self.fd = os.open(made, _FRESH, 0o666)
        self._made = made
        self.mode = self._mode_now = stat.S_IMODE(os.fstat(self.fd).st_mode)

    def _date(self) -> None:
        """Does nothing: the date is set by path after closing."""

    def _publish(self, overwrite: bool) -> None:
        """Windows cannot move an open file. Without a move that never replaces, the name is created first."""
        if not os.path.samestat(os.lstat(self._made), os.fstat(self.fd)):
            raise complaint(errno.ESTALE, f"Writing {self.shown}", "another process has removed its part")
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
                    os.unlink(self._final)  # created above, and empty
            raise
        self._made = b""

    def close(self) -> None:
        """As `Replacement.close`."""
        super().close()
        made, self._made = getattr(self, "_made", b""), b""
        if made:
            with contextlib.suppress(OSError):  # already removed
                os.unlink(made)


class NamedAppendix(Appendix):
    """An `Appendix` that is opened by its path, as `NamedReplacement` is."""

    __slots__ = ("_path",)

    def __init__(self, where: bytes, name: bytes, shown: str) -> None:
        super().__init__(-1, name, shown)
        _check_name(name, f"Appending to {shown}")
        self._path = os.path.join(where, name)

    def begin(self) -> None:
        """As `Appendix.begin`. The target of a link is opened before it can be checked, but never written to."""
        try:
            self.fd = os.open(self._path, _BEHIND | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            self.fd = os.open(self._path, _BEHIND)
        self._measure()
        if not os.path.samestat(os.lstat(self._path), os.fstat(self.fd)):
            raise complaint(errno.ELOOP, f"Appending to {self.shown}", "it is a symbolic link, or became another file")

    def _sync_name(self) -> None:
        """Does nothing: Windows writes names to the disk by itself."""


def _check_name(name: bytes, what: str) -> None:
    if not is_plain_name(os.fsdecode(name)):
        raise complaint(errno.EINVAL, what, "Windows does not allow this name, or takes it for a device or another one")


def appendix(where: bytes, name: bytes, shown: str) -> Appendix:
    """A file to append to, of the class for this system; the arguments are those of `replacement`.

    Raises:
        OSError: The directory cannot be opened, or the name is invalid.
    """
    if not WRITES:
        return NamedAppendix(where, name, shown)
    return Appendix(open_folder(where), name, shown)


def replacement(where: bytes, name: bytes, shown: str) -> Replacement:
    """A file that gets its name when it is complete, of the class for this system.

    Args:
        where: The path of the directory.
        name: The final name in that directory.
        shown: The final path, escaped for display.

    Raises:
        OSError: The directory cannot be opened, or the name is invalid.
    """
    if not WRITES:
        return NamedReplacement(where, name, shown)
    return Replacement(open_folder(where), name, shown)
