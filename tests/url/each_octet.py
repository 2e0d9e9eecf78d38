"""What each character does in a place of a URL of each scheme: by `URL`, and by the letter of RFC 1738.

``python -m tests.url.each_octet`` writes ``tests/data/url/each_octet.jsonl`` anew, for `PLACES`. Whoever changes
what is read reads the difference: each line of it is something that a user sees otherwise.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anyurl.errors import URLSyntaxError
from anyurl.grammar import parse
from anyurl.url import URL

FILE = Path(__file__).resolve().parent.parent / "data" / "url" / "each_octet.jsonl"
CHARACTERS = [*map(chr, range(128)), *"\xa0\u00e9\u3002\uff0f\u200b\ud800"]
MARK = "\u00a4"
"""Where the character stands."""

PLACES = [
    text.replace("*", MARK)
    for text in (
        "*", "h*", "*http://h/", "h*ttp://h/", "http*//h/", "http:*/h/", "http:/*h/", "http://*", "http://*/",
        "http://h*", "http://*h/", "http://h*i/", "http://h.*/", "http://h.i*/", "http://-*/", "http://h:*",
        "http://h:*/", "http://h:8*/", "http://h:*80/", "http://h:65*35/", "http://u*@h/", "http://u:p*@h/",
        "http://[*]/", "http://[::*]/", "http://[::1*]/", "http://[::1]*", "http://[::1]:*", "http://[v1.*]/",
        "http://[fe80::1%25*]/", "http://1.2.3.*/", "http://1.2.3.4*/", "http://1.2.3.25*/", "http://h/*",
        "http://h/a*b", "http://h/a?*", "http://h/a?b*c", "http://h/a#*", "http://h/a#b*c", "http://h/%*",
        "http://h/%4*", "http://h/%*1", "http://h?*", "http://h#*", "ftp://h/*", "ftp://h/a;type=*",
        "ftp://h/a;type=*a", "ftp://h/a;*ype=a", "ftp://h/a;type*a", "ftp://u:*@h/", "file:*", "file:*//h/a",
        "file://*/a", "file:///*", "file:///a*b", "gopher://h/*", "gopher://h/1*", "gopher://h/1a%09*",
        "gopher://h/1a%09b%09*", "mailto:*", "mailto:a*b@h.i", "mailto:a@h*i", "mailto:a@h.i*", "news:*",
        "news:a*", "news:a.*b", "news:a*b@h", "news:a@h*", "nntp://h/*", "nntp://h/a.b/*", "nntp://h/a.b/1*",
        "telnet://h*", "telnet://h/*", "wais://h/*", "wais://h/d*e", "wais://h/d?*", "wais://h/d/t/*",
        "prospero://h/*", "prospero://h/a;*", "prospero://h/a;b*c", "prospero://h/a;b=*", "urn:*", "urn:isbn:*",
        "urn:i*n:1", "data:*", "data:,*", "data:text/plain;*,a", "x-y:*", "x*y:a", "x*", "x:*//h",
    )
]  # fmt: skip


def outcomes(text: str) -> list[list[Any]]:
    """Each outcome, with the characters that have it: by `URL`, then by RFC 1738."""
    groups: dict[str, list[str]] = {}
    for character in CHARACTERS:
        whole = text.replace(MARK, character)
        told = [_told(whole, "current"), _told(whole, "rfc1738")]
        groups.setdefault(json.dumps(told).replace(json.dumps(character)[1:-1], MARK), []).append(character)
    return [["".join(characters), told] for told, characters in groups.items()]


def _told(text: str, grammar: Any) -> list[Any]:
    try:
        url = URL(text) if grammar == "current" else parse(text, grammar)
    except URLSyntaxError as error:
        return [[each.code, *each.span] for each in error.diagnostics if each.severity == "error"]
    return [url.user, url.password, url.host, url.explicit_port, url.path, url.query, url.fragment]


def rows() -> list[dict[str, Any]]:
    """What is written down."""
    return [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]


def main() -> None:
    """Write it down."""
    lines = [json.dumps({"text": text, "outcomes": outcomes(text)}) for text in PLACES]
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


if __name__ == "__main__":
    main()
