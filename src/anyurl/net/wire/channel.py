"""Connection: one non-blocking TCP connection, with or without TLS.

Rule: every method either finishes at once or returns what it waits for (a `Want`), and is called again when the socket
is ready. System errors are translated into the error tree here, never in a higher layer.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from anyurl.dialogue.values import RECEIVE_AT_MOST, Channel
from anyurl.errors import ConnectError, ConnectionLost, LocalFileError, TransferError, Truncated
from anyurl.errors.reasons import EXHAUSTED, reason_of
from anyurl.net.wire.outgoing import unsent
from anyurl.net.wire.tls import TLSConfig, TLSTerms, close_half_made, handshake_failed, not_valid, tls_reason
from anyurl.values import Scope

if TYPE_CHECKING:
    from anyurl.net.wire.proxies.table import Proxy


class Want:
    """The condition that an operation waits for."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: str = name

    def __repr__(self) -> str:
        return self.name


WANT_READ: Final = Want("WANT_READ")
WANT_WRITE: Final = Want("WANT_WRITE")
WANT_TIME: Final = Want("WANT_TIME")
"""No event reports when it can continue: it is polled."""

IN_FLIGHT = 16 * 1024
"""Octets below which delivery is not checked: any working line delivers so few in less than a minute."""

ENDING_READS = 16
"""Pieces still read from a peer after our TLS close_notify: only its own close_notify is expected."""

_PEEK = int(socket.MSG_PEEK) | int(getattr(socket, "MSG_DONTWAIT", 0))
"""Flags that peek for input; plain ints, since combining two enum flags creates a new object on each call."""

NO_ROUTE: Final = frozenset((errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT))
"""Errors of connecting that say that this machine has no way to an address, and nothing about the peer."""


def translate(
    error: OSError, what: str, *, stage: str, received: int = 0
) -> TransferError | ConnectError | LocalFileError:
    """Translate a system error into the error tree.

    Args:
        what: The action that failed, as the beginning of a sentence.
        received: Octets that had arrived: if there were any, a broken connection means truncated content.
    """
    why = reason_of(error)
    if error.errno in EXHAUSTED:
        return LocalFileError(f"{what}: this process can't open any more connections ({why}).")
    if stage in ("connect", "tls"):
        return ConnectError(f"{what}: {why}.", stage=stage, errno=error.errno)
    if received:
        return Truncated(f"{what}: the connection broke after {received:,} octets ({why}).", received=received)
    return ConnectionLost(f"{what}: the connection broke ({why}).", stage=stage)


