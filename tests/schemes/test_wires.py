"""Messages of each protocol, whole and broken, and what is understood of them: every field, and every error."""

from __future__ import annotations

import json

import pytest

from tests.schemes.wires import FOLDER, TARGETS, lines


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_understood(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [json.loads(line) for line in (FOLDER / f"{target}.jsonl").read_text(encoding="ascii").splitlines()]
    for _ in range(2):  # nothing that was read before changes what is understood
        assert [json.loads(line) for line in lines(target, monkeypatch.setattr)] == wanted
    assert len(wanted) > 10
