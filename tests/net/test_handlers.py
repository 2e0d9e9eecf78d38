"""Handlers: what an ask is answered with where the answer takes more than one turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl import Policy
from anyurl.dialogue import Dialogue, Emit, ListFolder, OpenFolder
from anyurl.errors import LimitError
from anyurl.net.handlers import handlers
from anyurl.net.scheduler import Scheduler
from tests.net.connecting import run


@pytest.mark.parametrize("most", [2, 3])
def test_a_directory_is_listed_as_far_as_its_limit_allows(tmp_path: Path, most: int) -> None:
    for name in "abc":
        (tmp_path / name).touch()
    policy = Policy.open()
    scheduler = Scheduler(policy.replace(limits=policy.limits.replace(listing_entries=most)), handlers)

    def listing() -> Dialogue:
        folder = yield from OpenFolder(str(tmp_path))
        try:
            facts = yield from ListFolder(folder)
        except LimitError as error:
            yield from Emit(b"refused")
            raise error
        yield from Emit(" ".join(each.name for each in facts).encode())
        return None

    try:
        if most == 3:
            assert run(scheduler, listing, "file:///x") == b"a b c"
        else:
            with pytest.raises(LimitError, match="has more than 2 entries"):
                run(scheduler, listing, "file:///x")
    finally:
        scheduler.close()
