"""The part after the host, or after the colon of a scheme without one: each scheme's clause (RFC 1738 3.2 - 3.11).

Rule: one function for each scheme. It cuts the rest of the text at the delimiters of the scheme's production and
matches each piece against its own production; the productions decide whether the ``/`` may be left out.
"""

from __future__ import annotations

from collections.abc import Callable

from anyurl.grammar import requirements
from anyurl.grammar.characters import examine_characters
from anyurl.grammar.examination import Examination
from anyurl.grammar.hosts import examine_host, may_end

Tail = Callable[[Examination, int, int], None]

TAB = "%09"
"""The encoded tab: the first two delimit the fields of a gopher path (RFC 1738 3.4.1 - 3.4.3)."""


def _behind_slash(ex: Examination, start: int, end: int, form: str) -> int | None:
    """The place after the ``/``, or None if the URL ends before it; reports a missing ``/``."""
    if start < end:
        return start + (ex.text[start] == "/")
    rule = f"{ex.scheme}url"
    if not may_end(ex):
        fix = "/" if rule == "fileurl" else None
        ex.error("path-missing", (end, end), rule, f"{ex.kind} needs a path after its host: {form}", fix)
    return None


def examine_ftp(ex: Examination, start: int, end: int) -> None:
    """``cwd/.../name;type=a`` (RFC 1738 3.2.2)."""
    path = _behind_slash(ex, start, end, "ftp://host/path")
    if path is None:
        return
    mark = ex.text.lower().rfind(";type=", path, end)
    if mark >= 0 and any(char in ex.text[mark + 6 : end] for char in "/;"):
        mark = -1
    path_end = end if mark < 0 else mark
    _segments(ex, "fpath", path, path_end, "a name of an ftp URL")
    if mark < 0:
        return
    if ex.text[mark : mark + 6] != ";type=":
        ex.error("typecode-case", (mark, mark + 6), "ftpurl", '";type=" must be in lower case', ";type=")
    code = ex.add("typecode", "ftptype", mark + 6, end)
    if not ex.matcher("ftptype").accepts(code):
        span = (mark + 6, end)
        ex.error("typecode", span, "ftptype", "the type of an ftp URL must be a (text), i (octets) or d (a listing)")


def _segments(ex: Examination, production: str, start: int, end: int, where: str) -> None:
    ex.add("path", production, start, end)
    examine_characters(ex, production, start, end, where)


def examine_file(ex: Examination, start: int, end: int) -> None:
    """``directory/.../name`` (RFC 1738 3.10)."""
    path = _behind_slash(ex, start, end, "file://host/path")
    if path is not None:
        _segments(ex, "fpath", path, end, "a name of a file URL")


def examine_http(ex: Examination, start: int, end: int) -> None:
    """``path?search`` (RFC 1738 3.3)."""
    if start == end:
        return
    path = start + (ex.text[start] == "/")
    mark = ex.text.find("?", path, end)
    path_end = end if mark < 0 else mark
    _segments(ex, "hpath", path, path_end, "the path of an http URL")
    if mark >= 0:
        ex.add("search", "search", mark + 1, end)
        examine_characters(ex, "search", mark + 1, end, "the search part of an http URL")


def examine_gopher(ex: Examination, start: int, end: int) -> None:
    """A type, a selector, and after encoded tabs a search and a Gopher+ string (RFC 1738 3.4.1 - 3.4.3)."""
    if start == end:
        return
    position = start + (ex.text[start] == "/")
    if position == end:
        return
    width = 3 if ex.escapes(position, end) else 1
    kind = ex.add("gtype", "gtype", position, position + width)
    if kind == TAB:
        message = "the type of a gopher item must be one character; an encoded tab may only follow its selector"
        ex.error("gtype", (position, position + width), "gtype", message)
    examine_characters(ex, "gtype", position, position + width, "the type of a gopher URL")
    position += width
    first = _tab(ex, position, end)
    ex.add("selector", "selector", position, first)
    examine_characters(ex, "selector", position, first, "a gopher selector")
    requirements.examine_selector(ex, position, first)
    if first < end:
        second = _tab(ex, first + 3, end)
        ex.add("search", "search", first + 3, second)
        examine_characters(ex, "search", first + 3, second, "the search string of a gopher URL", section="5")
        if second < end:
            ex.add("gopher+", "gopher+_string", second + 3, end)
            examine_characters(ex, "gopher+_string", second + 3, end, "a Gopher+ string")


