"""pycurl without its asyncio part, which the package imports and which takes longer to load than libcurl itself.

Rule: `pycurl` is always imported from here. It is the same module that ``import pycurl`` loads, in either order, so
that objects of other libraries that use pycurl work here too.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any

from anyurl.errors import MissingExtraError
from anyurl.errors.reasons import reason_of

if TYPE_CHECKING:
    from anyurl.dialogue import Secret
    from anyurl.net.wire.proxies.table import Proxy

MAX_LABELS = 4096
"""Most sets of addresses with a label at once: some 2 MB. Beyond it kept connections are not found again."""


def _load() -> Any:
    """The extension module: ``pycurl._pycurl`` since 7.46, ``pycurl`` itself before."""
    if "pycurl" not in sys.modules:
        package = PathFinder.find_spec("pycurl")
        folders = None if package is None else package.submodule_search_locations
        spec = None if folders is None else PathFinder.find_spec("pycurl._pycurl", folders)
        if spec is not None and spec.loader is not None:
            module = sys.modules.get(spec.name)
            if module is None:
                module = module_from_spec(spec)
                spec.loader.exec_module(module)
                sys.modules[spec.name] = module
            return module
    try:
        import pycurl
    except ImportError as error:
        if not isinstance(error, ModuleNotFoundError):
            raise MissingExtraError(
                f"http and https URLs need the extra `http`, which can't be loaded ({reason_of(error)}).", extra="http"
            ) from None
        raise MissingExtraError(
            "http and https URLs need the extra `http`: in a clone of anyurl, pip install '.[http]'.", extra="http"
        ) from None
    return pycurl


pycurl: Any = _load()

HAS_HTTP3: bool = bool(pycurl.version_info()[4] & 1 << 25)
"""CURL_VERSION_HTTP3: whether this libcurl was built with QUIC."""


class PinLabels:
    """The host names that stand for approved addresses in one libcurl: one for each set of addresses, login and proxy.

    They are numbers, never given twice. Of a login only a salted digest is kept.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._count = 0
        self._salt = os.urandom(16)

    def label(self, addresses: tuple[str, ...], login: Secret | None, proxy: Proxy | None) -> str:
        """The host name for connections that only requests with the same arguments may share."""
        key = (addresses, None if login is None else self._digest(login), None if proxy is None else proxy.key)
        number = self._numbers.get(key)
        if number is None:
            if len(self._numbers) >= MAX_LABELS:
                self._numbers.clear()
            self._count += 1
            number = self._numbers[key] = self._count
        return f"{number}.invalid"

    def _digest(self, login: Secret) -> bytes:
        from hashlib import blake2b  # loads OpenSSL

        return blake2b(login.reveal().encode("utf-8", "surrogatepass"), key=self._salt, digest_size=16).digest()
