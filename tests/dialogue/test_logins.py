"""Logins as values: what they are made of, and that they show no secret."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Authorization, Login, Secret
from anyurl.dialogue.logins import ProtectionSpace


def test_a_login_shows_no_secret() -> None:
    assert repr(Login("joe", "pw-1")) == "Login(kind='any', user='joe', secret=Secret(***))"
    assert "pw-1" not in repr(Authorization("Basic", Secret("pw-1"), Secret("pw-1")))


def test_logins_are_compared_by_all_that_they_are() -> None:
    same = [Login("joe", "x"), Login("joe", Secret("x")), Login("joe", "x").revealed()]
    others = [Login("joe", "y"), Login("jim", "x"), Login("joe"), Login.basic("joe", "x"), Login.digest("joe", "x"),
              Login.bearer("x")]  # fmt: skip
    assert len({*same}) == 1
    assert len({*same, *others}) == 1 + len(others)


@pytest.mark.parametrize(
    ("login", "kind", "user", "secret"),
    [
        (Login("joe", "x"), "any", "joe", "x"),
        (Login.basic("joe", "x"), "basic", "joe", "x"),
        (Login.digest("joe", "x"), "digest", "joe", "x"),
        (Login.bearer("x"), "bearer", "", "x"),
    ],
)
def test_the_kinds_of_logins(login: Login, kind: str, user: str, secret: str) -> None:
    assert (login.kind, login.user, login.secret) == (kind, user, Secret(secret))


def test_answers_to_a_challenge_are_counted_from_the_second_on() -> None:
    space = ProtectionSpace()
    assert space.next() is None
    space.keep("a")
    assert [space.next(), space.next()] == [("a", 2), ("a", 3)]  # the first was given before it was kept
    space.keep("b")
    assert space.next() == ("b", 2)
    space.forget()
    assert space.next() is None


def test_a_login_whose_secret_was_read_knows_the_same_challenge() -> None:
    login = Login.digest("joe", "x")
    assert login.revealed().space is login.space
    assert Login("joe").revealed().secret is None


def test_what_is_no_login() -> None:
    with pytest.raises(TypeError, match="a login has str values"):
        Login("joe", 7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a login has str values"):
        Login(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a bearer's token"):
        Login.bearer(None)  # type: ignore[arg-type]
