"""The whole corpus of URLs that reach where they should not, from curl through the proxy, judged at the C library.

A client reads a URL before a proxy hears of it. What curl makes of a text is listed by name; the proxy is asked for the
text itself, octet for octet, as well.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.adapters.test_corpus import CASES, folder, through, went_wrong
from tests.net.ssrf import HARMLESS
from tests.proxy.curl import NAMES

__all__ = ["folder"]

READ_BY_CURL: dict[int, str] = {
    73: "87.0.0.1",  # the octal number of 0127.0.0.1
    183: "2606:4700:4700::1111",  # a public address has no zone
    **dict.fromkeys((208, 239, 241, 245, 247, 263, 302, 309, 314, 315, 321, 642), "public.test"),  # the rest is a login
}
"""What is unclear as a text, and what curl asks the proxy for instead: a public place, which is where it leads."""

PROTOCOLS_OF_CURL = {548: "it is gopher in a tunnel, to a port that the role allows"}

OWN_READING: dict[str, set[int]] = {"curl": set(), "curl, SOCKS 5h": set(), "as it is written": set()}
"""What the corpus would allow, and curl itself, or HTTP, does not read or send."""


@pytest.mark.needs("curl", "namespace", "compiler")
@pytest.mark.parametrize("name", NAMES if os.environ.get("ANYURL_SLOW") else ("curl", "as it is written"))
def test_nothing_is_let_through(name: str, folder: Path) -> None:
    outcomes = through(name, list(CASES.values()), folder)
    assert [outcome["id"] for outcome in outcomes] == list(CASES)
    counted = [(CASES[outcome["id"]], outcome) for outcome in outcomes if not CASES[outcome["id"]].get("contested")]
    wrong = {
        case["id"]: (case["url"], reason, outcome["error"], outcome["connected"])
        for case, outcome in counted
        if case["id"] not in HARMLESS and (reason := went_wrong(case, outcome)) is not None
    }
    if name.startswith("curl"):
        read = {number: wrong.pop(number) for number in READ_BY_CURL}
        assert {reason for _, reason, _, _ in read.values()} <= {
            "was accepted", *(f"connected to {place}" for place in READ_BY_CURL.values())
        }  # fmt: skip
    if "SOCKS" in name:
        assert wrong.keys() == PROTOCOLS_OF_CURL.keys()
    else:
        assert wrong == {}, json.dumps(wrong)
    denied = {
        case["id"]: (case["url"], outcome["error"])
        for case, outcome in counted
        if case["expect"] == "allow" and case["url"].startswith("http") and outcome["error"]
    }
    assert set(denied) == OWN_READING[name], json.dumps(denied)
    assert sum(bool(outcome["connected"]) for outcome in outcomes) > 40  # it was tried
