"""The guard under requests: `session`, or `GuardedAdapter` mounted in a session of your own.

Rule: the adapter judges each request, the connections of `anyurl.adapters.urllib3` each address; the target of a
redirection is judged with the place that led there, which the session tells. For requests 2.32 or later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import requests
from requests.adapters import HTTPAdapter
from requests.utils import select_proxy
from urllib3.util import parse_url

from anyurl.adapters.gate import OWN, PEER, Gate, carries, default_port, in_referral, written
from anyurl.adapters.hop import cookies_kept, credentials
from anyurl.adapters.urllib3 import GuardedPoolManager
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision
from anyurl.values import shown

__all__ = ["GuardedAdapter", "GuardedSession", "RequestsRefusedError", "session"]


class RequestsRefusedError(RefusedError, requests.RequestException):
    """The policy refuses a request of requests; nothing was sent."""


def session(policy: Policy | None = None, *, on_verdict: Callable[[Decision], object] | None = None) -> GuardedSession:
    """A requests session under the policy.

    Args:
        policy: None is `Policy.untrusted`.
        on_verdict: Called with each `anyurl.guard.Decision`.
    """
    return GuardedSession(policy, on_verdict=on_verdict)


class ReferredRequest(requests.PreparedRequest):
    """A request that a redirection has named; copies of it, as for a login by Digest, keep that."""

    def copy(self) -> requests.PreparedRequest:
        """A copy with the same origin."""
        made = super().copy()
        made.__class__ = ReferredRequest
        vars(made)["referral"] = vars(self).get("referral", OWN)
        return made


class GuardedAdapter(HTTPAdapter):
    """A requests adapter under the policy.

    Args:
        policy: None is `Policy.untrusted`.
        on_verdict: Called with each `anyurl.guard.Decision`.
        options: As `requests.adapters.HTTPAdapter` takes them.
    """

    def __repr__(self) -> str:
        return shown(self, "gate.policy.name")

    __attrs__: list[str] = [*HTTPAdapter.__attrs__, "gate"]

    def __init__(
        self, policy: Policy | None = None, *, on_verdict: Callable[[Decision], object] | None = None, **options: Any
    ) -> None:
        self.gate: Gate = Gate(policy, on_verdict)
        super().__init__(**options)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:
        """The pools, whose connections are judged."""
        pools = GuardedPoolManager(
            self.gate.policy, num_pools=connections, on_verdict=self.gate.on_verdict, maxsize=maxsize, block=block,
            **options,
        )  # fmt: skip
        self.poolmanager: GuardedPoolManager = pools  # pyright: ignore[reportIncompatibleVariableOverride]

    def proxy_manager_for(self, *_given: Any, **_options: Any) -> Any:
        """Raises RequestsRefusedError: connections of a proxy cannot be judged."""
        raise self.gate.refuse_proxy(RequestsRefusedError)

    def check_text(self, text: str, request: requests.PreparedRequest) -> None:
        """Compare a text with the reading of requests. Raises RequestsRefusedError."""
        if self.gate.knows(text):
            return
        read = parse_url(request.url or "")
        try:
            self.gate.check(text, read.host or "", read.port or default_port(read.scheme))
        except RefusedError as error:
            raise _of_request(error, request) from error

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: bool | str = True,
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Send a request. Raises RequestsRefusedError when the policy refuses it; else as requests does."""
        assert request.url is not None
        referral = vars(request).get("referral", OWN)
        try:
            is_led = referral is not OWN and carries(request.method or "", request.headers)
            self.poolmanager.check(request.url, referral, carries=is_led)
            if proxies and select_proxy(request.url, dict(proxies)):
                raise self.gate.refuse_proxy(RequestsRefusedError)
            if referral.elsewhere:
                _leave_behind(request)
                cert = None
            with in_referral(referral):
                response = super().send(request, stream, timeout, verify, cert)
        except RefusedError as error:
            raise _of_request(error, request) from error
        if response.is_redirect:
            location = response.headers["location"]
            vars(response)["leads_on"] = self.gate.redirected(request.url, location, PEER.get(), referral)
        return response


class GuardedSession(requests.Session):
    """A session with a `GuardedAdapter` for every URL; it ignores environment variables.

    Args:
        policy: None is `Policy.untrusted`.
        on_verdict: Called with each `anyurl.guard.Decision`.
    """

    def __repr__(self) -> str:
        return shown(self, "_adapter.gate.policy.name")

    __attrs__: list[str] = [*requests.Session.__attrs__, "_adapter"]

    def __init__(self, policy: Policy | None = None, *, on_verdict: Callable[[Decision], object] | None = None) -> None:
        super().__init__()
        adapter = self._adapter = GuardedAdapter(policy, on_verdict=on_verdict)
        self.trust_env = False
        self.max_redirects: int = adapter.gate.policy.limits.redirects
        self.adapters.clear()
        for prefix in ("http://", "https://"):
            self.mount(prefix, adapter)

    def prepare_request(self, request: requests.Request) -> requests.PreparedRequest:
        """A request. Raises RequestsRefusedError for a text that programs read differently."""
        prepared = super().prepare_request(request)
        text = request.url.decode("utf-8") if isinstance(request.url, bytes) else written(request.url)
        if isinstance(text, str):
            self._adapter.check_text(text, prepared)
        return prepared

    def get_adapter(self, url: str | bytes) -> Any:
        """The adapter for a URL. Raises RequestsRefusedError for one that is not guarded."""
        adapter = super().get_adapter(url)  # type: ignore[arg-type,unused-ignore]
        if not isinstance(adapter, GuardedAdapter):
            raise RequestsRefusedError("Refused: a guarded session sends nothing by other adapters.", code="peer")
        return adapter

    def rebuild_auth(self, prepared_request: requests.PreparedRequest, response: requests.Response) -> None:
        """Called for each redirection, with the next request: its origin is recorded in it."""
        super().rebuild_auth(prepared_request, response)
        prepared_request.__class__ = ReferredRequest
        vars(prepared_request)["referral"] = vars(response).get("leads_on", OWN)


def _of_request(error: RefusedError, request: requests.PreparedRequest) -> RequestsRefusedError:
    """A refusal as requests has errors."""
    refused = RequestsRefusedError(str(error), verdict=error.verdict)
    refused.request = request
    return refused


def _leave_behind(request: requests.PreparedRequest) -> None:
    """Take the caller's credentials from a request to another origin, whatever put them there: also a hook that answers
    the challenge of that place, as a login by Digest does."""
    for name in credentials(list(request.headers)):
        del request.headers[name]
    jar = request._cookies or ()  # type: ignore[attr-defined,unused-ignore]
    if kept := cookies_kept(cast("str | None", request.headers.pop("Cookie", None)), request.url or "", jar):
        request.headers["Cookie"] = kept
