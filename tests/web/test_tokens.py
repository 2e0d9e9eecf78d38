"""What waits for a browser: the oldest is forgotten first, and a name is nothing that can be guessed."""

from __future__ import annotations

from anyurl.web.tokens import TOKEN_OCTETS, TokenStore


def test_the_oldest_is_forgotten_first() -> None:
    store: TokenStore[int] = TokenStore(3)
    names = [store.keep(number) for number in range(4)]
    assert [store.get(name) for name in names] == [None, 1, 2, 3]


def test_what_is_taken_is_gone() -> None:
    store: TokenStore[int] = TokenStore(3)
    first, second = store.keep(1), store.keep(2)
    assert [store.take(first), store.take(first), store.get(first)] == [1, None, None]
    assert [store.get(second), store.get(second)] == [2, 2]


def test_a_name_is_made_up_for_each() -> None:
    store: TokenStore[int] = TokenStore(3)
    names = {store.keep(1) for _ in range(100)}
    assert (len(names), {len(name) for name in names}) == (100, {TOKEN_OCTETS * 4 // 3})
    assert [store.get("guessed"), store.get("")] == [None, None]