def _tab(ex: Examination, start: int, end: int) -> int:
    """The place of the first encoded tab, or the end."""
    found = ex.text.find(TAB, start, end)
    return end if found < 0 else found


def examine_mailto(ex: Examination, start: int, end: int) -> None:
    """An RFC 822 addr-spec, encoded (RFC 1738 3.5)."""
    ex.add("address", "encoded822addr", start, end)
    if start == end:
        ex.error("address-missing", (end, end), "encoded822addr", "a mailto URL needs an address: mailto:user@host")
        return
    known = len(ex.diagnostics)
    examine_characters(ex, "encoded822addr", start, end, "an address")
    if all(diagnostic.severity != "error" for diagnostic in ex.diagnostics[known:]):
        requirements.examine_address(ex, start, end)


def examine_news(ex: Examination, start: int, end: int) -> None:
    """``*``, the name of a group, or a message identifier (RFC 1738 3.6)."""
    name = ex.text[start:end]
    if ex.text.startswith("//", start):
        stop = ex.text.find("/", start + 2, end)
        span = (start, end if stop < 0 else stop + 1)
        if not ex.matcher("grouppart").accepts(name):
            message = "a news URL can't name a server; an nntp URL can, and so can a news URL of RFC 5538"
            ex.error("news-server", span, "newsurl", message)
            return
    if name == "*":
        ex.add("group", "grouppart", start, end)
    elif "@" in name:
        _examine_article(ex, start, end)
    else:
        _examine_group(ex, start, end)


def _examine_article(ex: Examination, start: int, end: int) -> None:
    at = ex.text.rfind("@", start, end)
    ex.add("unique", "article", start, at)
    if start == at:
        message = 'the part of a message identifier before its "@" may not be empty'
        ex.error("article", (start, at + 1), "article", message)
    position = start
    for part in ex.text[start:at].split("@"):
        if position > start:
            message = 'a message identifier contains "@" only once; encode any other as %40'
            ex.error("reserved", (position - 1, position), "article", message, "%40")
        examine_characters(ex, "article", position, position + len(part), "a message identifier")
        position += len(part) + 1
    ex.add("host", "host", at + 1, end)
    if at + 1 == end:
        ex.error("host-empty", (end, end), "host", 'a full domain name must follow the "@"')
    else:
        examine_host(ex, at + 1, end)


def _examine_group(ex: Examination, start: int, end: int) -> None:
    name = ex.add("group", "group", start, end)
    if not name:
        message = 'the name of a newsgroup is missing; "*" means all groups' if ex.scheme == "news" else None
        ex.error("group-missing", (end, end), "group", message or "the name of a newsgroup is missing")
        return
    if name[0] not in ex.grammar.characters("alpha"):
        ex.error("group-start", (start, start + 1), "group", "the name of a newsgroup must start with a letter")
    allowed = ex.grammar.characters("group")
    extra = "".join(char for char in "-.+_" if char in allowed)
    position = start + 1
    while position < end:
        stop = position + 1
        if ex.text[position] not in allowed:
            while stop < end and ex.text[stop] not in allowed:
                stop += 1
            message = f"the name of a newsgroup consists of {' '.join(extra)}, letters and digits"
            ex.error("group-character", (position, stop), "group", message)
        position = stop
    requirements.examine_group(ex, start, end)


def examine_nntp(ex: Examination, start: int, end: int) -> None:
    """The name of a group, and perhaps the number of an article in it (RFC 1738 3.7)."""
    group = _behind_slash(ex, start, end, "nntp://host/group/number")
    if group is None:
        return
    mark = ex.text.find("/", group, end)
    _examine_group(ex, group, end if mark < 0 else mark)
    if mark >= 0:
        number = ex.add("number", "digits", mark + 1, end)
        if not ex.matcher("digits").accepts(number):
            message = "the number of an article must consist of decimal digits"
            ex.error("article-number", (mark + 1, end), "nntpurl", message)


