"""The table of docs/guard-your-client.md as data: `python -m tests.adapters.table` writes it into the page.

Rule: each cell is judged on the wire, the first part by ``test_attacks.py`` and the second by ``tests/hop``.
"""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guard-your-client.md"

CLIENTS = ("httpx", "httpx, async", "httpx2", "httpx2, async", "requests", "urllib3", "aiohttp", "urllib")

_LETTERS = {"c": "closed", "f": "by the factory", "y": "yours", "-": "none"}


ATTACKS = {
    "every spelling of an address": "c c c c c c c c",
    "every form of IPv6": "c c c c c c c c",
    "a name that changes its address (DNS rebinding)": "c c c c c c c c",
    "a name with many addresses": "c c c c c c c c",
    "a redirect to a private address": "c c c c c c c c",
    "a redirect from TLS to cleartext": "c c c c f c f f",
    "a request body sent to another origin": "c c c c f c f c",
    "a login in a redirect": "c c c c c c f c",
    "a `.netrc` login for a redirect's target": "c c c c f c c c",
    "a proxy from the environment": "c c c c c c c c",
    "a proxy that the program names": "f f f f c y c c",
    "another mount, pool or handler": "f f f f f y f f",
    "a connection opened under another policy": "c c c c c c c c",
    "a retry that repeats the look-up": "c c c c c c c c",
    "one HTTP/2 connection for two names": "c c c c c c c c",
    "a `Host` field that differs from the host": "y y y y y y y y",
}
"""The cells of each row, by the clients' order; see `_LETTERS`."""

OF_A_HOP = {
    "an `Authorization` field": "c c c c f c c f",
    "a login given as `auth=`": "c c c c f - f f",
    "an answer to a Digest challenge": "c c c c f - f f",
    "a `Cookie` field": "c c c c c c c f",
    "a cookie that is for no host": "f f f f f - f f",
    "a cookie of one host": "f f f f f - c f",
    "a `Proxy-Authorization` field": "c c c c c c c f",
    "a field such as `X-Api-Key`": "c c c c f c f f",
    "the words of `params=`": "c c c c c c c c",
    "a client certificate": "c c c c f c f f",
}
"""The same for what is the user's, and for every other origin."""


def cell(row: str, client: str) -> str:
    """What the page says."""
    return _LETTERS[(ATTACKS | OF_A_HOP)[row].split()[CLIENTS.index(client)]]


def table(head: str, rows: dict[str, str]) -> str:
    """One table in Markdown."""
    lines = [f"| {head} | {' | '.join(CLIENTS)} |", "|---" * (1 + len(CLIENTS)) + "|"]
    lines += [f"| {row} | {' | '.join(cell(row, client) for client in CLIENTS)} |" for row in rows]
    return "\n".join(lines) + "\n"


TABLES = {"attack": ATTACKS, "yours, to another origin": OF_A_HOP}


def page_with_tables(page: str) -> str:
    """The page with the tables as they are here."""
    for head, rows in TABLES.items():
        found = re.search(rf"^\| {re.escape(head)} \|.*\n(?:\|.*\n)*", page, re.MULTILINE)
        if found is not None:
            page = page[: found.start()] + table(head, rows) + page[found.end() :]
    return page


if __name__ == "__main__":
    PAGE.write_text(page_with_tables(PAGE.read_text("utf-8")), "utf-8")
