"""What httpx and httpx2 share: a guard for one is none for the other, and says so before anything is sent."""

from __future__ import annotations

import asyncio
from functools import partial
from importlib import import_module
from typing import Any

import httpx
import httpx2
import pytest

from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from anyurl.url import URL
from tests.servers import Server, answers, reply

DEFAULT = Policy.default()
PAIRS = pytest.mark.parametrize(("name", "other"), [("httpx", "httpx2"), ("httpx2", "httpx")])


@PAIRS
def test_a_transport_of_one_sends_nothing_of_the_other(name: str, other: str) -> None:
    guarded, library = import_module(f"anyurl.adapters.{name}"), import_module(other)
    sentence = f"this transport is for {name}, and the request is one of {other}; .* anyurl.adapters.{other} would be"
    with Server(answers(reply(b"one"))) as server:
        with library.Client(transport=guarded.GuardedTransport(DEFAULT)) as opened:
            with pytest.raises(TypeError, match=sentence):
                opened.get(f"http://{server.authority}/")

        async def main() -> None:
            async with library.AsyncClient(transport=guarded.AsyncGuardedTransport(DEFAULT)) as opened:
                await opened.get(f"http://{server.authority}/")

        with pytest.raises(TypeError, match=sentence):
            asyncio.run(main())
        assert not server.received


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
def test_a_refusal_is_an_error_of_the_client_with_its_request_and_verdict(library: object) -> None:
    name = getattr(library, "__name__", "")
    guarded = import_module(f"anyurl.adapters.{name}")
    with guarded.client() as opened, pytest.raises(getattr(library, "RequestError")) as caught:  # noqa: B009
        opened.get("http://10.0.0.1/x")
    error = caught.value
    assert isinstance(error, RefusedError)
    assert type(error).__name__ == f"{name.capitalize()}RefusedError"
    assert error.verdict is not None
    assert error.verdict.code == "address-private"
    assert str(error.request.url) == "http://10.0.0.1/x"


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
def test_a_base_may_be_a_url_of_ours(name: str) -> None:
    guarded = import_module(f"anyurl.adapters.{name}")
    with Server(answers(reply(b"one"))) as server:
        with guarded.client(DEFAULT, base_url=URL(f"http://{server.authority}/")) as opened:
            assert opened.get("x").text == "one"


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
@pytest.mark.parametrize("way", ["factory", "alone", "async"])
def test_a_mock_in_the_place_of_the_clients_own_transport_is_reached(
    name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As pytest-httpx does it; what the policy refuses is refused before, and where a mock redirects is judged."""
    guarded, library = import_module(f"anyurl.adapters.{name}"), import_module(name)
    asked: list[str] = []

    def answer(_transport: object, request: Any) -> Any:
        asked.append(str(request.url))
        if request.url.path == "/away":
            return library.Response(302, headers={"Location": "http://10.0.0.1/"})
        return library.Response(200, text="mocked")

    async def answer_later(transport: object, request: Any) -> Any:
        return answer(transport, request)

    monkeypatch.setattr(library.HTTPTransport, "handle_request", answer)
    monkeypatch.setattr(library.AsyncHTTPTransport, "handle_async_request", answer_later)

    def get(url: str) -> str:
        if way == "async":

            async def main() -> str:
                async with guarded.async_client(follow_redirects=True) as opened:
                    return str((await opened.get(url)).text)

            return asyncio.run(main())
        made = guarded.client if way == "factory" else partial(library.Client, transport=guarded.GuardedTransport())
        with made(follow_redirects=True) as opened:
            return str(opened.get(url).text)

    assert get("http://example.test/a") == "mocked"
    for url in ("http://example.test/away", "http://10.0.0.1/", "http://h.test\\@10.0.0.1/"):
        with pytest.raises(RefusedError):
            get(url)
    assert asked[:2] == ["http://example.test/a", "http://example.test/away"]
    assert not any("10.0.0.1" in each for each in asked)
