"""One request of a client's connection.

Rule: each request is judged anew, its token included. Another one may follow only a request without a body, so that
nothing of a body, and nothing that was meant for a tunnel, can be read as a request. Refusals come before any
look-up or connection, or at least before anything is sent; each decision is logged as one line.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from anyurl.errors import (
    AnyURLError,
    ConnectError,
    RefusedError,
    RemoteProtocolError,
    TransferTimeout,
    URLSyntaxError,
)
from anyurl.guard import Policy
from anyurl.proxy import head, socks
from anyurl.proxy.answers import Problem, of_error, problem
from anyurl.proxy.forward import forward
from anyurl.proxy.journal import NO_ROLE
from anyurl.proxy.roles import NEVER, Role
from anyurl.proxy.streams import Flow
from anyurl.proxy.target import token_of, tunnel_place
from anyurl.proxy.tunnel import TwoWayRelay
from anyurl.schemes.http.answers import encoded
from anyurl.url import URL
from anyurl.url.masking import mask

if TYPE_CHECKING:
    from anyurl.proxy.gateway import HttpGateway
    from anyurl.proxy.sockets import StreamSocket
    from anyurl.proxy.state import ProxyState

HEAD_SECONDS = 15.0
"""The time limit for a request head or a SOCKS handshake: Apache's RequestReadTimeout is 20."""


PAGES = ("/metrics", "/healthz")
"""What is served at another address, the one for figures."""


