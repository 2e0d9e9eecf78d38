"""Each refusal cites a clause that says what it is cited for: one table has the words of the document.

Rule: ``tests/data/grammar/citations.tsv`` has a row for each clause of RFC 1738 and of its draft that a diagnostic
cites, by its code, and that a message cites, by the file that it stands in. Where the documents lie beside the tree the
words are looked up in them.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from anyurl.url.faults import FAULTS
from tests.architecture.source import ROOT, modules

DATA = ROOT / "tests" / "data" / "grammar"
SEEDS = Path(ROOT, "..", "shared", "seeds")
DRAFT = "draft-ietf-uri-url-07"

_CITED = re.compile(r"RFC 1738,? (?:section )?(\d+(?:\.\d+)*|appendix)")


@cache
def table() -> dict[tuple[str, str], str]:
    """The words, by the code or the file, and the clause."""
    rows = [line.split("\t") for line in (DATA / "citations.tsv").read_text(encoding="utf-8").splitlines()]
    assert len({(where, clause) for where, clause, _ in rows}) == len(rows)
    return {(where, clause): words for where, clause, words in rows}


def cited_by_diagnostics() -> Iterator[tuple[str, str]]:
    """What the examples of every diagnostic cite, and today's faults."""
    for line in (DATA / "diagnoses.jsonl").read_text(encoding="utf-8").splitlines():
        for code, _, _, _, _, section, *_ in json.loads(line)["diagnostics"]:
            yield code, section
    for code, _, _, section, _ in FAULTS.values():
        yield code, section


def cited_by_messages() -> Iterator[tuple[str, str]]:
    """What the texts of each file cite, its documentation aside."""
    for module in modules():
        if "RFC 1738" not in module.text:
            continue
        documentation = {node.value for node in module.nodes if isinstance(node, ast.Expr)}
        for node in module.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documentation:
                for clause in _CITED.findall(node.value):
                    yield module.path, f"RFC 1738 {clause}"


def is_old(clause: str) -> bool:
    return clause.startswith(("RFC 1738 ", DRAFT))


def test_every_citation_stands_in_the_table_and_no_other() -> None:
    cited = {*cited_by_diagnostics(), *cited_by_messages()}
    assert {pair for pair in cited if is_old(pair[1])} == table().keys()


def test_the_documents_say_what_they_are_cited_for() -> None:
    """The words are no more than a piece of a sentence; what an editor of the documents put between is left out."""
    if not SEEDS.exists():
        return
    final, draft = said(SEEDS.glob("00[13]*")), said(SEEDS.glob("000*"))
    assert len(final) > 20_000
    lacking = []
    for (where, clause), words in table().items():
        texts = (draft,) if clause.startswith(DRAFT) else (final, draft)  # the RFC, and the draft where that is lost
        if not any(bare(words) in text for text in texts):
            lacking.append((where, clause, words))
    assert lacking == []


def said(paths: Iterator[Path]) -> str:
    return bare("\n".join(path.read_text(encoding="utf-8") for path in sorted(paths)))


def bare(text: str) -> str:
    """Words in lower case, one space between them, the numbers of lines and of references gone."""
    return " ".join(re.sub(r"(?<![\w.])\d{1,4}(?![\w.])", " ", text).split()).lower()


def test_a_citation_of_its_own_document_is_none() -> None:
    """What RFC 1738 refuses is not told to be allowed by a clause of it."""
    pairs = {pair for pair in cited_by_diagnostics() if pair[0] == "changed"}
    assert [section for _, section in pairs if is_old(section)] == []