def examine_telnet(ex: Examination, start: int, end: int) -> None:
    """Nothing but the ``/``, which may be left out (RFC 1738 3.8)."""
    if start < end and ex.text[start : start + 1] != "/":
        ex.error("path-forbidden", (start, end), "telneturl", "nothing may follow the host of a telnet URL", "")
    elif start + 1 < end:
        message = 'nothing may follow the "/" of a telnet URL'
        ex.error("path-forbidden", (start + 1, end), "telneturl", message, "")


def examine_wais(ex: Examination, start: int, end: int) -> None:
    """A database; a search in it; or a type and a document in it (RFC 1738 3.9)."""
    path = _behind_slash(ex, start, end, "wais://host/database")
    if path is None:
        return
    slash = ex.text.find("/", path, end)
    mark = ex.text.find("?", path, end)
    if mark >= 0 and (slash < 0 or mark < slash):
        _piece(ex, "database", "database", path, mark, "a WAIS database")
        ex.add("search", "search", mark + 1, end)
        examine_characters(ex, "search", mark + 1, end, "the search of a wais URL", section="5")
        return
    if slash < 0:
        _piece(ex, "database", "database", path, end, "a WAIS database")
        return
    _piece(ex, "database", "database", path, slash, "a WAIS database")
    second = ex.text.find("/", slash + 1, end)
    if second < 0:
        _piece(ex, "wtype", "wtype", slash + 1, end, "a WAIS type")
        message = "a WAIS document needs a type and a path: wais://host/database/type/path"
        ex.error("wpath-missing", (end, end), "waisdoc", message)
        return
    _piece(ex, "wtype", "wtype", slash + 1, second, "a WAIS type")
    _piece(ex, "wpath", "wpath", second + 1, end, "the path of a WAIS document")


def _piece(ex: Examination, name: str, production: str, start: int, end: int, where: str) -> None:
    """A piece whose reserved characters the productions alone name, and no sentence of its own clause."""
    ex.add(name, production, start, end)
    examine_characters(ex, production, start, end, where, section="5")


def examine_prospero(ex: Examination, start: int, end: int) -> None:
    """A name, and perhaps fields with values (RFC 1738 3.11)."""
    path = _behind_slash(ex, start, end, "prospero://host/name")
    if path is None:
        return
    position = path
    for index, part in enumerate(ex.text[path:end].split(";")):
        stop = position + len(part)
        if index == 0:
            _piece(ex, "name", "ppath", position, stop, "a name of a prospero URL")
        else:
            _examine_field(ex, position, stop)
        position = stop + 1


def _examine_field(ex: Examination, start: int, end: int) -> None:
    equals = ex.text.find("=", start, end)
    if equals < 0:
        _piece(ex, "field", "fieldname", start, end, "a field of a prospero URL")
        if "fieldspec" in ex.grammar.productions and not ex.matcher("fieldspec").accepts(f";{ex.text[start:end]}"):
            message = (
                'a field of a prospero URL needs a "=" between its name and its value; encode other semicolons as %3B'
            )
            ex.error("field", (start - 1, end), "fieldspec", message, "%3B" + ex.text[start:end])
        return
    _piece(ex, "field", "fieldname", start, equals, "a field of a prospero URL")
    _piece(ex, "value", "fieldvalue", equals + 1, end, "a value of a prospero URL")


TAILS: dict[str, Tail] = {
    "file": examine_file,
    "ftp": examine_ftp,
    "gopher": examine_gopher,
    "http": examine_http,
    "mailto": examine_mailto,
    "news": examine_news,
    "nntp": examine_nntp,
    "prospero": examine_prospero,
    "telnet": examine_telnet,
    "wais": examine_wais,
}
"""The schemes that RFC 1738 defines, each with the function that takes its rest apart."""

WITHOUT_HOST = frozenset({"mailto", "news"})
"""Those whose rest directly follows the colon."""
