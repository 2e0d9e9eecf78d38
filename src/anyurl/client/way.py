"""Way: how a resource was reached, as its consumer sees it; `anyurl.client.redirect.RedirectChain` is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from anyurl.dialogue import Resume
from anyurl.net.loop.task import Task


class Way(Protocol):
    """The redirect chain that led to a resource, and can be repeated."""

    task: Task

    def again(self, resume: Resume, notify: Callable[[], None] | None = None) -> Way:
        """Repeat it for the rest of the resource."""
        ...

    def arrived(self) -> bool:
        """Whether it has reached the resource or failed."""
        ...

    def check(self) -> None:
        """Raise the error that ended it, if any."""
        ...

    def drop(self) -> None:
        """Give up."""
        ...
