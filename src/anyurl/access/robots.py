"""robots.txt: which paths of a server a program that follows links may ask for (RFC 9309).

Rule: the group that names us, else that of ``*``; of its rules the longest that matches decides, and Allow wins a tie.
"""

from __future__ import annotations

import re

from anyurl.kernel import percent_encode

PRODUCT = "anyurl"
"""What a group calls us (RFC 9309 2.2.1)."""

MAX_ROBOTS_OCTETS = 500 * 1024
"""RFC 9309 2.5: at least so much of it is read; the rest is not."""

MAX_STARS = 16
"""Of one pattern. Attack: each one more multiplies the work of a pattern that almost matches."""

_SAFE = b"!$&'()*+,;=:@/%?-._~"


class Robots:
    """The rules for us.

    Args:
        text: The file; None where there is none, which allows everything (RFC 9309 2.3.1.3).

    >>> Robots("User-agent: *\\nDisallow: /private").allows("/private/x")
    False
    """

    def __init__(self, text: str | None) -> None:
        groups: dict[str, list[tuple[str, bool]]] = {}
        names: list[str] = []
        open_group = False
        for line in (text or "").lstrip("\ufeff").splitlines():
            field, colon, value = line.partition("#")[0].partition(":")
            field, value = field.strip().lower(), value.strip()
            if not colon:
                continue
            if field == "user-agent":
                names = names if open_group else []
                open_group = True
                names.append(value.lower())
                groups.setdefault(value.lower(), [])
            elif field in ("allow", "disallow"):
                open_group = False
                if value and value.count("*") <= MAX_STARS:
                    for name in names:
                        groups[name].append((value, field == "allow"))
        own = [rules for name, rules in groups.items() if re.match(r"[a-z_-]*", name)[0] == PRODUCT]  # type: ignore[index]
        chosen = [rule for rules in own for rule in rules] if own else groups.get("*", [])
        self._rules = [(len(pattern), allowed, _compiled(pattern)) for pattern, allowed in chosen]

    def allows(self, target: str) -> bool:
        """Whether a path, with its query, may be asked for."""
        if target == "/robots.txt":
            return True
        matching = [(length, allowed) for length, allowed, pattern in self._rules if pattern.match(target)]
        return not matching or max(matching)[1]


def _compiled(pattern: str) -> re.Pattern[str]:
    ends = pattern.endswith("$")
    written = percent_encode((pattern[:-1] if ends else pattern).encode("utf-8", "surrogateescape"), _SAFE)
    # Possessive between the stars: no pattern makes a search go back for long.
    text = "[^\\n]*?".join(re.escape(part) for part in re.sub(r"\*+", "*", written).split("*"))
    return re.compile(text + ("$" if ends else ""))
