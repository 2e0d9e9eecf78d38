# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Parts of a candidate that are to be filled in, or that make it unusable: ``<id>``, ``{x}``, ``[:port]``, ``[.]``.

An escape of another notation within it counts, too (``\\-``, ``\\.``, ``\\1``).

Rules: octets and offsets only; a part is within one line and TEMPLATE_REACH octets. Types of C are in
``templates.pxd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.text.scan.hidden import Hidden
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.scan.hidden import Hidden
    else:
        from anyurl.text.scan.hidden import Hidden

from anyurl.text.scan import characters, rows

_ALPHA = cython.declare(cython.int, characters.ALPHA)
_DIGIT = cython.declare(cython.int, characters.DIGIT)
_NAME = cython.declare(cython.int, characters.NAME)
_SCHEME = cython.declare(cython.int, characters.SCHEME)
_PLAIN = cython.declare(cython.int, characters.PLAIN)
_STOP = cython.declare(cython.int, characters.STOP)
_MAX_NAME = cython.declare(cython.int, rows.MAX_NAME)
_TEMPLATE_REACH = cython.declare(cython.int, rows.TEMPLATE_REACH)
_MAX_SLASHES = cython.declare(cython.int, rows.MAX_SLASHES)

TAGS = frozenset(
    b"a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink "
    b"blockquote body br button canvas caption center cite code col colgroup data datalist dd del details "
    b"dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 "
    b"h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend "
    b"li link listing main map mark marquee math menu menuitem meta meter multicol nav nextid nobr noembed "
    b"noframes noscript object ol optgroup option output p param picture plaintext pre progress q rb rp rt "
    b"rtc ruby s samp script search section select selectedcontent slot small source spacer span strike "
    b"strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track "
    b"tt u ul var video wbr xmp para emphasis item ulink xref".split()
)
"""Elements of HTML (its standard, 4 and 16.2) and some of DocBook: ``<br>`` after a URL is not part of it."""

VALUES = frozenset(
    b"address area base caption data dir image map menu object output search source summary template title "
    b"track".split()
)
"""Those that name what a URL may hold as well: ``http://host/<title>`` is to be filled in, ``http://host/a<title>`` is
an element."""

FORUM_TAGS = frozenset(
    b"/url /img /b /i /u /s /quote /code /link /color /size /list /li /email /center /font "
    b"/video /youtube /media /audio /spoiler /table /tr /td /th /left /right /h1 /h2 /h3 /sub /sup /pre /*".split()
)
"""Marks of a forum after a URL: ``[url]http://host/[/url]``."""

WIKI_MARKS = frozenset((b"color", b"quote", b"code", b"noformat"))
"""Marks of Jira's wiki that open and close alike: ``{color:red}http://host/{color}``."""

PORT_WORDS = frozenset((b"port", b"portnumber", b"nnn", b"nnnn", b"xxxx", b"yourport", b"your_port", b"port_number"))
"""Placeholders for a port that the reader fills in."""

PATTERNS = frozenset(b"(?: (?P (?< (?= (?! (.* (.+ ([^ ([\\ ([0 ([a ([A (\\d (\\w (\\S".split())
"""How a group of a regular expression begins."""

ENTITIES = frozenset(
    b"lt gt quot apos nbsp ldquo rdquo lsquo rsquo laquo raquo hellip mdash #34 #39 #60 #62 #160 #x22 #x27 #x3c #x3e "
    b"#xa0 #x3C #x3E #xA0 #8220 #8221 #8216 #8217 #8230 #8203 #x200b #x200B #8201 #8239".split()
)
"""Characters of HTML that end a URL: brackets, quotation marks, an ellipsis, a dash, special spaces."""

CLUSTERS = frozenset(
    b"amqp amqps cassandra couchbase couchbases etcd kafka mariadb memcached mongodb mysql mysqlx nats "
    b"postgres postgresql pulsar redis redis-sentinel rediss sentinel zk zookeeper".split()
)
"""Schemes that take a list of hosts: ``mongodb://a,b``; elsewhere a comma after the host is of the text."""

