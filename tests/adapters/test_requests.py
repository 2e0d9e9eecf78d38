"""The guard under requests: its errors, its session, its adapter in other hands."""

from __future__ import annotations

import pickle

import pytest
import requests

from anyurl.adapters.requests import GuardedAdapter, RequestsRefusedError, session
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from tests.servers import Server, answers, reply, unheard

DEFAULT = Policy.default()


def test_a_refusal_is_an_error_of_requests_with_its_verdict() -> None:
    with pytest.raises(requests.RequestException) as caught:
        session().get("http://10.0.0.1/x")
    error = caught.value
    assert isinstance(error, RequestsRefusedError)
    assert isinstance(error, RefusedError)
    assert error.verdict is not None
    assert error.verdict.code == "address-private"


def test_a_refusal_has_its_request() -> None:
    with Server(answers(reply(b"", "Location: http://169.254.169.254/a", status="302 Found"))) as server:
        led = f"http://{server.authority}/"
        wanted = {
            led: "http://169.254.169.254/a",
            "http://[::1]@10.0.0.1/": None,
            "http://10.0.0.1/x": "http://10.0.0.1/x",
        }
        for url, refused in wanted.items():
            policy = Policy.untrusted().replace(allow_nets=["127.0.0.1"])
            with pytest.raises(RequestsRefusedError) as caught:
                session(policy).get(url)
            assert caught.value.request is not None
            assert refused in (None, caught.value.request.url)


def test_errors_of_the_network_are_those_of_requests() -> None:
    with unheard() as port, pytest.raises(requests.ConnectionError):
        session(DEFAULT).get(f"http://127.0.0.1:{port}/")


def test_the_connection_is_kept() -> None:
    with Server(answers(reply(b"one"), reply(b"two"))) as server, session(DEFAULT) as opened:
        assert [opened.get(f"http://{server.authority}/").text for _ in range(2)] == ["one", "two"]
        assert len(server.received) == 1


def test_what_is_not_followed_is_not_refused() -> None:
    moved = reply(b"", "Location: http://169.254.169.254/", status="302 Found")
    with Server(answers(moved)) as server, session(DEFAULT) as opened:
        response = opened.get(f"http://{server.authority}/", allow_redirects=False)
        assert response.status_code == 302
        assert response.next is not None
        with pytest.raises(RequestsRefusedError):  # who sends it all the same is led there by that server
            opened.send(response.next)


def test_an_adapter_can_be_pickled() -> None:
    adapter = pickle.loads(pickle.dumps(GuardedAdapter(DEFAULT)))
    assert adapter.gate.policy == DEFAULT
    opened = requests.Session()
    opened.mount("http://", adapter)
    with Server(answers(reply(b"one"))) as server:
        assert opened.get(f"http://{server.authority}/").text == "one"
    opened.close()


def test_the_environment_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert session().trust_env is False
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    with Server(answers(reply(b"one"))) as server, session(DEFAULT) as opened:
        assert opened.get(f"http://{server.authority}/").text == "one"


def test_a_session_is_pickled_with_its_guard() -> None:
    with pytest.raises(RequestsRefusedError):
        pickle.loads(pickle.dumps(session())).get("http://10.0.0.1/")


def test_a_cookie_that_is_for_no_host_is_not_taken_to_another_one() -> None:
    with Server(answers(reply(b"here"))) as there:
        away = reply(b"", f"Location: http://{there.authority}/", status="302 Found")
        near = reply(b"", "Location: /b", status="302 Found")
        with Server(answers(near, away)) as here, session(DEFAULT) as opened:
            opened.cookies.set("kept", "s3cr3t", domain="127.0.0.1", path="/")
            assert opened.get(f"http://{here.authority}/", cookies={"own": "s3cr3t"}).text == "here"
        assert b"own=" in here.received[0].partition(b"GET /b ")[2]
    assert b"own=" not in there.received[0]
    assert b"kept=s3cr3t" in there.received[0]  # a port is no other host to a cookie (RFC 6265 8.5)
