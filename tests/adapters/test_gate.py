"""The gate: one reading of a URL, and who named it."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any, cast

import pytest

from anyurl.adapters import gate
from anyurl.adapters import httpx as guarded_httpx
from anyurl.adapters import httpx2 as guarded_httpx2
from anyurl.adapters.aiohttp import session as aiohttp_session
from anyurl.adapters.gate import OWN, REFERRAL, SHORTEST_ATTEMPT, Gate, Referral, in_referral
from anyurl.adapters.requests import session
from anyurl.adapters.urllib import opener
from anyurl.adapters.urllib3 import GuardedPoolManager
from anyurl.errors import ConnectError, RefusedError
from anyurl.guard import Decision
from anyurl.guard.limits import Limits
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.values import USER, Provenance, Scope
from tests.adapters.clients import FACTORIES, How
from tests.net.wire.test_connect import Names, names
from tests.rows import each_row
from tests.servers import Server, answers, reply

__all__ = ["names"]


@each_row(
    ("text", "host", "port", "code"),
    [
        ("http://h.example/a b|c", "h.example", 80, None),
        ("http://H.example", "h.example", 80, None),
        ("https://joe:pw@h.example:8443/?q=//x", "h.example", 8443, None),
        ("http://[::ffff:808:808]/", "::ffff:8.8.8.8", 80, None),
        ("http://[2606:4700::1]/", "[2606:4700::1]", 80, None),
        ("http://h.example/", "other.example", 80, "host-unclear"),
        ("http://h.example/", "h.example", 81, "host-unclear"),
        ("http://h.example:81/", "h.example", None, "host-unclear"),
        ("http://10.0.0.1/", "10.0.0.1", 80, "address-private"),
        ("http://10.0.0.1\\@h.example/", "h.example", 80, "no-url"),
        ("http://a@10.0.0.1@h.example/", "h.example", 80, "no-url"),
        ("http://h.example/\r\nX: 1", "h.example", 80, "no-url"),
        ("http://h.example/\x7f", "h.example", 80, "no-url"),
        ("ldap://h.example/", "h.example", 389, "scheme-not-allowed"),
        ("http://h.example:25/", "h.example", 25, "port-service"),
        ("h.example", "h.example", 80, "no-url"),
    ],
)
def test_a_url_is_judged_as_both_read_it(text: str, host: str, port: int | None, code: str | None) -> None:
    gate = Gate()
    for _ in range(2):  # what was allowed is remembered, what was refused is judged again
        if code is None:
            gate.check(text, host, port)
        else:
            with pytest.raises(RefusedError) as caught:
                gate.check(text, host, port)
            assert caught.value.verdict is not None
            assert caught.value.verdict.code == code


@each_row(
    ("text", "known"),
    [
        ("http://h.example/other?x#y", True), ("http://h.example", True), ("http://h.example:80/", False),
        ("https://h.example/", False), ("http://h.example\\/", False), ("http://h.example/\r\nX: 1", False),
        ("http://h.example@other.example/", False), ("//h.example/", False), ("h.example", False),
    ],
)  # fmt: skip
def test_a_place_is_known_when_it_was_allowed(text: str, known: bool) -> None:
    gate = Gate()
    assert not gate.knows("http://h.example/")
    gate.check("http://h.example/", "h.example", 80)
    gate.check("http://joe@h.example/", "h.example", 80)
    assert gate.knows(text) is known
    assert not gate.knows("http://joe@h.example/")
    assert not gate.knows("http://h.example/", Referral(Provenance("redirect")))


@each_row(
    ("text", "relative"),
    [
        ("a//b", True), ("/a//b", True), ("./x:y//", True), ("?u=http://h/", True), ("#//", True), ("/?\\\\h", True),
        ("//h", False), ("/\\h", False), ("\\/h", False), ("x://h", False), ("x:y//", False), ("a\\b//", False),
        (" //h", False), ("\thttp://h", False), ("/\t/h", False), ("\u2028//h", False), ("ht\ntp://h", False),
    ],
)  # fmt: skip
def test_what_every_reader_takes_for_relative(text: str, relative: bool) -> None:
    """Some drop white space and control characters before they read, and some take a backslash for a slash."""
    assert Gate.is_relative(text) is relative


def test_what_is_remembered_depends_on_who_named_it() -> None:
    gate = Gate(Policy.default())
    gate.check("http://10.0.0.1/", "10.0.0.1", 80)
    with pytest.raises(RefusedError):
        gate.check("http://10.0.0.1/", "10.0.0.1", 80, Referral(Provenance("redirect", scope=Scope.PUBLIC)))


@each_row(
    ("location", "address", "text", "host", "port", "code"),
    [
        ("/b", "93.184.216.34", "http://h.example/b", "h.example", 80, None),
        ("http://caf\u00c3\u00a9.example/", "93.184.216.34", "http://xn--caf-dma.example/", "xn--caf-dma.example", 80,
         None),
        ("http://other.example/", "93.184.216.34", "http://h.example/", "h.example", 80, "host-unclear"),
        ("https://h.example:80/", "93.184.216.34", "http://h.example/", "h.example", 80, "host-unclear"),
        ("http:///h.example/", "93.184.216.34", "http://h.example/h.example/", "h.example", 80, "no-url"),
        ("http:\\\\h.example\\", "93.184.216.34", "http://h.example/", "h.example", 80, "no-url"),
        ("http://10.0.0.1/", "93.184.216.34", "http://10.0.0.1/", "10.0.0.1", 80, "address-hop"),
        ("http://10.0.0.1/", None, "http://10.0.0.1/", "10.0.0.1", 80, "address-hop"),
        ("http://10.0.0.1/", "10.0.0.2", "http://10.0.0.1/", "10.0.0.1", 80, None),
    ],
)  # fmt: skip
def test_a_redirection_leads_where_both_read_it_to(
    location: str, address: str | None, text: str, host: str, port: int, code: str | None
) -> None:
    gate = Gate(Policy.default())
    referral = gate.redirected("http://h.example/a", location, address, OWN)
    try:
        gate.check(text, host, port, referral)
    except RefusedError as error:
        assert error.verdict is not None
        assert error.verdict.code == code
    else:
        assert code is None


def test_tls_leads_to_tls() -> None:
    gate = Gate()
    referral = gate.redirected("https://h.example/a", "http://h.example/b", "93.184.216.34", OWN)
    with pytest.raises(RefusedError, match="over TLS"):
        gate.check("http://h.example/b", "h.example", 80, referral)


def test_the_time_is_divided() -> None:
    gate = Gate(Policy.default().replace(limits=Limits(connect=10)))
    (first, seconds), *rest = gate.attempts(["a", "b"], 8.0)
    assert (first, round(seconds), [name for name, _ in rest]) == ("a", 4, ["b"])
    assert [round(seconds) for _, seconds in gate.attempts(["a"], None)] == [10]
    assert next(iter(gate.attempts(["a", "b", "c", "d"], 4.0)))[1] == SHORTEST_ATTEMPT
    assert list(gate.attempts(["a", "b"], 0.0))[1:] == []


def test_a_block_is_of_a_hop() -> None:
    referral = Referral(Provenance("redirect"))
    with in_referral(referral):
        assert REFERRAL.get() is referral
    assert REFERRAL.get() is OWN


def test_a_gate_can_be_pickled() -> None:
    gate = pickle.loads(pickle.dumps(Gate(Policy.default())))
    assert gate.policy == Policy.default()
    assert Gate().policy == Policy.untrusted()


@pytest.mark.parametrize("client", FACTORIES)
def test_a_url_of_ours_is_taken_wherever_a_text_is(client: str) -> None:
    with Server(answers(reply(b"one"))) as server:
        url: Any = URL(f"http://{server.authority}/a?b")
        assert FACTORIES[client]([url], How(Policy.default())) == [(200, b"one")]
        assert server.received[0].startswith(b"GET /a?b ")
    with pytest.raises(RefusedError):
        FACTORIES[client]([cast(Any, URL("http://10.0.0.1/"))], How())


@pytest.mark.parametrize(
    ("text", "code"), [("ws://10.0.0.1/", "address-private"), ("wss://h.example:22/", "port-service")]
)
def test_a_web_socket_is_judged_as_the_request_that_it_begins_with(text: str, code: str) -> None:
    gate = Gate()
    gate.check("ws://93.184.216.34/chat", "93.184.216.34", 80)
    gate.check("wss://h.example/chat", "h.example", 443)
    url = URL(text)
    with pytest.raises(RefusedError) as caught:
        gate.check(text, url.host or "", url.port)
    assert caught.value.verdict is not None
    assert caught.value.verdict.code == code


def test_no_web_socket_leads_from_tls_to_cleartext() -> None:
    gate = Gate()
    referral = gate.redirected("wss://h.example/", "ws://h.example/", "93.184.216.34", OWN)
    with pytest.raises(RefusedError):
        gate.check("ws://h.example/", "h.example", 80, referral)
    onward = gate.redirected("ws://h.example/", "wss://h.example/a", "93.184.216.34", OWN)
    gate.check("wss://h.example/a", "h.example", 443, onward)


def test_an_address_of_the_callers_own_is_connected_to_again_without_more(monkeypatch: pytest.MonkeyPatch) -> None:
    gate_ = Gate(Policy.default())
    with Server(answers(reply(b"one"))) as server:
        gate_.connect("127.0.0.1", server.port, "http", OWN).close()
        monkeypatch.setattr(gate, "connect", None)
        with gate_.connect("127.0.0.1", server.port, "http", OWN, 2.0) as sock:
            assert sock.getpeername() == ("127.0.0.1", server.port)
            assert sock.gettimeout() is None


def test_a_name_is_looked_up_and_a_hop_judged_each_time(names: Names) -> None:
    names(h=["127.0.0.1"], **{"127.0.0.1": ["127.0.0.1"]})
    with Server(answers(reply(b"one"))) as server:
        gate_ = Gate(Policy.untrusted().replace(allow_nets=["127.0.0.1"], allow_ports=[server.port]))
        gate_.connect("h", server.port, "http", OWN).close()
        gate_.connect("127.0.0.1", server.port, "http", OWN).close()
        names(h=["169.254.169.254"])
        with pytest.raises(RefusedError):
            gate_.connect("h", server.port, "http", OWN)
        public = gate_.redirected("http://h.example/", f"http://127.0.0.1:{server.port}/", "93.184.216.34", OWN)
        with pytest.raises(RefusedError):
            gate_.connect("127.0.0.1", server.port, "http", public)


def test_who_answers_is_compared_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    gate_ = Gate(Policy.default())
    with Server(answers(reply(b"one"))) as server:
        gate_.connect("127.0.0.1", server.port, "http", OWN).close()
        monkeypatch.setattr(gate, "same_address", lambda *_: False)
        with pytest.raises(RefusedError, match="answered by another"):
            gate_.connect("127.0.0.1", server.port, "http", OWN)


def test_what_no_longer_answers_is_an_error_of_the_tree() -> None:
    gate_ = Gate(Policy.default())
    with Server(answers(reply(b"one"))) as server:
        gate_.connect("127.0.0.1", server.port, "http", OWN).close()
    with pytest.raises(ConnectError):
        gate_.connect("127.0.0.1", server.port, "http", OWN)


@pytest.mark.parametrize("client", FACTORIES)
def test_each_decision_is_told_to_the_hook_and_refusals_to_the_log(
    client: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, names: Names
) -> None:
    """What a user counts and alerts on: one call and one line for each refusal, with the same fields."""
    heard: list[Decision] = []
    made = Gate.__init__
    monkeypatch.setattr(Gate, "__init__", lambda self, policy=None, _=None: made(self, policy, heard.append))
    names(**{"inner.test": ["10.0.0.7"], "169.254.169.254": ["169.254.169.254"]})
    for url, code, address in [
        ("http://169.254.169.254/latest", "address-link", "169.254.169.254"),
        ("http://inner.test/secret?token=s3cr3t", "address-private", "10.0.0.7"),
    ]:
        heard.clear()
        caplog.clear()
        with pytest.raises(RefusedError):
            FACTORIES[client]([url], How())
        refusals = [each for each in heard if not each.verdict]
        assert [each.verdict.code for each in refusals] == [code]
        assert refusals[0].address in (address, None)
        assert refusals[0].origin == USER
        (record,) = [each for each in caplog.records if each.levelname == "WARNING"]
        told = vars(record)
        assert (record.name, told["code"], told["origin"], told["allowed"]) == ("anyurl.guard", code, "user", False)
        assert told["address"] in (address, None)
        assert "is refused: " in record.getMessage()
        assert "s3cr3t" not in caplog.text
    with Server(answers(reply(b"one"))) as server:
        names(**{"127.0.0.1": ["127.0.0.1"]})
        heard.clear()
        FACTORIES[client]([f"http://{server.authority}/"], How(Policy.default()))
        assert [bool(each.verdict) for each in heard] == [True] * len(heard)
        assert any(each.url == f"http://{server.authority}/" for each in heard)


def test_the_hook_is_an_argument_of_each_adapter() -> None:
    heard: list[Decision] = []
    hook = heard.append
    assert session(on_verdict=hook)._adapter.gate.on_verdict is hook
    assert opener(on_verdict=hook).gate.on_verdict is hook
    assert GuardedPoolManager(on_verdict=hook).gate.on_verdict is hook
    for library in (guarded_httpx, guarded_httpx2):
        with library.client(on_verdict=hook) as opened, pytest.raises(RefusedError):
            opened.get("http://10.0.0.1/")
        assert library.AsyncGuardedTransport(on_verdict=hook).gate.on_verdict is hook
        assert heard.pop().verdict.code == "address-private"

    async def main() -> None:
        async with aiohttp_session(on_verdict=hook) as opened, opened.get("http://10.0.0.1/"):
            pass

    with pytest.raises(RefusedError):
        asyncio.run(main())
    assert heard.pop().url == "http://10.0.0.1/"


def test_a_refusal_names_the_server_that_redirected() -> None:
    """Whatever refuses: the text of the URL, an address, or the look-up. The caller has not seen that URL before."""
    gate = Gate(Policy.untrusted())
    referral = gate.redirected("http://h.example/a", "http://10.0.0.1/", "93.184.216.34", OWN)
    said = r"^Refused: the server at http://h\.example redirects there: .*10\.0\.0\.1"
    with pytest.raises(RefusedError, match=said):
        gate.check("http://10.0.0.1/", "10.0.0.1", 80, referral)
    with pytest.raises(RefusedError, match=said):
        gate.judge(["10.0.0.1"], 80, "http", referral.origin, "other.example")
    with pytest.raises(RefusedError, match=said):
        gate.connect("10.0.0.1", 80, "http", referral)