_JOINTS = bytes.maketrans(b" -.:|~", b"______")


def is_name(word: bytes) -> bool:
    """Whether a word between angle brackets is a name, in any script."""
    return word.translate(_JOINTS).decode("utf-8", "replace").isidentifier()


def is_words(word: bytes) -> bool:
    """Whether there are words in square brackets: three letters or more.

    Where words have no spaces between them, brackets after a URL are of the text: ``http://host/[图]``.
    """
    text = word.decode("utf-8", "replace")
    if len(text) < 3 or any(characters.kind(ord(letter)) >= characters.UNSPACED for letter in text):
        return False
    return text.removesuffix("/").translate({32: None, 45: None, 95: None}).isalpha()  # space - _


class Templates(Hidden):
    """Finds placeholders, and where the text that holds one ends."""

    __slots__ = ()

    def _is_template(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a placeholder cuts the candidate at `i`; sets `pending` if it needs more input.

        ``<id>``, ``{x}``, ``$x``, ``:%d``, ``:PORT``, ``[:port]``, ``[0-9]`` and, in a host made unusable, ``[.]``.
        """
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        octet: cython.int = data[i] if i < self.stop else 0
        after: cython.int
        closes: cython.Py_ssize_t
        if octet == ord("\\"):
            if i + _TEMPLATE_REACH > self.stop and not self.final:
                self.pending = True
                return False
            if self._is_escaped(i + 1):
                return True
            i += 1  # \\${x} in a quoted program
            octet = data[i] if i < self.stop and data[i] in (36, 123) else 0
        if octet == ord("`"):  # a command of a shell: https://host/`uname`
            if i + 1 >= self.stop:
                self.pending = not self.final
                return False
            if data[i - 1] not in (47, 61) or (self.start > 0 and data[self.start - 1] == octet):  # / =
                return False
            return octets[data[i + 1]] & _ALPHA != 0
        if octet not in (36, 38, 40, 58, 60, 91, 123):  # $ & ( : < [ {
            return False
        if i + _TEMPLATE_REACH > self.stop and not self.final:
            self.pending = True
            return False
        after = data[i + 1] if i + 1 < self.stop else 0
        if data[i - 1] == ord("%") and octet != ord("$") and octet != ord(":"):  # %(id)s, %{x}, %[x], %<x>
            return self._closes(i + 1, 41 if octet == 40 else octet + 2) > i + 1
        if octet == ord("$"):
            return octets[after] & (_ALPHA | _DIGIT) != 0 or after in (40, 95, 123)  # ( _ {
        if octet == ord("("):
            return self._is_label(i)
        if octet == ord(":"):
            return after in (36, 37) or self._is_port_word(i + 1)
        if octet == ord("<"):  # <%= x %>, <?php echo x ?>, <id>
            return after == 37 or after == 63 or self._is_placeholder(i + 1, ord(">"))
        if octet == ord("&"):
            return self.held[i : i + 4] == b"&lt;" and self._is_placeholder(i + 4, ord("&"))
        if octet == ord("{"):
            # After a letter: a note about the URL in a wiki, {{dead link}}, or the end of a mark, {color}
            if after == ord('"') and data[i - 1] == ord("="):  # ?q={"a": 1}
                return True
            closes = self._closes(i + 1, ord("}"))
            if closes <= i + 1 or data[i - 1] in b"/=:.-_&?@#$":
                return closes > i  # {} as well, which programs fill in by its place
            return after != ord("{") and self.held[i + 1 : closes] not in WIKI_MARKS
        if after in (35, 38, 46, 47, 58, 63, 64):  # # & . / : ? @
            closes = self._closes(i + 1, ord("]"))
            return closes > i and self.held[i + 1 : closes].lower() not in FORUM_TAGS
        if self.held[i : i + 5].lower() == b"[dot]" or self._is_bracketed(i):
            return True
        if octets[data[i - 1]] & _DIGIT and b"::" in self.held[i : i + 40]:  # 10.0.0.1[::1] is not a host
            return self._closes(i + 1, ord("]")) > i
        return octets[after] & _NAME != 0 and self._is_range(i + 1)

    def _begins_path(self, start: cython.Py_ssize_t, slash: cython.Py_ssize_t) -> cython.bint:
        """Whether a path begins at the third slash of ``name:///``, or may be empty."""
        i: cython.Py_ssize_t = slash + 1
        octet: cython.int
        while i < self.stop and i - slash < _MAX_SLASHES and self.data[i] == ord("/"):  # sqlite:////var/a.db
            i += 1
        octet = self.data[i] if i < self.stop else 0
        if octet == ord(":") and i == slash + 1 and i + 1 < self.stop:  # sqlite:///:memory:
            i += 1
            octet = self.data[i] if self.octets[self.data[i]] & _ALPHA else 0
        self.pending = i + 1 >= self.stop and not self.final
        if octet == ord("."):
            self.pending = i + 4 > self.stop and not self.final
            return self.held[i : i + 4] != b".../"  # a path without its beginning
        if self.octets[octet] & _NAME or octet == ord("%"):
            return True
        # ldap, ldaps, ldapi: the server that is configured (RFC 4516 2)
        return 7 <= slash - start <= 8 and self.data[start] | 32 == ord("l") and self.data[start + 3] | 32 == ord("p")

    def _is_paired(self, colon: cython.Py_ssize_t) -> cython.bint:
        """Whether a colon closes a name that another one has opened: ``/:memory:``."""
        i: cython.Py_ssize_t = colon - 1
        while i > self.start and self.octets[self.data[i]] & _ALPHA:
            i -= 1
        return i < colon - 1 and self.data[i] == ord(":") and self.data[i - 1] == ord("/")

    def _is_label(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a bracket at `i` begins a part of a host: ``http://keys.(thedomain)``, ``http://host.(com|org)``.

        Or names of which a pattern takes one (``/page(9|24)``), or a dot, which makes it unusable.
        """
        j: cython.Py_ssize_t = self._closes(i + 1, ord(")"))
        word: bytes = self.held[i + 1 : j] if j > i + 1 else b""
        if self.data[i - 1] == ord(".") or b"|" in word:
            return word.replace(b"|", b"").isalnum()
        return self.held[i : i + 3] == b"(.)" or self.held[i : i + 5].lower() == b"(dot)"

    def _is_range(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a range of numbers or letters begins at `i`: ``[0-9]``, ``[001-100]``."""
        closes: cython.Py_ssize_t = self._closes(i, ord("]"))
        first, _, last = self.held[i : closes if closes > i else i].partition(b"-")
        if len(first) == 1 < len(last) and closes + 1 < self.stop and self.data[closes + 1] in (42, 43, 63, 123):
            return True  # [a-z0-9.]* + ? {
        return len(first) == len(last) == 1 or (first.isdigit() and last.isdigit())

    def _is_bracketed(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether words in brackets are a part of a path, or a value: ``/[name]``, ``/a[name]/``, ``=[your-name]``.

        Or one word after a full stop or between two underscores: ``/a.[extension]``, ``/a_[name]_b``. A slash may end
        it: ``/[core/]select``.
        """
        closes: cython.Py_ssize_t = self._closes(i + 1, ord("]"))
        before: cython.int = self.data[i - 1]
        word: bytes = self.held[i + 1 : closes] if closes > i else b""
        behind: cython.int = self.data[closes + 1] if closes + 1 < self.stop else 0
        if before not in (47, 61) and behind != 47 and before != 46 and (before != 95 or behind != 95):  # / = . _
            return False
        if before in (46, 95) and behind != 47 and b" " in word:
            return False
        return b"/" + word.lower() not in FORUM_TAGS and is_words(word)

    def _closes(self, i: cython.Py_ssize_t, closer: cython.int) -> cython.Py_ssize_t:
        """Where a placeholder in one line closes, or -1."""
        first: cython.Py_ssize_t = i
        while i < self.stop and i - first < _TEMPLATE_REACH - 8:
            if self.data[i] == closer:
                return i
            if self.data[i] in (10, 13, 34, 60, 62):  # line ends " < >
                return -1
            i += 1
        return -1

    def _is_placeholder(self, i: cython.Py_ssize_t, closer: cython.int) -> cython.bint:
        """Whether words up to a bracket (``>``, or ``&`` for ``&gt;``) are a placeholder: no element of HTML, no
        address."""
        data: cython.p_const_uchar = self.data
        first: cython.Py_ssize_t = i
        word: bytes
        pair: cython.bint = False  # 36:3<156::AID-NET2>3.0.CO: an article of Wiley's
        if i >= self.stop or not (data[i] >= 128 or self.octets[data[i]] & (_ALPHA | _DIGIT)):
            return False
        while i < self.stop and i - first < _TEMPLATE_REACH - 8:
            pair = pair or (data[i] == 58 and data[i - 1] == 58)  # :
            if data[i] == closer:
                if closer == ord("&") and self.held[i : i + 4] != b"&gt;":
                    return False
                if self.octets[data[first]] & _DIGIT:
                    return pair
                word = self.held[first:i].lower()
                if word in VALUES:
                    return data[first - (2 if closer == ord(">") else 5)] in b"/=:.-_&?@#"
                return word not in TAGS and is_name(word)
            if not (data[i] >= 128 or self.octets[data[i]] & _NAME or data[i] in (32, 58, 124)):  # space : |
                return False
            i += 1
        return False

    def _is_emphasis(self, end: cython.Py_ssize_t) -> cython.bint:
        """Whether the equals signs around a candidate mark code, as org does: ``=http://host/=``.

        Not those of a setting (``a=http://host/``), of a query, or of base64: ``A =http://host/?q=``.
        """
        i: cython.Py_ssize_t = self.start
        if i > 1 and self.data[i - 2] > 32 and self.data[i - 2] != ord("("):
            return False
        while i < end and self.data[i] not in (61, 63):  # = ?
            i += 1
        return i == end

    def _is_substituted(self, start: cython.Py_ssize_t, host: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether a program takes a name out of a text, ``s/^name://gi``: flags follow, not a host."""
        if not self.ended or start == 0 or self.data[start - 1] not in (47, 94):  # / ^
            return False
        if not self.held.endswith((b" s/", b" s/^", b"'s/", b"'s/^"), 0, start):
            return False
        return not self.held[host:end].strip(b"IMegimoprsx0123456789")

    def _is_escaped(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a backslash before `i` begins an escape within a URL, or a part of a pattern."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        octet: cython.int = data[i] if i < self.stop else 0
        after: cython.int
        if octet == ord("\\") and i + 1 < self.stop:  # \\1, \\w in a string
            i += 1
            octet = data[i]
        after = data[i + 1] if i + 1 < self.stop else 0
        if octet == ord("u") or octet == ord("x"):  # \u0026, \x3d
            return self._is_coded(i + 1 if octet == ord("x") else i + 3)
        if octets[octet] & _DIGIT:  # \1 is a group's text; \033 is a control
            return octet != ord("0") and not octets[after] & _DIGIT
        if octet in (68, 83, 87, 100, 115, 119):  # \D \S \W \d \s \w
            return after in (42, 43, 63, 123)  # * + ? {
        if octet == ord("*"):  # a string of roff: \*x
            return after not in (40, 91) and i + 2 < self.stop and octets[data[i + 2]] & _NAME != 0
        if octet not in (35, 37, 38, 40, 43, 45, 46, 47, 58, 61, 63, 64, 95, 126):  # # % & ( + - . / : = ? @ _ ~
            return False
        if (after == ord(".") or (octet == ord(":") and after == ord("/"))) and i + 2 < self.stop:  # core\&.tcl.tk
            after = data[i + 2]
        return octets[after] & (_ALPHA | _DIGIT) != 0

    def _is_coded(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether two hexadecimal digits at `i` end the escape of a character that a URL may hold, and the URL
        continues."""
        code: cython.int = 0
        j: cython.Py_ssize_t
        if i + 2 >= self.stop or (self.data[i - 1] != ord("x") and self.held[i - 2 : i] != b"00"):
            return False
        for j in range(i, i + 2):
            digit: cython.int = self.data[j]
            if not self.octets[digit] & (_ALPHA | _DIGIT) or digit | 32 > ord("f"):
                return False
            code = code * 16 + (digit - 48 if self.octets[digit] & _DIGIT else (digit | 32) - 87)
        if not (self.octets[code] & _PLAIN or code in (35, 37, 38, 58, 63)) or self._is_entity(i + 1):  # # % & : ?
            return False
        return self.octets[self.data[i + 2]] & (_ALPHA | _DIGIT) != 0

    def _goes_on(self, start: cython.Py_ssize_t, host: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether an authority continues with text that no URL holds.

        A path (git@host:path), a module (host::a), no port (host:word, host:80x), a drive (c:\\a), several hosts
        (a:1,b:1/), a pattern (host*/), a property (jdbc:a://host;b=c).
        """
        octet: cython.int = self.data[end]
        after: cython.int = self.data[end + 1] if end + 1 < self.stop else 0
        i: cython.Py_ssize_t = end + 1
        if octet == ord("\\") and end - host == 2 and self.data[end - 1] == ord(":"):
            return True
        if octet == ord(":") and self.octets[after] & _ALPHA and not self._is_template(end):
            return not self._is_listed(i)
        if octet == ord(":") == after:
            return end + 2 < self.stop and self.octets[self.data[end + 2]] & _NAME != 0
        if octet == ord(";"):
            return start > 4 and self.held[start - 5 : start].lower() == b"jdbc:"
        if self.octets[octet] & _ALPHA:
            return not self._is_listed(end)
        if octet == ord(","):
            if not self.octets[after] & (_ALPHA | _DIGIT) or self._is_listed(i):
                return False
            while i < self.stop and (self.octets[self.data[i]] & _NAME or self.data[i] in (44, 58)):  # , :
                i += 1
            if i < self.stop and self.data[i] == ord("/"):
                return True
            if i >= self.stop or start == 0 or self.data[start - 1] not in (34, 39):  # "redis://a,b", "redis://a,b?c"
                return False
            return self.data[i] in (self.data[start - 1], 63) and self.held[start : host - 3].lower() in CLUSTERS
        if octet == ord("+"):  # "http://host.+/a"
            return self.data[end - 1] == ord(".")
        if octet != ord("*"):
            return False
        if start > 0 and after == self.data[start - 1] and after in (34, 39, 96):  # `gs://b*`
            return True
        # *http://host*. is emphasised
        return (after == ord("/") or after == ord(".")) and (start == 0 or self.data[start - 1] != octet)

    def _is_unnamed(self, host: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether a host is a placeholder, or only the beginning of one: ``http://xxxx/``, ``http://www.``."""
        octet: cython.int = self.data[host] | 32 if 0 < host < end else 0
        i: cython.Py_ssize_t = host
        if (octet != ord("w") and octet != ord("x")) or self.data[host - 1] != ord("/"):
            return False
        while i < end and self.data[i] | 32 == octet:
            i += 1
        if octet == ord("w"):
            return i == end and i - host == 3
        return i - host > 3 and (i == end or not self.octets[self.data[i]] & _NAME)

    def _is_port_word(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether there is a word in the place of a port, or a star: http://localhost:*, but not **http://host:**."""
        first: cython.Py_ssize_t = i
        if i < self.stop and self.data[i] == ord("*"):
            return self.start == 0 or self.data[self.start - 1] != ord("*")
        while i < self.stop and i - first < 16 and (self.octets[self.data[i]] & _ALPHA or self.data[i] == ord("_")):
            i += 1
        return self.held[first:i].lower() in PORT_WORDS

    def _template_end(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The end of a candidate that a placeholder cuts at `i`; sets `pending` if it needs more input."""
        data: cython.p_const_uchar = self.data
        octet: cython.int
        closer: cython.int
        closes: cython.Py_ssize_t
        while i < self.stop and not self.pending:
            octet = data[i]
            if self.octets[octet] & _PLAIN or octet in (35, 37, 38, 58, 63):  # # % & : ?
                i += 1
            elif octet >= 128:
                if self._kind_of(i) == _STOP:
                    break
                i += self.width
            elif octet in (40, 60, 91, 123):  # ( < [ {
                if i + _TEMPLATE_REACH > self.stop and not self.final:
                    self.pending = True
                closer = 41 if octet == 40 else octet + 2
                closes = self._closes(i + 1, closer)
                if closes < 0 or (octet == 60 and not self._is_placeholder(i + 1, closer)):
                    break
                i = closes + (
                    2 if data[i + 1] == octet and closes + 1 < self.stop and data[closes + 1] == closer else 1
                )
            else:
                break
        if i >= self.stop and not self.final:
            self.pending = True
        return i

    def _is_entity(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether an ampersand writes a character of HTML that is not part of a URL: ``&lt; &gt; &quot;``."""
        j: cython.Py_ssize_t = i + 1
        if j >= self.stop or self.data[j] not in (35, 97, 103, 104, 108, 109, 110, 113, 114):  # # a g h l m n q r
            return False
        while j < self.stop and j - i < 8 and self.data[j] != ord(";"):
            j += 1
        return j < self.stop and self.held[i + 1 : j] in ENTITIES

    def _is_titled(self, start: cython.Py_ssize_t, bar: cython.Py_ssize_t) -> cython.bint:
        """Whether a bar after the URL at `start` begins its title: ``[url|title]``, ``{@link url|title}``.

        Or another parameter of a template of a wiki: ``{{url|title}}``, ``{{cite|url=url|title=...}}``.
        """
        i: cython.Py_ssize_t = start - 1
        if i >= 0 and self.data[i] == ord("="):
            bar += 1
            while bar < self.stop and (self.octets[self.data[bar]] & _NAME or self.data[bar] == 32):
                bar += 1
            return bar < self.stop and self.data[bar] == ord("=")
        if i < 0 or self.data[i] == ord("|") or self.data[i] == ord("["):
            return i >= 0
        if self.data[i] == ord("{"):
            return i > 0 and self.data[i - 1] == ord("{")
        if self.data[i] != 32:
            return False
        while i > 0 and start - i < 16 and self.octets[self.data[i - 1]] & _ALPHA:
            i -= 1
        return i > 1 and self.data[i - 1] == ord("@") and self.data[i - 2] == ord("{")

    def _is_quoted(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a word from `i` on ends with the quotation mark before it, or is a genitive: ``https://host/'word'``."""
        first: cython.Py_ssize_t = i
        while i < self.stop and self.octets[self.data[i]] & _NAME:
            i += 1
        if i + 1 >= self.stop and not self.final:
            self.pending = True
        if i == first + 1 and self.data[first] == ord("s"):  # https://host/'s pages
            return True
        if i == first or i >= self.stop or self.data[i] != ord("'"):
            return False
        return i + 1 >= self.stop or not self.octets[self.data[i + 1]] & _NAME

    def _is_dated(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a comma ends a type of media, or a year follows it: not ``data:b,d:c`` in a program."""
        comma: cython.Py_ssize_t = self._next(i, self.stop, ord(","))
        if comma == i or self.data[i] == ord(";") or self._next(i, comma, ord("/")) < comma:
            return True
        if comma + 2 >= self.stop:
            self.pending = not self.final
            return False
        return self.octets[self.data[comma + 1]] & self.octets[self.data[comma + 2]] & _DIGIT != 0
