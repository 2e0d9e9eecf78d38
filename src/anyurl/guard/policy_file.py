"""A policy in a file (TOML), read alike by clients, adapters, the command, the proxy and the server for models.

Rule: the file is the operator's own; each key is an argument of `Policy` and means what it means there. Keys that are
not in the file are as in ``untrusted``, or as in the preset that its key ``policy`` names.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from os import PathLike, fspath
from typing import Any

from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import nearest, reason_of
from anyurl.guard.limits import Limits

PRESETS = ("untrusted", "default", "open")
"""The named policies: methods of `Policy`. The first is for strangers' URLs, and a file is based on it unless it names
another one; the others are for one's own."""

TEXTS = {
    "allow_hosts": "Only these hosts: names, and *.example.org for every name below example.org.",
    "deny_hosts": "Never these hosts.",
    "allow_nets": "These networks (CIDR) too, and the private addresses of these host names.",
    "deny_nets": "Never these networks (CIDR).",
    "allow_schemes": "Only these schemes.",
    "deny_schemes": "Never these schemes.",
    "allow_proxies": "Only these proxies: names, patterns or addresses.",
}
"""Keys whose value is a list of texts."""

SWITCHES = {
    "allow_private": "Private addresses and this machine, for URLs that are given directly.",
    "allow_link": "Link-local addresses and cloud metadata, for URLs that are given directly.",
    "allow_inward": "A hop may lead to a less public place.",
    "allow_downgrade": "A hop may lead from TLS to a cleartext connection.",
    "allow_disguise": "Delimiters of a URL in its user and password.",
    "allow_forms": "Answers to forms may be sent.",
    "allow_delivery": "Mail may be delivered and news posted.",
    "files": "Files of this machine may be read and written.",
    "services": "Interactive sessions may be opened.",
    "netrc": "Passwords of the user's .netrc may be used.",
    "proxy_resolves": "A proxy may look names up.",
}
"""Keys whose value is true or false."""

PORTS = "allow_ports"
LIMITS = "limits"
PRESET = "policy"

KEYS = frozenset((PRESET, LIMITS, PORTS, *TEXTS, *SWITCHES))
"""Every key of a policy."""

NAMES = {str: "a text", bool: "true or false", int: "a number", list: "a list", dict: "a table"}


def value_of(where: str, table: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    """The value of a key. Raises ValueError if it is of another type."""
    value = table.get(key, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{where}: {key} is {NAMES[kind]}")
    return value


def texts_of(where: str, table: Mapping[str, Any], key: str) -> list[str]:
    """A list of texts. Raises ValueError."""
    found: list[str] = value_of(where, table, key, list, [])
    if not all(isinstance(one, str) for one in found):
        raise ValueError(f"{where}: {key} is a list of texts")
    return found


def ports_of(where: str, table: Mapping[str, Any], key: str) -> list[int]:
    """A list of ports. Raises ValueError."""
    found: list[int] = value_of(where, table, key, list, [])
    if not all(type(one) is int and 0 < one < 65_536 for one in found):
        raise ValueError(f"{where}: {key} is a list of ports, from 1 to 65535")
    return found


def check_keys(where: str, table: Mapping[str, Any], known: Set[str]) -> None:
    """Raises ValueError for a key that is not known, with all that are."""
    for key in table:
        if key not in known:
            near = nearest(key, known)
            raise ValueError(f"{where}: there is no {key!r}; there are {', '.join(sorted(known))}{near}")


FilePath = str | PathLike[str]


def read_table(path: FilePath) -> tuple[str, dict[str, Any]]:
    """The name of a file, for errors, and its keys with their values as they are written.

    Raises:
        ValueError: It is not TOML.
        LocalFileError: It can't be read.
    """
    import tomllib

    shown = escape(fspath(path))
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8-sig")  # editors of Windows write a byte order mark
    except (OSError, UnicodeDecodeError) as error:
        raise LocalFileError(f"{shown} can't be read: {reason_of(error)}.") from None
    try:
        return shown, tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{shown} can't be used: {reason_of(error)}") from None


def preset_of(where: str, table: Mapping[str, Any]) -> str:
    """The name of the preset that a file is based on. Raises ValueError."""
    name: str = value_of(where, table, PRESET, str, PRESETS[0])
    if name not in PRESETS:
        raise ValueError(
            f"{where}: there is no policy {name!r}; there are {', '.join(PRESETS)}{nearest(name, PRESETS)}"
        )
    return name


def changes_of(where: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a table changes in its base. Raises ValueError for a value of another type."""
    changes: dict[str, Any] = {key: texts_of(where, table, key) for key in TEXTS if key in table}
    changes |= {key: value_of(where, table, key, bool, False) for key in SWITCHES if key in table}
    if PORTS in table:
        changes[PORTS] = ports_of(where, table, PORTS)
    if LIMITS in table:
        limits = value_of(where, table, LIMITS, dict, {})
        check_keys(f"{where}, {LIMITS}", limits, frozenset(Limits.__annotations__))
        changes[LIMITS] = limits
    return {**changes, "remedies": "keys"}


def schema() -> dict[str, Any]:
    """The JSON schema of a file: what an editor completes and checks (draft 2020-12)."""
    texts = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    limits = {
        name: {"type": "integer" if kind.startswith("int") else "number", "minimum": 0}
        for name, kind in Limits.__annotations__.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A policy of anyurl",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            PRESET: {"enum": list(PRESETS), "default": PRESETS[0], "description": "The preset that it is based on."},
            **{name: {**texts, "description": text} for name, text in TEXTS.items()},
            PORTS: {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 65_535},
                    "description": "Ports of other services, too."},
            **{name: {"type": "boolean", "description": text} for name, text in SWITCHES.items()},
            LIMITS: {"type": "object", "additionalProperties": False, "properties": limits,
                     "description": "Times in seconds, sizes in octets, counts."},
        },
    }  # fmt: skip
