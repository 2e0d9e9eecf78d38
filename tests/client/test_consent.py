"""Nothing is sent in a person's name unless the program says who is asked: mail, articles, answered forms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import anyurl
from anyurl import AsyncClient, Client, Policy, consent_to_all
from anyurl.errors import RefusedError
from tests.servers import Connection, Server

NAMED = r"Pass ask_consent, a function .*, or anyurl\.consent_to_all to consent to everything\.$"
ARTICLE = b"Subject: x\n\nbody\n"
FILLED = "0s%09%09+%091%0D%0A+-1%0D%0Av1%0D%0A.%0D%0A"


def hang_up(connection: Connection) -> None:
    """Nobody should come."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(hang_up) as server:
        yield server


def settings(server: Server) -> dict[str, Any]:
    """A client that is configured for all of it, but for the one who says yes."""
    return {
        "policy": Policy.open().replace(allow_ports=(server.port,)),
        "mail_server": server.authority,
        "mail_from": "me@example.org",
        "news_server": server.authority,
        "identity": "me@example.org",
    }


ACTS: dict[str, Callable[[Any, Server], Any]] = {
    "mail": lambda client, server: client.append("mailto:you@example.com", b"hi"),
    "an article": lambda client, server: client.append("news:a.b", ARTICLE),
    "a form": lambda client, server: client.get(f"gopher://{server.authority}/0s%09%09?", answers=("v1",)),
    "a form in the URL": lambda client, server: client.get(f"gopher://{server.authority}/{FILLED}"),
}
QUESTIONS = {
    "mail": "From: me@example.org",
    "an article": "Send this in your name to news:a.b?",
    "a form": "Send the answers of this form to gopher://127.0.0.1:",
    "a form in the URL": "Send the answers of this form to gopher://127.0.0.1:",
}


@pytest.mark.promise("consent")
@pytest.mark.parametrize("act", ACTS)
def test_without_anybody_to_ask_nothing_is_sent(server: Server, act: str) -> None:
    with Client(**settings(server)) as client, pytest.raises(RefusedError, match=NAMED):
        ACTS[act](client, server)
    assert not server.received


@pytest.mark.promise("consent")
@pytest.mark.parametrize("act", ACTS)
def test_not_by_the_asynchronous_client_either(server: Server, act: str) -> None:
    async def test() -> None:
        async with AsyncClient(**settings(server)) as client:
            with pytest.raises(RefusedError, match=NAMED):
                await ACTS[act](client, server)

    asyncio.run(test())
    assert not server.received


@pytest.mark.promise("consent")
@pytest.mark.parametrize("act", ACTS)
def test_the_one_who_is_asked_sees_the_question_and_may_say_no(server: Server, act: str) -> None:
    heard: list[str] = []

    def no(question: str) -> bool:
        heard.append(question)
        return False

    with Client(ask_consent=no, **settings(server)) as client:
        with pytest.raises(RefusedError, match=r"Nothing was sent: the answer was no\."):
            ACTS[act](client, server)
    assert QUESTIONS[act] in heard[0]
    assert len(heard) == 1
    assert not server.received


@pytest.mark.parametrize("act", ACTS)
def test_a_program_that_means_it_says_so(server: Server, act: str) -> None:
    with Client(ask_consent=consent_to_all, **settings(server)) as client:
        with pytest.raises(anyurl.errors.AnyURLError) as caught:  # the server hangs up on whoever comes
            ACTS[act](client, server)
    assert not isinstance(caught.value, RefusedError)
    assert server.received


def test_a_map_answers_no_form(server: Server) -> None:
    with Client(**settings(server)) as client:
        (result,) = client.map([f"gopher://{server.authority}/{FILLED}"])
    assert isinstance(result.error, RefusedError)
    assert "consent_to_all" in str(result.error)
    assert not server.received


@pytest.mark.promise("consent")
def test_the_plain_functions_send_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NNTPSERVER", server.authority)
    with pytest.raises(RefusedError, match=NAMED):
        anyurl.append("news:a.b", ARTICLE)
    assert not server.received


def test_what_is_not_sent_in_anybodys_name_needs_no_yes(tmp_path: Any) -> None:
    with Client() as client:
        client.put(f"file://{tmp_path}/x", b"one")
        assert client.get(f"file://{tmp_path}/x").read() == b"one"


async def agree(question: str) -> bool:
    """Nobody awaits it, so nobody has agreed."""
    return bool(question)


@pytest.mark.promise("consent")
@pytest.mark.parametrize("answer", ["no", "n", 1, object(), agree], ids=["no", "n", "1", "object", "async"])
@pytest.mark.parametrize("act", ACTS)
def test_only_true_is_a_yes(server: Server, act: str, answer: Any) -> None:
    """Attack: what an asynchronous function gives is true, and so is the word no."""
    ask = answer if callable(answer) else lambda question: answer
    with Client(**settings(server), ask_consent=ask) as client, pytest.raises(TypeError, match="True or False"):
        ACTS[act](client, server)
    assert not server.received


@pytest.mark.parametrize("answer", [False, None])
def test_no_answer_is_a_no(server: Server, answer: Any) -> None:
    with (
        Client(**settings(server), ask_consent=lambda question: answer) as client,
        pytest.raises(RefusedError, match="the answer was no"),
    ):
        ACTS["mail"](client, server)


@pytest.mark.parametrize("name", ["policy", "ask_consent", "ask_secret"])
@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_what_is_no_function_is_told_at_once(client: Any, name: str) -> None:
    with pytest.raises(TypeError, match="not str"):
        client(**{name: "yes"})
