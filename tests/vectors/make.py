"""Make ``vectors/*.jsonl`` and ``docs/vectors.md``: ``scripts/vectors``.

Rule: a vector says what anyurl says, and `tests/vectors/test_vectors.py` holds that against judges that read nothing of
anyurl; the texts are the examples of the documents, facts that were collected about RFC 1738, and texts that the
productions make, valid and one octet off. The same tree makes the same files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from anyurl import URL, diagnose, parse
from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Options, Request, Verb
from anyurl.errors import AnyURLError, SchemeError, URLSyntaxError
from anyurl.grammar import formal_grammar
from anyurl.grammar.grammars import GrammarName
from anyurl.schemes import registry
from anyurl.schemes.kit.scheme import VERBS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "vectors"
DATA = ROOT / "tests" / "data"

VERSION = 1
"""To be raised where what a vector says, or its form, changes; a new text alone changes nothing for others."""

GRAMMARS: tuple[GrammarName, ...] = ("rfc1738", "rfc1738-draft07", "current")
SCHEMES = ("ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero", "other")
EACH = 12
"""Texts that a production makes, and as many that are one octet off."""

OPTIONS = Options(mail_server="mail.example", mail_from="me@home.example", news_server="news.example")
OWN_COMMANDS = (b"SIZE", b"MDTM", b"EPSV", b"FEAT", b"SYST", b"MLSD", b"MLST", b"OPTS", b"CAPABILITIES")
"""Commands that this client sends for reasons of its own; RFC 1738 says nothing of them."""


def texts(grammar: GrammarName) -> Iterator[str]:
    """The texts to judge by a grammar, each once."""
    lines = (DATA / "grammar" / "seed_examples.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line)["url"] for line in lines]
    found += [row["url"] for row in json.loads((DATA / "url" / "rfc1738.json").read_text(encoding="utf-8"))["examples"]]
    formal = formal_grammar(grammar)
    for number, scheme in enumerate(SCHEMES):
        rule = formal.rule_of(scheme)
        found += islice(formal.generate(number, rule, valid=True), EACH)
        found += islice(formal.mutate(number, rule), EACH)
    # A lone octet is no character: JSON has none for it.
    yield from dict.fromkeys(text for text in found if len(text) < 300 and text.isprintable() and text.isascii())


def vector(text: str, grammar: GrammarName) -> dict[str, Any]:
    """All that is said of one text."""
    try:
        url = parse(text, grammar)
    except URLSyntaxError:
        first = next(one for one in diagnose(text, grammar) if one.severity == "error")
        return {"text": text, "verdict": False, "clause": first.section, "code": first.code, "components": None}
    return {
        "text": text, "verdict": True, "clause": clause_of(url, grammar), "code": None, "components": components(url),
        "parts": parts(url), "wire": wire(url),
    }  # fmt: skip


def clause_of(url: URL, grammar: GrammarName) -> str:
    """Where the form of such a URL is defined."""
    formal = formal_grammar(grammar)
    rule = formal.rule_of(url.scheme)
    return next(one.section for one in formal.rules if one.name == rule)


def components(url: URL) -> dict[str, Any]:
    """As they are written; null where there is none."""
    return {
        "scheme": url.scheme, "user": url.raw_user, "password": url.raw_password, "host": url.host,
        "port": url.explicit_port, "path": url.path, "query": url.query, "fragment": url.fragment,
    }  # fmt: skip


def parts(url: URL) -> dict[str, Any] | None:
    """What the scheme reads in it, decoded; octets that are not UTF-8 as ``\\udc80`` to ``\\udcff``."""
    try:
        return json.loads(json.dumps(dict(url.parts.as_dict()), default=str))  # type: ignore[no-any-return]
    except (URLSyntaxError, SchemeError):
        return None


def wire(url: URL) -> dict[str, list[str]]:
    """By verb, what is sent on each connection, an octet as a character U+0000 to U+00FF; without our own commands."""
    sent: dict[str, list[str]] = {}
    for verb in VERBS:
        try:
            octets = list(octets_of(url, verb))
        except AnyURLError:
            continue
        if any(octets):
            sent[verb] = [one.decode("latin-1") for one in octets]
    return sent


def octets_of(url: URL, verb: Verb) -> Iterator[bytes]:
    """What a verb sends to an ideal server, connection by connection; of http the first line and the host."""
    scheme = registry.find_scheme(url.scheme)
    peer = None if scheme.fake_server is None else scheme.fake_server(url, OPTIONS)
    run = Recorded(registry.verb(url, verb)(url, OPTIONS), peer)
    run.run()
    yield from run.requests
    for octets in run.sent.values():
        lines = octets.splitlines(keepends=True) if url.scheme in ("ftp", "news", "nntp") else [octets]
        yield b"".join(line for line in lines if not line.startswith(OWN_COMMANDS))


class Recorded(DryRun):
    """A dry run that keeps the requests of http, which libcurl writes."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.requests: list[bytes] = []

    def answer(self, ask: Any) -> Any:
        """As `DryRun.answer`."""
        if isinstance(ask, Request):
            host = (ask.url.authority or "").rpartition("@")[2]
            self.requests.append(f"{ask.method} {ask.target} HTTP/1.1\r\nHost: {host}\r\n".encode("latin-1"))
        return super().answer(ask)


def written(grammar: GrammarName) -> str:
    """The content of a grammar's file."""
    rows = [vector(text, grammar) for text in texts(grammar)]
    head = {"vectors": VERSION, "grammar": grammar, "reference": formal_grammar(grammar).reference, "count": len(rows)}
    return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in [head, *rows])


def main() -> int:
    """Write all files."""
    from tests.vectors.peers import PAGE, page

    for grammar in GRAMMARS:
        (FOLDER / f"{grammar}.jsonl").write_text(written(grammar), encoding="ascii")
        if grammar != "current":  # whose productions change with the schemes that are known
            (FOLDER / f"{grammar}.abnf").write_text(formal_grammar(grammar).abnf(), encoding="ascii", newline="")
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
