"""The log and the figures: one object a line, nothing hostile in it, and what Prometheus reads."""

from __future__ import annotations

import json

from anyurl.proxy.journal import KEYS, Journal


def test_a_line() -> None:
    lines: list[str] = []
    journal = Journal(lines.append)
    journal.note(role="a", method="GET\n", url="http://h/\x1b[31m", decision="allowed", code="allowed", octets=5)
    (line,) = lines
    record = json.loads(line)
    assert tuple(record) == KEYS
    assert "\x1b" not in line
    assert record["message"] is None
    assert record["time"].endswith("Z")


def test_the_figures() -> None:
    journal = Journal(lambda _: None)
    journal.note(role='a"b', decision="refused", code="address-private", octets=0)
    journal.note(role="a", decision="allowed", code="allowed", octets=5)
    journal.note(role="a", decision="allowed", code="allowed", octets=6)
    journal.note(role="a", decision="failed", code="timeout", octets=None)
    journal.note(role=None, decision="refused", code="no-role")
    journal.connections = 3
    lines = journal.figures().splitlines()
    assert 'anyurl_proxy_decisions_total{role="a",decision="allowed",code="allowed"} 2' in lines
    assert 'anyurl_proxy_decisions_total{role="a\\"b",decision="refused",code="address-private"} 1' in lines
    assert 'anyurl_proxy_octets_total{role="a"} 11' in lines
    assert 'anyurl_proxy_octets_total{role=""} 0' in lines
    assert 'anyurl_proxy_decisions_total{role="",decision="refused",code="no-role"} 1' in lines
    assert "anyurl_proxy_connections 3" in lines
    assert len([line for line in lines if line.startswith("# TYPE ")]) == 5


def test_a_name_is_written_as_prometheus_reads_it() -> None:
    journal = Journal(lambda _: None)
    journal.note(role='a\\b"c\nd', decision="allowed", code="allowed", octets=1)
    assert 'anyurl_proxy_octets_total{role="a\\\\b\\"c\\nd"} 1' in journal.figures().split("\n")


def test_a_request_that_asks_again_with_its_token_was_not_refused() -> None:
    """git, and all that libcurl is told to find the way to log in for: the first request has no token."""
    journal = Journal(lambda _: None)
    for url in ("h:443", "h:443", "g:443"):
        journal.note(role=None, method="CONNECT", url=url, decision="refused", code="no-role")
    assert journal.refused == {("CONNECT", "h:443", "no-role"): 2, ("CONNECT", "g:443", "no-role"): 1}
    journal.note(role="a", method="CONNECT", url="h:443", decision="allowed", code="allowed")
    journal.note(role="a", method="CONNECT", url="g:443", decision="refused", code="host-not-allowed")
    assert journal.refused == {("CONNECT", "g:443", "host-not-allowed"): 1}