class Visit:
    """One request of a client's connection.

    Args:
        address: Where the client connects from.

    Attributes:
        client: The client's connection.
    """

    def __init__(self, state: ProxyState, gateway: HttpGateway, client: StreamSocket, address: str) -> None:
        self.client = client
        self._state = state
        self._gateway = gateway
        self._address = address
        self._role: Role | None = None
        self._method = ""
        self._url = ""
        self._target: URL | None = None
        self._length: int | None = 0
        self._fault = ""
        self._decision = "allowed"
        self._code = "allowed"
        self._message: str | None = None
        self._octets = 0
        self._answered = False
        self._reported: str | None = None
        self._connected: str | None = None
        self._may_keep = False
        self._keeps = False

    async def serve(self) -> bool:
        """Serve the request and log its line. If it ends early for any reason, the client sees an error.

        Returns:
            Whether the client's connection may carry another request.
        """
        began = time.monotonic()
        asked = True
        try:
            try:
                asked = await self._serve()
            except Problem as trouble:
                self._end("refused" if trouble.status in (403, 407, 508) else "failed", trouble)
                await self._tell(trouble)
            except AnyURLError as error:
                ended = of_error(error)
                self._end("refused" if ended.status == 403 else "failed", ended)
                await self._tell(ended)
            except OSError:
                broken = Problem(502, "broken", "A connection broke before the end.")
                self._end("failed", broken)
                await self._tell(broken)
            except Exception:
                fault = Problem(500, "fault", "The proxy has failed: nothing more of this request is done.")
                self._end("failed", fault)
                await self._tell(fault)
                raise  # the event loop's runner must see it
        except asyncio.CancelledError:
            self._end("failed", Problem(503, "stopped", "The proxy stopped before the end."))
            self.client.abort()
            raise
        finally:
            if asked:
                self._state.journal.note(
                    role=self._role and self._role.name, client=self._address, method=self._method or None,
                    url=self._url or None, address=self._connected, decision=self._decision, code=self._code,
                    message=self._message, reported=self._reported, octets=self._octets,
                    seconds=round(time.monotonic() - began, 3),
                )  # fmt: skip
        return self._keeps

    def _end(self, decision: str, trouble: Problem) -> None:
        self._decision, self._code, self._message = decision, trouble.code, trouble.message

    async def _tell(self, trouble: Problem) -> None:
        """Send a problem, unless a response has been started."""
        if self._answered:
            self.client.abort()  # the client must not accept a partial response as complete
            return
        with suppress(OSError):
            await self.client.write(problem(trouble, self._method != "HEAD", keeps=self.may_keep()))
            self._keeps = self.may_keep()

    async def _serve(self) -> bool:
        """Serve the request; returns whether there was one."""
        place = request = None
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                first = await self.client.first()
                if not first:
                    return False
                if first == b"\x05":
                    place = await self._socks()
                else:
                    request = await self._request()
        except TimeoutError:
            raise Problem(408, "slow", f"The request took longer than {HEAD_SECONDS:g} seconds.") from None
        if request is None:
            if place is not None:
                await self._tunnel_socks(place)
            return True
        await self._judge_client(request)
        with self._admitted():
            if request.method == "CONNECT":
                await self._connect(request)
            else:
                await self._fetch(request)
        return True

    # ------------------------------------------------------------------------------------------------ roles --

    async def _request(self) -> head.RequestHead:
        try:
            request = head.parse_request(await self.client.read_head(head.HEAD_OCTETS_AT_MOST))
        except asyncio.IncompleteReadError:
            raise Problem(400, "request", "The request ends within its head.") from None
        except asyncio.LimitOverrunError:
            raise Problem(431, "request", f"A head has at most {head.HEAD_OCTETS_AT_MOST:,} octets.") from None
        except RemoteProtocolError as error:
            raise Problem(400, "request", str(error)) from None
        self._method = request.method
        try:
            if request.method != "CONNECT":
                self._target = URL(encoded(request.target))  # browsers leave `[]{}|^` and more as they are
        except URLSyntaxError as error:
            self._fault = str(error)
        self._url = mask(request.target) if self._target is None else self._target.masked
        try:
            self._length = head.body_length(request)
        except RemoteProtocolError as error:
            raise Problem(400, "request", str(error)) from None
        self._may_keep = request.method != "CONNECT" and self._length == 0 and head.may_keep(request)
        return request

    async def _judge_client(self, request: head.RequestHead) -> None:
        shown = head.values(request.fields, b"proxy-authorization")
        # Two of them, or one that can't be read, are a wrong token: they select no role by the address instead.
        token = (token_of(shown[0]) or b"") if len(shown) == 1 else b"" if shown else None
        self._role = self._state.roles.find(self._address, token)
        if self._role is None:
            raise self._no_role(token)
        if any(self._state.name.encode() in value for value in head.values(request.fields, b"via")):
            raise Problem(508, "loop", "A proxy loop: the request has already passed through here.")

    @staticmethod
    def _no_role(token: bytes | None) -> Problem:
        if token is None:
            return Problem(407, NO_ROLE, "You have no role of this proxy; the token of one would admit you.")
        return Problem(
            407, NO_ROLE, "No role of this proxy has the token that you sent; the token of one would admit you."
        )

    @contextmanager
    def _admitted(self) -> Iterator[None]:
        """Count a connection of the client's role. Raises Problem if there are too many."""
        role = self._role
        assert role is not None
        if self._state.open[role.name] >= role.connections:
            raise Problem(503, "busy", f"The role {role.name} has {role.connections} connections, as many as it may.")
        self._state.open[role.name] += 1
        try:
            yield
        finally:
            self._state.open[role.name] -= 1

    # ------------------------------------------------------------------------------------------------ tunnels

    async def _connect(self, request: head.RequestHead) -> None:
        """CONNECT (RFC 9110 9.3.6)."""
        url = tunnel_place(request.target)
        server = await self._reach(url, "https")
        try:
            self._answered = True
            await self.client.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await self._tunnel(server)
        finally:
            server.close()

    async def _reach(self, url: URL, scheme: str) -> StreamSocket:
        """A judged connection for a tunnel. Raises Problem, AnyURLError."""
        role = self._role
        assert role is not None
        policy = role.tunnels
        host, port = url.host, url.port
        assert host
        assert port is not None
        if port not in role.connect_ports:
            ports = ", ".join(map(str, role.connect_ports))
            only = f"A tunnel leads to port {ports} only, not to {port}" if ports else "This role opens no tunnels"
            trouble = Problem(403, "connect-port", f"{only}; its connect_ports would allow it.")
            if not role.report_only:
                raise trouble
            self._report(trouble)
            policy = policy.replace(allow_ports=(*policy.allow_ports, port))
        return await self.reach(host, port, scheme, policy, url)

    async def reach(self, host: str, port: int, scheme: str, policy: Policy, url: URL) -> StreamSocket:
        """A connection that the policy allows; for a report-only role, any except one to this proxy itself.

        Raises:
            Problem: It leads to this proxy.
            AnyURLError: It is refused, or it failed.
        """
        role = self._role
        assert role is not None
        try:
            policy.check(url).check()
            server = await self._state.dial(host, port, scheme, policy)
        except RefusedError as error:
            if not self.is_reported(error):
                raise
            everything = Policy.open().replace(allow_ports=(port,), limits=policy.limits)
            server = await self._state.dial(host, port, scheme, everything)
        try:
            there, here = server.ends
            self._connected = str(there[0])
            if self._state.is_own(there, here):
                raise Problem(403, "own-port", "That is this proxy itself.")
        except BaseException:
            server.close()
            raise
        return server

    async def _tunnel(self, server: StreamSocket) -> None:
        """Relay until both sides have ended; if one breaks, the other sees an error."""
        role = self._role
        assert role is not None
        flow = Flow(role.idle, role.max_bytes)
        try:
            async with flow:
                await TwoWayRelay(self.client, server, flow).relay()
        except BaseException:
            server.abort()
            raise
        finally:
            self._octets += flow.octets

    # -------------------------------------------------------------------------------------------------- SOCKS

    async def _socks(self) -> socks.SocksRequest | None:
        """The handshake; None if it was refused."""
        self._method = "SOCKS"
        self._answered = True
        token: bytes | None = None
        read, write = self.client.read_exactly, self.client.write
        try:
            start = await read(2)
            offered = socks.methods(start + await read(start[1]))
            self._role = self._state.roles.find(self._address, None)
            # A token may select another role than the address; a client without one offers no login.
            if socks.LOGIN in offered and self._state.roles.have_tokens:
                await write(bytes((socks.VERSION, socks.LOGIN)))
                start = await read(2)
                user = await read(start[1] + 1)
                _, token = socks.login(start + user + await read(user[-1]))
                self._role = self._state.roles.find(self._address, token)
                await write(bytes((socks.LOGIN_VERSION, self._role is None)))
            else:
                is_in = self._role is not None and socks.NO_LOGIN in offered
                await write(bytes((socks.VERSION, socks.NO_LOGIN if is_in else socks.NO_METHOD)))
                self._role = self._role if is_in else None
            if self._role is None:
                self._end("refused", self._no_role(token))
                return None
            start = await read(5)
            place = socks.place(start + await read(socks.rest_of(start)))
        except asyncio.IncompleteReadError:
            raise Problem(400, "request", "The request of SOCKS ends too early.") from None
        except RemoteProtocolError as error:
            raise Problem(400, "request", str(error)) from None
        if place.command != socks.CONNECT:
            await write(socks.reply(socks.NOT_SUPPORTED))
            self._end("failed", Problem(501, "command", "SOCKS only connects here."))
            return None
        return place

    async def _tunnel_socks(self, place: socks.SocksRequest) -> None:
        host = f"[{place.host}]" if ":" in place.host else place.host
        target = f"{host}:{place.port}"
        self._url = mask(target)
        with ExitStack() as held:
            try:
                held.enter_context(self._admitted())
                server = await self._reach(tunnel_place(target), "https")
            except (Problem, AnyURLError) as error:
                await self.client.write(socks.reply(_socks_code(error)))
                trouble = error if isinstance(error, Problem) else of_error(error)
                self._end("refused" if trouble.status == 403 else "failed", trouble)
                return
            held.callback(server.close)
            await self.client.write(socks.reply(socks.DONE))
            await self._tunnel(server)

    # ---------------------------------------------------------------------------------------------- requests

    async def _fetch(self, request: head.RequestHead) -> None:
        """A request in absolute form (RFC 9112 3.2.2)."""
        if request.target in PAGES:
            raise Problem(400, "origin-form", f"{request.target} is served only at the address of --metrics.")
        if request.target.startswith("/") or request.target == "*":
            raise Problem(400, "origin-form", "This is a proxy: the target of a request is a whole URL.")
        url = self._target
        if url is None:
            raise Problem(400, "no-url", self._fault)
        role = self._role
        assert role is not None
        if url.scheme in NEVER:
            raise Problem(
                403, "scheme", f"This proxy opens no {url.scheme} URL: no files, no sessions, no mail, no data."
            )
        if url.scheme == "https":
            raise Problem(400, "tls", "URLs over TLS are requested with CONNECT.")
        flow = Flow(role.idle, role.max_bytes)
        try:
            async with flow:
                if url.scheme == "http":
                    await forward(self, request, self._length, url, flow)
                    self._keeps = self.may_keep()
                else:
                    await self._refuse_own(url)
                    await self._gateway.serve(self, request, url, flow)
        finally:
            self._octets += flow.octets

    async def _refuse_own(self, url: URL) -> None:
        """Raises Problem if a URL of another scheme leads to this proxy: its client opens its own connection."""
        if url.host and url.port in self._state.ports:
            (await self.reach(url.host, url.port, url.scheme, self.policy, url)).close()

    def is_reported(self, error: RefusedError) -> bool:
        """Whether a refusal is only logged, and the request is served nevertheless."""
        if self._role is None or not self._role.report_only:
            return False
        self._report(of_error(error))
        return True

    def _report(self, trouble: Problem) -> None:
        """Note the refusal that was not enforced: it stays in the line whatever the outcome of the request."""
        self._end("reported", trouble)
        self._reported = trouble.code

    @property
    def policy(self) -> Policy:
        """The policy for the client."""
        assert self._role is not None
        return self._role.policy

    def begin_answer(self) -> None:
        """Note that the response has been started: a problem can't be sent any more."""
        self._answered = True

    def may_keep(self) -> bool:
        """Whether the client's connection may carry another request."""
        return self._may_keep and not self._state.stopping

    @property
    def via(self) -> bytes:
        """The name of this proxy in Via (RFC 9110 7.6.3)."""
        return b"1.1 " + self._state.name.encode()


def _socks_code(error: Exception) -> int:
    if isinstance(error, RefusedError) or (isinstance(error, Problem) and error.status == 403):
        return socks.NOT_ALLOWED
    if isinstance(error, TransferTimeout):
        return socks.TIMED_OUT
    if isinstance(error, ConnectError):
        return socks.UNREACHABLE
    return socks.FAILED
