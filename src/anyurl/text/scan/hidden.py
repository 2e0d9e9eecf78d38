# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Invisible characters in a candidate: a URL is read as it appears, or not at all.

Rules: within a host, a port or a login an invisible character ends nothing, since the part before it would be another
host: such a URL is not reported; a path continues after invisible characters that do not change the visible order.
Also what a typesetter's hyphen at a line end has broken, and where another URL begins.
Types of C are in ``hidden.pxd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.text.scan.wrapper import Wrapper
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.scan.wrapper import Wrapper
    else:
        from anyurl.text.scan.wrapper import Wrapper

from anyurl.text.scan import characters, rows

_ALPHA = cython.declare(cython.int, characters.ALPHA)
_DIGIT = cython.declare(cython.int, characters.DIGIT)
_SCHEME = cython.declare(cython.int, characters.SCHEME)
_STOP = cython.declare(cython.int, characters.STOP)
_UNSPACED = cython.declare(cython.int, characters.UNSPACED)
_JOINED = cython.declare(cython.int, rows.JOINED)
_LINE_REACH = cython.declare(cython.int, rows.LINE_REACH)
_MAX_NAME = cython.declare(cython.int, rows.MAX_NAME)


class Hidden(Wrapper):
    """Skips invisible characters in a candidate."""

    __slots__ = ()

    def _behind(self, i: cython.Py_ssize_t, joins: cython.bint) -> cython.Py_ssize_t:
        """The place after the invisible characters at `i`, or only after those that a path may contain."""
        while i < self.stop and self.data[i] >= 128 and self._kind_of(i) == _STOP and self.width > 0:
            if self.held[i : i + self.width] not in (characters.JOINERS if joins else characters.HIDDEN):
                break
            i += self.width
        return i

    def _is_hidden(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether an invisible character at `i` is within a host; sets `pending` if it needs more input."""
        after: cython.Py_ssize_t = self._behind(i, False)
        kind: cython.int
        if after == i:
            return False
        self.pending = self.pending or (after + 1 >= self.stop and not self.final)
        if after + 1 < self.stop and self.data[after] in (37, 45, 46, 58, 64, 95):  # % - . : @ _
            after += 1
        if after >= self.stop:
            return False
        if self.data[after] >= 128:
            kind = self._kind_of(after)
            return kind == 0 or (kind >= _UNSPACED and i > 0 and self.data[i - 1] >= 128)
        return self.octets[self.data[after]] & (_ALPHA | _DIGIT) != 0 and not self._is_listed(after)

    def _joined(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where a path continues after the invisible characters at `i`; else `i`. Sets `pending` if it needs more
        input."""
        after: cython.Py_ssize_t = self._behind(i, True)
        at: cython.Py_ssize_t = after
        if after == i:
            return i
        self.pending = self.pending or (after + 1 >= self.stop and not self.final)
        if after >= self.stop:
            return i
        if self.data[at] in (35, 37, 38, 43, 45, 46, 58, 59, 61, 63, 64, 95, 126):  # # % & + - . : ; = ? @ _ ~
            at += 1
        if self.data[after] != ord("/") and not (at < self.stop and self.octets[self.data[at]] & (_ALPHA | _DIGIT)):
            return i
        return i if self._is_listed(after) else after

    def _join(self, i: cython.Py_ssize_t) -> cython.int:
        """The octets to skip at `i`, if the path continues after them; it may end there as well. Else 0."""
        self.width = self._joined(i) - i
        if self.width > 0:
            self.kind |= _JOINED
            self.cut = i if self.cut < 0 else self.cut
        return self.width

    def _is_listed(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether the name of another URL begins at `i`: in a list without spaces. Sets `pending` if it needs more
        input."""
        first: cython.Py_ssize_t = i
        while i < self.stop and i - first < _MAX_NAME and self.octets[self.data[i]] & _SCHEME:
            i += 1
        if i + 2 >= self.stop and not self.final:
            self.pending = True
        return i + 2 < self.stop and self.data[i] == ord(":") and self.data[i + 1] == self.data[i + 2] == ord("/")

    def _begins_other(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether another URL begins at `i`, with its name or with ``www.``; may set `pending`."""
        data: cython.p_const_uchar = self.data
        self.pending = self.pending or (i + 4 > self.stop and not self.final)
        if i + 4 <= self.stop and data[i] | 32 == ord("w") and data[i + 1] | 32 == data[i + 2] | 32 == ord("w"):
            return data[i + 3] == ord(".")
        return self._is_listed(i)

    def _behind_hyphen(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where a word goes on that U+2010 breaks at the line end `i`; else `i`. May set `pending`."""
        after: cython.Py_ssize_t = i + 1
        if i < 3 or self.data[i - 1] != 0x90 or self.data[i - 2] != 0x80 or self.data[i - 3] != 0xE2:
            return i
        while after < self.stop and after - i < _LINE_REACH and self.data[after] in (9, 32):
            after += 1
        if after >= self.stop:
            self.pending = self.pending or not self.final
            return i
        return after if self.octets[self.data[after]] & (_ALPHA | _DIGIT) else i
