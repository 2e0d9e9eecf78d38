"""The judge: where a client went and what it said there, beside what the promise of its policy allows.

Rule: it knows only the ledger (who named what), the shim's lines (where the client turned to) and what the servers
received. It shares no code with the guard. What it can't attribute to an edge is a fault, too.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from tests.hostile.graph import CERTIFICATE, NETRC, SECURE, TRAPS, WEB, Edge, Origin
from tests.hostile.places import CLASSES, LINK, NEVER, PUBLIC, class_of

FIRST_DATA_PORT = 1024
_UNASKED = frozenset({"redirect", "moved", "forward", "union", "method", "ardp"})
"""How a server leads on by itself: nobody chose."""


class Judge:
    """Of one crawl.

    Args:
        policy: ``default``, ``untrusted`` or ``open``.
        edges: All that was named.

    Attributes:
        faults: What must not have been.
        tally: Figures: connections and datagrams by the class of their address, and what came by how it was named.
    """

    def __init__(self, policy: str, edges: Iterable[Edge]) -> None:
        self.policy = policy
        self.faults: list[str] = []
        self.tally: Counter[str] = Counter()
        self._by_mark: dict[str, Edge] = {}
        self._by_address: dict[str, list[Edge]] = defaultdict(list)
        self._secrets: dict[str, Edge] = {}
        self._went: set[tuple[str, int]] = set()
        for edge in edges:
            self._by_mark[edge.mark] = edge
            for address in edge.addresses:
                self._by_address[_plain(address)].append(edge)
            for secret in (*edge.secrets[1:], edge.content().decode()):
                self._secrets[secret] = edge

    # --- who may be connected to -------------------------------------------------------------------------------------

    def why_not(self, edge: Edge, address: str) -> str | None:
        """Why nobody may connect to this address because of this edge, or None."""
        if edge.how == "pasv":
            return "an FTP server named a third host"
        # A name with a good and a bad address is as good as the bad one.
        classes = [class_of(each) for each in ((address,) if edge.flips else edge.addresses)]
        worst = max(classes)
        if worst == NEVER:
            return "it is no host"
        if self.policy == "untrusted" and worst != PUBLIC:
            return f"{CLASSES[worst]}, and only public ones are allowed"
        if self.policy == "untrusted" and edge.scheme == "telnet":
            return "a session"
        if edge.by is None or self.policy == "open":
            return None
        origin = class_of(edge.by.address)
        if worst == LINK or worst > origin:
            return f"{CLASSES[worst]}, named from a {CLASSES[origin]} place"
        if edge.by.scheme in SECURE and edge.scheme not in SECURE:
            return f"{edge.scheme}, named over TLS"
        if edge.how in _UNASKED and edge.scheme == "telnet":
            return "a session that nobody asked for"
        if edge.how == "redirect" and edge.by.scheme in WEB and edge.scheme not in WEB:
            return f"{edge.scheme}, by a redirection of the web"
        if edge.how == "redirect" and edge.by.scheme == "gemini" and edge.scheme != "gemini":
            return f"{edge.scheme}, by a redirection of gemini"
        return None

    def connections(self, lines: Iterable[str]) -> None:
        """Judge what the shim wrote down."""
        for line in lines:
            verb, address, port = line.split(" ")
            self.tally[verb] += 1
            if verb == "look-up":
                if not _is_literal(address):
                    self.faults.append(f"the name {address} was looked up by the C library")
                continue
            self._judge(verb, _plain(address), int(port))

    def _judge(self, verb: str, address: str, port: int) -> None:
        self._went.add((address, port))
        named = self._by_address.get(address) or self._cut(address)
        if not named:
            self.faults.append(f"{verb} {address} port {port}: nobody named that")
            return
        self.tally[f"to {CLASSES[class_of(address)]}"] += 1
        if port in TRAPS:
            self.faults.append(f"{verb} {address} port {port}: another service's ({_told(named)})")
            return
        # A text that ends early may end within the number of a port.
        meant = [edge for edge in named if str(edge.port).startswith(str(port)) and edge.how != "pasv"]
        if not meant and port >= FIRST_DATA_PORT:
            meant = [edge for edge in named if edge.scheme in ("ftp", "ftps")]
        reasons = [self.why_not(edge, address) for edge in meant or named]
        if None not in reasons:
            self.faults.append(f"{verb} {address} port {port}: {reasons[0]} ({_told(meant or named)})")
        elif not meant:
            self.faults.append(f"{verb} {address} port {port}: nobody named that port ({_told(named)})")

    def _cut(self, address: str) -> list[Edge]:
        """The edges of which a text that ends early, within an address, may have left this one."""
        whole = (edge for edges in self._by_address.values() for edge in edges)
        return [edge._replace(addresses=(address,)) for edge in whole if edge.host.startswith(address)]

    # --- what may be said --------------------------------------------------------------------------------------------

    def received(self, units: Iterable[Sequence[Any]]) -> None:
        """Judge what the servers got: the lines of `servers.Received`. To be called after `connections`."""
        for address, port, scheme, secure, _size, marks, secrets in units:
            self.tally["units"] += 1
            if (address, port) not in self._went:
                self.faults.append(f"{address} port {port} was reached, and no call of the C library says so")
            # A mark counts where its own URL leads: a file may be called as a URL is, too.
            named = [self._by_mark[mark] for mark in marks if mark in self._by_mark]
            edges = [edge for edge in named if address in map(_plain, edge.addresses)]
            self.tally.update(f"by {edge.how}" for edge in edges)
            for secret in secrets:
                self._judge_secret(secret, address, port, scheme, edges)
            for edge in edges:
                if not secure and self.policy != "open" and edge.by is not None and edge.by.scheme in SECURE:
                    self.faults.append(f"{edge.mark} came to {address} port {port} in clear, and was named over TLS")
                if not secure and edge.scheme in SECURE:
                    self.faults.append(f"{edge.mark} is a URL of {edge.scheme} and came to {address} in clear")

    def _judge_secret(self, secret: str, address: str, port: int, scheme: str, edges: Sequence[Edge]) -> None:
        owner = self._secrets.get(secret)
        netrc = next((place for place, login, word in NETRC if secret == word), None)
        if secret.startswith("lgn"):
            return
        self.tally["secrets"] += 1
        here = f"{secret} came to {scheme} at {address} port {port}"
        if secret == CERTIFICATE.decode():
            self.tally["certificates"] += 1
            known = self._by_address[address]
            if not any(edge.by is None and (edge.scheme, edge.port) == (scheme, port) for edge in known):
                self.faults.append(f"{here}: the user has named nothing there")
        elif netrc is not None:
            if address not in netrc.addresses:
                self.faults.append(f"{here}: the netrc has it for another host")
        elif owner is None:
            self.faults.append(f"{here}: nobody knows whose it is")
            return
        elif owner.by is None:
            if address not in map(_plain, owner.addresses) or port != owner.port:
                self.faults.append(f"{here}: the user gave it to {owner.host} port {owner.port}")
        elif not self._is_at(owner.by, address, port):
            self.faults.append(f"{here}: a server at {owner.by.address} wrote it ({_told([owner])})")
            return
        else:
            return
        strangers = [each for each in edges if each.by is not None and each.by[:2] != (address, port)]
        if strangers:
            self.faults.append(f"{here}, and that was named elsewhere ({_told(strangers)})")

    def _is_at(self, server: Origin, address: str, port: int) -> bool:
        """Whether this is the server itself, at this address or another one of its name."""
        if server.port != port:
            return False
        named = (edge for edge in self._by_address[_plain(server.address)] if edge.port == port)
        return server.address == address or any(address in map(_plain, edge.addresses) for edge in named)


def _told(edges: Sequence[Edge]) -> str:
    edge = edges[0]
    by = "the user" if edge.by is None else f"{edge.by.scheme} at {edge.by.address} port {edge.by.port}"
    return f"{edge.mark}: {edge.scheme}://{edge.host}:{edge.port}, {edge.how} by {by}"


def _plain(address: str) -> str:
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or found)


def _is_literal(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return text == "-"
    return True
