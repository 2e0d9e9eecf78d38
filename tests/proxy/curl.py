"""curl behind the proxy, as one more client of the arena: `tests.adapters.arena` plays the corpus to it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack

from anyurl.errors import RefusedError
from anyurl.guard import Policy
from anyurl.url import URL
from tests.adapters.clients import Got, How
from tests.proxy.running import Running, role, running

NAMES = ("curl", "curl, SOCKS 5h", "as it is written")
"""The last one is no program: the text itself, octet for octet, is what the proxy is asked for."""


class CurlFailed(Exception):
    """What curl says, and by which code."""


class CurlBehindProxy:
    """A client that asks curl, which asks a proxy with a role of the policy that is asked for.

    What is this machine's own, and so no affair of a proxy (``file:``), is left out; so is what of the environment
    would lead round it.

    Attributes:
        ports: Where its proxies listen.
    """

    def __init__(self, name: str) -> None:
        self.ports: set[str] = set()
        self._name = name
        self._proxies: dict[Policy, Running] = {}
        self._stack = ExitStack()

    def __enter__(self) -> CurlBehindProxy:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stack.close()

    def __call__(self, urls: Sequence[str], how: How) -> Got:
        policy = how.policy or Policy.untrusted()
        proxy = self._proxies.get(policy) or self._proxy(policy)
        if self._name not in NAMES[:2]:
            return [_as_written(url, proxy) for url in urls]
        return [self._ask(url, proxy, how.ca_file or "") for url in urls]

    def _proxy(self, policy: Policy) -> Running:
        narrow = policy.replace(files=False, services=False, allow_delivery=False, netrc=False)
        tunnels = {"connect_ports": (80, 443, 8080)} if "SOCKS" in self._name else {}
        proxy = self._proxies[policy] = self._stack.enter_context(running(role(policy=narrow, **tunnels)))
        self.ports.add(str(proxy.port))
        return proxy

    def _ask(self, url: str, proxy: Running, ca_file: str) -> tuple[int, bytes]:
        way = "socks5h" if "SOCKS" in self._name else "http"
        done = subprocess.run(
            ["curl", "-sS", "-L", "--fail", "--max-redirs", "10", "--max-time", "10", "--noproxy", "", "--globoff",
             "--proto", "=http,https,ftp,ftps,gopher,gophers", "--cacert", ca_file,
             "-x", f"{way}://127.0.0.1:{proxy.port}", "-w", "\n%{http_code} %{http_connect}", "--", url],
            capture_output=True, check=False,
            # The shim stands before the process that has the proxy; curl connects to nothing else.
            env={key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "WATCH_LOG")},
        )  # fmt: skip
        body, _, codes = done.stdout.rpartition(b"\n")
        if b"403" in codes.split():
            raise RefusedError(done.stderr.decode("utf-8", "replace").strip())
        if done.returncode:
            raise CurlFailed(done.returncode, done.stderr.decode("utf-8", "replace").strip())
        return int(codes.split()[0]), body


def _as_written(text: str, proxy: Running) -> tuple[int, bytes]:
    """Ask for a text, and for what redirections lead to."""
    for _ in range(10):
        target = text.encode("utf-8", "surrogateescape")
        ask = b"GET " + target if not target.lower().startswith(b"https:") else b"CONNECT " + _authority(target)
        head, _, body = proxy.say(ask + b" HTTP/1.1\r\nHost: public.test\r\n\r\n").partition(b"\r\n\r\n")
        status = int(head.split(b" ")[1])
        if status == 403:
            raise RefusedError(json.loads(body)["detail"])
        if status >= 400:
            raise CurlFailed(status, body.decode("utf-8", "replace"))
        place = re.search(rb"^Location: (.*?)\r?$", head, re.M)
        if place is None:
            return status, body
        text = str(URL(text).join(place[1].decode("utf-8", "surrogateescape")))
    raise CurlFailed("redirections without end")


def _authority(target: bytes) -> bytes:
    authority = re.split(rb"[/?#]", target[8:])[0]
    return authority if b":" in authority.rpartition(b"]")[2] else authority + b":443"
