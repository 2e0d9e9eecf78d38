"""The guard under httpcore: a network backend for its pools; see `anyurl.adapters.backends`. For httpcore 1.0."""

from __future__ import annotations

from typing import Any, ClassVar

import httpcore

from anyurl.adapters.backends import AsyncBackend, Backend

__all__ = ["AsyncGuardedBackend", "GuardedBackend"]


class GuardedBackend(Backend, httpcore.NetworkBackend):
    """A network backend of httpcore that connects to approved addresses only.

    Args:
        gate: The policy.
        came_from: Who names the hosts of this pool.
    """

    _core: ClassVar[Any] = httpcore


class AsyncGuardedBackend(AsyncBackend, httpcore.AsyncNetworkBackend):
    """The same for the asynchronous pools of httpcore."""

    _core: ClassVar[Any] = httpcore
