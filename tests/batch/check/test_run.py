"""Runs: each different URL is asked for once, in its scheme's cheapest honest way."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from anyurl import Client, Policy
from anyurl.batch.check import CheckState, Run
from anyurl.batch.check.outcome import Finding
from anyurl.batch.check.run import way_of
from anyurl.batch.check.sources import document
from anyurl.batch.check.state import BATCH
from anyurl.text import find
from anyurl.url import URL
from anyurl.values import Provenance
from anyurl.world import World
from tests.batch.check.site import Site, moved, page
from tests.servers import Connection, reply

HERE = document(private=True)


def listed(urls: Iterable[str | URL], origin: Provenance = HERE) -> CheckState:
    state = CheckState(None, "w", resume=False, now=1000.0)
    for each in urls:
        url = URL(str(each))
        state.add(url, origin, way_of(url))
    return state


def outcomes(state: CheckState, client: Client, **options: int) -> dict[str, str]:
    found = {each.url.masked: each.finding.outcome for each in Run(client, state, **options)}
    assert {url.masked: finding.outcome for _, url, finding in state.results()} == found
    return found


def closed(connection: Connection) -> bytes:
    """A server that says nothing and goes."""
    connection.reset()
    return b"\r\n\r\n"


def test_what_is_known_is_written_when_there_is_enough_of_it_whatever_the_clock_says() -> None:
    """And no sooner: a check of a million is not a million transactions."""
    state, written = listed(f"http://10.0.0.1/{number}" for number in range(BATCH + 5)), []
    with Client(policy=Policy.untrusted()) as client:
        for _ in Run(client, state, clock=lambda: 0.0):
            written.append(len([*state.results()]))
    assert written == [0] * (BATCH - 1) + [BATCH] * 6
    assert len([*state.results()]) == BATCH + 5


def test_what_is_not_asked_for_is_told_among_what_is() -> None:
    """And not when all is done: a check that is looked at, or stopped, says how far it is."""
    state, told = listed(f"http://10.0.0.1/{number}" for number in range(20)), []
    with Client(policy=Policy.untrusted()) as client:
        for each in Run(client, state, limit=1, refusal=lambda item: Finding("deferred") if item.number % 2 else None):
            told.append(each.finding.outcome)
    assert sorted(told) == ["deferred"] * 10 + ["refused"] * 10
    assert "refused" in told[told.index("deferred") :]


class HeadLess(Site):
    """A server that answers HEAD as it likes, and GET as it should."""

    def __init__(self, head: Callable[[Connection], bytes]) -> None:
        self._head = head
        super().__init__({})

    def _serve(self, connection: Connection) -> None:
        while head := connection.head():
            method, path, _ = head.decode("latin-1").split(" ", 2)
            self.asked.append(f"{method} {path}")
            octets = self._head(connection) if method == "HEAD" else page("x")
            if not octets:
                return
            connection.send(octets)


@pytest.mark.parametrize("status", ["404 No", "410 No", "500 No", "502 No", "504 No", "999 No"])
def test_what_a_server_refuses_to_head_alone_is_there(status: str) -> None:
    with HeadLess(lambda connection: reply(b"", status=status)) as site, Client() as client:
        assert set(outcomes(listed([f"{site.root}/{name}" for name in "abc"]), client).values()) == {"ok"}
        assert len(site.asked) == 6


class OddHost(Site):
    """A server that answers HEAD and GET of ``/odd`` as it likes; None closes the connection. All else is there."""

    def __init__(self, head: str | None, get: str | None) -> None:
        self._answers = {"HEAD": head, "GET": get}
        super().__init__({})

    def _serve(self, connection: Connection) -> None:
        while head := connection.head():
            method, path, _ = head.decode("latin-1").split(" ", 2)
            self.asked.append(f"{method} {path}")
            status = self._answers[method] if path.startswith("/odd") else "200 OK"
            if status is None:
                return
            connection.send(reply(b"" if method == "HEAD" else b"x", status=status))


@pytest.mark.parametrize("good", [0, 40])
@pytest.mark.parametrize("get", [None, "404 No", "429 No", "503 No", "500 No", "200 OK"])
@pytest.mark.parametrize("head", [None, "404 No", "405 No", "429 No", "500 No", "200 OK"])
def test_no_url_is_requested_more_than_three_times(head: str | None, get: str | None, good: int) -> None:
    """Among others of its host an odd one was requested up to 43 times: by every connection that was kept."""
    with OddHost(head, get) as site, Client() as client:
        urls = [*(f"{site.root}/{number}" for number in range(good)), f"{site.root}/odd1", f"{site.root}/odd2"]
        found = outcomes(listed(urls), client)
        assert max(Counter(line.split(" ")[1] for line in site.asked).values()) <= 3
    assert {outcome for url, outcome in found.items() if "odd" not in url} <= {"ok"}
    if head == "200 OK" or (get == "200 OK" and head != "429 No"):
        assert set(found.values()) == {"ok"}
    else:
        assert {found[f"{site.root}/odd1"], found[f"{site.root}/odd2"]} <= {"broken", "deferred"}


@pytest.mark.parametrize("status", ["429 No", "503 No", None])
def test_nor_is_one_whose_content_is_searched(status: str | None) -> None:
    with OddHost(status, status) as site, Client() as client:
        state = CheckState(None, "w", resume=False, now=1000.0)
        for name in ("odd1", "a"):
            state.add(URL(f"{site.root}/{name}"), HERE, way_of(URL(site.root), read=True))
        assert {each.url.path: each.finding.outcome for each in Run(client, state)}["/a"] == "ok"
        assert max(Counter(line.split(" ")[1] for line in site.asked).values()) <= 3


def test_more_retries_are_those_of_the_caller() -> None:
    with OddHost("429 No", "429 No") as site, Client(retries=3) as client:
        assert [each.finding.outcome for each in Run(client, listed([f"{site.root}/odd"]), retries=3)] == ["deferred"]
        assert 3 < len(site.asked) <= 6


def test_a_connection_that_is_closed_on_head_is_opened_once_more() -> None:
    with HeadLess(lambda connection: b"") as site, Client() as client:
        assert set(outcomes(listed([f"{site.root}/a"]), client).values()) == {"ok"}
        assert len(site.asked) <= 3


def test_a_site_of_all_kinds() -> None:
    pages = {
        "/good": page("x"),
        "/moved": moved("/good"),
        "/found": moved("/good", "302 Found"),
        "/loop": moved("/loop"),
        "/no-head": lambda connection: reply(status="405 No"),
        "/failed": reply(status="500 No"),
        "/secret": reply(b"", "WWW-Authenticate: Basic realm=x", status="401 No"),
    }
    with Site(pages) as site:
        state = listed(f"{site.root}{path}" for path in (*pages, "/none", "/good", "/good#part"))
        with Client(timeout=5) as client:
            found = outcomes(state, client)
        asked = site.asked
    assert {url.removeprefix(site.root): outcome for url, outcome in found.items()} == {
        "/good": "ok",
        "/moved": "redirected",
        "/found": "redirected",
        "/loop": "broken",
        "/no-head": "broken",
        "/failed": "broken",
        "/secret": "not-checkable",
        "/none": "broken",
    }
    assert asked.count("HEAD /none") == 1
    assert asked.count("HEAD /good") == 3  # and behind each redirection
    assert sorted(line for line in asked if line.startswith("GET")) == ["GET /failed", "GET /no-head", "GET /none"]


def test_a_server_that_wants_to_be_left_alone_for_a_year_is() -> None:
    """And nobody waits for it: what was not requested is deferred at once."""
    with Site({}, reply(b"", "Retry-After: 31536000", status="429 No")) as site, Client() as client:
        began = time.monotonic()
        found = outcomes(listed(f"{site.root}/{number}" for number in range(200)), client, limit=4)
        assert set(found.values()) == {"deferred"}
        assert len(site.asked) <= 4
    assert len(found) == 200
    assert time.monotonic() - began < 20


def test_a_server_that_says_nothing() -> None:
    with Site({"/": closed}) as site, Client() as client:
        assert set(outcomes(listed([f"{site.root}/"]), client).values()) == {"broken"}


def test_where_a_redirection_leads_to() -> None:
    with Site({"/a": moved("/b"), "/b": moved("/c", "302 Found"), "/c": page("x"), "/d": moved("/c")}) as site:
        state = listed([f"{site.root}/a", f"{site.root}/d"])
        with Client() as client:
            findings = {each.url.path: each.finding for each in Run(client, state)}
    assert (findings["/a"].target, findings["/a"].permanent) == (f"{site.root}/c", False)
    assert (findings["/d"].target, findings["/d"].permanent) == (f"{site.root}/c", True)


def test_a_document_leads_to_no_private_address() -> None:
    with Site({"/": page("x")}) as site, Client() as client:
        assert set(outcomes(listed([f"{site.root}/"], document(private=False)), client).values()) == {"refused"}
        assert site.asked == []
        assert set(outcomes(listed([f"{site.root}/"]), client).values()) == {"ok"}


def test_every_scheme_is_asked_in_its_own_way() -> None:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    with World() as world:
        there = [found.url for found in find(world.text) if found.url.scheme != "file"]
        gone = [
            f"{world.roots['ftp']}none.txt",
            f"{world.roots['http']}none.txt",
            f"{world.roots['gopher']}0/none.txt",
            f"{world.roots['nntp']}world.none/1",
            f"{world.roots['prospero']}/world/none",
            f"{world.roots['wais']}none",
            str(world.urls["news"]).replace("welcome", "none"),
            "mailto:not%20an%20address",
        ]
        schemes = {url.scheme for url in there}
        with Client(timeout=10, **world.settings) as client:
            found = outcomes(listed([*there, *gone]), client)
    assert schemes == set(world.urls) - {"file"}
    assert {url: outcome for url, outcome in found.items() if outcome != "ok"} == dict.fromkeys(gone, "broken")
    assert len(found) == len(there) + len(gone)


def test_no_more_of_a_host_than_its_budget() -> None:
    with Site({f"/{number}": page("x") for number in range(5)}) as site, Client() as client:
        state = listed(f"{site.root}/{number}" for number in range(5))
        found = outcomes(state, client, max_per_host=3)
    assert sorted(found.values()) == ["deferred", "deferred", "ok", "ok", "ok"]
    assert len(site.asked) == 3


def test_what_the_policy_refuses_is_refused() -> None:
    with Client(Policy.untrusted()) as client:
        found = outcomes(listed(["file:///etc/hostname", "telnet://192.0.2.1/", "http://h.invalid:25/"]), client)
    assert set(found.values()) == {"refused"}


def test_what_was_asked_is_written_though_nobody_reads_on() -> None:
    with Site({}) as site, Client() as client:
        state = listed(f"{site.root}/{number}" for number in range(20))
        results = iter(Run(client, state, limit=1))
        next(results)
        results.close()  # type: ignore[attr-defined]
        assert state.counts()["broken"] == 1
        assert len(state.todo((0, 2))) == 19
