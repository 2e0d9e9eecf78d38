"""What may come out of what is packed."""

from __future__ import annotations

import pytest

from anyurl.errors import LimitError
from anyurl.text.limits import FREE_OCTETS, Budget


def test_each_limit_has_its_name() -> None:
    with pytest.raises(LimitError) as caught:
        Budget(octets=10).take(11, 11, 11)
    assert caught.value.limit == "MAX_OCTETS"
    budget = Budget(ratio=10)
    budget.take(1, FREE_OCTETS, 1)
    with pytest.raises(LimitError) as caught:
        budget.take(1, FREE_OCTETS + 1, 1)
    assert caught.value.limit == "MAX_RATIO"
    budget = Budget(members=1)
    budget.member()
    with pytest.raises(LimitError) as caught:
        budget.member()
    assert caught.value.limit == "MAX_MEMBERS"
