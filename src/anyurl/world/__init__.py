"""Small servers for every scheme, on loopback: the demo, the documentation and the tests use them.

`World` starts them; `anyurl serve` and `anyurl demo` are built on it. One file for each protocol, one row in
`anyurl.world.world`.
"""

from __future__ import annotations

from anyurl.world.world import World as World

__all__ = ["World"]
