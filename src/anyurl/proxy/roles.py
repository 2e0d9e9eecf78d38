"""Roles of clients, selected by token or address, each with its own policy.

Rule: without a file there is one role, ``untrusted``, for every client; with one, a client without a role gets 407 and
nothing else. The policy of a role is based on ``untrusted`` unless it says otherwise.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from anyurl.errors import LocalFileError
from anyurl.errors.reasons import reason_of
from anyurl.files.toml import read_toml
from anyurl.guard import Policy
from anyurl.guard.addresses import forms
from anyurl.guard.options import is_file, named_policy
from anyurl.guard.patterns import NetworkEntry, read_ports
from anyurl.guard.policy_file import KEYS, changes_of, check_keys, ports_of, preset_of, texts_of, value_of
from anyurl.url import syntax
from anyurl.values import Value

TLS_PORT = syntax.ROWS["https"].port or 0
"""The only port for CONNECT unless a role allows more: the proxy can't see inside the tunnel."""

NEVER = frozenset(("file", "telnet", "mailto", "data"))
"""Schemes that no role can open: local files, sessions, mail, and data, which has no server."""

OWN = ("name", "token", "token_env", "token_file", "sources", "connect_ports", "report_only", "connections", "idle",
       "max_bytes")  # fmt: skip
"""The keys of a role in addition to those of its policy (`anyurl.guard.policy_file`)."""


NOTHING_LOCAL: dict[str, Any] = {"files": False, "services": False, "allow_delivery": False, "netrc": False}
"""The switches of every role's policy."""


OF_BASE = frozenset(("allow_disguise", "allow_forms", "allow_proxies", "proxy_resolves"))
"""Keys of a policy that no role sets: it has them from the policy that it is based on."""


class Role(Value, kw_only=True):
    """The permissions of one kind of client.

    Attributes:
        name: The name in the log.
        policy: The policy for its requests.
        tokens: The SHA-256 of each token of the role.
        sources: Networks in CIDR form whose clients have the role without a token.
        connect_ports: The ports allowed for CONNECT and SOCKS.
        report_only: Log refusals, but serve the requests.
        connections: The maximum number of parallel connections.
        idle: Seconds without an octet in either direction after which a connection ends.
        max_bytes: The maximum octets of one connection in both directions together; None means no limit.
    """

    name: str
    policy: Policy
    tokens: tuple[bytes, ...] = ()
    sources: tuple[str, ...] = ()
    connect_ports: tuple[int, ...] = (TLS_PORT,)
    report_only: bool = False
    connections: int = 1_000
    idle: float = 60.0
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        read_ports("connect_ports", self.connect_ports)

    @property
    def tunnels(self) -> Policy:
        """The policy for tunnels: ports allowed for CONNECT are not checked as ports of other services."""
        return _for_tunnels(self.policy, self.connect_ports)


@lru_cache(maxsize=256)
def _networks(sources: tuple[str, ...]) -> tuple[NetworkEntry, ...]:
    return tuple(map(NetworkEntry, sources))


@lru_cache(maxsize=256)
def _for_tunnels(policy: Policy, ports: tuple[int, ...]) -> Policy:
    return policy.replace(allow_ports=tuple({*policy.allow_ports, *ports}))


class Roles(Value):
    """All roles, in order of precedence.

    Attributes:
        roles: The first with a matching token or source is the client's.
    """

    roles: tuple[Role, ...]

    @property
    def have_tokens(self) -> bool:
        """Whether any role has a token."""
        return any(role.tokens for role in self.roles)

    def find(self, address: str, token: bytes | None) -> Role | None:
        """The role of a client.

        Args:
            address: The address of the client.
            token: The token that it sent, or None. Where roles have tokens, one that none of them has gives no role,
                whatever the address: a client whose token was changed must not go on under another role.
        """
        shown = None if token is None else sha256(token).digest()
        for role in self.roles:
            # Attack: timing. Tokens are compared in constant time.
            if shown is not None and any(hmac.compare_digest(shown, one) for one in role.tokens):
                return role
        if shown is not None and self.have_tokens:
            return None
        # A dual-stack socket shows IPv4 clients in this form; other addresses with an embedded IPv4 prove nothing.
        found = forms(address.removeprefix("::ffff:") if "." in address else address)
        for role in self.roles:
            if found and any(net.holds(found[0]) for net in _networks(role.sources)):
                return role
        return None


