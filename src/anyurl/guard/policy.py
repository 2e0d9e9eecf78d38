"""The guard: may this URL be followed, this address be connected to, this port be spoken to?

The rule: a policy only judges. It opens nothing, looks nothing up and keeps no state, so one policy serves all threads
and is a part of the pool's key. Host text is judged as an early hint; the address is what counts (RFC 1738 section 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from anyurl.errors import URLSyntaxError
from anyurl.errors.log import warning
from anyurl.errors.reasons import reason_of
from anyurl.guard import hops
from anyurl.guard.addresses import AddressForm, describe, forms
from anyurl.guard.ambiguity import is_disguised, is_unclear
from anyurl.guard.limits import STRANGERS, Limits
from anyurl.guard.patterns import (
    NetworkEntry,
    canonical_name,
    check_switches,
    is_this_machine,
    match,
    narrowest,
    read_nets,
    read_patterns,
    read_places,
    read_ports,
    read_schemes,
    texts,
)  # fmt: skip
from anyurl.guard.policy_file import KEYS, FilePath, changes_of, check_keys, preset_of, read_table
from anyurl.guard.ports import SMALLEST_DATA_PORT, service_at
from anyurl.guard.verdict import CODES, PEERS, READERS, Reader, Verdict, allowed, refused
from anyurl.url import URL, syntax
from anyurl.url.arguments import check_value, checked
from anyurl.values import USER, Provenance, Scope, Value, as_made_by

__all__ = ["CODES", "Limits", "Policy", "Scope", "Verdict"]

UNTRUSTED_SCHEMES = (
    "file", "ftp", "ftps", "gemini", "gopher", "gophers", "http", "https", "mailto", "news", "nntp", "nntps",
    "prospero", "snews", "telnet", "wais",
)  # fmt: skip
"""A closed list: a scheme that is registered later is not open to strangers until it has been reviewed.
(Files and interactive sessions have their own switches, which are off.)"""

INTERNAL = ("allow_private", "allow_link", "allow_nets", "allow_inward", "files")
"""The arguments of a `Policy` that open non-public places."""


class Policy(Value):
    """Decides which URLs may be followed, and which endpoints connected to. Immutable; equal policies are
    interchangeable.

    Three presets: `default` is for a person at their own machine, `untrusted` for URLs from strangers on your server,
    `open` for tests and museums. `replace` makes variants.

    Lists, and who wins:

    - ``deny_schemes``, ``deny_hosts``, ``deny_nets``: never these.
    - ``allow_schemes``, ``allow_hosts``: only these (None: any).
    - ``allow_ports``, ``allow_nets``: allowed in addition to the built-in rules.
    - Of a deny and an allow entry that both match, the more specific one wins (an exact host name before a longer
      before a shorter ``*.suffix`` before ``*``; the longer network prefix); when equally specific, deny wins.
    - An ``allow_nets`` entry that is a network opens link-local, metadata and never-connect addresses only if it is at
      least as narrow as their row of the address table: ``0.0.0.0/0`` does not open 169.254.169.254,
      ``169.254.169.254/32`` does.
    - An ``allow_nets`` entry that is a host name opens the private addresses that its look-up gives, whatever they are:
      no link-local or metadata address, and not this machine.
    - ``allow_nets``, ``allow_private`` and ``allow_link`` are for URLs that are handed in directly. A hop (a redirect,
      a menu, a link) leads there only from a place that is no more public, or with ``allow_inward``.
    - An address that embeds another one (IPv4-mapped, NAT64 ...) must pass in each of its forms.
    - Host patterns never allow an address: a name may resolve to anything.

    Provenance: `came_from` is the origin of the URL that is judged; for the user's own (or configured) URLs it is
    `anyurl.values.USER`. `anyurl.guard.hops` has the rules: a hop never leads to a less public scope than it came
    from, and never to link-local addresses, cloud metadata or files, unless ``allow_inward``; it never leads from TLS
    to a cleartext connection, unless ``allow_downgrade``.

    Attributes:
        name: The name of the preset that it was made from, for messages.
        allow_schemes: Lower-case names, or None.
        deny_schemes: Lower-case names.
        allow_hosts: Patterns: ``host.example.org``, ``*.example.org`` (names below it, not itself), ``*``; or None.
        deny_hosts: The same.
        allow_ports: Ports of other services to allow.
        allow_nets: Networks in CIDR form, and host names.
        deny_nets: Networks in CIDR form.
        allow_private: Allow private addresses and this machine, for the user's own URLs.
        allow_link: Allow link-local addresses and cloud metadata, for the user's own URLs.
        allow_inward: Let a hop lead to a less public scope, and to local files.
        allow_downgrade: Let a hop lead from TLS to a cleartext connection.
        allow_disguise: Allow URL delimiters, encoded or as look-alikes, in the user and password of a URL.
        allow_forms: Allow sending answers to a form (Gopher+ ASK, RFC 1738 3.4.9) to the scheme's own port, and to the
            ports in ``allow_ports``. Answers are arbitrary lines, which other services could take for commands.
        allow_delivery: Allow delivering mail and posting news in the user's name.
        files: Allow reading and writing local files.
        services: Allow opening interactive sessions (telnet).
        netrc: Allow passwords from the user's ``.netrc``.
        allow_proxies: The proxies that may be used, as host patterns or addresses; None for any. A proxy named here
            may be private, or on this machine, because no URL can lead to it.
        proxy_resolves: Let a proxy look names up. Their addresses are then not judged, so a hop to a name is refused.
        remedies: The terms in which a refusal names its remedy: these ``arguments``, the ``options`` of the command, or
            the ``keys`` of a file.
        limits: Times, sizes and counts; a mapping changes some of them.
    """

    name: str
    allow_schemes: tuple[str, ...] | None
    deny_schemes: tuple[str, ...]
    allow_hosts: tuple[str, ...] | None
    deny_hosts: tuple[str, ...]
    allow_ports: tuple[int, ...]
    allow_nets: tuple[str, ...]
    deny_nets: tuple[str, ...]
    allow_private: bool
    allow_link: bool
    allow_inward: bool
    allow_downgrade: bool
    allow_disguise: bool
    allow_forms: bool
    allow_delivery: bool
    files: bool
    services: bool
    netrc: bool
    allow_proxies: tuple[str, ...] | None
    proxy_resolves: bool
    remedies: Reader
    limits: Limits
    _open_nets: tuple[NetworkEntry, ...]
    _open_names: frozenset[str]
    _shut_nets: tuple[NetworkEntry, ...]
    _hash: int

    def __init__(
        self,
        *,
        name: str = "default",
        allow_schemes: Iterable[str] | None = None,
        deny_schemes: Iterable[str] = (),
        allow_hosts: Iterable[str] | None = None,
        deny_hosts: Iterable[str] = (),
        allow_ports: Iterable[int] = (),
        allow_nets: Iterable[str] = (),
        deny_nets: Iterable[str] = (),
        allow_private: bool = True,
        allow_link: bool = True,
        allow_inward: bool = False,
        allow_downgrade: bool = False,
        allow_disguise: bool = True,
        allow_forms: bool = True,
        allow_delivery: bool = True,
        files: bool = True,
        services: bool = True,
        netrc: bool = True,
        allow_proxies: Iterable[str] | None = None,
        proxy_resolves: bool = False,
        remedies: Reader = "arguments",
        limits: Limits | Mapping[str, float | None] | None = None,
    ) -> None:
        """Raises ValueError for an invalid scheme, host pattern, port or network; TypeError."""
        if isinstance(limits, Mapping):
            changes: dict[str, Any] = dict(limits)
            limits = Limits().replace(**changes)
        if not (limits is None or isinstance(limits, Limits)):
            raise TypeError(f"the limits of a policy are Limits, not {type(limits).__name__}")
        switches = {
            "allow_private": allow_private, "allow_link": allow_link, "allow_inward": allow_inward,
            "allow_downgrade": allow_downgrade, "allow_disguise": allow_disguise, "allow_forms": allow_forms,
            "allow_delivery": allow_delivery, "files": files, "services": services, "netrc": netrc,
            "proxy_resolves": proxy_resolves,
        }  # fmt: skip
        check_switches(switches)
        check_value("name", name, "str")
        check_value("remedies", remedies, "str")
        if remedies not in READERS:
            raise ValueError(f"remedies is one of {', '.join(READERS)}, not {remedies!r}")
        opened, names = read_nets("allow_nets", allow_nets)
        shut = tuple(NetworkEntry(text) for text in texts("deny_nets", deny_nets))
        self._set(
            name=name, **switches, remedies=remedies, limits=limits or Limits(),
            allow_schemes=None if allow_schemes is None else read_schemes("allow_schemes", allow_schemes),
            deny_schemes=read_schemes("deny_schemes", deny_schemes),
            allow_hosts=None if allow_hosts is None else read_patterns("allow_hosts", allow_hosts),
            deny_hosts=read_patterns("deny_hosts", deny_hosts),
            allow_ports=read_ports("allow_ports", allow_ports),
            allow_proxies=None if allow_proxies is None else read_places("allow_proxies", allow_proxies),
            allow_nets=tuple(sorted({*names, *(net.text for net in opened)})),
            deny_nets=tuple(sorted({net.text for net in shut})),
            _open_nets=opened, _open_names=names, _shut_nets=shut,
        )  # fmt: skip
        self._set(_hash=super().__hash__())

    def __hash__(self) -> int:
        return self._hash

    @classmethod
    def default(cls) -> Policy:
        """For a person at their own machine: private addresses when asked for directly, files, sessions, netrc."""
        return cls()

    @classmethod
    def untrusted(cls) -> Policy:
        """For URLs from strangers on your server: public addresses only; no files, sessions, forms, mail, netrc; and
        every limit is finite (`STRANGERS`).

        User and password in a URL are allowed: they go to the host that the URL names and reveal nothing of the user's.
        """
        return cls(
            name="untrusted", allow_schemes=UNTRUSTED_SCHEMES, allow_private=False, allow_link=False,
            allow_disguise=False, allow_forms=False, allow_delivery=False, files=False, services=False, netrc=False,
            allow_proxies=(), limits=STRANGERS,
        )  # fmt: skip

    @classmethod
    def open(cls) -> Policy:
        """For tests and museums: every scope, and a hop may lead to any. Ports of other services stay shut."""
        return cls(name="open", allow_inward=True, allow_downgrade=True)

    @classmethod
    def from_file(cls, path: FilePath) -> Policy:
        """The policy of a file (TOML), whose keys are the arguments of this class.

        ``policy = "default"`` in it names the preset that it is based on, which is ``untrusted`` otherwise;
        ``[limits]`` changes the limits that it names.

        Raises:
            ValueError: It has a key or a value that a policy does not have.
            LocalFileError: It can't be read.
        """
        where, table = read_table(path)
        check_keys(where, table, KEYS)
        base: Policy = getattr(cls, preset_of(where, table))()
        changes = changes_of(where, table)
        try:
            return base.replace(**changes)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}: {reason_of(error)}") from None

    @as_made_by(__init__)
    def replace(self, **changes: Any) -> Policy:
        """A copy with these fields changed. Raises TypeError for an unknown name, ValueError as the class.

        Limits in a mapping, ``limits={"total": 60}``, change these and keep the others; a `Limits` takes the place of
        all of them, with a warning in the log if a limit becomes infinite.
        """
        if "limits" in changes:
            limits = changes["limits"]
            if isinstance(limits, Mapping):
                changes["limits"] = self.limits.replace(**limits)
            elif limits is None or isinstance(limits, Limits):
                self._warn_of_endless(limits or Limits())
        for name in changes:
            if name in Limits.__annotations__:
                raise TypeError(f"{name} is a limit of a policy; limits={{{name!r}: ...}} would change it")
        return Policy(**{**self._fields(), **changes})

    def _warn_of_endless(self, limits: Limits) -> None:
        if endless := self.limits.dropped_by(limits):
            names = ", ".join(endless)
            warning(
                "guard", "The policy %s loses its limits %s: limits={...} in a mapping keeps them.", self.name, names
            )

    # --- judging ---------------------------------------------------------------------------------------------------

    def check(self, url: URL | str, came_from: Provenance = USER) -> Verdict:
        """Whether this URL may be followed, judged by its text alone; an invalid URL is refused, too.

        Nothing is looked up: a name that is allowed may still have an address that is not (`judge_address`).

        Args:
            url: A text is read as `URL` reads it.
            came_from: Who named it.
        """
        try:
            return self.judge_url(url if isinstance(url, URL) else URL(url), came_from)
        except URLSyntaxError as error:
            return self._refuse("no-url", str(error).rstrip("."))

    @checked
    def judge_url(self, url: URL, came_from: Provenance = USER) -> Verdict:
        """Scheme, host text and port of a URL; nothing is opened or looked up.

        Args:
            came_from: Who named it.
        """
        scheme = url.scheme
        if scheme in self.deny_schemes:
            return self._refuse("scheme-denied", scheme)
        if scheme == "file" and not self.files:
            return self._refuse("file", str(url.host or ""))
        if self.allow_schemes is not None and scheme not in self.allow_schemes:
            shut = () if self.services else hops.SESSIONS
            others = [name for name in self.allow_schemes if name not in shut and (name != "file" or self.files)]
            return self._refuse("scheme-not-allowed", scheme, detail=", ".join(others))
        if scheme in hops.SESSIONS and not self.services:
            return self._refuse("service", scheme)
        if not self.allow_disguise and url.user is not None and is_disguised(url.user + (url.password or "")):
            return self._refuse("user-disguised", url.host or "")
        fault = hops.fault(url, came_from, inward=self.allow_inward, downgrade=self.allow_downgrade)
        if fault is not None:
            return self._refuse(*fault, detail=hops.place(came_from), target=url.masked)
        if scheme == "file" or not url.host:
            return allowed(scheme)
        if scheme in hops.FORMS and hops.is_form(url) and not (verdict := self.judge_form(url)).allowed:
            return verdict
        if hops.is_confined(url) and not (verdict := self._judge_own_port(url, "octets-port")).allowed:
            return verdict
        host = url.host
        if host[0] in "vV" and (raw := url.raw_host or "")[0] == "[":
            host = raw  # IPvFuture (RFC 3986 3.2.2): no address, and no name to look up
        return self.judge_endpoint(scheme, host, url.port, came_from)

    @checked
    def judge_form(self, url: URL) -> Verdict:
        """Whether the answers of a form may be sent to the host of this URL."""
        return self._judge_own_port(url, "form-port") if self.allow_forms else self._refuse("form", url.scheme)

    def _judge_own_port(self, url: URL, code: str) -> Verdict:
        """Whether a URL goes to its scheme's own port, or to one that this policy names; if not, `code` refuses it."""
        own = syntax.row(url.scheme).port
        if url.port != own and url.port not in self.allow_ports:
            return self._refuse(code, str(url.port), detail=f"the scheme's own port{'' if own is None else f' {own}'}")
        return allowed(url.scheme)

    @checked
    def judge_delivery(self, url: URL, came_from: Provenance = USER) -> Verdict:
        """Whether mail may be delivered, or an article posted, to the recipient that this URL names."""
        if not self.allow_delivery:
            return self._refuse("delivery", url.scheme)
        may = hops.may_deliver(url, came_from)
        return allowed(url.scheme) if may else self._refuse("delivery-hop", url.scheme)

    @checked
    def judge_content(self, url: URL, came_from: Provenance) -> Verdict:
        """Whether the caller's content (an upload, answers to a form) may be sent to this URL."""
        may = hops.may_carry(url, came_from)
        return allowed(url.scheme) if may else self._refuse("content-hop", url.masked, detail=hops.place(came_from))

    @checked
    def judge_endpoint(self, scheme: str, host: str, port: int | None, came_from: Provenance = USER) -> Verdict:
        """Host text and port, before anything is looked up; a literal address is judged in full.

        Args:
            host: Without brackets.
            port: None for a scheme without ports.
        """
        name = host.lower().removesuffix(".")
        if self.allow_hosts is not None or self.deny_hosts:
            shut, entry = match(self.deny_hosts, name)
            opened = match(self.allow_hosts or (), name)[0]
            if shut >= 0 and shut >= opened:
                return self._refuse("host-denied", name, detail=entry)
            if self.allow_hosts is not None and opened < 0:
                return self._refuse("host-not-allowed", name)
        found = forms(name)
        if is_unclear(name, found):
            return self._refuse("host-unclear", host)
        verdict = self._judge_forms(name, found, came_from, "") if found else self._judge_name(name, came_from)
        if not verdict.allowed or port is None:
            return verdict
        return self.judge_port(port, scheme)

    @checked
    def judge_address(
        self, address: str, port: int, scheme: str, came_from: Provenance = USER, host: str = ""
    ) -> Verdict:
        """An address that a look-up gave, or that a connection really has, with the port.

        Args:
            address: As `getaddrinfo` and `getpeername` write it.
            host: The name whose look-up gave the address, or the address itself. Without it no name of ``allow_nets``
                opens the address.
        """
        verdict = self.judge_port(port, scheme)
        if not verdict.allowed:
            return verdict
        return self._judge_forms(address, forms(address), came_from, "" if host == address else canonical_name(host))

    @checked
    def judge_port(self, port: int, scheme: str) -> Verdict:
        """Whether a scheme may speak to a port: its own default always, another service's only if it is named."""
        row = syntax.ROWS.get(scheme)
        if not 0 < port <= 65_535:
            return self._refuse("port-invalid", str(port))
        if (row is not None and row.port == port) or port in self.allow_ports:
            return allowed(str(port))
        owner = service_at(port, scheme)
        return allowed(str(port)) if owner is None else self._refuse("port-service", str(port), detail=owner)

    @checked
    def judge_data_port(self, port: int) -> Verdict:
        """Whether an FTP data connection may go to this port: not a system port, nor another service's."""
        if not 0 < port <= 65_535:
            return self._refuse("port-invalid", str(port))
        if port in self.allow_ports:
            return allowed(str(port))
        if port < SMALLEST_DATA_PORT:
            return self._refuse("data-port", str(port))
        owner = service_at(port)
        return allowed(str(port)) if owner is None else self._refuse("port-service", str(port), detail=owner)

    @checked
    def judge_proxy(self, host: str, port: int) -> Verdict:
        """Whether the proxy at this host and port may be used; its address is judged when it is known."""
        name = canonical_name(host)
        found = forms(name)
        if self.allow_proxies is not None and match(self.allow_proxies, str(found[0]) if found else name)[0] < 0:
            return self._refuse("proxy", host)
        if is_unclear(name, found):
            return self._refuse("host-unclear", host)
        return self.judge_proxy_address(name, port) if found else self.judge_port(port, "proxy")

    @checked
    def judge_proxy_address(self, address: str, port: int, host: str = "") -> Verdict:
        """Whether this address may be that of a proxy: it is the user's own, and mostly private.

        Args:
            host: The name whose look-up gave the address, or the address itself.
        """
        verdict = self.judge_port(port, "proxy")
        for form in forms(address) if verdict.allowed else ():
            code = self._judge_form(form, USER, False)
            if code not in (None, "address-private"):
                return self._refuse_address(code, forms(address), form, "" if host == address else host, USER)
        return verdict

    @checked
    def judge_unseen(self, host: str, came_from: Provenance = USER) -> Verdict:
        """Whether a proxy may look a name up, so that its address cannot be judged here."""
        if not self.proxy_resolves:
            return self._refuse("proxy-resolves", host)
        return allowed(host) if came_from.own else self._refuse("proxy-resolves-hop", host)

    def _judge_name(self, name: str, came_from: Provenance) -> Verdict:
        if not is_this_machine(name):
            return allowed(name)
        if any(self._judge_forms(address, forms(address), came_from, "").allowed for address in ("127.0.0.1", "::1")):
            return allowed(name)
        if not self.allow_private or came_from.scope is None:
            return self._refuse("host-local", name, inward=self._leads_inward(Scope.LOCAL, came_from))
        return self._refuse("host-local-hop", name, detail=PEERS[came_from.scope])

    def _judge_forms(self, address: str, found: tuple[AddressForm, ...], came_from: Provenance, name: str) -> Verdict:
        if not found:
            return self._refuse("address-malformed", address)
        is_named = name in self._open_names
        for form in found:
            code = self._judge_form(form, came_from, is_named)
            if code is not None:
                return self._refuse_address(code, found, form, name, came_from)
        return allowed(address)

    def _judge_form(self, form: AddressForm, came_from: Provenance, is_named: bool) -> str | None:
        """The code of the refusal, or None."""
        where = form.row.scope
        # A name opens what it resolves to today: nothing that its zone's owner could turn against this machine.
        is_open = is_named and where == Scope.PRIVATE
        if self._open_nets or self._shut_nets:
            opened, shut = narrowest(self._open_nets, form), narrowest(self._shut_nets, form)
            if shut >= 0 and shut >= opened:
                return "address-denied"
            if opened >= 0 and (where not in (Scope.LINK, Scope.NEVER) or opened >= form.row.length):
                is_open = True
        if where == Scope.PUBLIC:
            return None
        if not is_open:
            if where == Scope.NEVER:
                return "address-never"
            if where == Scope.LINK and not self.allow_link:
                return "address-link"
            if where != Scope.LINK and not self.allow_private:
                return "address-private"
        if not self._leads_inward(where, came_from):
            return None
        return "address-link-hop" if where == Scope.LINK else "address-hop"

    def _leads_inward(self, where: Scope, came_from: Provenance) -> bool:
        return not self.allow_inward and hops.leads_inward(where, came_from)

    def _refuse_address(
        self, code: str, found: tuple[AddressForm, ...], form: AddressForm, name: str, came_from: Provenance
    ) -> Verdict:
        where = form.row.scope
        return self._refuse(
            code, name or str(form), detail=describe(found, form, name),
            hop="" if came_from.scope is None else PEERS[came_from.scope],
            net=name if name and where == Scope.PRIVATE else str(form), inward=self._leads_inward(where, came_from),
        )  # fmt: skip

    def _refuse(
        self,
        code: str,
        subject: str,
        *,
        detail: str = "",
        hop: str = "",
        target: str = "",
        net: str = "",
        inward: bool = False,
    ) -> Verdict:
        return refused(
            code, subject, policy=self.name, detail=detail, hop=hop, target=target, net=net, inward=inward,
            remedies=self.remedies,
        )  # fmt: skip
