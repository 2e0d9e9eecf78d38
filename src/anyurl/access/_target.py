"""Target: what every verb takes for the thing that it is about.

Rule: one name for it, so that what a verb takes is said, and widened, in one place.
"""

from __future__ import annotations

from typing import TypeAlias

from anyurl.url import URL

Target: TypeAlias = "URL | str"
"""A URL, or the text of one."""
