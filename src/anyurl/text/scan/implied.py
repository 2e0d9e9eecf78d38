# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Candidates that are not written as URLs: ``www.`` and other names, e-mail addresses (RFC 5322), slashes of JSON.

Rules: text without a scheme is found only on request, because it is not a URL; octets and offsets only. The C types are
in ``implied.pxd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.text.scan.prose import Prose
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.scan.prose import Prose
    else:
        from anyurl.text.scan.prose import Prose

from anyurl.text.scan import characters, rows

_ALPHA = cython.declare(cython.int, characters.ALPHA)
_DIGIT = cython.declare(cython.int, characters.DIGIT)
_NAME = cython.declare(cython.int, characters.NAME)
_LOCAL = cython.declare(cython.int, characters.LOCAL)
_UNSPACED = cython.declare(cython.int, characters.UNSPACED)
_STOP = cython.declare(cython.int, characters.STOP)
_PLAIN = cython.declare(cython.int, characters.PLAIN)
_DELIM = cython.declare(cython.int, characters.DELIM)
_BLANK = cython.declare(cython.int, characters.BLANK)
_SLASHED = cython.declare(cython.int, rows.SLASHED)
_EMAIL = cython.declare(cython.int, rows.EMAIL)
_DOMAIN = cython.declare(cython.int, rows.DOMAIN)
_TEMPLATE = cython.declare(cython.int, rows.TEMPLATE)
_FIND_TEMPLATES = cython.declare(cython.int, rows.FIND_TEMPLATES)
_MAX_DOMAIN = cython.declare(cython.int, rows.MAX_DOMAIN)
_WWW = cython.declare(cython.int, rows.WWW)
_MAX_ADDRESS = cython.declare(cython.int, rows.MAX_ADDRESS)
_SHAPE_REACH = cython.declare(cython.int, rows.SHAPE_REACH)


