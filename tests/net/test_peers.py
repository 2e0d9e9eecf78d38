"""In which order addresses are tried, and which are the same."""

from __future__ import annotations

import pytest

from anyurl.net.peers import interleave, same_address


@pytest.mark.parametrize(
    ("addresses", "order"),
    [
        (["6::1", "6::2", "6::3", "4.0.0.1"], ["6::1", "4.0.0.1", "6::2", "6::3"]),  # RFC 8305 4: by turns
        (["4.0.0.1", "4.0.0.2", "6::1"], ["4.0.0.1", "6::1", "4.0.0.2"]),
        (["4.0.0.1"], ["4.0.0.1"]),
        ([], []),
    ],
)
def test_the_families_come_by_turns(addresses: list[str], order: list[str]) -> None:
    assert interleave(addresses) == order


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.2", False),
        ("::1", "0:0:0:0:0:0:0:1", True),
        ("fe80::1%lo", "fe80::1", True),
        ("::ffff:127.0.0.1", "127.0.0.1", False),
    ],
)
def test_addresses_that_are_the_same(one: str, other: str, same: bool) -> None:
    assert same_address(one, other) is same
