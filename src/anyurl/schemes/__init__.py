"""The schemes: one folder each, loaded when the first URL of it is read or followed.

Rule: schemes never touch the network or a file; they ask (`anyurl.dialogue`). RFC 1738 section 3.

``anyurl.schemes`` names this package, and ``anyurl.schemes()`` lists what is known: the package can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType


class _Schemes(ModuleType):
    """A package that can be called, so that the function and the package of one name don't fight for it."""

    def __call__(self) -> tuple[str, ...]:
        from anyurl.schemes import registry

        return registry.schemes()


sys.modules[__name__].__class__ = _Schemes
