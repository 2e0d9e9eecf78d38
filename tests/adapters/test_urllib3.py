"""The guard under urllib3: its errors, and the keys of its pools."""

from __future__ import annotations

import pytest
import urllib3

from anyurl.adapters.urllib3 import GuardedConnection, GuardedPoolManager, Urllib3RefusedError
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from tests.servers import Server, answers, reply, unheard

DEFAULT = Policy.default()


def test_a_refusal_is_an_error_of_urllib3_with_its_verdict() -> None:
    with pytest.raises(urllib3.exceptions.HTTPError) as caught:
        GuardedPoolManager().request("GET", "http://10.0.0.1/x")
    error = caught.value
    assert isinstance(error, Urllib3RefusedError)
    assert isinstance(error, RefusedError)
    assert error.verdict is not None
    assert error.verdict.code == "address-private"


def test_errors_of_the_network_are_those_of_urllib3() -> None:
    with unheard() as port, pytest.raises(urllib3.exceptions.NewConnectionError):
        GuardedPoolManager(DEFAULT).request("GET", f"http://127.0.0.1:{port}/", retries=False)


def test_the_key_of_a_pool_holds_the_policy() -> None:
    pools, others = GuardedPoolManager(DEFAULT), GuardedPoolManager()
    pools.connection_from_url("http://h.example/")
    others.connection_from_url("http://h.example/")
    (one,), (other,) = pools.pools.keys(), others.pools.keys()
    assert DEFAULT in one
    assert Policy.untrusted() in other


def test_the_connection_is_kept() -> None:
    with Server(answers(reply(b"one"), reply(b"two"))) as server, GuardedPoolManager(DEFAULT) as pools:
        assert [pools.request("GET", f"http://{server.authority}/").data for _ in range(2)] == [b"one", b"two"]
        assert len(server.received) == 1


def test_a_connection_whose_peer_nobody_judged_sends_nothing() -> None:
    """As it would be if urllib3 made its sockets another way."""
    with Server(answers(reply(b"one"))) as server:
        connection = GuardedConnection("127.0.0.1", server.port)
        connection.sock = urllib3.util.connection.create_connection(("127.0.0.1", server.port))
        with pytest.raises(Urllib3RefusedError):
            connection.request("GET", "/")
        connection.close()
    assert bytes(server.received[0]) == b""


def test_no_proxy_is_gone_through() -> None:
    with pytest.raises(Urllib3RefusedError):
        GuardedConnection("h.example", proxy=urllib3.util.parse_url("http://127.0.0.1:1/"))
    with pytest.raises(Urllib3RefusedError):
        GuardedConnection("h.example").set_tunnel("other.example")
