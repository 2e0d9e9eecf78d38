"""pycurl without its asyncio part, which is loaded with the package and takes longer than libcurl itself.

Rule: `pycurl` is imported from here. It is the very module that ``import pycurl`` loads, whoever does it first: its
parts are the same objects, so what another library has of pycurl fits what is used here.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from anyurl.errors import MissingExtraError
from anyurl.reasons import reason_of

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


def _load() -> Any:
    """The extension module: since 7.46 it is ``pycurl._pycurl``, before that pycurl was nothing else."""
    if "pycurl" not in sys.modules:
        from importlib.machinery import PathFinder

        package = PathFinder.find_spec("pycurl")
        folders = None if package is None else package.submodule_search_locations
        spec = None if folders is None else PathFinder.find_spec("pycurl._pycurl", folders)
        if spec is not None and spec.loader is not None:
            module = sys.modules.get(spec.name)
            if module is None:
                module = _without_binding(spec)
                assert module is not None  # of an extension
                module.__spec__ = spec
                spec.loader.exec_module(module)
                sys.modules[spec.name] = module
            return module
    try:
        import pycurl
    except ImportError as error:
        reason = (
            "is not installed" if isinstance(error, ModuleNotFoundError) else f"can't be loaded ({reason_of(error)})"
        )
        raise MissingExtraError(f"http and https URLs need a part that {reason}: pip install pycurl.") from None
    return pycurl


def _without_binding(spec: ModuleSpec) -> Any:
    """Load the library; what it calls is bound at the first call: to bind all of it takes as long as to load it."""
    assert spec.loader is not None
    flags = sys.getdlopenflags() if hasattr(sys, "getdlopenflags") else None
    try:
        if flags is not None:
            sys.setdlopenflags((flags & ~os.RTLD_NOW) | os.RTLD_LAZY)
        return spec.loader.create_module(spec)  # not by importlib.util: it loads much else
    finally:
        if flags is not None:
            sys.setdlopenflags(flags)


pycurl: Any = _load()

HAS_HTTP3: bool = bool(pycurl.version_info()[4] & 1 << 25)
"""CURL_VERSION_HTTP3: whether this libcurl was built with QUIC."""


def pin_label(addresses: tuple[str, ...], login: str, proxy: str, salt: bytes) -> str:
    """The name by which libcurl knows approved addresses: each set of them, login and proxy has its own.

    Args:
        proxy: What tells it from every other one, its login included; empty for none.
    """
    text = "\0".join((*addresses, login, proxy)).encode("utf-8", "surrogatepass")
    digest: str = _blake2b()(text, key=salt, digest_size=16).hexdigest()
    return digest + ".invalid"


@cache
def _blake2b() -> Any:
    from hashlib import blake2b  # loads OpenSSL: a literal address without a login does without it

    return blake2b
