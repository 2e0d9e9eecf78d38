"""Zones in typed URLs: ``http://[fe80::1%eth0]/`` (RFC 9844).

Rule: a zone is not part of a URL and is removed from the text before anything else reads it. It is valid only after an
address that needs it; anywhere else it is a fault, as readers disagree on it.
"""

from __future__ import annotations

import re

from anyurl.url.host import needs_zone

_ZONE = r"%(?P<zone>[\w.+~-]+)"
_BARE = re.compile(rf"(?P<address>[0-9A-Fa-f:.]+){_ZONE}")
_IN_BRACKETS = re.compile(
    rf"(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?:[^\s/?#\[\]@]*@)?\[(?P<address>[0-9A-Fa-f:.]+){_ZONE}\](?=[:/?#]|$)"
)


def take_zone(text: str) -> tuple[str, str]:
    """The text without the zone of its host's address, and the zone; the unchanged text and "" without a zone.

    >>> take_zone("http://[fe80::1%eth0]:8080/a")
    ('http://[fe80::1]:8080/a', 'eth0')
    """
    found = _IN_BRACKETS.match(text) or _BARE.fullmatch(text)
    if found is None or not needs_zone(found["address"]):
        return text, ""
    zone = found["zone"]
    if len(zone) > 2 and zone.startswith("25"):  # RFC 6874 wrote the percent sign as %25
        zone = zone[2:]
        if zone.isdigit():  # the interface of the longer number could be meant as well
            return text, ""
    return text[: found.end("address")] + text[found.end("zone") :], zone
