"""Transfer: one libcurl easy handle with its callbacks, and the Body that a dialogue reads.

Rule: a callback stores what came and returns. What goes wrong in one is kept aside, since libcurl would print an
exception and turn it into a number; when the handle ends, the kept error wins over libcurl's.
"""

from __future__ import annotations

import base64
import socket
from collections import deque
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pycurl

from anyurl.dialogue import Channel, Request
from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LocalFileError,
    RefusedError,
)  # fmt: skip
from anyurl.net.addresses import Scope, scope
from anyurl.net.curl_errors import translate_curl
from anyurl.net.head import is_interim, read_head
from anyurl.net.resolver import literal
from anyurl.net.task import HIGH_WATER, Task
from anyurl.protocols.coding import ContentDecoder

if TYPE_CHECKING:
    from anyurl.net.curl import CurlEngine

BUFFER_OCTETS = 128 * 1024
"""libcurl's receive buffer: larger ones fault pages for each piece (malloc's mapping threshold)."""

USER_AGENT = "anyurl"


class Body(Channel):
    """The body of a response, as far as it has come.

    Attributes:
        waiter: Called (by the loop, never by libcurl) when there is more, or the end.
    """

    __slots__ = ("transfer", "chunks", "buffered", "received", "finished", "error", "decoder", "waiter", "paused")

    def __init__(self, transfer: Transfer) -> None:
        super().__init__()
        self.transfer: Transfer | None = transfer
        self.chunks: deque[bytes] = deque()
        self.buffered = 0
        self.received = 0
        self.finished = False
        self.error: AnyURLError | None = None
        self.decoder: ContentDecoder | None = None
        self.waiter: Callable[[], None] | None = None
        self.paused = False

    def receive(self, at_most: int) -> bytes | None:
        """The next (decoded) octets, ``b""`` at the end, None when nothing is there yet.

        Raises:
            AnyURLError: What the transfer ended with.
        """
        if self.decoder is not None:
            return self._next_decoded(self.decoder, at_most)
        chunk = self._next_chunk()
        if chunk is not None:
            if len(chunk) > at_most:
                self._put_back(chunk[at_most:])
                return chunk[:at_most]
            return chunk
        return self._at_end()

    def _next_decoded(self, decoder: ContentDecoder, at_most: int) -> bytes | None:
        while True:
            if decoder.has_rest:
                piece = decoder.decode(b"", at_most)
            else:
                chunk = self._next_chunk()
                if chunk is None:
                    end = self._at_end()
                    if end is not None:
                        decoder.finish()
                    return end
                piece = decoder.decode(chunk, at_most)
            if piece:
                return piece

    def _next_chunk(self) -> bytes | None:
        if not self.chunks and self.paused and self.transfer is not None:
            # libcurl calls the write callback before `pause` returns: look again.
            self.paused = False
            self.transfer.easy.pause(pycurl.PAUSE_CONT)
        if not self.chunks:
            return None
        # libcurl hands out 16 KiB at a time; larger pieces cost everybody above less.
        chunk = self.chunks.popleft() if len(self.chunks) == 1 else b"".join(self.chunks)
        self.chunks.clear()
        self.buffered = 0
        return chunk

    def _put_back(self, chunk: bytes) -> None:
        self.chunks.appendleft(chunk)
        self.buffered = len(chunk)

    def _at_end(self) -> bytes | None:
        if not self.finished:
            return None
        if self.error is not None:
            raise self.error
        return b""

    def close(self) -> None:
        """Don't read the rest."""
        transfer, self.transfer = self.transfer, None
        self.waiter = None
        if transfer is not None:
            transfer.engine.abandon(transfer)


