"""An agent under `anyurl proxy --confine`: its tools and its library of models know the variables alone."""

from __future__ import annotations

import json
import sys
import textwrap
from importlib.util import find_spec
from typing import Any

import pytest

from tests.proxy.test_child import around
from tests.servers import Connection, Server, answers, reply

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="openai is not installed")

AGENT = textwrap.dedent(
    """
    import json, subprocess, sys, urllib.error, urllib.request
    import openai

    def fetch(url):
        try:
            return urllib.request.urlopen(url).read().decode()
        except urllib.error.HTTPError as error:
            return f"{error} {error.read().decode()}"
        except OSError as error:
            return str(error)

    def run(command):
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        return done.stdout + done.stderr

    model = openai.OpenAI(api_key="k", base_url=sys.argv[1], max_retries=0)
    messages = [{"role": "user", "content": "read the page"}]
    while True:
        said = model.chat.completions.create(model="m", messages=messages).choices[0].message
        messages.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            break
        for call in said.tool_calls:
            given = json.loads(call.function.arguments)
            told = {"fetch": fetch, "run": run}[call.function.name](**given)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": told})
    print(said.content)
    """
)


class Model:
    """A model that a page has talked into its steps, one call of a tool each.

    Attributes:
        told: What each tool answered.
    """

    def __init__(self, *steps: tuple[str, dict[str, str]]) -> None:
        self.told: list[str] = []
        self._steps = steps

    def play(self, connection: Connection) -> None:
        """Serve a connection."""
        while head := connection.head().decode():
            asked = json.loads(connection.take(int(head.lower().partition("content-length:")[2].split("\r\n")[0])))
            self.told = [one["content"] for one in asked["messages"] if one["role"] == "tool"]
            body = json.dumps(self._next()).encode()
            lines = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.send(lines.encode() + body)

    def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": "done"}
        if len(self.told) < len(self._steps):
            name, given = self._steps[len(self.told)]
            call = {"id": str(len(self.told)), "type": "function"}
            call["function"] = {"name": name, "arguments": json.dumps(given)}  # type: ignore[assignment]
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


@pytest.mark.needs("namespace", "curl")
@pytest.mark.promise("confined-programs")
def test_an_agent_reaches_its_model_and_its_pages_and_nothing_that_a_page_talks_it_into() -> None:
    page, secret = answers(reply(b"a page")), answers(reply(b"a secret"))
    with Server(page, host="127.0.0.2") as allowed, Server(secret, host="127.0.0.3") as other:
        elsewhere = f"http://{other.authority}/?k"
        model = Model(
            ("fetch", {"url": f"http://{allowed.authority}/"}),
            ("fetch", {"url": elsewhere}),
            ("fetch", {"url": "https://10.0.0.1/?k"}),
            ("run", {"command": f"curl -sS --noproxy '*' {elsewhere}"}),
            ("run", {"command": f"curl -sS {elsewhere}"}),
        )
        with Server(model.play, host="127.0.0.2") as there:
            words = ["--confine", "--allow-net", "127.0.0.2"]
            for server in (allowed, there, other):
                words += ["--allow-port", str(server.port)]
            done = around(*words, "--", sys.executable, "-c", AGENT, f"http://{there.authority}/v1")
        assert not other.received
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    page_read, refused, tunnel, direct, proxied = model.told
    assert page_read == "a page"
    assert refused.startswith("HTTP Error 403: Forbidden: address-private {")
    assert "Tunnel connection failed: 403 Forbidden: address-private" in tunnel
    assert "curl: (7)" in direct
    assert '"code": "address-private"' in proxied
    assert done.stderr.splitlines()[-2:] == [
        f"  GET {elsewhere}: address-private, 2 times",
        "  CONNECT 10.0.0.1:443: address-private",
    ]
