"""Connection: one TCP connection that never blocks, with or without TLS.

Rule: every method either does its work at once or answers what it waits for (a `Want`), and is then called again when
the socket is ready. What the system says is translated into the error tree here, and nowhere above.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from anyurl.dialogue.values import RECEIVE_AT_MOST, Channel
from anyurl.errors import ConnectError, ConnectionLost, LocalFileError, TransferError, Truncated
from anyurl.net.outgoing import unsent
from anyurl.net.room import EXHAUSTED
from anyurl.net.tls import TLSConfig, TLSTerms, close_half_made, handshake_failed, not_valid, tls_reason
from anyurl.reasons import reason_of
from anyurl.values import Scope

if TYPE_CHECKING:
    from anyurl.net.proxies.table import Proxy


class Want:
    """What an operation waits for before it can go on."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: str = name

    def __repr__(self) -> str:
        return self.name


WANT_READ: Final = Want("WANT_READ")
WANT_WRITE: Final = Want("WANT_WRITE")
WANT_TIME: Final = Want("WANT_TIME")
"""Nothing tells when it can go on: it is tried again soon."""

IN_FLIGHT = 16 * 1024
"""Octets of which nobody asks whether they have arrived: fewer don't take a minute on any line that is alive."""

ENDING_READS = 16
"""Pieces that are still taken from a peer after our end mark: all it has to say is its own."""

_PEEK = int(socket.MSG_PEEK) | int(getattr(socket, "MSG_DONTWAIT", 0))
"""How it is looked whether something has come; as the numbers that they are, for Python makes a new flag of two."""

_LOST = (errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED, errno.ENOTCONN, errno.ESHUTDOWN)


def translate(
    error: OSError, what: str, *, stage: str, received: int = 0
) -> TransferError | ConnectError | LocalFileError:
    """The error of the tree that a system error means.

    Args:
        what: What was being done, as the beginning of a sentence.
        received: Octets that had arrived: a connection that breaks after them leaves something truncated.
    """
    why = reason_of(error)
    if error.errno in EXHAUSTED:
        return LocalFileError(f"{what}: this process can't open any more connections ({why}).")
    if stage in ("connect", "tls"):
        return ConnectError(f"{what}: {why}.", stage=stage)
    if received:
        return Truncated(f"{what}: the connection broke after {received:,} octets ({why}).", received=received)
    return ConnectionLost(f"{what}: the connection broke ({why}).", stage=stage)


