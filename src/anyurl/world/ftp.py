"""ftp: the world's tree on an FTP server (RFC 1738 3.2; RFC 959, 2428, 3659), by pyftpdlib.

Rule: anonymous users may read, `tree.USER` may also change things. The server runs its own loop in one thread.
"""

from __future__ import annotations

import logging
import os
import shutil
import socket
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

from anyurl.errors import MissingExtraError
from anyurl.url import URL
from anyurl.world.listener import HOST
from anyurl.world.tree import PASSWORD, USER, write_tree

LOOK = "elr"
CHANGE = "elradfmwMT"
"""pyftpdlib's letters for the permissions of a login."""

IDLE_SECONDS = 60
"""A control connection that is silent for this long is closed: no forgotten client holds a descriptor forever."""


MOST_CHANNELS = 512
"""Sockets of all sessions together; a client beyond them is told that the server is busy."""

BACKLOG = 100


def _has_room(listener: Any) -> bool:
    return len(listener.ioloop.socket_map) <= MOST_CHANNELS


def _accept(listener: Any, connection: Any, address: tuple[Any, ...]) -> None:
    session = None
    try:
        session = listener.handler(connection, listener, ioloop=listener.ioloop)
        if not session.connected:
            return
        listener.ip_map.append(address[0])
        if _has_room(listener):
            session.handle()
        else:
            session.handle_max_cons()
    except Exception:  # of one session: the listener goes on
        if session is None:
            connection.close()
        else:
            session.handle_error()


def _listdir(fs: Any, path: str) -> list[str]:
    """Sorted: a listing is the same on every machine."""
    return sorted(os.listdir(path))


class _StopSignal:
    """Ends the loop from another thread: pyftpdlib has no call for that."""

    def __init__(self, ioloop: Any) -> None:
        self.reader, self._writer = socket.socketpair()
        self._fileno = self.reader.fileno()  # the name that pyftpdlib's loop sorts by when it closes
        self.stopped = False
        ioloop.register(self._fileno, self, ioloop.READ)

    def stop(self) -> None:
        self._writer.send(b".")

    def handle_read_event(self) -> None:
        self.reader.recv(1)
        self.stopped = True

    def close(self) -> None:
        self.reader.close()
        self._writer.close()

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False


class FtpServer:
    """An FTP server with its own folder.

    Attributes:
        port: Where it listens.
        folder: The folder that it serves; uploads are stored here.
    """

    def __init__(self, port: int = 0) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # it imports asyncore where there is one
                from pyftpdlib import authorizers, filesystems, handlers, ioloop
        except ImportError:
            raise MissingExtraError(
                "The world's FTP server needs pyftpdlib: in a clone of anyurl, pip install '.[world]'.",
                extra="world",
            ) from None
        # Without a handler installed, pyftpdlib sets up logging for the whole process and writes to stderr.
        logging.getLogger("pyftpdlib").addHandler(logging.NullHandler())
        self.folder = Path(tempfile.mkdtemp(prefix="anyurl-ftp-")).resolve()
        write_tree(self.folder)
        authorizer = authorizers.DummyAuthorizer()
        authorizer.add_anonymous(str(self.folder), perm=LOOK)
        authorizer.add_user(USER, PASSWORD, str(self.folder), perm=CHANGE)
        facts = {
            "authorizer": authorizer,
            "banner": "anyurl world",
            "abstracted_fs": type(
                "WorldFS", (filesystems.AbstractedFS,), {"listdir": _listdir, "listdirinfo": _listdir}
            ),
            "timeout": IDLE_SECONDS,
            "auth_failed_timeout": 0,  # three seconds by default, against guessing: there is nothing to guess here
        }
        handler = type("WorldFTPHandler", (handlers.FTPHandler,), facts)  # its settings are class attributes
        # All that a session asks of its server. The library's `servers` makes a lock of processes when it is imported:
        # since Python 3.14 that starts a process, which imports modules from the current folder.
        server = {
            "handler": handler,
            "ip_map": [],
            "backlog": BACKLOG,
            "_accept_new_cons": _has_room,
            "handle_accepted": _accept,
        }
        self._loop = ioloop.IOLoop()
        self._server: Any = type("WorldListener", (ioloop.Acceptor,), server)(ioloop=self._loop)
        try:
            self._server.bind_af_unspecified((HOST, port))
            self._server.listen(BACKLOG)
        except OSError:
            self._loop.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self.port: int = self._server.socket.getsockname()[1]
        self._waker = _StopSignal(self._loop)
        self._thread = threading.Thread(target=self._run, name="world ftp", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        wait: float | None = None
        while not self._waker.stopped:
            wait = self._loop.loop(wait, blocking=False)
        self._loop.close()

    @property
    def root(self) -> URL:
        """The top folder, for the anonymous user."""
        return URL(f"ftp://{HOST}:{self.port}/")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo gets: a text, with its line ends converted (RFC 1738 3.2.2)."""
        return {"ftp": URL(f"{self.root}pub/notes.txt;type=a")}

    def close(self) -> None:
        """Hang up on everybody and remove the folder."""
        if self._thread.is_alive():
            self._waker.stop()
            self._thread.join()
            shutil.rmtree(self.folder, ignore_errors=True)


def start(port: int = 0) -> FtpServer:
    """Write the tree and serve it by FTP. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return FtpServer(port=port)
