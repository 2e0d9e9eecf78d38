"""Folders: where this user's programs keep what they have to remember.

Rule: nothing is made or looked at here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping


def state_folder(environment: Mapping[str, str] = os.environ) -> str:
    """Where this user's programs keep what is no setting (XDG Base Directory: XDG_STATE_HOME)."""
    home = environment.get("HOME") or os.path.expanduser("~")
    state = environment.get("XDG_STATE_HOME") or ""
    return os.path.join(state if os.path.isabs(state) else os.path.join(home, ".local", "state"), "anyurl")
