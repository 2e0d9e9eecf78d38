"""One step of a dialogue: whatever a peer says, and whenever it begins to, the loop is not held for long."""

from __future__ import annotations

import os

import pytest

from anyurl.dialogue import Verb
from anyurl.schemes import registry
from anyurl.schemes.prospero import answers
from anyurl.url import URL
from fuzz.steps import BLOCKS, LINES_OF_A_STEP, URLS, cases, longest_step

MOMENTS = 16
"""Turns of the peer: no rehearsed dialogue has more."""

EVERY = 1 if os.environ.get("ANYURL_SLOW") else 12
"""Which of the blocks are tried: ANYURL_SLOW has them all. Each turn begins at another one."""


@pytest.mark.promise("limits")
@pytest.mark.parametrize(("text", "verb"), list(cases()))
def test_a_step_is_short_whatever_the_peer_says(text: str, verb: Verb) -> None:
    url, slow, turns = URL(text), [], 0
    for moment in range(MOMENTS):
        blocks = BLOCKS[(turns + URLS.index(text)) % EVERY :: EVERY]
        found = {block: longest_step(url, verb, moment, block) for block in blocks}
        if all(lines is None for lines in found.values()):
            break
        turns += 1
        long = [block for block, lines in found.items() if (lines or 0) > LINES_OF_A_STEP]
        again = {block: longest_step(url, verb, moment, block) for block in long}  # the first time it loads modules
        slow += [(moment, block, lines) for block, lines in again.items() if (lines or 0) > LINES_OF_A_STEP]
    assert slow == []
    assert turns < MOMENTS


def test_every_scheme_with_verbs_is_among_them() -> None:
    named = {URL(text).scheme for text in URLS}
    assert set(registry.spoken()) <= named


def test_a_step_that_is_long_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Prospero's was, which read each piece of a reply at once."""
    monkeypatch.setattr(answers, "portions", lambda data: [data])
    found = longest_step(URL("prospero://h/x"), "get", 0, b"\n")
    assert found is not None
    assert found > LINES_OF_A_STEP
