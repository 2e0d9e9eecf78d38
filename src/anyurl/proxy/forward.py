"""Forwarding of http requests to the judged server (RFC 9112 3.2.2, RFC 9110 7.6).

Rules: the head is rebuilt for the server: its Host is that of the judged URL, and its target is the client's text after
the authority, which leads nowhere else. Exactly as much of the body is sent as the head announces. The server's
connection carries one request; the client's may carry another one, but never after a request with a body.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from anyurl.errors import RemoteProtocolError
from anyurl.proxy import head
from anyurl.proxy.answers import Problem
from anyurl.proxy.target import origin_form

if TYPE_CHECKING:
    from anyurl.proxy.sockets import StreamSocket
    from anyurl.proxy.state import Asker
    from anyurl.proxy.streams import Flow
    from anyurl.url import URL

INTERIM_AT_MOST = 20
"""The most 1xx heads before the final response; curl gives up after some hundred KB of them."""


CHUNKED = -1
"""The length of a chunked body."""


async def forward(asker: Asker, request: head.RequestHead, length: int | None, url: URL, flow: Flow) -> None:
    """Forward the request and relay the response.

    Args:
        length: That of the request's body; None if it is chunked.

    Raises:
        Problem: The request can't be forwarded.
        AnyURLError: It is refused, or it failed.
    """
    if url.raw_user is not None:
        raise Problem(400, "login", "A login belongs in an Authorization field, not in the URL.")
    assert url.host
    assert url.port is not None
    server = await asker.reach(url.host, url.port, "http", asker.policy, url)
    try:
        await server.write(_head(asker, request, url))
        if length == 0:
            await _answer(asker, request, flow, server)
            return
        sending = asyncio.create_task(_send(asker, flow, server, length))
        answering = asyncio.create_task(_answer(asker, request, flow, server))
        try:
            await asyncio.wait((sending, answering), return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and not answering.done():
                sending.result()  # an error in the request body ends the request
            await answering
        finally:
            for task in (sending, answering):
                task.cancel()
            await asyncio.gather(sending, answering, return_exceptions=True)
    finally:
        server.close()


def _head(asker: Asker, request: head.RequestHead, url: URL) -> bytes:
    """The head for the server."""
    target = origin_form(request.target)
    if request.method == "OPTIONS" and not url.path and url.query is None:
        target = "*"  # RFC 9112 3.2.4
    port = "" if url.explicit_port is None else f":{url.explicit_port}"
    fields = [(b"Host", f"{url.raw_host}{port}".encode("ascii"))]
    for name, value in head.end_to_end(request.fields):
        lower = name.lower()
        if lower == b"max-forwards":
            value = _forwards(request.method, value)
        if lower not in (b"host", b"via"):
            fields.append((name, value))
    seen = [*head.values(request.fields, b"via"), asker.via]
    fields += [(b"Via", b", ".join(seen)), (b"Connection", b"close")]
    return head.write(f"{request.method} {target} HTTP/1.{request.minor}".encode("ascii"), fields)


def _forwards(method: str, value: bytes) -> bytes:
    """Decrement Max-Forwards (RFC 9110 7.6.2). Raises Problem if it is 0."""
    if method not in ("TRACE", "OPTIONS") or not re.fullmatch(rb"[0-9]{1,9}", value):
        return value
    if int(value) == 0:
        raise Problem(405, "method", "Max-Forwards ends here, and this proxy has nothing to answer by itself.")
    return b"%d" % (int(value) - 1)


async def _send(asker: Asker, flow: Flow, server: StreamSocket, length: int | None) -> None:
    """Relay the body of the request."""
    try:
        if length is None:
            await flow.hand_on_chunks(asker.client, server)
        elif length:
            await flow.hand_on(asker.client, server, length)
    except RemoteProtocolError as error:
        raise Problem(400, "request", str(error)) from None
    except OSError:
        pass  # the server reads no more of it, and may have sent the reason


async def _answer(asker: Asker, request: head.RequestHead, flow: Flow, server: StreamSocket) -> None:
    """Relay the response, with interim ones before it."""
    client = asker.client
    for left in range(INTERIM_AT_MOST, -1, -1):
        answer = await _response(flow, server)
        if answer.status == 101:
            raise Problem(502, "upgrade", "The server switches protocols, which was not requested.")
        fields = head.end_to_end(answer.fields)
        if answer.status < 200:
            if not left:
                break
            if request.minor:  # HTTP/1.0 has no interim responses
                asker.begin_answer()
                await client.write(head.write(answer.line, fields))
            continue
        fields.append((b"Via", asker.via))
        if not asker.may_keep():
            fields.append((b"Connection", b"close"))
        if request.method == "HEAD" or answer.status in (204, 304):
            asker.begin_answer()
            await client.write(head.write(answer.line, fields))
        else:
            length = _length(answer, request.minor)
            if length is not None and length != CHUNKED:
                flow.expect(length)  # while a problem can still be sent
            asker.begin_answer()
            await _hand_on(request, flow, server, client, answer, fields, length)
        return
    raise RemoteProtocolError(f"The server sends more than {INTERIM_AT_MOST} interim answers.")


async def _response(flow: Flow, server: StreamSocket) -> head.ResponseHead:
    try:
        octets = await server.read_head(head.HEAD_OCTETS_AT_MOST)
    except asyncio.LimitOverrunError:
        raise RemoteProtocolError(f"A head has at most {head.HEAD_OCTETS_AT_MOST:,} octets.") from None
    except (asyncio.IncompleteReadError, ConnectionError):
        raise RemoteProtocolError("The server closed the connection without a whole answer.") from None
    flow.count(len(octets))
    return head.parse_response(octets)


def _length(answer: head.ResponseHead, minor: int) -> int | None:
    """The length of its body: octets, `CHUNKED`, or None for the rest of the connection. Raises RemoteProtocolError."""
    if codings := head.values(answer.fields, b"transfer-encoding"):
        if codings[-1].rpartition(b",")[2].strip().lower() != b"chunked":
            raise RemoteProtocolError("The last transfer coding of an answer is chunked.")
        if not minor and [one.lower() for one in codings] != [b"chunked"]:
            raise RemoteProtocolError("The answer to an HTTP/1.0 request can have no transfer coding but chunked.")
        return CHUNKED
    return head.content_length(answer.fields) if head.values(answer.fields, b"content-length") else None


async def _hand_on(
    request: head.RequestHead,
    flow: Flow,
    server: StreamSocket,
    client: StreamSocket,
    answer: head.ResponseHead,
    fields: list[tuple[bytes, bytes]],
    length: int | None,
) -> None:
    """Relay a response with its body; if the body ends early, the connection ends with an error."""
    if length == CHUNKED:
        # With a transfer coding, a length must be ignored (RFC 9112 6.3); a client that uses it reads another body.
        unsaid = {b"content-length"}
        if not request.minor:  # HTTP/1.0 has no transfer coding, even if the server sends one (RFC 9112 6.1)
            unsaid.add(b"transfer-encoding")
        fields = [one for one in fields if one[0].lower() not in unsaid]
        await client.write(head.write(answer.line, fields))
        await flow.hand_on_chunks(server, client, bare=not request.minor)
    elif length is not None:
        await flow.hand_on(server, client, length, before=head.write(answer.line, fields))
    elif request.minor:
        # Otherwise only the end of the connection would mark its end, which a killed process also causes.
        await client.write(head.write(answer.line, [*fields, (b"Transfer-Encoding", b"chunked")]))
        await flow.hand_on_as_chunks(server, client)
    else:
        await flow.hand_on(server, client, before=head.write(answer.line, fields))
