"""The schemes that are known and not spoken: what is said of each, in a few words."""

from __future__ import annotations

import re

from anyurl.schemes.known import MEANINGS, NOWHERE
from anyurl.url import syntax
from tests.rows import each_row

KEPT = {
    "afs": "Andrew File System global file names", "mid": "message identifiers for electronic mail",
    "cid": "content identifiers for MIME body parts", "nfs": "Network File System file names",
    "tn3270": "interactive 3270 emulation sessions", "mailserver": "access to data available from mail servers",
    "z39.50": "access to ANSI Z39.50 services",
}  # fmt: skip
"""RFC 1738 section 4, in its words and its order."""


def test_the_names_that_rfc_1738_keeps_for_later() -> None:
    assert list(MEANINGS.items())[: len(KEPT)] == list(KEPT.items())


@each_row("name", MEANINGS)
def test_each_is_a_name_and_a_few_words(name: str) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9+.-]*", name)  # RFC 1738 5, in lower case
    meaning = MEANINGS[name]
    assert meaning == meaning.strip()
    assert not meaning.endswith(".")
    assert 2 <= len(meaning.split()) <= 10 or meaning in ("printers", "Redis databases")
    assert syntax.row(name) is not None


def test_those_that_came_later_are_in_their_order() -> None:
    later = list(MEANINGS)[len(KEPT) :]
    assert later == sorted(later)


def test_a_scheme_over_tls_means_the_same() -> None:
    pairs = {name: name[:-1] for name in MEANINGS if MEANINGS[name].endswith(", over TLS")}
    assert {name: MEANINGS[name] for name in pairs} == {
        name: f"{MEANINGS[other].removesuffix(', over DTLS')}, over TLS" for name, other in pairs.items()
    }
    assert len(pairs) > 5


def test_what_is_nowhere_is_known() -> None:
    assert MEANINGS.keys() >= NOWHERE
    assert {"tel", "about", "javascript"} <= NOWHERE
    assert NOWHERE.isdisjoint({"ws", "sftp", "nfs", "mid"})