class Implied(Prose):
    """A candidate without a scheme, or with escaped slashes."""

    __slots__ = ()

    def _slashed(self, start: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read what a JSON or JavaScript string writes as name:\\/\\/host\\/path; return where to continue."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        before: cython.int = data[start - 1] if start > 0 else 34
        after: cython.int
        i: cython.Py_ssize_t = colon + 1
        if self.held[i : i + 4] != b"\\/\\/":
            self.pending = i + 4 > self.stop and not self.final
            return i
        is_string: cython.bint = before in (34, 39) or octets[before] & _BLANK != 0
        if not (is_string or self.held.endswith(b"&quot;", 0, start)):  # a regular expression: /http:\/\/h/
            return i
        while i < self.stop:
            if data[i] == ord("&") and self._is_entity(i):
                break
            if octets[data[i]] & _PLAIN or data[i] in (37, 38, 58, 63):  # % & : ?
                i += 1
            elif data[i] == ord("\\") and i + 1 < self.stop and data[i + 1] == ord("/"):
                i += 2
            elif self.held[i : i + 4] == b"\\u00" and self._is_coded(i + 4):  # \u0026
                i += 6
            elif data[i] == ord("#") and self.hash < 0:
                self.hash = i
                i += 1
            elif data[i] >= 128 and self._kind_of(i) != _STOP:
                i += self.width
            else:
                break
        if self._is_too_long(i - start):
            return i
        if self.pending or (i + 6 >= self.stop and not self.final):  # an escape and the next octet
            self.pending = True
            return i
        after = data[i + 1] if i + 1 < self.stop else 0
        if i < self.stop and data[i] == ord("\\") and after not in (34, 39, 92, 110, 114, 116):  # " ' \ n r t
            return i
        self.kind |= _SLASHED
        return self._finish(start, colon + 6, i)

    def _www(self, dot: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read www.host and the rest; return where to continue."""
        data: cython.p_const_uchar = self.data
        start: cython.Py_ssize_t = dot - 3
        before: cython.int = data[start - 1] if start > self.low else 32
        host: cython.Py_ssize_t = dot
        end: cython.Py_ssize_t
        if self.octets[before] & _NAME or before in (47, 64, 92, 35, 37, 38):  # / @ backslash # % &
            return dot + 1
        end = self._authority(start)
        if self.skipping:
            return end
        if self.pending:
            return dot + 1
        while host < end and data[host] != ord(":"):
            host += 1
        if not self._is_domain(dot + 1, host):
            return dot + 1
        self.kind = _WWW
        if self.ended:
            return self._finish(start, dot + 2, end)
        return self._bare(start, dot + 2, end)

    def _domain(self, dot: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read a name with its first dot here, and the rest; return where to continue."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        label: cython.Py_ssize_t = dot
        start: cython.Py_ssize_t
        host: cython.Py_ssize_t
        end: cython.Py_ssize_t
        before: cython.int
        if dot > self.low and data[dot - 1] == ord("["):  # evil[.]com
            if not self.flags & _FIND_TEMPLATES or (dot + 1 < self.stop and data[dot + 1] != ord("]")):
                return dot + 1
            label = dot - 1
        start = self._domain_start(label, label < dot)
        before = data[start - 1] if start > self.low else 32
        # # $ % & + - / @ backslash _ and a second colon: inside a path, a qualified name, a variable
        if start == label or before in (35, 36, 37, 38, 43, 45, 46, 47, 64, 92, 95):
            return dot + 1
        if before >= 128 and self._is_tail(start):
            return dot + 1
        if before == ord(":") and start - 2 >= self.low and not octets[data[start - 2]] & (_ALPHA | _DIGIT):
            return dot + 1
        self.kind = _DOMAIN
        if label < dot:
            self.kind |= _TEMPLATE
            return self._finish(start, dot + 1, label)
        end = self._authority(start)
        if self.skipping:
            return end
        host = start
        while host < end and data[host] != ord(":") and data[host] != ord("@"):
            host += 1
        if not self.pending and host < self.stop and data[host] == ord("@"):
            return host  # a.b@c is an address, whether or not a.b could be a name
        if self.pending or not self._is_domain(start, host):
            return end if end > dot else dot + 1
        # a.b(c), a.b::c and a.b://c are neither
        if host < self.stop and (data[host] == ord("(") or self._is_name(host)):
            return host
        if self.ended:
            return self._finish(start, dot + 2, end)
        return self._bare(start, dot + 2, end)

    def _is_tail(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether an invisible character before `i` is within a name, the rest of which begins there."""
        before: cython.Py_ssize_t = i
        width: cython.Py_ssize_t = 2
        while width < 4:
            if before - width > self.low and self.held[before - width : before] in characters.HIDDEN:
                before -= width
                width = 2
            else:
                width += 1
        return before < i and self.octets[self.data[before - 1]] & (_ALPHA | _DIGIT) != 0

    def _domain_start(self, i: cython.Py_ssize_t, dots: cython.bint) -> cython.Py_ssize_t:
        """Where the label that ends at `i` begins, or the whole name if it may have dots."""
        data: cython.p_const_uchar = self.data
        first: cython.Py_ssize_t = i
        lead: cython.Py_ssize_t
        kind: cython.int
        while i > self.low and first - i < (_MAX_DOMAIN if dots else _MAX_ADDRESS):
            if (
                self.octets[data[i - 1]] & (_ALPHA | _DIGIT)
                or data[i - 1] == ord("-")
                or (data[i - 1] == ord(".") and dots)
            ):
                i -= 1
            elif data[i - 1] >= 128:
                lead = i - 1
                while lead > self.low and i - lead < 4 and data[lead] & 0xC0 == 0x80:
                    lead -= 1
                kind = self._kind_of(lead)
                # A script without spaces before ASCII: the word before has ended
                if kind == _STOP or (kind >= _UNSPACED and i < first and data[i] < 128):
                    break
                i = lead
            else:
                break
        while i < first and not (data[i] >= 128 or self.octets[data[i]] & (_ALPHA | _DIGIT)):
            i += 1
        return i

    def _is_domain(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether there are at least two labels here, and the last is not a number."""
        data: cython.p_const_uchar = self.data
        last: cython.Py_ssize_t
        while end > i and (data[end - 1] == ord(".") or data[end - 1] == ord("-") or data[end - 1] == ord("_")):
            end -= 1
        last = end
        while last > i and (self.octets[data[last - 1]] & _ALPHA or data[last - 1] >= 128):
            last -= 1
        if end - last < 2:
            return False
        while last > i and data[last - 1] != ord("."):
            last -= 1
        return last - 2 >= i and (data[i] >= 128 or self.octets[data[i]] & (_ALPHA | _DIGIT) != 0)

    def _address(self, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read an e-mail address around its @; return where to continue."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        start: cython.Py_ssize_t = at
        end: cython.Py_ssize_t = at + 1
        lead: cython.Py_ssize_t
        while start > self.low and at - start <= _MAX_ADDRESS:
            if data[start - 1] >= 128:  # jürgen@host (RFC 6531), not rgen@host
                lead = start - 1
                while lead > self.low and start - lead < 4 and data[lead] & 0xC0 == 0x80:
                    lead -= 1
                if self._kind_of(lead) != 0 or (self.width > 1 and not 0xC3 <= data[lead] <= 0xE1):  # a mark
                    break
                start = lead
            elif octets[data[start - 1]] & _LOCAL:
                start -= 1
            else:
                break
        start = self._local(start, at)
        if start == at or at - start > _MAX_ADDRESS or data[at - 1] == ord("."):
            return at + 1
        if start > self.low and data[start - 1] >= 128 and self._is_tail(start):
            return at + 1
        if start > self.low and (data[start - 1] == ord("/") or data[start - 1] == ord("@")):
            return at + 1
        if self._is_in_login(start):
            return at + 1
        while end < self.stop and end - at < 256:
            if not (octets[data[end]] & (_ALPHA | _DIGIT) or data[end] == ord("-") or data[end] == ord(".")):
                if data[end] < 128 or self._kind_of(end) != 0:
                    if data[end] >= 128 and self._is_hidden(end):
                        return at + 1
                    break
                end += self.width - 1
            end += 1
        if end + 3 > self.stop and not self.final:
            self.pending = True
        if self.pending or not self._is_domain(at + 1, end):
            return at + 1
        # not addresses: name@2x.png is a picture, git@host:path a place on a server, a@b@c nothing known
        if octets[data[at + 1]] & _DIGIT and data[at + 2] == ord("x") and data[at + 3] == ord("."):
            return at + 1
        if end < self.stop and (data[end] == ord("@") or (data[end] == ord(":") and self._is_word(end + 1))):
            return end
        if end < self.stop and data[end] == data[start] and data[start] in (95, 126):  # _ ~ around the whole
            start += 1
        self.kind = _EMAIL
        self.start = start
        self.end = end
        while data[self.end - 1] == ord(".") or data[self.end - 1] == ord("-"):
            self.end -= 1
        return self.end

    def _local(self, start: cython.Py_ssize_t, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where the local part begins in a run of its characters: at a letter or digit, at ``~``, ``_`` or ``+``.

        A question mark ends a sentence, and a plus at the start of a line is that of a diff.
        """
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        i: cython.Py_ssize_t
        for i in range(start, at):
            if data[i] == ord("?"):
                start = i + 1
        while start < at and not (octets[data[start]] & (_ALPHA | _DIGIT) or data[start] >= 128):
            begins: cython.bint = octets[data[start + 1]] & (_ALPHA | _DIGIT) != 0 or data[start + 1] >= 128
            if begins and data[start] == ord("+") and start > 0 and data[start - 1] != 10:
                break
            if begins and data[start] in (95, 126):  # _ ~
                break
            start += 1
        return start

    def _is_in_login(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether `i` is inside a password with characters that a URL must encode: ``http://user:pass{word@host``.

        In that case the candidate before it was cut at the colon, or there was none.
        """
        data: cython.p_const_uchar = self.data
        first: cython.Py_ssize_t = i
        while first > self.low and i - first < _SHAPE_REACH and data[first - 1] > 32:
            if data[first - 1] in (34, 35, 47, 60, 62, 63):  # " # / < > ?
                break
            first -= 1
        if first == 0 or first == i:
            return False
        if first > 1 and data[first - 1] == data[first - 2] == ord("/"):
            return self.held[first:i].find(b":") >= 0
        if data[first] != ord(":"):
            return False
        return data[first - 1] == ord("/") or (first == self.low and self.octets[data[first - 1]] & _NAME != 0)

    def _taken_apart(self, start: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.Py_ssize_t:
        r"""Judge the colon of ``http[:]//``, ``http[://]`` or, as Java's properties escape it, ``http\://``.

        Args:
            start: Where its name begins, or -1.

        Returns:
            Where to continue.
        """
        if start < 0:
            return colon + 1
        if self.data[colon - 1] == ord("\\"):
            if colon + 2 >= self.stop and not self.final:
                self.pending = True
            if self.pending or self.held[colon : colon + 3] != b"://":
                return colon + 1
            if self.held[start : colon - 1].lower() not in self.names:
                return colon + 1
            self.kind |= _SLASHED
            return self._with_authority(start, colon)
        if not self.flags & _FIND_TEMPLATES:
            return colon + 1
        if colon + 4 >= self.stop and not self.final:
            self.pending = True
        if self.pending or self.held[colon : colon + 4] not in (b":]//", b"://]"):
            return colon + 1
        self.kind |= _TEMPLATE
        return self._with_authority(start, colon + 1)

    def _is_name(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether ``://`` makes the text before it a scheme, or ``::`` makes it a qualified name in a program."""
        data: cython.p_const_uchar = self.data
        if i + 2 >= self.stop or data[i] != ord(":"):
            return False
        return data[i + 1] == ord(":") or (data[i + 1] == ord("/") and data[i + 2] == ord("/"))

    def _is_word(self, i: cython.Py_ssize_t) -> cython.bint:
        return i < self.stop and (self.octets[self.data[i]] & _NAME != 0 or self.data[i] == ord("/"))

    def _calls(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a run of URL characters has a pair of brackets or an assignment; may set `pending`."""
        data: cython.p_const_uchar = self.data
        j: cython.Py_ssize_t = i
        opened: cython.bint = False
        while j < self.stop and j - i < _SHAPE_REACH:
            if data[j] == ord("=") or (opened and data[j] == ord(")")):
                return True
            if not (self.octets[data[j]] & (_PLAIN | _DELIM) or data[j] == ord("%") or data[j] == ord(":")):
                return False
            opened = opened or data[j] == ord("(")
            j += 1
        self.pending = j == self.stop and not self.final
        return False

    def _holds(
        self, i: cython.Py_ssize_t, wanted: cython.int, opened: cython.Py_ssize_t
    ) -> cython.bint:  # fmt: skip
        """Whether a run of URL characters has this octet: not last, and first only if a comma; may set `pending`.

        In brackets that were `opened` before it (else -1) the run goes on behind a line break.
        """
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        j: cython.Py_ssize_t = i
        while j < self.stop and j - i < _SHAPE_REACH:
            if j > i + 1 and data[j - 1] == wanted and (octets[data[j]] & (_ALPHA | _DIGIT) or data[j] >= 128):
                return True
            if data[j] >= 128 and wanted == ord("@"):
                if self._kind_of(j) != 0:
                    return False
                j += self.width
                continue
            if opened >= 0 and j > i and octets[data[j]] & _BLANK:
                j = self._gap(j, opened)
                if not self.broke:
                    return False
                continue
            if not (octets[data[j]] & (_PLAIN | _DELIM) or data[j] == ord("%") or data[j] == ord(":")):
                return False
            if j > i and data[j - 1] == wanted and wanted == ord(","):
                return True
            j += 1
        self.pending = j == self.stop and not self.final
        return False
