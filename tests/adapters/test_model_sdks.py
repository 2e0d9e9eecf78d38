"""The guard under the libraries of models, as docs/agents.md has it: they talk to a model that a test plays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from anyurl.guard import Policy
from tests.servers import Connection, Server

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed")

from anyurl.adapters.httpx2 import client  # noqa: E402  after what it needs

SAID: dict[str, Any] = {
    "/v1/chat/completions": {
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hello"}}],
    },
    "/v1/messages": {
        "id": "1", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "hello"}],
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    },
}  # fmt: skip


@pytest.fixture
def model() -> Iterator[Server]:
    def play(connection: Connection) -> None:
        while head := connection.head().decode():
            connection.take(int(head.lower().partition("content-length:")[2].split("\r\n")[0]))
            body = json.dumps(SAID[head.split(" ")[1]]).encode()
            lines = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.send(lines.encode() + body)

    with Server(play) as server:
        yield server


ASK = [{"role": "user", "content": "x"}]


def of_openai(policy: Policy, root: str) -> str:
    openai = pytest.importorskip("openai", reason="openai is not installed")  # two seconds, with the other one
    with client(policy) as guarded:
        sdk = openai.OpenAI(api_key="k", base_url=f"{root}/v1", http_client=guarded, max_retries=0)
        return str(sdk.chat.completions.create(model="m", messages=ASK).choices[0].message.content)


def of_anthropic(policy: Policy, root: str) -> str:
    anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
    with client(policy) as guarded:
        sdk = anthropic.Anthropic(api_key="k", base_url=root, http_client=guarded, max_retries=0)
        return str(sdk.messages.create(model="m", max_tokens=5, messages=ASK).content[0].text)


@pytest.mark.parametrize("ask", [of_openai, of_anthropic])
def test_a_model_that_the_policy_allows_answers(ask: Any, model: Server) -> None:
    near = Policy.untrusted().replace(allow_nets=["127.0.0.1"])
    assert ask(near, f"http://{model.authority}") == "hello"


@pytest.mark.parametrize("ask", [of_openai, of_anthropic])
def test_a_model_elsewhere_is_refused_before_anything_is_sent(ask: Any, model: Server) -> None:
    """A base URL that somebody else may set, such as a tenant's, leads to no internal place, and takes no key there."""
    with pytest.raises(Exception) as caught:
        ask(Policy.untrusted(), f"http://{model.authority}")
    told: BaseException | None = caught.value
    while told is not None and getattr(told, "verdict", None) is None:
        told = told.__cause__
    assert told is not None
    assert told.verdict.code == "address-private"  # type: ignore[attr-defined]
    assert model.received == []
