"""What curl's own tests say of URLs, so that it can be compared.

Facts about curl's setters, its guesses at a scheme and its repairs on request (``urlencode``, ``allow_space``) ask what
anyurl does not do, and are left out by kind or flag; every other fact is a question to anyurl.
"""

from __future__ import annotations

from typing import Any

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.cut.compose import remove_dot_segments
from anyurl.url.host import canonical

KINDS = ("parse_parts", "normalize_url", "resolve", "remove_dot_segments")
FLAGS = {"default_scheme", "non_support_scheme", "no_authority"}
"""Flags under which curl still reads the text as it is."""


def is_asked(fact: dict[str, Any]) -> bool:
    """Whether the fact is one about reading."""
    return fact["kind"] in KINDS and set(fact.get("set_flags", ())) <= FLAGS


def difference(fact: dict[str, Any]) -> str:
    """What anyurl makes otherwise of it; '' when nothing."""
    kind = fact["kind"]
    if kind == "remove_dot_segments":
        result = remove_dot_segments(fact["input"])
        return "" if result == fact["path"] else f"gives {result!a}"
    try:
        if kind == "resolve":
            result = str(URL(fact["base"]).join(fact["reference"]))
            return "" if result == fact["url"] else f"joins to {result!a}"
        url = URL(fact["input"])
    except URLSyntaxError as error:
        return "" if fact["outcome"] != "ok" else f"refuses: {error.diagnostics[0].code}"
    if fact["outcome"] != "ok":
        return "accepts"
    if kind == "normalize_url":
        theirs, ours = URL(fact["url"]), url.normalize()
        pairs = {
            name: (getattr(ours, name), getattr(theirs, name))
            for name in ("scheme", "user", "password", "port", "query", "fragment")
        } | {"host": (ours.host, canonical(theirs.host or ""))}
    else:
        pairs = _parts(url, fact["parts"])
    return ", ".join(f"{name} {ours!a} for {theirs!a}" for name, (ours, theirs) in pairs.items() if ours != theirs)


def _parts(url: URL, parts: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    host = (parts["host"] or "").strip("[]")
    return {
        "scheme": (url.scheme, parts["scheme"]),
        "user": (url.raw_user or None, parts["user"]),
        "password": (url.raw_password, parts["password"]),
        "host": (canonical(url.host or ""), canonical(host)),
        "port": (url.explicit_port, int(parts["port"]) if parts["port"] else None),
        "path": (url.path or "/", parts["path"]),
        "query": (url.query, parts["query"]),
        "fragment": (url.fragment, parts["fragment"]),
    }
