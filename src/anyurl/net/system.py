"""The system's sockets and threads: which module knows of them.

Rules: what this room needs of sockets it takes from `_socket`. Python's `socket` on top of it defines enumerations and
loads `selectors`, which was a twelfth of the start of the command. But what reaches another machine, a socket or a
look-up, is asked of `socket` as soon as anything has loaded that: others put functions of their own there (those of
pytest-socket forbid all connections, those of gevent let others run while they wait). And `threading` is loaded by
whoever has several threads.
"""

from __future__ import annotations

import _socket
import sys
from typing import Any


def sockets() -> Any:
    """The module to ask for a socket or an address: `socket` if it is loaded, else `_socket`."""
    return sys.modules.get("socket") or _socket  # None where importing it was forbidden


def socket_pair() -> Any:
    """Two sockets that are connected with each other. Raises OSError if there are no descriptors."""
    try:
        make = _socket.socketpair
    except AttributeError:
        from socket import socketpair as make  # Windows, where they are made of TCP
    return make()


def is_main_thread() -> bool:
    """Whether this is the thread in which the interpreter began: the only one, if nothing has loaded `threading`."""
    threading = sys.modules.get("threading")
    return threading is None or threading.current_thread() is threading.main_thread()


def are_threads() -> bool:
    """Whether there are threads beside this one."""
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1
