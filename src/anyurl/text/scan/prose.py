# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Where a URL in prose ends: sentence marks, brackets, quotes, the next word (RFC 1738 appendix, RFC 3987).

Rules: octets and offsets only; each octet is read a bounded number of times. The C types are in ``prose.pxd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.text.scan.templates import Templates
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.scan.templates import Templates
    else:
        from anyurl.text.scan.templates import Templates

from anyurl.text.scan import characters, rows
from anyurl.text.scan.templates import PATTERNS

_ALPHA = cython.declare(cython.int, characters.ALPHA)
_DIGIT = cython.declare(cython.int, characters.DIGIT)
_NAME = cython.declare(cython.int, characters.NAME)
_SCHEME = cython.declare(cython.int, characters.SCHEME)
_PLAIN = cython.declare(cython.int, characters.PLAIN)
_DELIM = cython.declare(cython.int, characters.DELIM)
_STOP = cython.declare(cython.int, characters.STOP)
_UNSPACED = cython.declare(cython.int, characters.UNSPACED)
_PARTICLE = cython.declare(cython.int, characters.PARTICLE)
_UNSAFE = cython.declare(cython.int, rows.UNSAFE)
_FOLDED = cython.declare(cython.int, rows.FOLDED)
_LABELLED = cython.declare(cython.int, rows.LABELLED)
_SHORTER = cython.declare(cython.int, rows.SHORTER)
_TEMPLATE = cython.declare(cython.int, rows.TEMPLATE)
_FIND_TEMPLATES = cython.declare(cython.int, rows.FIND_TEMPLATES)
_BROKEN = cython.declare(cython.int, rows.BROKEN)
_BARE = cython.declare(cython.int, rows.BARE)
_MARKDOWN = cython.declare(cython.int, rows.MARKDOWN)
_HTML_ATTRIBUTE = cython.declare(cython.int, rows.HTML_ATTRIBUTE)
_MAX_URL = cython.declare(cython.int, rows.MAX_URL)
_MAX_NAME = cython.declare(cython.int, rows.MAX_NAME)
_LINE_REACH = cython.declare(cython.int, rows.LINE_REACH)
_TERMINAL = cython.declare(cython.int, rows.TERMINAL)
_MAX_ADDRESS = cython.declare(cython.int, rows.MAX_ADDRESS)

LISTED = frozenset((b"mailto", b"tel", b"sip", b"sips", b"xmpp", b"sms", b"acct", b"news", b"urn"))
"""Schemes without ``//`` of which people write lists without spaces (RFC 7489 6.2)."""


