"""Hosts for a shell to complete, from a file that the person names: a shell's history, bookmarks, notes.

Rule: nothing is read unless the settings file names the file, and nothing is written. Only scheme, host and port of its
URLs are offered: no user, no password, no path.
"""

from __future__ import annotations

import os
import stat

MAX_OCTETS = 1024 * 1024
"""The most octets that are read, from the end of the file, where the newest lines are; it is read at each Tab."""


def roots(path: str) -> list[str]:
    """The root URL of each server in a file, the newest first; none if the file can't be read."""
    from anyurl.files.system import flags
    from anyurl.text import find

    try:
        # Opening a FIFO there must not block the shell.
        handle = os.open(os.path.expanduser(path), flags("RDONLY", "NONBLOCK", "CLOEXEC"))
        with open(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode):
                return []
            file.seek(max(0, facts.st_size - MAX_OCTETS))
            data = file.read(MAX_OCTETS)
    except OSError:
        return []
    urls = [found.url for found in find(data) if found.url.host]
    servers = (f"{url.scheme}://{(url.authority or '').rpartition('@')[2]}/" for url in reversed(urls))
    return list(dict.fromkeys(servers))


def joined(words: str, place: int) -> tuple[str, int]:
    """The words of a command line and the index of the one to complete, with URLs joined that bash splits at colons."""
    parts = words.split("\n")
    at = 1
    while at <= place and at < len(parts):
        if parts[at] == ":":
            rest = parts[at + 1] if at < place and at + 1 < len(parts) else ""
            if rest and not rest.startswith("//") and "://" not in parts[at - 1]:
                rest = ""
            parts[at - 1 : at + (2 if rest else 1)] = [f"{parts[at - 1]}:{rest}"]
            place -= 2 if rest else 1
        else:
            at += 1
    return "\n".join(parts), place


def completed(found: list[str], incomplete: str, *, behind_colon: bool) -> list[str]:
    """The candidates that begin with the typed text; bash inserts only the part after its last colon."""
    scheme = f"{incomplete.partition(':')[0]}:" if behind_colon and ":" in incomplete else ""
    return [each.removeprefix(scheme) for each in found if each.startswith(incomplete)]
