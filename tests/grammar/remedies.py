"""What is proposed for a text, applied and read again: by every grammar, and by `fix`.

`test_remedies.py` judges a share in every run; ``python -m tests.grammar.remedies 100000`` judges that many.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.grammar import GRAMMARS, diagnose, fix, guess, parse, repair
from anyurl.grammar.readers import ReadTarget, read_every_way, target_of
from anyurl.url import URL, syntax
from tests.grammar.strings import texts, with_mistakes

DATA = Path(__file__).parent.parent / "data"

HEADS = (
    "http://",
    "http:",
    "http:\\\\",
    "https:/",
    "ftp://",
    "gopher://",
    "telnet://",
    "file://",
    "foo://",
    "URL:http://",
    "",
    "//",
    "www.",
    "localhost",
)
_ADVICE = re.compile(r"(?:written|encoded)\b[^;]* %(?:[0-9A-F]{2}|XX)")
"""A remedy in words."""

TRAPS = (
    "good.example", "evil.example", "127.0.0.1", "0x7f.1", "[::1]", "user", ":pw", ":80", ":8x", "@", "@", "\\", "\\@",
    "/", "?", "#", ";", "%", "%40", "%2F", "%5C", "%00", " ", "\t", "\r\n", "\x00", "／", "＠", "。", "ß", "é", "<",
    ">", "{",
)  # fmt: skip
_SIMPLE = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^\\/?#@\s%:<>]*@)?([a-z0-9.-]+)(?::[0-9]*)?(?:/.*)?", re.DOTALL)
"""A text in which no two people disagree about the host: plain letters, between two slashes and a third."""


def corpora() -> Iterator[str]:
    """Every text with a colon in the rows that the tests read."""
    for path in sorted((*DATA.glob("url/*.json*"), *DATA.glob("grammar/*.jsonl"), *DATA.glob("net/ssrf_cases.json"))):
        content = path.read_text(encoding="utf-8")
        for row in content.splitlines() if path.suffix == ".jsonl" else [content]:
            yield from _strings(json.loads(row))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if ":" in value and len(value) < 300:
            yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def mutated(seed: int, count: int) -> Iterator[str]:
    """That many texts: traps for parsers that are put together, and the texts that the grammars are tested with."""
    chance = random.Random(seed)
    yield from texts(seed, count - count // 2)
    for _ in range(count // 2):
        pieces = [chance.choice(TRAPS) for _ in range(chance.randint(1, 6))]
        yield with_mistakes(chance, chance.choice(HEADS) + "".join(pieces), chance.choice((0, 0, 1)))


def findings(text: str) -> tuple[list[str], int]:
    """What is wrong with what is proposed for a text, and how many remedies there were."""
    wrong, count = [], 0
    for grammar in GRAMMARS:
        diagnostics = diagnose(text, grammar)
        errors = [one for one in diagnostics if one.severity == "error"]
        remedies = [one for one in diagnostics if one.fix is not None]
        wrong += [
            f"{grammar}: {text!r} is told a remedy that was not tried: {one.message}"
            for one in diagnostics
            if one.fix is None and one.severity != "remark" and _ADVICE.search(one.message)
        ]
        if grammar in ("current", "browser"):
            wrong += [f"{grammar}: {fault}" for fault in _raised(text, grammar, remedies)]
        if remedies:
            count += 1
            for some in (remedies, [one for one in remedies if one in errors]):
                if some:
                    wrong += [f"{grammar}: {fault}" for fault in _tried(text, some, grammar)]
    try:
        meant = guess(text)
    except URLSyntaxError:
        pass
    else:
        if meant.how:
            count += 1
            wrong += [f"guess: {fault}" for fault in guessed_elsewhere(text, meant.url)]
    try:
        url = fix(text)
    except URLSyntaxError:
        return wrong, count
    if repair(text).changes:
        count += 1
        wrong += [f"fix: {fault}" for fault in _led_elsewhere(text, url)]
    return wrong, count


def _raised(text: str, grammar: Any, remedies: list[Diagnostic]) -> Iterator[str]:
    """What the error proposes, as a fix or in its sentence, beyond what was tried."""
    try:
        parse(text, grammar)
    except URLSyntaxError as error:
        if any(one.fix is not None and one not in remedies for one in error.diagnostics):
            yield f"{text!r} is refused with a remedy that was not tried: {error}"
        if _ADVICE.search(str(error)):
            yield f"{text!r} is refused with advice: {error}"


def _tried(text: str, remedies: list[Diagnostic], grammar: Any) -> Iterator[str]:
    fixed = text
    for one in sorted(remedies, key=lambda one: one.span, reverse=True):
        fixed = fixed[: one.span[0]] + (one.fix or "") + fixed[one.span[1] :]
    try:
        url = parse(fixed, grammar)
    except URLSyntaxError as error:
        yield f"{text!r} became {fixed!r}, which is refused: {error}"
        return
    yield from _led_elsewhere(text, url)


@lru_cache(maxsize=1)
def _readings(text: str) -> tuple[ReadTarget, ...]:
    return read_every_way(text)


def _led_elsewhere(text: str, url: URL) -> Iterator[str]:
    if any(reading.target != target_of(url) for reading in _readings(text)):
        yield f"{text!r} became {str(url)!r}, which leads elsewhere"
    plain = _SIMPLE.fullmatch(text.lower())
    if plain is not None and plain[1] != url.host:
        yield f"{text!r} became {str(url)!r}, and its host is not {plain[1]}"


def guessed_elsewhere(text: str, url: URL) -> Iterator[str]:
    """What some reader of a text that is guessed from would do otherwise; a scheme that nobody knows may be a slip."""
    target = target_of(url)
    for reading in _readings(text):
        read = reading.target
        if read.scheme not in syntax.ROWS and target is not None:
            read = read._replace(scheme=target.scheme, port=target.port if read.port is None else read.port)
        if read != target:
            yield f"{text!r} became {str(url)!r}, which leads elsewhere"


def main(count: int, seed: int = 1738) -> int:
    """Judge the corpora and that many texts, and say what came of it; 1 if a remedy is wrong."""
    wrong, remedies, judged = [], 0, 0
    for source in (corpora(), mutated(seed, count)):
        for text in source:
            found, offered = findings(text)
            wrong += found
            remedies += offered
            judged += 1
    summary = f"{judged:,} texts, {remedies:,} remedies, {len(wrong)} of them wrong (seed {seed})"
    sys.stdout.write("\n".join([summary, *wrong[:20], ""]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
