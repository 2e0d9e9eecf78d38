"""The user's own folder, served by http, gopher and gemini: read only, on loopback unless the user says otherwise.

Rule: only `anyurl.files.shared` decides which files are visible.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any

from anyurl.errors import MissingExtraError, UnknownSchemeError
from anyurl.files.channel import local_error
from anyurl.files.folders import state_folder
from anyurl.files.shared import SharedFolder
from anyurl.url import URL
from anyurl.world.listener import HOST
from anyurl.world.world import USUAL_PORTS

SCHEMES = ("http", "gopher", "gemini")
"""The protocols that can serve a folder."""


class SharedWorld:
    """Servers of one folder, running inside ``with``.

    Args:
        path: The folder.
        schemes: By which it is served; all of `SCHEMES` when not given.
        address: The address that they listen on: `HOST` is for this machine alone.
        port: Where the only one listens; None for its usual port if that is free, else any.

    Attributes:
        roots: The URL of the folder, by scheme.
        missing: The schemes that no one asked for by name, and that need an extra; with the error that says so.

    Raises:
        UnknownSchemeError: A folder can't be served by that scheme.
        MissingExtraError: On entry: a scheme that was asked for by name needs an extra that is not installed.
    """

    def __init__(self, path: str, schemes: Iterable[str] = (), *, address: str = HOST, port: int | None = None) -> None:
        self._path = path
        self._asked = tuple(dict.fromkeys(schemes))
        self._schemes = self._asked or SCHEMES
        self._address = address
        self._port = port
        self._stack = ExitStack()
        self.roots: dict[str, URL] = {}
        self.missing: dict[str, MissingExtraError] = {}
        for scheme in self._schemes:
            if scheme not in SCHEMES:
                raise UnknownSchemeError(
                    f"A folder can't be served by {scheme!r}; it can by {', '.join(SCHEMES)}.", scheme=scheme
                )

    def __enter__(self) -> SharedWorld:
        with ExitStack() as stack:
            folder = SharedFolder(self._path)
            stack.callback(folder.close)
            for scheme in self._schemes:
                try:
                    server = self._start(scheme, folder)
                except MissingExtraError as error:
                    if self._asked:
                        raise
                    self.missing[scheme] = error
                    continue
                stack.callback(server.close)
                host = _shown(self._address)
                self.roots[scheme] = URL(f"{scheme}://{host}:{server.port}/")
            self._stack = stack.pop_all()
        return self

    def _start(self, scheme: str, folder: SharedFolder) -> Any:
        if self._port is None:
            with suppress(OSError):  # something else listens there
                return self._listening(scheme, folder, USUAL_PORTS[scheme])
        try:
            return self._listening(scheme, folder, self._port or 0)
        except OSError as error:
            raise local_error(error, f"Listening at {self._address} port {self._port or 0}") from error

    def _listening(self, scheme: str, folder: SharedFolder, port: int) -> Any:
        if scheme == "gopher":
            from anyurl.world.shared_gopher import GopherFolder

            return GopherFolder(folder, self._address, port)
        if scheme == "gemini":
            from anyurl.world.shared_gemini import GeminiFolder

            return GeminiFolder(folder, self._address, port, own_certificate(self._address))
        from anyurl.world.shared_http import HttpFolder

        return HttpFolder(folder, self._address, port)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def _shown(address: str) -> str:
    """The host of a URL that reaches a server at an address, as seen from here where it listens everywhere."""
    if ipaddress.ip_address(address).is_unspecified:
        return "[::1]" if ":" in address else HOST
    return f"[{address}]" if ":" in address else address


def own_certificate(address: str, environment: Mapping[str, str] = os.environ) -> bytes:
    """The certificate and key of the user's gemini server at an address, made once: clients trust the first they see.

    Raises:
        LocalFileError: It can't be kept.
        MissingExtraError: The extra `world` is not installed.
    """
    from anyurl.world.certificate import self_signed

    folder = state_folder(environment)
    path = os.path.join(folder, f"gemini-{address.replace(':', '.')}.pem")
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise local_error(error, f"Reading {path}") from error
    made = b"".join(self_signed(secrets.token_hex(32), address=address))
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(made)
    except OSError as error:
        raise local_error(error, f"Writing {path}") from error
    return made
