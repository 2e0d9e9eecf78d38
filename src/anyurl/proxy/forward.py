"""A request for an http URL, handed on to the server that was judged (RFC 9112 3.2.2, RFC 9110 7.6).

Rules: the head that the server gets is made anew: its target and its Host are those of the URL that was judged. The
body has the length that the head says, not an octet more; what the server answers ends with the connection.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from anyurl.errors import RemoteProtocolError
from anyurl.proxy import head
from anyurl.proxy.answers import Problem
from anyurl.proxy.streams import close

if TYPE_CHECKING:
    from anyurl.proxy.state import Asker, Streams
    from anyurl.proxy.streams import Flow
    from anyurl.url import URL

INTERIM_AT_MOST = 20
"""Heads of 1xx before the answer itself; curl gives up after some hundred KB of them."""


async def forward(asker: Asker, request: head.RequestHead, url: URL, flow: Flow) -> None:
    """Ask the server and hand on what it says. Raises Problem, AnyURLError, LimitError."""
    if url.raw_user is not None:
        raise Problem(400, "login", "A login stands in a field Authorization, not in the URL.")
    try:
        length = head.content_length(request.fields)
    except RemoteProtocolError as error:
        raise Problem(400, "request", str(error)) from None
    assert url.host
    assert url.port
    reader, writer = server = await asker.reach(url.host, url.port, "http", asker.policy, str(url))
    try:
        writer.write(_head(asker, request, url))
        sending = asyncio.create_task(_send(asker, flow, server, length))
        answering = asyncio.create_task(_answer(asker, request, flow, reader))
        try:
            await asyncio.wait((sending, answering), return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and not answering.done():
                sending.result()  # what was wrong with the body ends the request
            await answering
        finally:
            for task in (sending, answering):
                task.cancel()
            await asyncio.gather(sending, answering, return_exceptions=True)
    finally:
        await close(writer)


def _head(asker: Asker, request: head.RequestHead, url: URL) -> bytes:
    """The head that the server gets."""
    target = (url.path or "/") + ("" if url.query is None else f"?{url.query}")
    if request.method == "OPTIONS" and not url.path and url.query is None:
        target = "*"  # RFC 9112 3.2.4
    port = "" if url.explicit_port is None else f":{url.explicit_port}"
    fields = [(b"Host", f"{url.raw_host}{port}".encode("ascii"))]
    fields += [one for one in head.end_to_end(request.fields) if one[0].lower() not in (b"host", b"via")]
    seen = [*head.values(request.fields, b"via"), asker.via]
    fields += [(b"Via", b", ".join(seen)), (b"Connection", b"close")]
    return head.write(f"{request.method} {target} HTTP/1.{request.minor}".encode("ascii"), fields)


async def _send(asker: Asker, flow: Flow, server: Streams, length: int | None) -> None:
    """Hand on the body of the request."""
    try:
        if length is None:
            await flow.hand_on_chunks(asker.streams[0], server[1])
        elif length:
            await flow.hand_on(asker.streams[0], server[1], length)
    except RemoteProtocolError as error:
        raise Problem(400, "request", str(error)) from None
    except OSError:
        pass  # the server wants no more of it, and has perhaps said why


async def _answer(asker: Asker, request: head.RequestHead, flow: Flow, reader: asyncio.StreamReader) -> None:
    """Hand on the answer, interim ones before it."""
    writer = asker.streams[1]
    for _ in range(INTERIM_AT_MOST):
        answer = await _response(flow, reader)
        if answer.status == 101:
            raise Problem(502, "upgrade", "The server changes the protocol, which nobody asked it to.")
        fields = head.end_to_end(answer.fields)
        if answer.status < 200:
            if request.minor:  # HTTP/1.0 knows none
                asker.begin_answer()
                writer.write(head.write(answer.line, fields))
            continue
        asker.begin_answer()
        fields += [(b"Via", asker.via), (b"Connection", b"close")]
        writer.write(head.write(answer.line, fields))
        if request.method != "HEAD" and answer.status not in (204, 304):
            await _body(flow, reader, writer, answer)
        await writer.drain()
        return
    raise RemoteProtocolError("The server says nothing but interim answers.")


async def _response(flow: Flow, reader: asyncio.StreamReader) -> head.ResponseHead:
    try:
        octets = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise RemoteProtocolError(f"A head has at most {head.HEAD_OCTETS_AT_MOST:,} octets.") from None
    except asyncio.IncompleteReadError:
        raise RemoteProtocolError("The server closed the connection without a whole answer.") from None
    flow.count(octets)
    return head.parse_response(octets)


async def _body(
    flow: Flow, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: head.ResponseHead
) -> None:
    """Hand on the body of the answer, as long as it says; one that ends early ends the connection with an error."""
    if head.values(answer.fields, b"transfer-encoding"):
        await flow.hand_on_chunks(reader, writer)
        return
    lengths = head.values(answer.fields, b"content-length")
    if lengths:
        await flow.hand_on(reader, writer, head.content_length(answer.fields))
    else:
        await flow.hand_on(reader, writer)
