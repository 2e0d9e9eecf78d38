from __future__ import annotations

from anyurl.files.folders import state_folder


def test_where_they_are() -> None:
    assert state_folder({"HOME": "/h"}) == "/h/.local/state/anyurl"
    assert state_folder({"HOME": "/h", "XDG_STATE_HOME": "/y"}) == "/y/anyurl"
    assert state_folder({"HOME": "/h", "XDG_STATE_HOME": "relative"}) == "/h/.local/state/anyurl"
    assert state_folder({"HOME": "/h", "XDG_STATE_HOME": ""}) == "/h/.local/state/anyurl"
    assert state_folder({"XDG_STATE_HOME": "/y"}) == "/y/anyurl"