class Transfer:
    """One easy handle, used for one request after the other."""

    def __init__(self, engine: CurlEngine) -> None:
        self.engine = engine
        self.easy = easy = pycurl.Curl()
        self.body = Body(self)
        self.task: Task | None = None
        self.lines: list[bytes] = []
        self._answered = False
        self._kept_error: AnyURLError | None = None
        self._addresses: tuple[str, ...] = ()
        self._approved: frozenset[bytes] = frozenset()
        self._peer = ""
        self._scope: Scope | None = None
        self._headers: list[str] = []
        self._method = ""
        self._pinned = False
        self._where = ""
        self._decode = True
        for option, value in (
            (pycurl.NOSIGNAL, 1),
            (pycurl.FOLLOWLOCATION, 0),
            (pycurl.NETRC, pycurl.NETRC_IGNORED),
            (pycurl.PROXY, ""),
            (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
            (pycurl.REDIR_PROTOCOLS, 0),
            (pycurl.HTTP_CONTENT_DECODING, 0),
            (pycurl.SSL_VERIFYPEER, 1),
            (pycurl.SSL_VERIFYHOST, 2),
            (pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_2),
            (pycurl.BUFFERSIZE, BUFFER_OCTETS),
            (pycurl.TCP_NODELAY, 1),
            (pycurl.PATH_AS_IS, 1),
            (pycurl.WRITEFUNCTION, self._on_write),
            (pycurl.READFUNCTION, self._on_read),
            (pycurl.OPENSOCKETFUNCTION, self._on_open),
            (pycurl.PREREQFUNCTION, self._on_ready_to_ask),
            (pycurl.CONNECTTIMEOUT_MS, int(engine.reactor.policy.limits.connect * 1000)),
        ):
            easy.setopt(option, value)
        if engine.reactor.network.translate is not None:
            easy.setopt(pycurl.SOCKOPTFUNCTION, lambda _fd, _purpose: pycurl.SOCKOPT_ALREADY_CONNECTED)

    # --- before ----------------------------------------------------------------------------------------------------

    def begin(self, task: Task, ask: Request, addresses: tuple[str, ...]) -> None:
        """Set the handle up for one request to one of these (approved) addresses."""
        self.task = task
        self.body = Body(self)
        self.lines = []
        self._answered = False
        self._kept_error = None
        self._decode = ask.decode
        if addresses != self._addresses:
            self._addresses = addresses
            self._approved = self._octets(addresses, ask.url.port or 0)
            self._peer = ""
        host = ask.url.host or ""
        bracketed = f"[{host}]" if ":" in host else host
        self._where = f"{bracketed}:{ask.url.port}"
        easy = self.easy
        # One Python call for each header line is a tenth of a small request. Who reads on at once can do without: the
        # first octet of the body, or its end, says as well that the head is whole. libcurl bounds the head at 300
        # KiB.
        easy.setopt(pycurl.HEADERFUNCTION, self.lines.append if task.eager else self._on_header)
        easy.setopt(pycurl.URL, f"{ask.url.scheme}://{self._where}/")
        easy.setopt(pycurl.REQUEST_TARGET, ask.target)
        self._pin(bracketed, ask, addresses)
        self._set_method(ask)
        headers = [f"{name}: {value}" if value else f"{name};" for name, value in ask.headers]
        headers.append(f"User-Agent: {USER_AGENT}")
        if ask.decode:
            headers.append("Accept-Encoding: gzip, deflate")
        if ask.authorization is not None:
            user, secret = ask.authorization
            login = f"{user}:{secret.reveal()}".encode("utf-8", "surrogateescape")
            headers.append("Authorization: Basic " + base64.b64encode(login).decode("ascii"))
        if headers != self._headers:
            self._headers = headers
            easy.setopt(pycurl.HTTPHEADER, headers)
        if ask.url.scheme == "https":
            bundle = self.engine.reactor.trust.bundle()
            if bundle is not None:
                easy.setopt(pycurl.CAINFO, bundle)
            # HTTP/2 only for what is read to its end: ten unread streams of one connection held 182 MB.
            version = pycurl.CURL_HTTP_VERSION_2TLS if task.eager else pycurl.CURL_HTTP_VERSION_1_1
            easy.setopt(pycurl.HTTP_VERSION, version)

    def _pin(self, host: str, ask: Request, addresses: tuple[str, ...]) -> None:
        """Lead libcurl to the approved addresses and no others, on a connection that only they and this login share."""
        if ask.authorization is None and literal(ask.url.host or "") is not None:
            if self._pinned:
                self._pinned = False
                self.easy.setopt(pycurl.CONNECT_TO, [])
                self.easy.setopt(pycurl.RESOLVE, [])
            return
        self._pinned = True
        # RESOLVE alone would let a later request use a connection that leads to another address again.
        login = "" if ask.authorization is None else f"{ask.authorization[0]}:{ask.authorization[1].reveal()}"
        text = "\0".join((*addresses, login)).encode("utf-8", "surrogatepass")
        label = blake2b(text, key=self.engine.salt, digest_size=16).hexdigest() + ".invalid"
        port = ask.url.port
        self.easy.setopt(pycurl.CONNECT_TO, [f"{host}:{port}:{label}:{port}"])
        self.easy.setopt(pycurl.RESOLVE, [f"+{label}:{port}:{','.join(addresses)}"])

    def _set_method(self, ask: Request) -> None:
        easy = self.easy
        if ask.method == self._method == "GET":
            return
        self._method = ask.method
        easy.setopt(pycurl.HTTPGET, 1)
        if ask.method == "HEAD":
            easy.setopt(pycurl.NOBODY, 1)
        elif ask.upload:
            easy.setopt(pycurl.UPLOAD, 1)
            source = None if self.task is None else self.task.source
            size = 0 if source is None else source.size
            easy.setopt(pycurl.INFILESIZE_LARGE, -1 if size is None else size)
        if ask.method in ("GET", "HEAD", "PUT"):
            easy.unsetopt(pycurl.CUSTOMREQUEST)
        else:
            easy.setopt(pycurl.CUSTOMREQUEST, ask.method)

    def _octets(self, addresses: tuple[str, ...], port: int) -> frozenset[bytes]:
        translate = self.engine.reactor.network.translate
        found = {_packed(address) for address in addresses}
        if translate is not None:
            found |= {_packed(translate((address, port))[0]) for address in addresses}
        return frozenset(found)

    # --- callbacks -------------------------------------------------------------------------------------------------

    def _on_open(self, _purpose: int, address: Any) -> Any:
        try:
            host, port = address.addr[0], address.addr[1]
            if isinstance(host, bytes):
                host = host.decode("ascii", "replace")
            if _packed(host) not in self._approved:
                self._kept_error = RefusedError(f"libcurl wanted to connect to {host}, which was not approved.")
                return pycurl.SOCKET_BAD
            network = self.engine.reactor.network
            sock, target = network.socket_to((host, port), "tcp")
            handover = _Handover(sock)
            if network.translate is not None:
                sock.setblocking(True)
                sock.connect(target)
            return handover
        except OSError as error:
            self._kept_error = ConnectError(f"Connecting to {self._where}: {error.strerror or error}.")
            return pycurl.SOCKET_BAD

    def _on_ready_to_ask(self, peer: str, _local: str, _peer_port: int, _local_port: int) -> int:
        # Called for every request, on new connections and on ones used again.
        if peer != self._peer and _packed(peer) not in self._approved:
            self._kept_error = RefusedError(
                f"The connection leads to {peer}, which was not approved: nothing was sent."
            )
            return int(pycurl.PREREQFUNC_ABORT)
        if peer != self._peer:
            self._peer, self._scope = peer, scope(peer)
        if self.task is not None:
            self.task.last_scope = self._scope
        return int(pycurl.PREREQFUNC_OK)

    def _on_header(self, line: bytes) -> None:
        self.lines.append(line)
        if line in (b"\r\n", b"\n") and not self._answered and not is_interim(self.lines):
            self._answer()

    def _on_write(self, data: bytes) -> int | None:
        if not self._answered:
            self._answer()
        body = self.body
        if body.buffered >= HIGH_WATER:
            body.paused = True
            return int(pycurl.WRITEFUNC_PAUSE)
        body.chunks.append(data)
        body.buffered += len(data)
        body.received += len(data)
        self._wake()
        return None

    def _on_read(self, at_most: int) -> bytes | int:
        task = self.task
        if task is None or task.source is None:
            return b""
        try:
            data = task.source.read(at_most)
        except Exception as error:
            if not isinstance(error, AnyURLError):
                error = LocalFileError(f"What is to be sent can't be read: {error}.")
            self._kept_error = error
            return int(pycurl.READFUNC_ABORT)
        self.engine.reactor.awaits_peer(task)
        return data

    # --- after -----------------------------------------------------------------------------------------------------

    def _answer(self) -> None:
        """The head is whole: let the dialogue have it, in the next turn."""
        self._answered = True
        task = self.task
        assert task is not None
        try:
            limits = self.engine.reactor.policy.limits
            response = read_head(self.lines, self.body, limits)
            codings = [value for name, value in response.headers if name == "content-encoding"] if self._decode else ()
            if codings:
                names = ",".join(codings).split(",")
                decoder = ContentDecoder(names, max_ratio=limits.decoded_ratio, free=limits.decoded_free)
                self.body.decoder = decoder if decoder else None
        except AnyURLError as error:
            self.engine.loop.soon(self.engine.reactor.resume, task, None, error)
            return
        self.engine.loop.soon(self.engine.reactor.resume, task, response, None)

    def _wake(self) -> None:
        waiter = self.body.waiter
        if waiter is not None:
            self.body.waiter = None
            self.engine.loop.soon(waiter)

    def ended(self, code: int, text: str) -> None:
        """libcurl is done with this request."""
        body, task = self.body, self.task
        body.finished = True
        body.transfer = None
        if code:
            body.error = self._kept_error or translate_curl(code, text, self._where, body.received)
        assert task is not None
        if not self._answered and not code:
            self._answer()
        if self._answered:
            self._wake()
        else:
            self._answered = True
            error = body.error or ConnectionLost(f"{self._where} closed the connection without an answer.")
            self.engine.loop.soon(self.engine.reactor.resume, task, None, error)

    def forget(self) -> None:
        """Drop what belonged to the request: the handle waits for the next one."""
        self.task = None
        self._kept_error = None
        self.lines = []


class _Handover:
    """A socket on its way to libcurl, which takes a duplicate of its descriptor; ours is closed with this."""

    __slots__ = ("_sock",)

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def fileno(self) -> int:
        return self._sock.fileno()

    def __del__(self) -> None:
        self._sock.close()


def _packed(address: str) -> bytes:
    plain = address.partition("%")[0]
    return socket.inet_pton(socket.AF_INET6 if ":" in plain else socket.AF_INET, plain)
