"""Other readers of URLs, each as the `read` of ``vectors/run.py``, and the page that tells how they read the vectors.

Rule: nothing of anyurl decides here; a peer reads each text, and what it reads is held against the vector. Where a
peer can't tell an empty component from none, or decodes what it reads, that is counted as it is.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "vectors"
PAGE = ROOT / "docs" / "vectors.md"
NOTE = "<!-- Written by scripts/vectors from vectors/ and tests/vectors/peers.py; change it there. -->"

Read = Callable[[str], dict[str, Any]]


def _runner() -> ModuleType:
    """``vectors/run.py``, which is no module of a package: others copy it."""
    spec = importlib.util.spec_from_file_location("anyurl_vectors_run", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RUNNER = _runner()


def read_yarl(text: str) -> dict[str, Any]:
    from yarl import URL

    url = URL(text, encoded=True)
    if not url.scheme:
        raise ValueError(text)
    return {
        "scheme": url.scheme, "user": url.raw_user, "password": url.raw_password, "host": url.raw_host,
        "port": url.explicit_port, "path": url.raw_path, "query": url.raw_query_string or None,
        "fragment": url.raw_fragment or None,
    }  # fmt: skip


def read_ada(text: str) -> dict[str, Any]:
    from ada_url import URL

    url = URL(text)
    host = url.hostname
    return {
        "scheme": url.protocol.removesuffix(":"), "user": url.username or None, "password": url.password or None,
        "host": host if "//" in url.href.partition(":")[2][:2] else None, "port": int(url.port) if url.port else None,
        "path": url.pathname, "query": url.search[1:] if url.search else None, "fragment": url.hash[1:] or None,
    }  # fmt: skip


class Curl:
    """libcurl's URL API (CURLU), by ctypes: what the command ``curl`` reads its arguments with."""

    PARTS = {"scheme": 1, "user": 2, "password": 3, "host": 5, "port": 6, "path": 7, "query": 8, "fragment": 9}
    """CURLUPart of ``curl/urlapi.h``; CURLUPART_URL is 0."""

    NON_SUPPORT_SCHEME = 1 << 3
    PATH_AS_IS = 1 << 4

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcurl.so.4" if sys.platform == "linux" else "libcurl.dylib")
        self._library.curl_url.restype = ctypes.c_void_p
        self._library.curl_version.restype = ctypes.c_char_p
        self._library.curl_url_cleanup.argtypes = [ctypes.c_void_p]
        self._library.curl_free.argtypes = [ctypes.c_void_p]
        self._library.curl_url_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
        self._library.curl_url_get.argtypes = [
            ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint,
        ]  # fmt: skip
        self.version: str = self._library.curl_version().decode().split()[0].partition("/")[2]

    def read(self, text: str) -> dict[str, Any]:
        handle = self._library.curl_url()
        try:
            flags = self.NON_SUPPORT_SCHEME | self.PATH_AS_IS
            if self._library.curl_url_set(handle, 0, text.encode(), flags) != 0:
                raise ValueError(text)
            found: dict[str, Any] = {name: self._part(handle, part) for name, part in self.PARTS.items()}
        finally:
            self._library.curl_url_cleanup(handle)
        found["port"] = None if found["port"] is None else int(found["port"])
        return found

    def _part(self, handle: int, part: int) -> str | None:
        value = ctypes.c_void_p()
        if self._library.curl_url_get(handle, part, ctypes.byref(value), 0) != 0 or value.value is None:
            return None
        try:
            return ctypes.string_at(value.value).decode("utf-8", "surrogateescape")
        finally:
            self._library.curl_free(value)


def read_anyurl(text: str, grammar: str) -> dict[str, Any]:
    from anyurl import parse
    from tests.vectors.make import components

    return components(parse(text, grammar))  # type: ignore[arg-type]


class Peer(NamedTuple):
    """A reader, and which one it is."""

    name: str
    version: str
    read: Read


def peers() -> list[Peer]:
    """Those that are installed, in the order of the table."""
    found = [
        Peer("urllib.parse", platform.python_version(), RUNNER.read),
        Peer("yarl", importlib.metadata.version("yarl"), read_yarl),
    ]
    with suppress(OSError):  # a machine may be without libcurl: the wheels of pycurl show theirs to nobody
        curl = Curl()
        found.append(Peer("libcurl (CURLU)", curl.version, curl.read))
    return [*found, Peer("ada (WHATWG)", importlib.metadata.version("ada-url"), read_ada)]


class Score(NamedTuple):
    """What a reader makes of the vectors of one grammar, as numbers of vectors."""

    urls: int
    taken: int
    alike: int
    host: int
    others: int
    refused: int


def score(grammar: str, read: Read) -> Score:
    """Run the vectors of a grammar on a reader."""

    def lower(text: str) -> dict[str, Any]:
        said = read(text)
        host = said["host"] and said["host"].lower().removeprefix("[").removesuffix("]")
        return {**said, "scheme": said["scheme"].lower(), "host": host}

    urls = taken = alike = host = others = refused = 0
    for vector, said in RUNNER.run(FOLDER / f"{grammar}.jsonl", lower):
        wanted = vector["components"]
        if wanted is None:
            others += 1
            refused += said is None
            continue
        urls += 1
        taken += said is not None
        alike += said == wanted
        host += said is not None and said["host"] == wanted["host"]
    return Score(urls, taken, alike, host, others, refused)


def page() -> str:
    """The page of the vectors."""
    from tests.vectors.make import GRAMMARS, VERSION

    found = peers()
    lines = [
        "| grammar | reader | of the URLs: taken | same host | same components | of the others: refused |",
        "|---|---|---|---|---|---|",
    ]
    for grammar in GRAMMARS:
        for peer in found:
            one = score(grammar, peer.read)
            lines.append(
                f"| {grammar} | {peer.name} {peer.version} | {one.taken} of {one.urls} | {one.host} | {one.alike} "
                f"| {one.refused} of {one.others} |"
            )
    text = (Path(__file__).parent / "page.md").read_text(encoding="utf-8")
    return text.format(note=NOTE, version=VERSION, table="\n".join(lines))
