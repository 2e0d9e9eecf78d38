"""Logins as values: what they are made of, and that they show no secret."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Authorization, Login, Secret


def test_a_login_shows_no_secret() -> None:
    assert repr(Login("joe", "pw-1")) == "Login(kind='any', user='joe', secret=Secret(***))"
    assert "pw-1" not in repr(Authorization("Basic", Secret("pw-1"), Secret("pw-1")))


def test_logins_are_compared_by_all_that_they_are() -> None:
    same = [Login("joe", "x"), Login("joe", Secret("x")), Login("joe", "x").revealed()]
    others = [Login("joe", "y"), Login("jim", "x"), Login("joe"), Login.basic("joe", "x"), Login.digest("joe", "x"),
              Login.bearer("x")]  # fmt: skip
    assert len({*same}) == 1
    assert len({*same, *others}) == 1 + len(others)


def test_what_is_no_login() -> None:
    with pytest.raises(TypeError, match="a user and a password, both str"):
        Login("joe", 7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a user and a password, both str"):
        Login(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a bearer's token"):
        Login.bearer(None)  # type: ignore[arg-type]
