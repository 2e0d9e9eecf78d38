"""pycurl without its asyncio part, which the package imports and which takes longer to load than libcurl itself.

Rule: `pycurl` is always imported from here. It is the same module that ``import pycurl`` loads, in either order, so
that objects of other libraries that use pycurl work here too.
"""

from __future__ import annotations

import sys
from hashlib import blake2b
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any

from anyurl.errors import MissingExtraError
from anyurl.errors.reasons import reason_of


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
            "http and https URLs need the extra `http`: pip install 'anyurl[http]'.", extra="http"
        ) from None
    return pycurl


pycurl: Any = _load()

HAS_HTTP3: bool = bool(pycurl.version_info()[4] & 1 << 25)
"""CURL_VERSION_HTTP3: whether this libcurl was built with QUIC."""


def pin_label(addresses: tuple[str, ...], login: str, proxy: str, salt: bytes) -> str:
    """The host name that stands for approved addresses in libcurl, unique for each set of addresses, login and proxy.

    Args:
        proxy: Identifies the proxy, its login included; empty for none.
    """
    text = "\0".join((*addresses, login, proxy)).encode("utf-8", "surrogatepass")
    digest: str = blake2b(text, key=salt, digest_size=16).hexdigest()
    return digest + ".invalid"
