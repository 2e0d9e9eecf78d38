"""The policy that the options of a command line describe.

Rule: this module only translates options; `anyurl.guard.policy` defines what they mean.
"""

from __future__ import annotations

from collections.abc import Iterable

from anyurl.guard.patterns import read_schemes
from anyurl.guard.policy import Policy
from anyurl.guard.policy_file import PRESETS

SUFFIX = ".toml"


def is_file(name: str) -> bool:
    """Whether the name of a policy is that of a file."""
    return "/" in name or name.endswith(SUFFIX)


def named_policy(name: str) -> Policy:
    """The policy of a preset, or of a file: a name with a slash, or one that ends in ``.toml``.

    Raises:
        ValueError: No such preset, or an invalid file.
        LocalFileError: The file can't be read.
    """
    if name in PRESETS:
        made: Policy = getattr(Policy, name)()
        return made
    if is_file(name):
        return Policy.from_file(name)
    raise ValueError(f"{name!r} is not a policy: {', '.join(PRESETS)} would be, or a file (*{SUFFIX})")


def from_options(
    policy: str = "default",
    *,
    allow_ports: Iterable[int] = (),
    allow_private: bool = False,
    allow_nets: Iterable[str] = (),
    allow_schemes: Iterable[str] = (),
    allow_hosts: Iterable[str] = (),
    allow_proxies: Iterable[str] = (),
    proxy_resolves: bool = False,
    timeout: float | None = None,
    max_bytes: int | None = None,
) -> Policy:
    """The policy that the command line's options describe.

    Args:
        policy: ``default``, ``untrusted`` or ``open``, or a file; the other options widen it.
        allow_ports: Further ports (``--allow-port``).
        allow_private: Private addresses and this machine too (``--allow-private``).
        allow_nets: Further networks (``--allow-net``).
        allow_schemes: Further schemes, if the policy allows only some (``--allow-scheme``).
        allow_hosts: The only hosts, if any are named (``--allow-host``).
        allow_proxies: Proxies that may be used, if the policy uses none (``--allow-proxy``).
        proxy_resolves: A proxy may look names up (``--proxy-resolves``).
        timeout: Seconds for one transfer (``--timeout``); connecting and idling get no longer than it.
        max_bytes: Of one resource (``--max-bytes``).

    Raises:
        ValueError: An invalid name, port, network, scheme or limit; a file that has something else in it.
        LocalFileError: The file can't be read.
    """
    base = named_policy(policy)
    schemes = read_schemes("allow_schemes", allow_schemes)
    hosts = tuple(allow_hosts)
    limits = base.limits if max_bytes is None else base.limits.replace(max_bytes=max_bytes)
    if timeout is not None:
        limits = limits.replace(total=timeout, connect=min(limits.connect, timeout), idle=min(limits.idle, timeout))
    return base.replace(
        allow_ports=(*base.allow_ports, *allow_ports), allow_nets=(*base.allow_nets, *allow_nets), limits=limits,
        allow_hosts=(*(base.allow_hosts or ()), *hosts) if hosts else base.allow_hosts,
        allow_private=base.allow_private or allow_private,
        allow_schemes=None if base.allow_schemes is None else (*base.allow_schemes, *schemes),
        allow_proxies=None if base.allow_proxies is None else (*base.allow_proxies, *allow_proxies),
        proxy_resolves=base.proxy_resolves or proxy_resolves,
        remedies="options",
    )  # fmt: skip
