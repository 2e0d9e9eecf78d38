"""A secret shows itself to nobody who does not ask for it."""

from __future__ import annotations

import copy
import pickle
from dataclasses import asdict, dataclass

import pytest

from anyurl import Login
from anyurl.dialogue.secret import Secret


def test_only_reveal_shows_it() -> None:
    secret = Secret("s3cret", "me")
    assert (secret.reveal(), secret.user, Secret("s3cret").user) == ("s3cret", "me", "")
    assert "s3cret" not in f"{secret} {secret!r} {[secret]}"
    assert secret == Secret("s3cret")
    assert secret != Secret("other")
    assert secret != "s3cret"  # nor has it to be a secret that it is compared with
    assert len({secret, Secret("s3cret")}) == 1
    with pytest.raises(TypeError, match="plain text"):
        pickle.dumps(secret)


def test_settings_that_hold_one_can_be_copied_in_memory() -> None:
    @dataclass
    class Settings:
        login: Login

    login = Login("me", "s3cret")
    assert asdict(Settings(login))["login"] == login
    assert copy.copy(login) == login
