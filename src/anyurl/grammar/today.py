"""The productions of ``current``: RFC 3986 with the facts of each scheme, in the notation that `bnf` reads.

Rule: facts about schemes are not here but in `anyurl.url.syntax`; schemes whose rows have the same flags have the same
form. The kernel checks the rules that productions can't express (a port is at most 65535, a last label is not a
number), as the prose does for RFC 1738. They describe ASCII: other characters are encoded before a text is read.
"""

from __future__ import annotations

from collections.abc import Iterable

from anyurl.grammar.bnf import production_of
from anyurl.url.syntax import GENERIC, Row


def today(rows: Iterable[Row]) -> str:
    """The productions for the schemes of these rows, as the content of a ``.bnf`` file."""
    named = sorted((row for row in rows if row.name), key=lambda row: row.name)
    forms: dict[str, str] = {}
    schemes = [f'{production_of(row.name)} = "{row.name}:" {_form(row, forms)}' for row in named]
    other = f'otherurl = scheme ":" {_form(GENERIC, forms)}'
    return "\n".join([
        "; reference RFC 3986",
        "; section 3",
        f"url = {' | '.join([*(production_of(row.name) for row in named), 'otherurl'])}",
        *schemes,
        other,
        *(f"{name} = {text}" for name, text in forms.items()),
        _COMPONENTS,
        *_ipv6(),
        _OCTETS,
    ])  # fmt: skip


def _form(row: Row, forms: dict[str, str]) -> str:
    """The form of the part after a scheme's colon; the forms that it needs are added to `forms`."""
    mark = "" if row.query else "-question"  # where no query begins, "?" is a character of the path
    tail = '[ "?" query ] [ "#" fragment ]' if row.query else '[ "#" fragment ]'
    kinds = []
    if row.authority != "forbidden":
        authority = _authority(row, forms)
        name = f"{authority}{mark}-path"
        forms[name] = f'"//" {authority} [ "/" *{_character(row)} ]'
        kinds.append(name)
    if row.authority != "required":
        kinds.append("rooted" + mark if row.name == "file" else "plain" + mark)
    if len(kinds) == 1:
        return f"{kinds[0]} {tail}"
    name = "-or-".join(kinds)
    forms[name] = " | ".join(kinds)
    return f"{name} {tail}"


def _character(row: Row) -> str:
    return "pathchar" if row.query else "querychar"


def _authority(row: Row, forms: dict[str, str]) -> str:
    host = "dnshost" if row.dns else "host"
    said = [
        host,
        "login" if row.userinfo else "",
        "port" if row.explicit_port else "",
        "or-none" if row.empty_host else "",
    ]
    name = "-".join(filter(None, said))
    text = ('[ userinfo "@" ] ' if row.userinfo else "") + host + (' [ ":" port ]' if row.explicit_port else "")
    forms[name] = f"[ {text} ]" if row.empty_host else text
    return name


_COMPONENTS = """
; section 3.1
scheme = alpha *[ alpha | digit | "+" | "-" | "." ]
; section 3.2.1
userinfo = *[ unreserved | subdelim | escape | ":" ]
; section 3.2.2
host = "[" address "]" | 1*[ unreserved | subdelim | escape ]
dnshost = "[" address "]" | 1*unreserved
address = ipv6 | ipvfuture
ipvfuture = vmark 1*hex "." 1*[ unreserved | subdelim | ":" ]
vmark = "v" | "V"
; section 3.2.3
port = *digit
; section 3.3
plain = [ "/" ] [ segmentchar *pathchar ]
plain-question = [ "/" ] [ segmentchar-question *querychar ]
rooted = "/" [ segmentchar *pathchar ]
rooted-question = "/" [ segmentchar-question *querychar ]
segmentchar = unreserved | subdelim | escape | ":" | "@"
segmentchar-question = segmentchar | "?"
pathchar = segmentchar | "/"
; section 3.4
query = *querychar
querychar = pathchar | "?"
; section 3.5
fragment = *querychar
"""

_OCTETS = """
; section 3.2.2
ls32 = h16 ":" h16 | ipv4
h16 = hex [ hex [ hex [ hex ] ] ]
ipv4 = decoctet "." decoctet "." decoctet "." decoctet
decoctet = digit | nonzero digit | "1" digit digit | "2" low digit | "25" lowest
nonzero = "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
low = "0" | "1" | "2" | "3" | "4"
lowest = low | "5"
; section 2.1
escape = "%" hex hex
hex = digit | "A" | "B" | "C" | "D" | "E" | "F" | "a" | "b" | "c" | "d" | "e" | "f"
; section 2.2
subdelim = "!" | "$" | "&" | "'" | "(" | ")" | "*" | "+" | "," | ";" | "="
; section 2.3
unreserved = alpha | digit | "-" | "." | "_" | "~"
alpha = lowalpha | hialpha
lowalpha = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m" |
    "n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z"
hialpha = "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L" | "M" |
    "N" | "O" | "P" | "Q" | "R" | "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z"
digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
"""


def _ipv6() -> list[str]:
    """RFC 3986 3.2.2, IPv6address: the nine places of ``::``, whose repetitions the notation writes out."""
    forms = [" ".join(['h16 ":"'] * 6 + ["ls32"])]
    for before in range(8):  # groups before the "::", at most; it stands for one group or more
        after = 7 - before
        tail = ['h16 ":"'] * (after - 2) + ["ls32"] if after >= 2 else ["h16"] * after
        forms.append(" ".join([_at_most(before), '"::"', *tail]).strip())
    return ["; section 3.2.2", f"ipv6 = {' | '.join(forms)}"]


def _at_most(groups: int) -> str:
    """Up to that many groups with colons between them, or none."""
    text = ""
    for _ in range(groups):
        text = f"[ h16 {f'[ {chr(34)}:{chr(34)} {text[2:-2]} ]' if text else ''} ]"
    return text