class Prose(Templates):
    """A candidate in running text: from its authority to its end."""

    __slots__ = ()

    def _with_authority(self, start: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read name://authority and the rest; return where to continue."""
        host: cython.Py_ssize_t = colon + 3
        end: cython.Py_ssize_t
        first: cython.int
        if host >= self.stop:
            self.pending = not self.final
            return host
        first = self.data[host]
        if first == ord("/"):  # file:///path and the like: a path without a host
            if host + 1 >= self.stop:
                self.pending = not self.final
                # the whole text is one URL: <input>computer:///</input>
                if self.final and (start == 0 or self._begins_path(start, host)):
                    return self._finish(start, host, self.stop)
                return host
            if not self._begins_path(start, host):
                return host
            return self._bare(start, host, host)
        if first == ord("."):  # no host begins with a dot
            return host
        end = self._authority(host)
        if self.skipping or self._is_substituted(start, host, end):
            return end
        if first >= 128 and not self.pending and self._is_sentence(start, host, end):
            return end
        least: cython.Py_ssize_t = host
        while least < end and not (self.data[least] >= 128 or self.octets[self.data[least]] & (_ALPHA | _DIGIT)):
            least += 1
        if self.pending or least == end:
            if self.pending or not self.flags & _FIND_TEMPLATES or not self._is_template(end):
                return host
            return self._finish(start, end, end)
        if self.ended:
            if end < self.stop and self._goes_on(start, host, end):
                return end
            return self._finish(start, least + 1, self._padded(end))
        return self._bare(start, least + 1, end)

    def _is_sentence(self, start: cython.Py_ssize_t, host: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether a sentence in another script mentions http:// and continues: letters before it, one label after
        it."""
        if start == 0 or self.data[start - 1] < 128 or self.held[host:end].find(b".") >= 0:
            return False
        return self._kind_of(start - 3 if start >= 3 else start) != _STOP

    def _padded(self, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The end of an authority, without a tilde (it marks code) but with base64 padding at the end of the text."""
        i: cython.Py_ssize_t = end
        if self.data[end - 1] == ord("~"):
            return end - 1
        while i < self.stop and self.data[i] == ord("=") and i - end < 3:
            i += 1
        return end if i < self.stop and self.data[i] > 32 else i

    def _is_too_long(self, length: cython.Py_ssize_t) -> cython.bint:
        """Whether this many octets can't be a URL, whatever follows; if so, the rest of the run is skipped."""
        if length <= _MAX_URL:
            return False
        self.pending = False
        self.skipping = True
        return True

    def _authority(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where an authority in prose ends; sets `ended` when the URL ends there, too."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        first: cython.Py_ssize_t = i
        host: cython.Py_ssize_t = i
        limit: cython.Py_ssize_t = -1  # it would end the URL unless an @ follows
        port: cython.Py_ssize_t = -1
        word: cython.Py_ssize_t = -1  # where a script without spaces begins after ASCII in the last label
        kind: cython.int
        after: cython.Py_ssize_t
        self.ended = False
        while i < self.stop:
            if octets[data[i]] & _NAME or data[i] == ord("%"):
                word = -1 if data[i] == ord(".") else word
                i += 1
                while word < 0 and i < self.stop and octets[data[i]] & _NAME:
                    i += 1
            elif data[i] == ord("@"):
                i += 1
                host, limit, port, word = i, -1, -1, -1
            elif data[i] == ord("&") and (kind := self._reference(i)) > 0:
                after = i + self.width  # it may be a mark that ends the URL: &#39;
                if not (octets[kind] & _NAME or kind in (58, 64)) or not self._names_on(kind, after):  # : @
                    break
                i = after
                if kind == ord("@"):
                    host, limit, port, word = i, -1, -1, -1
                elif port >= 0 or kind == ord(":"):
                    return first  # no host is told that may be another's
            elif data[i] == ord(":") and port < 0:
                port = i
                i += 1
            elif data[i] == ord(":") or octets[data[i]] & _DELIM:
                limit = i if limit < 0 else limit
                i += 1
            elif data[i] == ord("[") and i == host:
                i = self._literal(i)
                if i < 0:
                    return host
            elif data[i] >= 128:
                kind = self._kind_of(i)
                if kind == _STOP:
                    if self._is_hidden(i):
                        return first
                    break
                if kind >= _UNSPACED and word < 0 and octets[data[i - 1]] & (_ALPHA | _DIGIT):
                    word = i
                i += self.width
            elif data[i] == 10 and (after := self._goes_on_at(i, True)) > i:
                i = after
            else:
                break
        self.pending = self.pending or (i >= self.stop and not self.final)
        if self._is_too_long(i - first) or self.pending:
            return i
        limit = self._end_of_host(host, i, limit, port, word)
        self.ended = limit >= 0 or not self._has_rest(i)
        return limit if limit >= 0 else i

    def _end_of_host(
        self,
        host: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        limit: cython.Py_ssize_t,
        port: cython.Py_ssize_t,
        word: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Where an authority ends before `end`: at a word of another script, or behind the digits of a port; or -1."""
        if word > host and (limit < 0 or word < limit):
            limit = word
        if port >= 0 and (limit < 0 or port < limit):
            host = port + 1
            while host < end and self.octets[self.data[host]] & _DIGIT:
                host += 1
            if host < end:
                limit = host if host > port + 1 else port
        return limit

    def _names_on(self, kind: cython.int, i: cython.Py_ssize_t) -> cython.bint:
        """Whether an authority continues with this character, which a reference wrote; may set `pending`."""
        most: cython.Py_ssize_t = i + _MAX_ADDRESS
        while not self.octets[kind] & (_ALPHA | _DIGIT):
            if not (self.octets[kind] & _NAME or kind in (58, 64)) or i >= most:  # : @
                return kind in (35, 37, 47, 63, 91)  # # % / ? [
            if i >= self.stop:
                self.pending = not self.final
                return False
            if self.data[i] >= 128:
                return self._kind_of(i) != _STOP
            self.width = 1
            kind = self._reference(i) if self.data[i] == ord("&") else self.data[i]
            i += self.width
        return True

    def _has_rest(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a path, query or fragment follows; its mark may be a reference."""
        after: cython.Py_ssize_t = self._joined(i)
        if after >= self.stop:
            return False
        mark: cython.int = self.data[after]
        return (self._reference(after) if mark == ord("&") else mark) in (35, 47, 63)  # # / ?

    def _literal(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The place after the bracket that closes an IP literal, or -1."""
        first: cython.Py_ssize_t = i
        i += 1
        while i < self.stop and i - first < _MAX_ADDRESS:
            if self.data[i] == ord("]"):
                return i + 1
            if not self.octets[self.data[i]] & _NAME and self.data[i] != ord(":"):
                return -1
            i += 1
        self.pending = i == self.stop and not self.final
        return -1

    def _bare(self, start: cython.Py_ssize_t, least: cython.Py_ssize_t, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read path, query and fragment of a URL in prose from `i`; return where to continue."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        path: cython.Py_ssize_t = i
        opener: cython.int = data[start - 1] if start > 0 else 0
        depth: cython.int = 0
        opened: cython.Py_ssize_t = -1
        query: cython.bint = False
        octet: cython.int
        kind: cython.int
        after: cython.Py_ssize_t
        while i < self.stop:
            octet = data[i]
            if octets[octet] & _PLAIN:
                i += 1
            elif octet >= 128:
                kind = self._kind_of(i)
                if kind == _STOP and self._join(i) == 0:
                    break
                if kind >= _UNSPACED and self.cut < 0 and self._ends_word(i):
                    self.cut = i
                    self.kind |= _SHORTER if kind == _PARTICLE or data[i - 1] == ord(",") else 0
                i += self.width
            elif octet == ord("("):
                if i < self.fence:
                    break
                if self.held[i : i + 3] in PATTERNS:
                    self.kind |= _TEMPLATE
                opened = i if depth == 0 else opened
                depth += 1
                i += 1
            elif octet == ord(")") and depth > 0:
                depth -= 1
                i += 1
            elif octet == ord("?") or (octet == ord("#") and self.hash < 0):
                if octet == ord("#"):
                    self.hash = i
                query = True
                i += 1
            elif octet == ord(":"):
                if (after := self._separator(i, path, opener)) >= 0:
                    i = after
                    break
                i += 1
            elif self._stays(i, start, query):
                i += 1
            elif octet == 10 and (after := self._goes_on_at(i, False)) > i:
                i = after
            else:
                break
        if self._is_too_long(i - start):
            return i
        if self.pending or (i >= self.stop and not self.final):
            self.pending = True
            return self.stop
        if depth > 0:
            self.fence = i
            i = opened
        return self._finish(start, least, i)

    def _goes_on_at(self, i: cython.Py_ssize_t, in_host: cython.bint) -> cython.Py_ssize_t:
        """Where a candidate goes on that a typesetter's hyphen breaks at the line end `i`; else `i`.

        A mark of a path or a query tells what goes on from the next word of the sentence; what goes on with a host has
        a dot and a path. Another URL, or an address, is no part of it.
        """
        data: cython.p_const_uchar = self.data
        after: cython.Py_ssize_t = self._behind_hyphen(i)
        j: cython.Py_ssize_t = after
        line: cython.Py_ssize_t
        dotted: cython.bint = False
        if after == i or self._begins_other(after):
            return i
        while j < self.stop and j - after < _LINE_REACH and data[j] not in (35, 37, 38, 47, 61, 63):  # # % & / = ?
            if data[j] == 10 and (line := self._behind_hyphen(j)) > j:
                j = line
            elif data[j] >= 128 or (self.octets[data[j]] & (_PLAIN | _DELIM) and data[j] != ord("@")):
                dotted = dotted or data[j] == ord(".")
                j += 1
            else:
                return i
        if j >= self.stop or j - after >= _LINE_REACH:
            self.pending = self.pending or (j >= self.stop and not self.final)
            return i
        if in_host and not (dotted and data[j] == ord("/")):
            return i
        self.kind |= _FOLDED | _LABELLED
        self.cut = i if self.cut < 0 else self.cut
        return after

    def _next_line(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where a candidate may end, too, that a terminal or a typesetter has broken at the line end `i`; else `i`.

        A terminal fills the line, and goes on in the first column. What stands there goes on with a path or a query,
        begins nothing of its own, and is no more than one run: else a new line begins there. Behind a typesetter's
        hyphen it may be any word.
        """
        data: cython.p_const_uchar = self.data
        after: cython.Py_ssize_t = self._behind_hyphen(i)
        line: cython.Py_ssize_t = i
        marked: cython.bint = after > i
        is_filled: cython.bint = not marked
        after += is_filled
        first: cython.Py_ssize_t = after
        while after < self.stop and after - i < _MAX_URL:
            if not self.octets[data[after]] & (_PLAIN | _DELIM) and data[after] not in (35, 37, 63):  # # % ?
                break
            if data[after] == ord("@"):
                return i
            marked = marked or data[after] in (35, 37, 38, 47, 61, 63)  # # % & / = ?
            after += 1
        if after < self.stop and (not marked or (is_filled and data[after] > 32)):
            return i
        while line > 0 and data[line - 1] != 10 and i - line < _LINE_REACH:
            line -= 1
        if is_filled and i - line < _TERMINAL:  # nothing is waited for then
            return i
        self.pending = self.pending or (after >= self.stop and not self.final)
        return after if marked and not self._begins_other(first) else i

    def _ends_word(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether ASCII, or a comma after it, ends directly before `i`."""
        i -= 2 if self.data[i - 1] == ord(",") else 1
        return self.octets[self.data[i]] & (_ALPHA | _DIGIT) != 0

    def _stays(self, i: cython.Py_ssize_t, start: cython.Py_ssize_t, query: cython.bint) -> cython.bint:
        """Whether an octet that is rarely part of a URL is part of this one."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        octet: cython.int = data[i]
        opener: cython.int = data[start - 1] if start > 0 else 0
        after: cython.int = octets[data[i + 1]] if i + 1 < self.stop else 0
        j: cython.Py_ssize_t = i
        if octet == ord("%"):
            if self._is_escape(i):
                return True
            if self.hash >= 0:
                self.kind |= _UNSAFE
            elif self.bad < 0:
                self.bad = i
            return True
        if octet == ord("&"):
            return not self._is_entity(i) and not self._is_operator(i, query)
        if octet == ord("'"):
            if opener == ord("'") or (i + 1 < self.stop and data[i + 1] == ord("'")):
                return False
            return data[i - 1] != ord("/") or opener == ord('"') or not self._is_quoted(i + 1)
        if octet == ord("[") and not query and self.cut < 0 and data[i - 1] == ord("_") and after & _ALPHA:
            return self._is_titled_in_brackets(i)
        if octet == ord("]") and self.cut >= 0 and data[self.cut] == ord("["):
            return data[self.cut - 1] == ord("_")
        if not query or (octet != ord("|") and octet != ord("[") and octet != ord("]") and octet != ord("#")):
            return False
        if octet == ord("#"):  # a second one: https://host/#/#room
            if i + 1 == self.stop:
                self.pending = not self.final
            if not after & _NAME and (i + 1 == self.stop or data[i + 1] not in (33, 38, 47, 63)):  # ! & / ?
                return False
            self.kind |= _UNSAFE
            return True
        if octet == ord("|"):
            return self._is_bar(i, start)
        # name[key]=value: brackets around one word
        while 0 < j < self.stop and -_MAX_ADDRESS < j - i < _MAX_ADDRESS:
            j += 1 if octet == ord("[") else -1
            if j < self.stop and not octets[data[j]] & _NAME:
                break
        if j >= self.stop:
            self.pending = not self.final
            return False
        if data[j] != (ord("]") if octet == ord("[") else ord("[")):
            return False
        self.kind |= _UNSAFE
        return True

    def _is_bar(self, i: cython.Py_ssize_t, start: cython.Py_ssize_t) -> cython.bint:
        """Whether a bar in a query is part of it: between two words, also an empty one, or as a value."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        before: cython.int = data[i - 1]
        after: cython.int = data[i + 1] if i + 1 < self.stop else 32
        behind: cython.int = data[i + 2] if i + 2 < self.stop else 32
        if i + 1 == self.stop or (after == ord("|") and i + 2 == self.stop):
            self.pending = not self.final
        if before == ord("=") and (after == ord("&") or after == ord("|")):  # ?a=|&b
            pass
        elif before == ord("|") and octets[data[i - 2]] & _NAME and octets[after] & (_ALPHA | _DIGIT):
            pass  # the second of ?a=b||c
        elif self._is_titled(start, i) or not octets[before] & _NAME:
            return False
        elif after == ord("|") and octets[behind] & (_ALPHA | _DIGIT):
            if self.cut < 0:  # a shell's, or an empty field of a log, unless others precede it
                self.cut = i
                self.kind |= 0 if self.held[start:i].find(b"|") >= 0 else _SHORTER
        elif not octets[after] & (_ALPHA | _DIGIT):
            return False
        self.kind |= _UNSAFE
        return True

    def _is_titled_in_brackets(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a word in brackets may end the title of a page: ``/wiki/Blur_[band]``; more likely it ends before."""
        j: cython.Py_ssize_t = i + 1
        after: cython.int
        while j < self.stop and j - i < _MAX_ADDRESS and self.octets[self.data[j]] & _NAME:
            j += 1
        if j + 1 >= self.stop:
            self.pending = not self.final
        if j - i < 3 or j >= self.stop or self.data[j] != ord("]"):
            return False
        after = self.data[j + 1] if j + 1 < self.stop else 32
        if after in (44, 46, 59):  # , . ;
            after = self.data[j + 2] if j + 2 < self.stop else 32
        if self.octets[after] & _PLAIN or after in (37, 40, 58, 91):  # % ( : [
            return False
        self.kind |= _UNSAFE | _SHORTER
        self.cut = i
        return True

    def _is_escape(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether two hexadecimal digits follow a percent sign."""
        first: cython.int = self.data[i + 1] | 32 if i + 2 < self.stop else 0
        second: cython.int = self.data[i + 2] | 32 if i + 2 < self.stop else 0
        if first == 48 and 50 <= second <= 56 and i + 3 < self.stop and self.data[i + 3] in (88, 100, 105, 117, 120):
            return False  # %04d, %02x: no URL contains the control characters that these would encode
        return (48 <= first <= 57 or 97 <= first <= 102) and (48 <= second <= 57 or 97 <= second <= 102)

    def _is_operator(self, i: cython.Py_ssize_t, query: cython.bint) -> cython.bint:
        """Whether a shell's ``&&`` is there, also as HTML writes it: in a path, or before a space."""
        j: cython.Py_ssize_t = i
        for _ in range(2):
            if j >= self.stop or self.data[j] != ord("&"):
                return False
            j += 5 if j + 5 <= self.stop and self.data[j + 1] == ord("a") and self.held[j : j + 5] == b"&amp;" else 1
        return not query or (j < self.stop and self.data[j] <= 32) or (j >= self.stop and self.final)

    def _named_separator(self, colon: cython.Py_ssize_t, path: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The comma, semicolon or bar before an address with its scheme (``mailto:a@h,mailto:b@h``), or -1."""
        data: cython.p_const_uchar = self.data
        i: cython.Py_ssize_t = colon
        first: cython.int = data[colon + 1]
        if not (self.octets[first] & (_ALPHA | _DIGIT) or first in (43, 95, 126)):  # + _ ~
            return -1
        while i > path and colon - i < _MAX_NAME and self.octets[data[i - 1]] & _ALPHA:
            i -= 1
        if i == colon or i <= path or data[i - 1] not in (44, 59, 124):  # , ; |
            return -1
        return i - 1 if self.held[i:colon].lower() in LISTED else -1

    def _separator(self, colon: cython.Py_ssize_t, path: cython.Py_ssize_t, opener: cython.int) -> cython.Py_ssize_t:
        """The comma, semicolon or bar before another name://, or -1: a list without spaces.

        In a list of ``a=http://h/,b=http://h/`` the next name has one of its own before it.
        """
        data: cython.p_const_uchar = self.data
        i: cython.Py_ssize_t = colon
        if colon + 2 >= self.stop:
            return -1
        if data[colon + 1] != ord("/") or data[colon + 2] != ord("/"):
            return self._named_separator(colon, path)
        while i > path and colon - i < _MAX_NAME and self.octets[data[i - 1]] & _SCHEME:
            i -= 1
        if i == colon or i <= path:
            return -1
        if opener == ord("=") and data[i - 1] == ord("="):
            i -= 1
            while i > path and colon - i < _MAX_NAME and self.octets[data[i - 1]] & _NAME:
                i -= 1
            mark: cython.int = data[i - 1] if i > path else 0  # , or ; which in a query begins another parameter
            return i - 1 if mark == 44 or (mark == 59 and self.held[path:i].find(b"?") < 0) else -1
        if data[i - 1] not in (44, 59, 124):  # , ; |
            return -1
        return i - 1

    def _is_closing(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether an apostrophe closes a quotation that the candidate has opened: ``?q='word'``, ``/a_'b'``."""
        data: cython.p_const_uchar = self.data
        j: cython.Py_ssize_t = i - 1
        if self.octets[data[j]] & _NAME == 0:
            return False
        while j > self.start and i - j < _MAX_ADDRESS and data[j] != ord("'"):
            j -= 1
        return j > self.start and data[j] == ord("'") and not self.octets[data[j - 1]] & (_ALPHA | _DIGIT)

    def _is_abridged(self, end: cython.Py_ssize_t) -> cython.bint:
        """Whether an ellipsis stands for the rest of data: ``data:image/png;base64,iVBOR...``."""
        if self.data[self.start] | 32 != ord("d") or self.held[self.start : self.start + 5].lower() != b"data:":
            return False
        return self.held[end : end + 3] in (b"...", b"\xe2\x80\xa6")

    def _trimmed(self, least: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The end without the punctuation and emphasis marks around the candidate."""
        data: cython.p_const_uchar = self.data
        opener: cython.int = data[self.start - 1] if self.start > 0 else 0
        quote: cython.int = opener if end < len(self.held) and data[end] == opener else 0  # also after `stop`
        octet: cython.int
        if quote == ord("'") or quote == ord("`"):
            return end
        if end < self.stop and data[end] == ord(">") and opener != ord("<"):
            while end > least and (data[end - 1] == ord("-") or data[end - 1] == ord("=")):  # an arrow, or -->
                end -= 1
        while end > least:
            octet = data[end - 1]
            if quote == ord('"') and (octet in (33, 59, 63) or (octet == ord(":") and self.hash >= 0)):
                break  # ! ; ? : these marks are not part of a surrounding sentence, as in "a."
            if octet == ord("'") and self._is_closing(end - 1):
                break
            if octet in (33, 34, 37, 39, 40, 44, 46, 58, 59, 63) or (  # ! " % ' ( , . : ; ?
                octet == opener and (octet in (42, 95, 126) or (octet == 61 and self._is_emphasis(end - 1)))
            ):  # * _ ~ = around the whole
                if octet == ord(":") and self._is_paired(end - 1):
                    break
                end -= 1
            elif octet in (0x92, 0x93) and data[end - 2] == 0x80 and data[end - 3] == 0xE2:  # figure dash, en dash
                end -= 3
            elif octet in (0xB3, 0xB4) and data[end - 2] == 0xD7:  # geresh, gershayim
                end -= 2
            elif octet == ord("/") and end - 2 > least and data[end - 2] == ord("*") and self._ends_comment(end - 3):
                end -= 2  # /* https://host/a*/
            else:
                break
        return end

    def _finish(self, start: cython.Py_ssize_t, least: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write a candidate in prose that ends at `end` or a few marks before it; return where to continue."""
        first: cython.Py_ssize_t
        if end < self.stop and self.data[end] == ord("<") and self.held[end - 1 : end + 4] == b"E<gt>":
            end -= 1  # POD: E<lt>http://host/E<gt>
        first = end
        self.start = start
        self.context = self._context(start, end)
        if self.context < 0:
            return end
        if self.context == _MARKDOWN and not self._is_destination(end):
            self.context = _BARE
        if self.context != _HTML_ATTRIBUTE and self.context != _MARKDOWN:
            first = self._trimmed(least, end)
        if 0 <= self.bad < first:
            if not self.flags & _FIND_TEMPLATES:
                return end
            self.kind |= _BROKEN
        if self._is_template(end) or self._is_abridged(first) or self._is_unnamed(least - 1, first):
            self.kind |= _TEMPLATE
            if self.flags & _FIND_TEMPLATES and not self.pending:
                end = self._template_end(end)
                if self._is_too_long(end - start):
                    return end
                first = self._trimmed(least, end)
        if self.pending or first <= least - 1:
            return end
        self.end = first
        if self.cut >= 0:
            self.cut = self._trimmed(least, self.cut)
        elif first - 2 > least and self.data[first - 1] == ord("s") and self.data[first - 2] == ord("'"):
            self.cut = first - 2  # the website of http://host/a: http://host/a's website
        elif first == end < self.stop and self.data[end] == 10 and self.context == _BARE and self.kind == 0:
            end = self._next_line(end)
            if end > first:
                self.kind = _FOLDED | _LABELLED
                self.cut = self._trimmed(least, end)
        return self.end
