"""How each peer names what it read, so that its rows can be compared with a URL.

What a peer merely spells otherwise is translated here (a missing query as ``""``, an empty path as ``/``); what it
reads otherwise is a difference, and stands in ``tests/data/url/peer_differences.json``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.cut import decode_text

DATA = Path(__file__).resolve().parent.parent / "data" / "url"

Pairs = dict[str, tuple[Any, Any]]


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="ascii").splitlines()]


def _userinfo(url: URL) -> str | None:
    before, at, _ = (url.authority or "").rpartition("@")
    return before if at else None


def _rooted(url: URL, path: str) -> str:
    return path or ("/" if url.host else "")


def _cpython(url: URL, parts: dict[str, Any]) -> Pairs:
    path = parts["path"] + (";" + parts["params"] if parts.get("params") else "")
    return {
        "scheme": (url.scheme, parts["scheme"]),
        "netloc": (url.authority or "", parts["netloc"]),
        "path": (url.path, path),
        "query": (url.query or "", parts["query"]),
        "fragment": (url.fragment or "", parts["fragment"]),
        "username": (url.raw_user, parts["username"]),
        "password": (url.raw_password, parts["password"]),
        "hostname": (url.host or None, parts["hostname"]),
        "port": (url.explicit_port, parts.get("port")),
    }


def _yarl(url: URL, parts: dict[str, Any]) -> Pairs:
    return {
        "scheme": (url.scheme, parts["scheme"]),
        "raw_user": (url.raw_user or None, parts["raw_user"]),
        "raw_password": (url.raw_password, parts["raw_password"]),
        "raw_host": (url.host or None, parts["raw_host"]),
        "explicit_port": (url.explicit_port, parts["explicit_port"]),
        "raw_path": (_rooted(url, url.path), parts["raw_path"]),
        "raw_query_string": (url.query or "", parts["raw_query_string"]),
        "raw_fragment": (url.fragment or "", parts["raw_fragment"]),
    }


def _httpx(url: URL, parts: dict[str, Any]) -> Pairs:
    default = url.replace(port=None).port
    return {
        "scheme": (url.scheme, parts["scheme"]),
        "userinfo": (_userinfo(url) or "", parts["userinfo"]),
        "raw_host": (url.host or "", parts["raw_host"]),
        "port": (url.explicit_port if url.explicit_port != default else None, parts["port"]),
        "path": (decode_text(_rooted(url, url.path)), parts["path"]),
        "query": (url.query or "", parts["query"]),
        "fragment": (decode_text(url.fragment or ""), parts["fragment"]),
    }


def _rfc3986(url: URL, parts: dict[str, Any]) -> Pairs:
    return {
        "scheme": (url.scheme, (parts["scheme"] or "").lower()),
        "authority": (url.authority, parts["authority"]),
        "path": (url.path or None, parts["path"]),
        "query": (url.query, parts["query"]),
        "fragment": (url.fragment, parts["fragment"]),
        "userinfo": (_userinfo(url), parts["userinfo"]),
        "host": (url.raw_host or None, parts["host"]),
        "port": (url.explicit_port, int(parts["port"]) if parts["port"] else None),
    }


def _rust(url: URL, parts: dict[str, Any]) -> Pairs:
    bare = url if url.user or url.password else url.replace(user=None)  # WHATWG: an empty one is none
    normal = (bare if bare.password else bare.replace(password=None)).normalize("browser")
    return {
        "scheme": (normal.scheme, parts["scheme"]),
        "username": (normal.raw_user or "", parts["username"]),
        "password": (normal.raw_password or None, parts["password"]),
        "host": (normal.raw_host or None, parts["host"]),
        "port": (normal.explicit_port, parts["port"]),
        "path": (normal.path, parts["path"]),
        "query": (normal.query, parts["query"]),
        "fragment": (normal.fragment, parts["fragment"]),
    }


def _rfc1738(url: URL, facts: dict[str, Any]) -> Pairs:
    names = {"scheme", "host", "port", "user", "password", "fragment"} & facts.keys()
    pairs: Pairs = {name: (getattr(url, name), facts[name]) for name in sorted(names)}
    return pairs | ({"path": (url.url_path, facts["path"])} if "path" in facts else {})


def _components(url: URL, facts: dict[str, Any]) -> Pairs:
    names = ("scheme", "host", "path", "query", "fragment")
    pairs: Pairs = {name: (getattr(url, name), facts[name]) for name in names}
    return pairs | {"port": (url.explicit_port, facts["port"]), "userinfo": (_userinfo(url), facts["userinfo"])}


_READERS = (
    ("cpython", _cpython), ("yarl", _yarl), ("httpx", _httpx), ("rfc3986-2", _rfc3986), ("rust-url", _rust),
    ("rfc1738", _rfc1738), ("rfc3986-1.1.2", _components),
)  # fmt: skip


def difference(row: dict[str, Any]) -> str:
    """What anyurl makes otherwise of a row than its peer; '' when nothing."""
    source, expect = row["source"], row["expect"]
    refused = "error" in expect or "port_error" in expect.get("parts", {}) or expect.get("is_valid") is False
    try:
        if "base" in row:
            result = str(URL(row["base"]).join(row["input"]))
            return "" if result == expect["result"] else f"joins to {result}"
        url = URL(row["input"])
    except URLSyntaxError as error:
        # `valid` is by the grammar of RFC 1738: what that refuses, today's grammar may refuse or not.
        return "" if refused or expect.get("valid") is False else f"refuses: {error.diagnostics[0].code}"
    if refused:
        return "accepts"
    if expect.get("valid") is False:
        return ""
    read = next(read for name, read in _READERS if source.startswith(name))
    pairs = read(url, expect.get("parts", expect))
    return ", ".join(f"{name} {ours!a} for {theirs!a}" for name, (ours, theirs) in pairs.items() if ours != theirs)
