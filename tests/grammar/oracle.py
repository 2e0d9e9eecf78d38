"""An independent judge of the two grammars: the productions as regular expressions, and the prose as a few checks.

Rule: nothing of `anyurl` is used here. The productions are read out of section 5 as the documents themselves have it
(``tests/data/grammar/section5-*.txt``), whose lines were lost and, in the draft, numbered. Where the checker builds an
automaton from a tree, this translates a production's tokens into one regular expression, and lets `re` decide.
`judges` holds the kernel, the diagnosis and this judge against each other.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent.parent / "data" / "grammar"
DEFINED = ("ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero")
TOKEN = re.compile(r'"""|"[^"]+"|<">|\d*\*|[\[\]|/]|[A-Za-z][\w+-]*')


@cache
def right_sides(name: str) -> dict[str, str]:
    """The right side of each production of a document, without comments and the numbers of lines."""
    text = (DATA / f"section5-{name}.txt").read_text(encoding="ascii")
    text = re.sub(r"(?<= )\d{3} (?=\S)", "", text)
    heads = list(re.finditer(r"([a-z][\w+-]*) = ", text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    sides = {head[1]: text[head.end() : end] for head, end in zip(heads, ends, strict=True)}
    # A comment ends where the line did; what is left of it stands before the head of the next production.
    return {key: re.match(r'(?:<">|[^;"]|"[^"]+"|""")*', side)[0] for key, side in sides.items()}  # type: ignore[index]


@cache
def expression(name: str, production: str) -> str:
    """A production as a regular expression."""
    out: list[str] = []
    closers: list[str] = []
    pending = ""
    for token in TOKEN.findall(right_sides(name)[production]):
        if token.endswith("*"):
            pending = f"{{{token[:-1] or 0},}}"
        elif token == "[":
            out.append("(?:")
            closers.append(pending or "?")
            pending = ""
        elif token == "]":
            out.append(")" + closers.pop())
        elif token == "|":
            out.append("|")
        else:
            out.append(single(name, token) + pending)
            pending = ""
    whole = "(?:" + "".join(out) + ")"
    return f"(?i:{whole})" if production == "scheme" else whole


def single(name: str, token: str) -> str:
    """A literal or the name of a production."""
    if token == '"""':
        return '"'
    if token.startswith('"'):
        text = token[1:-1]
        head, colon, rest = text.partition(":")
        if colon and head.isalpha():  # the name of a scheme: in any case
            return f"(?:(?i:{head}){re.escape(colon + rest)})"
        return f"(?:{re.escape(text)})"
    if token in ("/", '<">'):
        return token.strip("<>")
    return expression(name, token)


@cache
def compiled(name: str, production: str) -> re.Pattern[str]:
    return re.compile(expression(name, production), re.ASCII)


def fits(name: str, production: str, text: str) -> bool:
    """Whether a text is a production, by its BNF alone."""
    return compiled(name, production).fullmatch(text) is not None


# RFC 822 3.3 and 6.1, over octets as the characters U+0000 to U+00FF.
ATOM = r"[!#-'*+\-/-9=?A-Z^-~]+"
QUOTED = r'"(?:[^"\\\r\x80-\xff]|\r\n[ \t]|\\[\x00-\x7f])*"'
LITERAL = r"\[(?:[^\[\]\\\r\x80-\xff]|\r\n[ \t]|\\[\x00-\x7f])*\]"
WORD, SUBDOMAIN = f"(?:{ATOM}|{QUOTED})", f"(?:{ATOM}|{LITERAL})"
ADDRESS = re.compile(rf"{WORD}(?:\.{WORD})*@{SUBDOMAIN}(?:\.{SUBDOMAIN})*", re.DOTALL)


HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""2.2: half a character is none, not behind a ``#`` either; U+DC80 to U+DCFF are octets, as Python reads file names."""


def decoded(text: str) -> str:
    return re.sub("%(..)", lambda escape: chr(int(escape[1], 16)), text)


def host_is_sound(host: str) -> bool:
    """RFC 1738 3.1: four groups are an address; labels and names are as long as RFC 1034 and RFC 1123 have them."""
    if not host.replace(".", "").isdigit():
        return len(host) <= 255 and all(len(label) <= 63 for label in host.split("."))
    return all(int(group[-400:]) <= 255 for group in host.split("."))


def port_is_sound(authority: str) -> bool:
    """3.1: the port number to connect to, which TCP has; no URL of any grammar holds another."""
    _, colon, port = authority.rpartition("@")[2].partition(":")
    return not colon or int(port[-400:]) <= 65535


def gopher_fields(name: str, path: str) -> list[str] | None:
    """The type and the selector, a search, a Gopher+ string; None unless each is its production.

    The first two encoded tabs delimit: where that leaves a field that its production does not have, it is not a URL.
    """
    fields = path.split("%09", 2)
    head = re.fullmatch(f"(?s)({expression(name, 'gtype')})(.*)", fields[0])
    if head is None or not fits(name, "selector", head[2]):
        return None
    productions = zip(("search", "gopher+_string"), fields[1:], strict=False)
    return [head[1], head[2], *fields[1:]] if all(fits(name, *pair) for pair in productions) else None


def accepts(text: str, name: str = "rfc1738") -> bool:
    """Whether a text is a URL by the document; the draft by its BNF and its ports, the RFC by its prose as well."""
    if len(text) > 65536 or HALF.search(text) is not None:
        return False
    url = text.split("#", 1)[0]
    scheme = url.partition(":")[0].lower()
    # 3.10, the prose of both documents: the host of a file may be the empty string. The draft's BNF lacks it.
    held = re.sub("^file:///|^file://$", lambda empty: f"file://localhost{empty[0][7:]}", url, flags=re.IGNORECASE)
    if not fits(name, f"{scheme}url" if scheme in DEFINED else "otherurl", held):
        return False
    rest = url[len(scheme) + 1 :]
    authority, _, path = rest[2:].partition("/")
    strict = name == "rfc1738"
    fields = [""]
    if scheme == "gopher" and path:
        found = gopher_fields(name, path)
        if found is None:
            return False
        fields = found[1:]
    if (
        scheme in DEFINED
        and rest.startswith("//")
        and scheme not in ("mailto", "news")
        and not port_is_sound(authority)
    ):
        return False
    if not strict:
        return True
    if scheme == "mailto":
        return ADDRESS.fullmatch(decoded(rest)) is not None
    if scheme == "news":
        return "@" not in rest or host_is_sound(rest.partition("@")[2])
    if scheme in DEFINED:
        return (authority == "" or host_is_sound(authority.rpartition("@")[2].partition(":")[0])) and not re.search(
            "%0[AaDd]", fields[0]
        )
    return scheme != "url"
