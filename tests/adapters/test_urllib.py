"""The guard under urllib.request: what the opener opens."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request

import pytest

from anyurl.adapters.urllib import GuardedTLSHandler, UrllibRefusedError, opener
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from tests.servers import Server, answers, reply, unheard

DEFAULT = Policy.default()


def test_a_refusal_is_an_error_of_urllib_with_its_verdict() -> None:
    with pytest.raises(urllib.error.URLError) as caught:
        opener().open("http://10.0.0.1/x")
    error = caught.value
    assert isinstance(error, UrllibRefusedError)
    assert isinstance(error, RefusedError)
    assert error.verdict is not None
    assert error.verdict.code == "address-private"
    assert "Private-Use" in str(error)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/", "data:,x", "gopher://127.0.0.1/"])
def test_nothing_else_is_opened(url: str) -> None:
    with pytest.raises(urllib.error.URLError):
        opener(DEFAULT).open(url)


def test_errors_of_the_network_are_those_of_urllib() -> None:
    with unheard() as port, pytest.raises(urllib.error.URLError, match="refused"):
        opener(DEFAULT).open(f"http://127.0.0.1:{port}/")
    moved = reply(b"no", status="404 Not Found")
    with Server(answers(moved)) as server, pytest.raises(urllib.error.HTTPError) as caught:
        opener(DEFAULT).open(f"http://{server.authority}/")
    caught.value.close()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_proxy_is_gone_through(scheme: str) -> None:
    request = urllib.request.Request(f"{scheme}://h.example/")
    with unheard() as port:
        request.set_proxy(f"127.0.0.1:{port}", scheme)
        with pytest.raises(UrllibRefusedError, match="proxy"):
            opener(DEFAULT).open(request)


def test_it_can_be_everybodys() -> None:
    with Server(answers(reply(b"one"))) as server:
        director = opener(DEFAULT)
        with director.open(f"http://{server.authority}/", timeout=5) as response:
            assert response.read() == b"one"


def test_the_given_certificates_are_the_only_ones_loaded() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    handlers = vars(opener(context=context))["handlers"]
    held = [vars(each)["_context"] for each in handlers if isinstance(each, GuardedTLSHandler)]
    assert held == [context]


def test_a_login_that_the_opener_gives_to_each_request_is_not_taken_elsewhere() -> None:
    with Server(answers(reply(b"here"), reply(b"again"))) as there:
        moved = reply(b"", f"Location: http://{there.authority}/", status="302 Found")
        with Server(answers(moved)) as here:
            opened = opener(DEFAULT)
            opened.addheaders = [("Authorization", "s3cr3t"), ("X-Mine", "1")]
            assert opened.open(f"http://{here.authority}/").read() == b"here"
            assert b"s3cr3t" in here.received[0]
        assert b"s3cr3t" not in there.received[0]
        assert b"X-Mine: 1" in there.received[0]