class Connection(Channel):
    """A connection as the scheduler sees it.

    Attributes:
        sock: The socket, non-blocking; an `ssl.SSLSocket` once TLS began.
        endpoint: Host and port as they were asked for.
        tls_name: The server name that TLS verified, or None without TLS.
        received: Octets that came in so far.
        sent: Octets that went out so far.
        key: The pool's key, or None for a channel that is never kept.
        goodbye: What is sent before it is closed while it is kept.
        proxy: The proxy that it goes through, or None; `peer` is what is behind it.
        scope: How far away its peer is, once that is known.
    """

    __slots__ = (
        "sock", "endpoint", "tls_name", "received", "sent", "key", "goodbye", "proxy", "scope", "_unsent", "_ended",
        "_asked", "_arrived", "_judge", "fd", "__weakref__",
    )  # fmt: skip

    def __init__(self, sock: socket.socket, endpoint: tuple[str, int], peer: tuple[str, int]) -> None:
        super().__init__(peer)
        self.sock: socket.socket = sock
        self.fd: int = sock.fileno()
        self.endpoint: tuple[str, int] = endpoint
        self.tls_name: str | None = None
        self.received: int = 0
        self.sent: int = 0
        self.key: tuple[object, ...] | None = None
        self.goodbye: bytes = b""
        self.proxy: Proxy | None = None
        self.scope: Scope | None = None
        self._unsent = memoryview(b"")
        self._ended = False
        self._asked = False
        self._arrived = IN_FLIGHT
        self._judge: Callable[[str, int, bytes], None] | None = None

    @property
    def where(self) -> str:
        """Host and port for error messages."""
        host, port = self.endpoint
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def moved(self) -> int:
        """Octets that went through it, either way: of many that were sent those that have arrived (`unsent`)."""
        if self.sent > self._arrived:
            left = unsent(self.fd)
            # When all has arrived, nobody asks about the next few either: the requests of a kept connection are small.
            self._arrived = max(self._arrived, self.sent - left) if left else self.sent + IN_FLIGHT
        return self.received + min(self.sent, self._arrived)

    def receive(self, at_most: int) -> bytes | Want:
        """The octets that are there; ``b""`` at the end of the stream."""
        if self._asked:  # what was sent is hardly answered yet: to look now costs more than to wait
            self._asked = False
            return WANT_READ
        try:
            data = self.sock.recv(at_most)
        except (BlockingIOError, InterruptedError):
            return WANT_READ
        except OSError as error:
            if self.tls_name is not None:
                return self._tls_want(error) or self._tls_end(error)
            raise translate(error, f"Reading from {self.where}", stage="transfer", received=self.received) from error
        self.received += len(data)
        return data

    def _tls_want(self, error: OSError) -> Want | None:
        """What TLS waits for, if that is all."""
        import ssl  # only where it is used: it takes as long to load as Python itself

        if isinstance(error, ssl.SSLWantReadError):
            return WANT_READ
        return WANT_WRITE if isinstance(error, ssl.SSLWantWriteError) else None

    def _tls_end(self, error: OSError) -> bytes:
        """``b""`` at TLS's own end mark; all else is raised."""
        import ssl

        if isinstance(error, ssl.SSLZeroReturnError):
            return b""
        raise self._tls_broke(error, "Reading from") from error

    def _tls_broke(self, error: OSError, what: str) -> TransferError | ConnectError | LocalFileError:
        import ssl

        if not isinstance(error, ssl.SSLError):
            received = self.received if what == "Reading from" else 0
            return translate(error, f"{what} {self.where}", stage="transfer", received=received)
        # A stream that ends without TLS's own end mark may have been cut by anybody on the way (RFC 8446 6.1).
        why = tls_reason(error.reason or "cut off")
        text = f"{what} {self.where}: the TLS connection broke ({why})."
        return Truncated(text, received=self.received) if self.received else ConnectionLost(text)

    def send(self, data: bytes) -> Want | None:
        """Begin to send all of `data`; when not None, go on with `send_rest`."""
        self._unsent = memoryview(data)
        return self.send_rest()

    def send_rest(self) -> Want | None:
        """Send what the last `send` left over."""
        while self._unsent:
            try:
                sent = self._send_once()
            except (BlockingIOError, InterruptedError):
                return WANT_WRITE
            except OSError as error:
                if self.tls_name is not None:
                    want = self._tls_want(error)
                    if want is not None:
                        return want
                    raise self._tls_broke(error, "Sending to") from error
                raise translate(error, f"Sending to {self.where}", stage="transfer") from error
            self.sent += sent
            self._unsent = self._unsent[sent:]
        self._asked = self.tls_name is None  # TLS may have octets that no descriptor tells of
        return None

    def _send_once(self) -> int:
        return self.sock.send(self._unsent)

    def begin_tls(self, config: TLSConfig, server_name: str, how: TLSTerms, resume: Connection | None = None) -> None:
        """Wrap the socket; `handshake` then does the work."""
        import ssl

        context, self._judge = config.context(how), config.judge(how)
        session: Any = None
        if resume is not None and isinstance(resume.sock, ssl.SSLSocket):
            session = resume.sock.session
        try:
            self.sock = context.wrap_socket(
                self.sock,
                server_hostname=server_name,
                do_handshake_on_connect=False,
                suppress_ragged_eofs=False,
                session=session,
            )
        except (ssl.SSLError, ValueError, OSError) as error:
            close_half_made(error)
            raise ConnectError(f"TLS with {self.where} could not begin: {reason_of(error)}.", stage="tls") from error
        self.fd = self.sock.fileno()
        self.tls_name = server_name

    def handshake(self) -> Want | None:
        """Do the TLS handshake and verify the certificate. Raises as `Pins.judge`, and ConnectError."""
        import ssl

        assert isinstance(self.sock, ssl.SSLSocket)
        try:
            self.sock.do_handshake()
        except ssl.SSLWantReadError:
            return WANT_READ
        except ssl.SSLWantWriteError:
            return WANT_WRITE
        except ssl.SSLCertVerificationError as error:
            raise not_valid(self.where, error.verify_message, self.tls_name) from error
        except ssl.SSLError as error:
            raise handshake_failed(self.where, error.reason or "cut off") from error
        except OSError as error:
            raise translate(error, f"Beginning TLS with {self.where}", stage="tls") from error
        if self._judge is not None:
            self._judge(self.tls_name or "", self.endpoint[1], self.sock.getpeercert(binary_form=True) or b"")
        return None

    def is_quiet(self) -> bool:
        """Whether the peer has neither sent anything unasked nor closed (looked at before a kept channel is reused)."""
        if self.tls_name is not None:
            secured: Any = self.sock
            if secured.pending():
                return False
            probe = socket.socket(fileno=self.sock.fileno())
        else:
            probe = self.sock
        try:
            probe.recv(1, _PEEK)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        finally:
            if probe is not self.sock:
                probe.detach()
        return False

    def end(self) -> Want | None:
        """Tell the peer that no more comes, and wait until it has seen that; None when it has.

        Over TLS a mere close looks like a cut (RFC 8446 6.1). And what the peer sends meanwhile (session tickets, its
        own end mark) would find the socket closed and reset the connection: it loses what it has not read yet. What
        lies in the buffers of this machine is still progress, which nobody sees any more once it is closed.
        """
        if self.tls_name is None:
            return self._end_clear() if self.sent > IN_FLIGHT else None
        import ssl

        secured: Any = self.sock
        try:
            if not self._ended:
                try:
                    secured.unwrap()
                    return None
                except ssl.SSLWantReadError:  # our end mark is out, the peer's is not here yet
                    self._ended = True
                    self.sock.shutdown(socket.SHUT_WR)
            for _ in range(ENDING_READS):
                if not self.sock.recv(RECEIVE_AT_MOST):
                    break
        except (BlockingIOError, ssl.SSLWantReadError):
            return WANT_READ
        except ssl.SSLWantWriteError:
            return WANT_WRITE
        except (OSError, ValueError):  # the peer is gone: it will say on another way what it got
            pass
        return None

    def _end_clear(self) -> Want | None:
        try:
            if not unsent(self.fd):
                return None
            if not self._ended:
                self._ended = True
                self.sock.shutdown(socket.SHUT_WR)
            return WANT_TIME if self.sock.recv(RECEIVE_AT_MOST) else None
        except (BlockingIOError, InterruptedError):
            return WANT_TIME
        except OSError:  # the peer is gone: it will say on another way what it got
            return None

    def close(self) -> None:
        """Close the socket; a closed wire may be closed again."""
        try:
            self.sock.close()
        except OSError:  # the descriptor is gone either way
            pass
