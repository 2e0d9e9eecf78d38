"""What is remembered of a policy's verdicts: each input of `Policy.judge_url` changes the answer, warm as cold."""

from __future__ import annotations

import time
from typing import Any

import pytest

from anyurl import URL, Client, Policy
from anyurl.dialogue import Describe, Dialogue, Relay, Request
from anyurl.errors import RefusedError
from anyurl.guard.decisions import LOG
from anyurl.net.loop.judged import MAX_JUDGED, Judged
from anyurl.net.loop.provenance import Parties
from anyurl.url import syntax
from anyurl.values import USER, Provenance
from tests.rows import each_row
from tests.servers import Connection, Part, Server, reply

WARM = "gopher://127.0.0.1:7070/1/x"
ALLOWED = Policy.default()


def answer(judged: Judged, url: str, came_from: Provenance = USER) -> str:
    try:
        judged.check(URL(url), came_from)
    except RefusedError as error:
        assert error.verdict is not None
        return str(error.verdict.code)
    return "allowed"


@each_row(
    ("changes", "warm", "url", "came_from", "code"),
    [
        pytest.param({"deny_schemes": ["ftp"]}, WARM, "ftp://127.0.0.1:7070/1/x", USER, "scheme-denied", id="scheme"),
        pytest.param({"deny_hosts": ["b.example"]}, "http://a.example/", "http://b.example/", USER, "host-denied",
                     id="host"),
        pytest.param({}, "http://a.example/", "http://[v1.x]/", USER, "host-unclear", id="a host that is no name"),
        pytest.param({}, WARM, "gopher://127.0.0.1:25/1/x", USER, "port-service", id="port"),
        pytest.param({}, WARM, WARM, Provenance("redirect"), "address-hop", id="who named it"),
        pytest.param({}, WARM, "gopher://127.0.0.1:7070/1/x%0d%0ay", USER, "form-port", id="form"),
        pytest.param({}, "wais://127.0.0.1:7070/d?x", "wais://127.0.0.1:7070/d?%0a", USER, "octets-port", id="octets"),
        pytest.param({"allow_forms": False}, "gopher://a.example/1/x", "gopher://a.example/1/x%0Ay", USER, "form",
                     id="form, to the scheme's own port"),
        pytest.param({"allow_disguise": False}, "http://a.example/", "http://b%2F@a.example/", USER,
                     "user-disguised", id="user"),
    ],
)  # fmt: skip
def test_each_input_alone_changes_the_answer(
    changes: dict[str, Any], warm: str, url: str, came_from: Provenance, code: str
) -> None:
    policy = ALLOWED.replace(**changes)
    judged = Judged(policy, LOG)
    for _ in range(2):
        assert answer(judged, warm) == "allowed"
    for _ in range(2):
        assert answer(judged, url, came_from) == code
    assert answer(Judged(policy, LOG), url, came_from) == code  # cold, it is the same
    assert answer(judged, warm) == "allowed"


def test_another_policy_has_a_memory_of_its_own() -> None:
    assert answer(Judged(ALLOWED, LOG), WARM) == "allowed"
    assert answer(Judged(Policy.untrusted(), LOG), WARM) == "address-private"


def test_a_port_that_is_not_the_scheme_s_own_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """`register` may give a scheme another row, and the port of its own decides about a port of a service."""
    url = "x-judged://a.example:25/"
    monkeypatch.setitem(syntax.ROWS, "x-judged", syntax.Row("x-judged", port=25, reference="-"))
    judged = Judged(ALLOWED, LOG)
    assert answer(judged, url) == "allowed"
    monkeypatch.setitem(syntax.ROWS, "x-judged", syntax.Row("x-judged", port=7025, reference="-"))
    assert answer(judged, url) == "port-service"


def test_nothing_of_a_login_is_remembered() -> None:
    judged = Judged(ALLOWED, LOG)
    for url in ("http://alice:s3cret@a.example/", "http://alice@a.example/", "http://:s3cret@a.example/"):
        assert answer(judged, url) == "allowed"
    assert not judged._allowed


def test_a_place_names_the_server_of_its_urls_and_one_with_a_user_has_its_own() -> None:
    judged = Judged(ALLOWED, LOG)
    for text, endpoint in (
        ("http://A.example/x", ("a.example", 80)),
        ("http://[::1]:8080/", ("::1", 8080)),
        ("http://bob@a.example/", ("a.example", 80)),
        ("news:comp.infosystems", None),
        ("file:///etc/hostname", None),
    ):
        assert judged.check(URL(text), USER).endpoint == endpoint, text
    assert judged.check(URL("http://a.example/y"), USER) is judged.check(URL("http://a.example/z"), USER)
    assert judged.check(URL("http://bob@a.example/"), USER) is not judged.check(URL("http://bob@a.example/"), USER)


def test_a_memory_has_an_end() -> None:
    judged = Judged(ALLOWED, LOG)
    for number in range(MAX_JUDGED + 2):
        assert answer(judged, f"http://h{number}.example/") == "allowed"
    assert len(judged._allowed) == 2


def test_a_connection_that_is_open_helps_no_hop_to_it() -> None:
    """Attack: the user has a page of an inner server open; a public page leads there."""

    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(b"inner"))

    with Server(part) as server, Client() as client:
        url = f"http://{server.authority}/"
        assert client.get(url).read() == client.get(url).read() == b"inner"
        with pytest.raises(RefusedError, match="may not lead there"):
            client._scheduler().start(Parties(URL(url), Provenance("redirect")), iter)  # type: ignore[arg-type]


def say(word: bytes) -> Part:
    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(word))

    return part


def test_an_approval_of_addresses_ends() -> None:
    with Server(say(b"here")) as server, Server(say(b"elsewhere")) as other, Client() as client:
        url = f"http://{server.authority}/"
        assert client.get(url).read() == client.get(url).read() == b"here"
        (place,) = client._scheduler()._judged._allowed.values()
        elsewhere = ("http", "127.0.0.1", int(other.authority.rpartition(":")[2]), ("127.0.0.1",))
        assert place.route
        assert place.route != elsewhere
        assert place.until > time.monotonic()
        place.route, place.until = elsewhere, time.monotonic()
        assert client.get(url).read() == b"here"


def test_what_is_remembered_of_a_place_is_of_no_other_that_its_dialogue_asks_for() -> None:
    with Server(say(b"here")) as server, Server(say(b"elsewhere")) as other, Client(Policy.open()) as client:
        url = URL(f"http://{server.authority}/")
        assert client.get(url).read() == client.get(url).read() == b"here"

        def leads_away() -> Dialogue:
            response = yield from Request("GET", URL(f"http://{other.authority}/"), "/")
            yield from Describe("document")
            yield from Relay(response.body)
            return None

        scheduler = client._scheduler()
        assert scheduler.start(Parties(url), leads_away).pull() == b"elsewhere"
