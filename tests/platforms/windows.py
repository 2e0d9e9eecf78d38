"""Python as it is on Windows, as far as it can be had elsewhere: what it lacks is taken away before anything is loaded.

Rule: run as a program, with the command and its arguments behind it. What can't be shown so (drive letters, names that
are devices, the console) is left to the machines of .github/workflows.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _socket
import asyncio
import concurrent.futures.thread
import getpass
import http.server
import os
import random
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from importlib.abc import MetaPathFinder
from types import SimpleNamespace
from typing import Any

NEEDED = (
    asyncio, concurrent.futures.thread, getpass, http.server, random, selectors, shutil, subprocess, tarfile, tempfile,
    zipfile,
)  # fmt: skip
"""Parts of Python's library that are other files on Windows: they are loaded while all is there."""

MODULES = frozenset({"fcntl", "termios", "tty", "pty", "resource", "pwd", "grp", "readline"})

_SIGNALS = """SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGALRM SIGTSTP SIGCONT SIGWINCH SIGPIPE SIGCHLD SIGSTOP SIGKILL SIGTTIN
    SIGTTOU setitimer getitimer alarm pause ITIMER_REAL pthread_sigmask pthread_kill sigwait siginterrupt"""
_SOCKETS = "AF_UNIX SO_REUSEPORT MSG_DONTWAIT MSG_NOSIGNAL SCM_RIGHTS"

LACKING: dict[Any, str] = {
    signal: _SIGNALS,
    _signal: _SIGNALS,
    select: "poll epoll kqueue devpoll",
    socket: _SOCKETS,
    _socket: f"{_SOCKETS} socketpair",
    os: """O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_CLOEXEC O_NOCTTY O_SYNC O_PATH O_TMPFILE fork forkpty openpty getuid
        geteuid getgid getegid getgroups chown fchown lchown fchmod mkfifo mknod pread pwrite preadv pwritev readv
        writev sendfile splice posix_fallocate posix_fadvise fwalk killpg setsid getpgid getpgrp setpgid tcgetpgrp
        tcsetpgrp ttyname ctermid uname sysconf statvfs fstatvfs nice getloadavg sched_getaffinity chroot fchdir
        fdatasync posix_spawn memfd_create copy_file_range setxattr getxattr listxattr removexattr eventfd""",
}


class Absent(MetaPathFinder):
    """Finds no module that Windows has not."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """None for all others, too: the next one is asked."""
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def connected_pair(*_of: Any) -> tuple[socket.socket, socket.socket]:
    """What `socket.socketpair` is on Windows."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        return client, server.accept()[0]


def become() -> None:
    """Take away what Windows has not."""
    sys.meta_path.insert(0, Absent())
    for name in MODULES:
        sys.modules.pop(name, None)
    for module, names in LACKING.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    if hasattr(os, "process_cpu_count"):  # since 3.13; the one of Linux asks for what was taken away
        os.process_cpu_count = os.cpu_count
    for what in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        what.clear()
    # Its loops know no signals.
    asyncio.SelectorEventLoop.add_signal_handler = asyncio.AbstractEventLoop.add_signal_handler  # type: ignore[method-assign]
    socket.socketpair = connected_pair  # type: ignore[assignment]


if __name__ == "__main__":
    if sys.argv[1:2] == ["columns"]:
        import pyarrow  # noqa: F401  # brings numpy, whose wheel for Linux asks for the kernel's version
    become()
    from anyurl.cli import main
    from anyurl.net.http import sockets
    from anyurl.net.wire import datagram, outgoing

    # They ask for the system by its name, as numbers of ioctl differ. Everything else would take this one for another.
    for asking in (datagram, outgoing, sockets):
        asking.sys = SimpleNamespace(platform="win32")  # type: ignore[attr-defined]
    main()