def everybody(
    policy: Policy | None = None, *, name: str = "untrusted", token: str | None = None, report_only: bool = False
) -> Roles:
    """The single role used without a file.

    Args:
        policy: The policy of all requests; None for `Policy.untrusted`. It opens no files and no sessions, and sends
            no mail.
        token: The token that every client must have; None for none.
    """
    narrowed = (policy or Policy.untrusted()).replace(**NOTHING_LOCAL)
    role = Role(
        name=name,
        policy=narrowed,
        report_only=report_only,
        tokens=() if token is None else (sha256(token.encode("utf-8")).digest(),),
        sources=("0.0.0.0/0", "::/0") if token is None else (),
        connect_ports=(TLS_PORT, *narrowed.allow_ports),
    )
    return Roles((role,))


def read_roles(path: str, environment: Mapping[str, str] = os.environ) -> Roles:
    """Read a roles file (TOML), with a table ``[[role]]`` for each.

    Raises:
        LocalFileError: It can't be read.
        ValueError: It is not a valid roles file; the sentence says where.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LocalFileError(f"{path} can't be read: {reason_of(error)}.") from None
    try:
        data = read_toml(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} can't be used: {reason_of(error)}") from None
    tables = data.pop("role", [])
    if data or not isinstance(tables, list) or not tables:
        raise ValueError(f"{path} has tables [[role]], at least one, and nothing else")
    roles = [_role(path, number, table, environment) for number, table in enumerate(tables, 1)]
    names = [role.name for role in roles]
    if len(set(names)) != len(names):
        raise ValueError(f"{path} gives two roles one name")
    return Roles(tuple(roles))


def _role(path: str, number: int, table: Any, environment: Mapping[str, str]) -> Role:
    where = f"{path}, role {number}"
    if not isinstance(table, dict):
        raise ValueError(f"{where}: a role is a table")
    check_keys(where, table, {*OWN, *KEYS} - NOTHING_LOCAL.keys() - OF_BASE)
    name = value_of(where, table, "name", str, f"role-{number}")
    preset = value_of(where, table, "policy", str, "untrusted")
    if not is_file(preset):
        preset_of(where, table)
    changes = changes_of(where, table)
    sources = tuple(texts_of(where, table, "sources"))
    try:
        policy = named_policy(preset).replace(**changes, **NOTHING_LOCAL)
        _networks(sources)  # raises for an invalid one
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {reason_of(error)}") from None
    tokens = _tokens(where, table, environment)
    if not tokens and not sources:
        raise ValueError(f"{where}: no client can have it; it needs a token, a token_env, a token_file or sources")
    return Role(
        name=name,
        policy=policy,
        tokens=tokens,
        sources=sources,
        connect_ports=tuple(ports_of(where, table, "connect_ports")) if "connect_ports" in table else (TLS_PORT,),
        report_only=value_of(where, table, "report_only", bool, False),
        connections=_positive(where, table, "connections", 1_000),
        idle=float(_positive(where, table, "idle", 60)),
        max_bytes=_positive(where, table, "max_bytes", 1) if "max_bytes" in table else None,
    )


def _positive(where: str, table: Mapping[str, Any], key: str, default: int) -> int:
    value: int = value_of(where, table, key, int, default)
    if value < 1:
        raise ValueError(f"{where}: {key} is 1 or more")
    return value


def _tokens(where: str, table: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[bytes, ...]:
    found = []
    if "token" in table:
        found.append(value_of(where, table, "token", str, ""))
    if "token_env" in table:
        variable = value_of(where, table, "token_env", str, "")
        if not environment.get(variable):
            raise ValueError(f"{where}: the variable {variable} is not set")
        found.append(environment[variable])
    if "token_file" in table:
        file = value_of(where, table, "token_file", str, "")
        try:
            found.append(Path(file).read_text(encoding="utf-8").strip())
        except (OSError, UnicodeDecodeError):
            raise ValueError(f"{where}: the file {file} can't be read") from None
    if any(len(one) < 16 for one in found):
        raise ValueError(f"{where}: a token has 16 characters or more")
    return tuple(sha256(one.encode("utf-8")).digest() for one in found)
