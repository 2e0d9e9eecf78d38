"""Programs: URLs whose protocol anyurl does not speak, passed to a program that the user configured.

Rule: the URL is judged like any other, and the program gets the exact address that was approved, never a name that it
would look up again. No shell parses any part of the URL, no part of it can be taken for an option, and no password is
passed: every user of the machine can see the arguments of a process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyurl.errors import AnyURLError, RefusedError, TransferTimeout
from anyurl.net.children import run_users
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.wire.resolver import Query
from anyurl.url import URL
from anyurl.values import USER

FIELDS = ("host", "port", "user", "path")
"""Fields of an argument, in braces; ``path`` is the encoded url-path without the ``/`` after the host."""

HOST = "{host}"

_UNSAFE = frozenset(chr(octet) for octet in range(0x21)) | {"\x7f"}


class Program:
    """A command line with fields, such as ``("x3270", "{host}:{port}")``.

    Raises:
        ValueError: It is empty, or has no ``{host}``.
    """

    __slots__ = ("_arguments",)

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = tuple(arguments)
        if not self._arguments or HOST in self._arguments[0]:
            raise ValueError(f"a program comes first, and then its arguments: one of them has {HOST} in it")
        if not any(HOST in argument for argument in self._arguments):
            raise ValueError(f"the program {self._arguments[0]!r} would not know where to: one argument needs {HOST}")

    def arguments(self, url: URL, address: str) -> list[str]:
        """The command line for one URL, with the approved address as its host.

        Raises:
            RefusedError: The user or path of the URL would be taken for an option, or has white space or controls.
        """
        user, path = url.user or "", url.url_path
        # RFC 3986 3.2.2: an IPv6 address before a port is written in brackets.
        bracketed = f"[{address}]" if ":" in address else address
        values = {f"{HOST}:": f"{bracketed}:", HOST: address, "{port}": str(url.port), "{user}": user, "{path}": path}
        found = [_filled(argument, values) for argument in self._arguments[1:]]
        pairs = zip(self._arguments[1:], found, strict=True)
        is_option = any(filled[:1] == "-" and argument[:1] != "-" for argument, filled in pairs)
        if is_option or not _UNSAFE.isdisjoint(user + path):
            raise RefusedError(
                f"The user or the path of {url.masked} would be an option to a program, or several words: no program "
                "is run.",
                code="octets",
                subject=url.scheme,
            )
        return [self._arguments[0], *found]


def _filled(argument: str, values: dict[str, str]) -> str:
    """Replace each field with its value, once: a value that looks like a field is not replaced again."""
    for field, value in values.items():
        before, found, after = argument.partition(field)
        if found:
            return _filled(before, values) + value + _filled(after, values)
    return argument


def run(scheduler: Scheduler, url: URL, program: Program) -> int:
    """Judge the URL and all addresses of its host, then run the program; its exit code.

    Raises:
        RefusedError: The policy refuses the URL, or one of the addresses.
        ConnectError: The host has no address.
        LocalFileError: The program can't be run.
    """
    scheduler.decisions.keep(scheduler.policy.judge_url(url), url)
    return run_users(program.arguments(url, _approved(scheduler, url)))


def _approved(scheduler: Scheduler, url: URL) -> str:
    """An address of the URL's host, after the policy has approved all of them."""
    answers: list[Sequence[str] | AnyURLError] = []
    then: Callable[[Sequence[str] | AnyURLError], None] = answers.append
    assert url.host is not None
    assert url.port is not None
    known = scheduler.connector.approve(url.scheme, url.host, url.port, USER, then, lambda: None)
    if not isinstance(known, Query):
        return known[0]
    seconds = scheduler.policy.limits.connect
    text = f"The look-up of {url.host!r} took longer than {seconds:g} seconds."
    clock = scheduler.loop.after(
        seconds, lambda: answers.append(TransferTimeout(text, clock="connect", stage="look-up"))
    )
    while not answers:
        scheduler.loop.turn()
    clock.cancel()
    known.close()
    answer = answers[0]
    if isinstance(answer, AnyURLError):
        raise answer
    return answer[0]
