"""pycurl without its asyncio part, which the package imports and which takes longer to load than libcurl itself.

Rule: `pycurl` is always imported from here. It is the same module that ``import pycurl`` loads, in either order, so
that objects of other libraries that use pycurl work here too.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from anyurl.errors import MissingExtraError
from anyurl.net.system import are_threads
from anyurl.reasons import reason_of

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


def _load() -> Any:
    """The extension module: ``pycurl._pycurl`` since 7.46, ``pycurl`` itself before."""
    if "pycurl" not in sys.modules:
        from importlib.machinery import PathFinder

        package = PathFinder.find_spec("pycurl")
        folders = None if package is None else package.submodule_search_locations
        spec = None if folders is None else PathFinder.find_spec("pycurl._pycurl", folders)
        if spec is not None and spec.loader is not None:
            module = sys.modules.get(spec.name)
            if module is None:
                stands_in = _let_c_stand_in()
                try:
                    module = _without_binding(spec)
                    assert module is not None  # an extension module has one
                    module.__spec__ = spec
                    spec.loader.exec_module(module)
                finally:
                    if stands_in:
                        del sys.modules["datetime"]
                sys.modules[spec.name] = module
            return module
    try:
        import pycurl
    except ImportError as error:
        reason = (
            "is not installed" if isinstance(error, ModuleNotFoundError) else f"can't be loaded ({reason_of(error)})"
        )
        raise MissingExtraError(f"http and https URLs need a package that {reason}: pip install pycurl.") from None
    return pycurl


def _without_binding(spec: ModuleSpec) -> Any:
    """Load the library with lazy symbol binding: to bind all symbols at once takes as long as the loading."""
    assert spec.loader is not None
    flags = sys.getdlopenflags() if hasattr(sys, "getdlopenflags") else None
    try:
        if flags is not None:
            sys.setdlopenflags((flags & ~os.RTLD_NOW) | os.RTLD_LAZY)
        return spec.loader.create_module(spec)  # not importlib.util, which imports much else
    finally:
        if flags is not None:
            sys.setdlopenflags(flags)


def _let_c_stand_in() -> bool:
    """Whether the C part of `datetime` is the module now: pycurl wants its C interface and nothing else of it.

    Python 3.11 would run all of `datetime` in Python before, which takes as long as to load libcurl. Other threads do
    not get to see that.
    """
    if sys.version_info >= (3, 12) or "datetime" in sys.modules or are_threads():
        return False
    try:
        import _datetime  # type: ignore[import-not-found]
    except ImportError:
        return False
    sys.modules["datetime"] = _datetime
    return True


pycurl: Any = _load()

HAS_HTTP3: bool = bool(pycurl.version_info()[4] & 1 << 25)
"""CURL_VERSION_HTTP3: whether this libcurl was built with QUIC."""


def pin_label(addresses: tuple[str, ...], login: str, proxy: str, salt: bytes) -> str:
    """The host name that stands for approved addresses in libcurl, unique for each set of addresses, login and proxy.

    Args:
        proxy: Identifies the proxy, its login included; empty for none.
    """
    text = "\0".join((*addresses, login, proxy)).encode("utf-8", "surrogatepass")
    digest: str = _blake2b()(text, key=salt, digest_size=16).hexdigest()
    return digest + ".invalid"


@cache
def _blake2b() -> Any:
    from hashlib import blake2b  # loads OpenSSL, which not every request needs

    return blake2b