class Connection(Channel):
    """A connection as the scheduler sees it.

    Attributes:
        sock: The socket, non-blocking; an `ssl.SSLSocket` once TLS began.
        endpoint: Host and port as requested.
        tls_name: The server name that TLS verified, or None without TLS.
        received: Octets that came in so far.
        sent: Octets that went out so far.
        key: Its key in the pool, or None if it is never reused.
        goodbye: Sent before the pool closes it while it is idle.
        proxy: The proxy that it goes through, or None; `peer` is then the server that it leads to.
        scope: The scope of the peer's address, once known.
        until_close: Content may end with the connection; TLS then need not mark its end (`unmarked`).
    """

    __slots__ = (
        "sock", "endpoint", "tls_name", "received", "sent", "key", "goodbye", "proxy", "scope", "until_close",
        "_unsent", "_ended", "_asked", "_arrived", "_judge", "fd", "__weakref__",
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
        self.until_close: bool = False
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
        """Octets received, and octets sent; of a large amount sent, only what the peer has confirmed (`unsent`)."""
        if self.sent > self._arrived:
            left = unsent(self.fd)
            # Once all has arrived, the next few are not checked either: requests on a kept connection are small.
            self._arrived = max(self._arrived, self.sent - left) if left else self.sent + IN_FLIGHT
        return self.received + min(self.sent, self._arrived)

    def receive(self, at_most: int) -> bytes | Want:
        """The octets available now; ``b""`` at the end of the stream."""
        if self._asked:  # a reply is hardly here yet: to try costs more than to wait
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
        """The condition that TLS waits for; None if the error is a real one."""
        import ssl  # loaded on first use: it takes as long to load as Python itself

        if isinstance(error, ssl.SSLWantReadError):
            return WANT_READ
        return WANT_WRITE if isinstance(error, ssl.SSLWantWriteError) else None

    def _tls_end(self, error: OSError) -> bytes:
        """``b""`` for the close_notify of TLS, and for a close without it where that may be the end of the content."""
        import ssl

        if isinstance(error, ssl.SSLZeroReturnError) or self.unmarked:
            return b""
        if self.until_close and self._is_end_of_tcp(error):
            self.unmarked = True
            return b""
        raise self._tls_broke(error, "Reading from") from error

    def _is_end_of_tcp(self, error: OSError) -> bool:
        """Whether the peer has closed TCP in order, and not TLS."""
        import ssl

        if isinstance(error, ssl.SSLError) and error.reason == "UNEXPECTED_EOF_WHILE_READING":
            return True  # OpenSSL 3; only from Python 3.11.3 on an SSLEOFError
        if not isinstance(error, ssl.SSLEOFError):
            return False
        # Without that reason it may be a reset (since Python 3.10), after which the socket has no peer.
        try:
            self.sock.getpeername()
        except OSError:
            return False
        return True

    def _tls_broke(self, error: OSError, what: str) -> TransferError | ConnectError | LocalFileError:
        import ssl

        if not isinstance(error, ssl.SSLError):
            received = self.received if what == "Reading from" else 0
            return translate(error, f"{what} {self.where}", stage="transfer", received=received)
        # A stream that ends without close_notify may have been truncated by an attacker on the path (RFC 8446 6.1).
        why = tls_reason(error.reason or "cut off")
        text = f"{what} {self.where}: the TLS connection broke ({why})."
        return Truncated(text, received=self.received) if self.received else ConnectionLost(text)

    def send(self, data: bytes) -> Want | None:
        """Begin to send all of `data`; if the result is not None, call `send_rest` to continue."""
        self._unsent = memoryview(data)
        return self.send_rest()

    def send_rest(self) -> Want | None:
        """Send the rest of the last `send`."""
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
        self._asked = self.tls_name is None  # TLS may have decrypted octets that no descriptor reports
        return None

    def _send_once(self) -> int:
        return self.sock.send(self._unsent)

    def begin_tls(self, config: TLSConfig, server_name: str, how: TLSTerms, resume: Connection | None = None) -> None:
        """Wrap the socket; `handshake` then does the handshake."""
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
            raise ConnectError(
                f"TLS with {self.where} could not be started: {reason_of(error)}.", stage="tls"
            ) from error
        self.fd = self.sock.fileno()
        self.tls_name = server_name

    def handshake(self) -> Want | None:
        """Do the TLS handshake and verify the certificate. Raises ConnectError, and the errors of `Pins.judge`."""
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
        self.tls: str | None = (self.sock.version() or "").replace("TLSv", "tls/") or None
        return None

    def is_quiet(self) -> bool:
        """Whether the peer has neither sent unsolicited data nor closed; checked before a kept connection is reused."""
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
        """Tell the peer that no more data follows, and wait until it has seen that; None when it has.

        Over TLS a plain close looks like a truncation (RFC 8446 6.1). Also, what the peer sends meanwhile (session
        tickets, its own close_notify) would reach a closed socket and reset the connection, so that the peer loses what
        it has not read yet. And data in the buffers of this machine still counts as progress, which cannot be observed
        after the close.
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
                except ssl.SSLWantReadError:  # our close_notify is sent, the peer's has not arrived
                    self._ended = True
                    self.sock.shutdown(socket.SHUT_WR)
            for _ in range(ENDING_READS):
                if not self.sock.recv(RECEIVE_AT_MOST):
                    break
        except (BlockingIOError, ssl.SSLWantReadError):
            return WANT_READ
        except ssl.SSLWantWriteError:
            return WANT_WRITE
        except (OSError, ValueError):  # the peer is gone; the control connection will report what it received
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
        except OSError:  # the peer is gone; the control connection will report what it received
            return None

    def close(self) -> None:
        """Close the socket; may be called twice."""
        try:
            self.sock.close()
        except OSError:  # the descriptor is released even if close fails
            pass
