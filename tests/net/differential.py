"""Who reads which host: anyurl, libcurl, urllib.parse, ada and urllib3 on every input of the corpora.

Rule: only texts that anyurl accepts for http and https are compared, as they are given and as `str(URL)` writes them; a
reader that refuses a text fetches nothing, and is no difference. Hosts are compared in the form of `canonical`.
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import ada_url
import pycurl
from urllib3.util import parse_url

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.host import canonical
from fuzz import kit
from tests.url import peers

DATA = Path(__file__).parents[1] / "data"
GENERATED = 20_000
"""Changes of the corpora that are tried beside them, the same on each run."""

Endpoint = tuple[str, int | None]


def _libcurl(text: str) -> Endpoint:
    handle = pycurl.CurlUrl()
    handle.setpart(pycurl.UPART_URL, text, pycurl.U_PATH_AS_IS)
    return handle.getpart(pycurl.UPART_HOST), int(handle.getpart(pycurl.UPART_PORT, pycurl.U_DEFAULT_PORT))


def _urllib_parse(text: str) -> Endpoint:
    parts = urllib.parse.urlsplit(text)
    return parts.hostname or "", parts.port


def _ada(text: str) -> Endpoint:
    url = ada_url.URL(text)
    return url.hostname, int(url.port) if url.port else None


def _urllib3(text: str) -> Endpoint:
    url = parse_url(text)
    return url.host or "", url.port


READERS: Mapping[str, Callable[[str], Endpoint]] = {
    "libcurl": _libcurl,
    "urllib.parse": _urllib_parse,
    "ada": _ada,
    "urllib3": _urllib3,
}


def inputs() -> list[str]:
    """Every text of the corpora."""
    found: set[str] = set()
    for name in ("peers.jsonl", "curl.jsonl"):
        for row in peers.rows(name):
            found |= {row.get(field) or "" for field in ("input", "base", "url")}
    found |= {case["url"] for case in _json("net/ssrf_cases.json")["cases"]}
    for name in ("rfc1738.json", "rfc3986.json"):
        found |= set(_strings(_json(f"url/{name}")))
    return sorted(found)


def generated() -> list[str]:
    """Changes of them: delimiters sown in, cut, spliced, repeated."""
    stock = [text.encode("utf-8", "surrogatepass") for text in inputs() if "//" in text]
    found = set()
    for data in kit.mutations(stock, GENERATED, seed=3986):
        try:
            found.add(data[:2000].decode("utf-8"))
        except UnicodeDecodeError:
            pass
    return sorted(found)


def _json(name: str) -> Any:
    return json.loads((DATA / name).read_text("utf-8"))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


class Comparison:
    """What one reader makes of the accepted texts.

    Attributes:
        both: Texts that anyurl and the reader accept.
        refused: Those that the reader refuses.
        differences: Those that lead the reader to another host or port.
    """

    def __init__(self, reader: str) -> None:
        self.reader = reader
        self.both = 0
        self.refused: list[str] = []
        self.differences: list[str] = []

    def look_at(self, text: str, url: URL) -> None:
        """Compare one text."""
        try:
            host, port = READERS[self.reader](text)
        except (ValueError, pycurl.error):  # urllib3's and ada's errors are ValueErrors
            self.refused.append(text)
            return
        self.both += 1
        if port is None:
            port = url.replace(port=None).port
        if not _is_same(host, url.host or "") or port != url.port:
            self.differences.append(text)

    def __str__(self) -> str:
        return f"{self.reader}: {self.both} read by both, {len(self.refused)} refused, {len(self.differences)} differ"


def _is_same(theirs: str, ours: str) -> bool:
    return bool(canonical(theirs.strip("[]").lower()) == canonical(ours))


def compare(texts: list[str]) -> dict[str, Comparison]:
    """Every reader on every accepted text of http and https, in both forms."""
    comparisons = {name: Comparison(name) for name in READERS}
    for text in texts:
        try:
            url = URL(text)
        except URLSyntaxError:
            continue
        if url.scheme in ("http", "https"):
            for form in sorted({text, str(url)}):
                for comparison in comparisons.values():
                    comparison.look_at(form, url)
    return comparisons
