"""What each character does in a place: before, in and behind a URL of each form.

``python -m tests.text.each_octet`` writes ``tests/data/text/each_octet.jsonl`` anew, for `PLACES`. Whoever changes
what is found reads the difference: each line of it is something that a user sees otherwise.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anyurl.text import find

FILE = Path(__file__).resolve().parent.parent / "data" / "text" / "each_octet.jsonl"
CHARACTERS = [*map(chr, range(128)), *"\xa0\u00e9\u00ab\u00bb\u201c\u201d\u2026\u3002\u65e5\uff09\U0001f600"]
MARK = "\u00a4"
"""Where the character stands."""

_FORMS = (
    "http://host/a", "http://host", "http://u:p@host:8/?q#f", "mailto:a@host.dom", "joe@host.dom", "www.host.dom/a",
    "host.com/a", "news:a.b", "urn:isbn:1", "file:///a", "hxxp://host[.]dom/a", "http:\\/\\/host\\/a",
    "http://[::1]:80/a", "http://host/{x}", "http://host/%s", "http://host/$x", "tel:+1234567", "10.0.0.1:80/a",
)  # fmt: skip
PLACES: list[tuple[str | None, str]] = [
    *((None, f"see {MARK}{form} x") for form in _FORMS),
    *((None, f"see a{MARK}{form} x") for form in _FORMS),
    *((None, f"see {form}{MARK} x") for form in _FORMS),
    *((None, f"see {form}{MARK}x") for form in _FORMS),
    *((None, f"see {form}{MARK}") for form in _FORMS[:6]),
    *((None, text) for text in (
        f"<URL:http://host/a{MARK}b>", f"<http://host/a{MARK}b>", f"<URL:http://host/a{MARK}\n b>",
        f"http://ho{MARK}st/a",
        f"http://u{MARK}v@host/a", f"http://u:p{MARK}q@host/", f"http://host:8{MARK}0/a", f"http{MARK}//host/a",
        f"ht{MARK}tp://host/a", f"http:{MARK}/host/a", f"http://host/a?b{MARK}c", f"http://host/a#b{MARK}c",
        f"http://{MARK}/a", f"http://{MARK}host/a", f"jo{MARK}e@host.dom", f"joe@ho{MARK}st.dom", f"joe@host{MARK}dom",
        f"www{MARK}host.dom", f"www.ho{MARK}st.dom", f"ho{MARK}st.com", f"host{MARK}com", f"http://host/({MARK})",
        f"(http://host/a{MARK})", f"[t](http://host/a{MARK}b)", f"[t](http://host/a{MARK})", f'"http://host/a{MARK}"',
        f"'http://host/a{MARK}'", f"http://host/a{MARK}http://i/b", f"http://host/a{MARK}{MARK}", f"http://host/%4{MARK}",
        f"http://host/\\{MARK}a", f"http://host/a\\{MARK}", f"http://host/{{{MARK}}}", f"http://host/<{MARK}>",
        f"http://host/%{MARK}(a)", f"http://host:{MARK}a/", f"http://[{MARK}]/", f"http://[::1{MARK}]/",
        f"a{MARK}http://host/=b",
    )),
    *(("html", text) for text in (
        f'<a href="http://host/a{MARK}b">', f"<a href='http://host/a{MARK}b'>", f"<a href=http://host/a{MARK}b>",
        f'<a{MARK}href="http://host/a">', f'<a href{MARK}"http://host/a">', f'<{MARK}a href="http://host/a">',
        f"<p>http://host/a{MARK}<b>", f'<img srcset="http://host/a{MARK}http://host/b">',
        f"<!-{MARK} http://host/a -->",
        f'<p style="background:url(http://host/a{MARK}b)">', f"<style>@import{MARK}'http://host/a'</style>",
        f'<a href="http://host/&{MARK}amp;b">', f'<a href="http://host/&#3{MARK};b">',
    )),
    *(("xml", text) for text in (
        f'<a b="http://host/a{MARK}b"/>', f"<a>http://host/a{MARK}b</a>", f"<a><![CDATA[http://host/a{MARK}b]]></a>",
        f'<a{MARK}b="http://host/a"/>', f"<{MARK}http://host/a>", f"<a>http://host/&{MARK}amp;b</a>",
    )),
    *(("markdown", text) for text in (
        f"[a](http://host/a{MARK}b) c", f"[a](<http://host/a{MARK}b>)", f"[a]:{MARK}http://host/a", f"`http://host/a`{MARK}b",
        f"[a](http://host/a{MARK}'t')",
    )),
    *(("json", text) for text in (
        f'["http:\\/\\/host\\{MARK}a"]', f'["http://host/a{MARK}b"]', f'["http://host/\\u00{MARK}1"]',
    )),
    *(("office", text) for text in (
        f"<w:t>http://host/</w:t>{MARK}<w:t>a</w:t>", f'<a href="http://host/a{MARK}b"/>', f"<w:t>http://host/{MARK}</w:t>",
    )),
    *(("po", text) for text in (f'msgid "http://host/a\\{MARK}b"', f'msgid "http://host/a"\n{MARK}"b"')),
    *((form, f"http://host/a\\{MARK}b") for form in ("latex", "man", "rst")),
    *((form, f"x {MARK}http://host/a{MARK} y") for form in ("latex", "man", "rst", "csv", "log", "gemtext", "mail")),
]  # fmt: skip


def outcomes(form: str | None, text: str) -> list[list[Any]]:
    """What is found with which characters: each outcome with the characters that have it."""
    groups: dict[str, list[str]] = {}
    for character in CHARACTERS:
        found = find(
            text.replace(MARK, character),
            format=form, emails=True, www=True, bare=True, templates=True, refang=True, malformed=True,
        )  # fmt: skip
        told = [
            [one.raw.replace(character, MARK), one.kind, one.context,
             "" if one.kind in ("url", "template") else str(one).replace(character, MARK)]
            for one in found
        ]  # fmt: skip
        groups.setdefault(json.dumps(told), []).append(character)
    return [["".join(characters), json.loads(told)] for told, characters in groups.items()]


def rows() -> list[dict[str, Any]]:
    """What is written down."""
    return [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]


def main() -> None:
    """Write it down."""
    lines = [json.dumps({"format": form, "text": text, "outcomes": outcomes(form, text)}) for form, text in PLACES]
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


if __name__ == "__main__":
    main()
