"""What a caller gives to a session."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from anyurl.dialogue.sessions import Command, CommandName
from anyurl.errors import LocalProtocolError


@pytest.mark.parametrize("name", get_args(CommandName))
def test_a_signal(name: CommandName) -> None:
    assert Command(name).name == name


@pytest.mark.parametrize("name", ["", "IP", "no such signal", None])
def test_what_is_no_signal_is_refused_with_those_there_are(name: Any) -> None:
    with pytest.raises(LocalProtocolError, match="is not a signal for a service; the signals are: '"):
        Command(name)
