"""A program that is run with its own proxy: its variables, its signals, its end (RFC 9110 3.7).

Rule: the listener is made in the process that becomes the program, and handed to the proxy by SCM_RIGHTS. So it may be
in the program's own network namespace, while the proxy connects outside; and the program never runs without it. This
process must have one thread until `start` has returned.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn

from anyurl.errors import LocalFileError
from anyurl.errors.reasons import system_reason
from anyurl.proxy import namespaces
from anyurl.proxy.sockets import listener_at
from anyurl.values import Value

SCHEMES = ("http", "https", "ftp", "gopher", "wais", "all")
"""Of the variables ``http_proxy`` and so on. Programs differ in the case that they read, so both are set."""

EXCEPT = ("no_proxy", "NO_PROXY")

PASSED_ON = tuple(
    getattr(signal, name)
    for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)
"""Signals that the program gets when this process gets them."""

FROM_TERMINAL = 0x80
"""``SI_KERNEL``: a terminal has sent the signal to the program as well (sigaction(2))."""

NOT_FOUND, NOT_RUN = 127, 126
"""The exit codes of a program that is not there, or can't be run (POSIX XCU 2.8.2)."""

LEAST_OWN = 3
"""The first descriptor that is not standard input, output or error."""


class Child(Value):
    """A program that runs, and the listener of its proxy.

    Attributes:
        pid: Its process.
        listener: In the network of the program.
        mask: The signals that were blocked in this process before.
    """

    pid: int
    listener: socket.socket
    mask: tuple[int, ...]


def check(confined: bool) -> None:
    """Whether this system can run a program so. Raises LocalFileError."""
    if not hasattr(os, "fork"):
        raise LocalFileError("A program is run with its own proxy on Unix systems only; here it can use one that runs.")
    if confined and not namespaces.can_confine():
        raise LocalFileError(f"--confine needs the namespaces of Linux, which {sys.platform} does not have.")


def exit_code(error: LocalFileError) -> int:
    """The exit code for a program that can't be run."""
    return NOT_FOUND if error.errno == errno.ENOENT else NOT_RUN


def variables(address: str, token: str | None, *, confined: bool) -> dict[str, str]:
    """The proxy variables of a program.

    Args:
        address: The host and port of its proxy.
        token: The token that the proxy requires; None if no other program can reach it.
        confined: Its loopback is its own, and is reached directly; otherwise everything goes through the proxy.
    """
    login = "" if token is None else f"anyurl:{token}@"
    proxy = f"http://{login}{address}"
    found = {name: proxy for scheme in SCHEMES for name in (f"{scheme}_proxy", f"{scheme}_proxy".upper())}
    found |= dict.fromkeys(EXCEPT, "localhost,127.0.0.1,::1" if confined else "")
    return {**found, "NODE_USE_ENV_PROXY": "1"}  # Node reads the others only with it


def start(words: tuple[str, ...], place: tuple[str, int], token: str | None, *, confined: bool) -> Child:
    """Start a program with a listener for its proxy.

    Args:
        words: The program and its arguments.
        place: Where to listen.
        token: See `variables`.
        confined: Cut the program off from every network but its own loopback.

    Raises:
        LocalFileError: The program can't be run; its `errno` says why. Or the listener can't be made, or the kernel
            refuses the namespaces.
    """
    here, there = socket.socketpair()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would take the exit code
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*PASSED_ON, signal.SIGCHLD})
    sys.stdout.flush()  # else both processes would write the buffered output
    pid = os.fork()
    if not pid:
        here.close()
        _become(words, place, token, there, mask, confined)
    there.close()
    with here:
        message, numbers, _, _ = socket.recv_fds(here, 65_536, 1)
        listener = socket.socket(fileno=numbers[0]) if numbers else None
        failure = message if listener is None else here.recv(65_536)
    if not failure and listener is not None:
        return Child(pid, listener, tuple(mask))
    if listener is not None:
        listener.close()
    os.waitpid(pid, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    raise _error(words[0], json.loads(failure or b'{"step": "start", "errno": 0}'))


def _become(
    words: tuple[str, ...],
    place: tuple[str, int],
    token: str | None,
    parent: socket.socket,
    mask: set[int | signal.Signals],
    confined: bool,
) -> NoReturn:
    """The forked process: from here on it is the program, or ends."""
    step = "confine"
    try:
        if confined:
            namespaces.leave_network()
        step = "listen"
        listener = listener_at(*place)
        host, port = listener.getsockname()[:2]
        socket.send_fds(parent, [b"L"], [listener.fileno()])
        step = "run"
        shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        environment = {**os.environ, **variables(shown, token, confined=confined)}
        _forget_ours(parent.fileno())
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.execvpe(words[0], words, environment)
    except Exception as error:  # the error cannot be raised here: the caller's code must not run twice
        number = error.errno if isinstance(error, OSError) else None
        with suppress(OSError):
            parent.sendall(json.dumps({"step": step, "errno": number or 0}).encode("ascii"))
    finally:
        os._exit(NOT_RUN)


def _forget_ours(kept: int) -> None:
    """Close descriptors that a program would inherit beyond the standard streams: a socket would lead out of its
    namespace."""
    os.closerange(LEAST_OWN, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
    for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them, which would be inherited
        if number := getattr(signal, name, None):
            signal.signal(number, signal.SIG_DFL)


def _error(program: str, failure: Mapping[str, object]) -> LocalFileError:
    number = int(str(failure["errno"]))
    why = system_reason(number) if number else "the system gives no reason"
    if failure["step"] == "confine":
        refusal = namespaces.REFUSALS.get(number, why)
        return LocalFileError(f"The kernel refuses the namespaces of --confine: {refusal}. Nothing was run.")
    if failure["step"] == "listen":
        return LocalFileError(f"Listening (--listen) failed: {why}.")
    error = LocalFileError(f"The program {program!r} can't be run: {why}.")
    error.errno = number
    return error


def watch(child: Child) -> int:
    """Pass signals on to a program until it ends; returns its exit code, 128 and the signal for one that was killed.

    Blocks; it needs its own thread. A signal that the terminal sent is not passed on: it went to both.
    """
    waited = {*PASSED_ON, signal.SIGCHLD}
    while True:
        number, is_sent = _next_signal(waited)
        if number == signal.SIGCHLD:
            pid, status = os.waitpid(child.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                return 128 - code if code < 0 else code
        elif is_sent:
            with suppress(ProcessLookupError):
                os.kill(child.pid, number)


def _next_signal(waited: set[signal.Signals]) -> tuple[int, bool]:
    """The next signal, and whether a process has sent it to this one alone."""
    if hasattr(signal, "sigwaitinfo"):
        came = signal.sigwaitinfo(waited)
        return came.si_signo, came.si_code != FROM_TERMINAL
    number = signal.sigwait(waited)
    with suppress(OSError, ValueError):
        return number, number not in (signal.SIGINT, signal.SIGQUIT) or not os.isatty(0)
    return number, True


def forget(child: Child) -> None:
    """Unblock the signals again, after the end."""
    signal.pthread_sigmask(signal.SIG_SETMASK, child.mask)
