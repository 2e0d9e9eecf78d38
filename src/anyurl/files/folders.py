"""Folders for the user's persistent state.

Rule: paths are only computed here; nothing is created or read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping


def state_folder(environment: Mapping[str, str] = os.environ) -> str:
    """The folder for state that is not configuration (XDG Base Directory: XDG_STATE_HOME)."""
    home = environment.get("HOME") or os.path.expanduser("~")
    state = environment.get("XDG_STATE_HOME") or ""
    return os.path.join(state if os.path.isabs(state) else os.path.join(home, ".local", "state"), "anyurl")
