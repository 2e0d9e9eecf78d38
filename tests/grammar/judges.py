"""The two that say whether a text is a URL by RFC 1738, held against each other: diagnosis and oracle.

`test_oracle.py` judges a share in every run; ``python -m tests.grammar.judges 500000`` judges that many.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from anyurl.errors import URLSyntaxError
from anyurl.grammar import diagnose, parse
from tests.grammar import oracle
from tests.grammar.strings import texts

UNEXPLAINED = frozenset({"form", "host"})
"""The codes of what is said when no better sentence was found."""


def accepts(text: str) -> bool:
    """Whether `parse` takes a text for a URL of RFC 1738."""
    try:
        parse(text, "rfc1738")
    except URLSyntaxError:
        return False
    return True


class Tally:
    """What was counted.

    Attributes:
        judged: Texts.
        accepted: Those that are URLs, by the oracle.
        faults: Errors that the diagnosis told.
        unexplained: Texts that it refused without a sentence of their own.
        disagreements: What is not judged alike, as sentences.
    """

    def __init__(self) -> None:
        self.judged = self.accepted = self.faults = self.unexplained = 0
        self.disagreements: list[str] = []

    def __str__(self) -> str:
        return (
            f"{self.judged:,} texts, {self.accepted:,} accepted, {self.faults:,} faults told in the others, "
            f"{self.unexplained} without a sentence of their own, {len(self.disagreements)} disagreements"
        )


def compare(seed: int, count: int, name: str = "rfc1738") -> Tally:
    """Judge that many texts by each."""
    return judge(texts(seed, count, name), name)


def judge(given: Iterable[str], name: str = "rfc1738") -> Tally:
    """Judge these texts by each."""
    tally, codes = Tally(), Counter[str]()
    for text in given:
        faults = [one for one in diagnose(text, name) if one.severity == "error"]  # type: ignore[arg-type]
        said = {"diagnosis": not faults, "oracle": oracle.accepts(text, name)}
        if len(set(said.values())) > 1:
            tally.disagreements.append(f"{text!r}: {said}")
        codes.update(fault.code for fault in faults)
        tally.judged += 1
        tally.accepted += said["oracle"]
        tally.unexplained += any(fault.code in UNEXPLAINED for fault in faults)
    tally.faults = codes.total()
    return tally


def main(count: int, seed: int = 1738) -> int:
    """Judge that many of each document and say what came of it; 1 if they disagree."""
    code = 0
    for name in ("rfc1738", "rfc1738-draft07"):
        tally = compare(seed, count, name)
        code |= bool(tally.disagreements)
        sys.stdout.write("\n".join([f"{name} (seed {seed}): {tally}", *tally.disagreements[:20], ""]))
    return code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
