"""A state is let go of when its test ends, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from anyurl.batch.check.state import CheckState


@pytest.fixture(autouse=True)
def _states_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    opened: list[CheckState] = []
    make = CheckState.__init__

    def remember(self: CheckState, *values: Any, **given: Any) -> None:
        make(self, *values, **given)
        opened.append(self)

    monkeypatch.setattr(CheckState, "__init__", remember)
    yield
    for state in opened:
        state.close()
