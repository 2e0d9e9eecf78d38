"""The guard under httpcore2: a network backend for its pools; see `anyurl.adapters.backends`. For httpcore2 2."""

from __future__ import annotations

from typing import Any, ClassVar

import httpcore2

from anyurl.adapters.backends import AsyncBackend, Backend

__all__ = ["AsyncGuardedBackend", "GuardedBackend"]


class GuardedBackend(Backend, httpcore2.NetworkBackend):
    """A network backend of httpcore2 that connects to approved addresses only.

    Args:
        gate: The policy.
        came_from: Who names the hosts of this pool.
    """

    _core: ClassVar[Any] = httpcore2


class AsyncGuardedBackend(AsyncBackend, httpcore2.AsyncNetworkBackend):
    """The same for the asynchronous pools of httpcore2."""

    _core: ClassVar[Any] = httpcore2
