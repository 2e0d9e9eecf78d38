"""A network of its own for one client: every address answers, a name has what the case says, and the C library notes
where the client turned to.

Rule: it is a process of its own (`python -m tests.adapters.arena NAME`), begun with the shim of ``tests/hostile``
before the C library; it writes what became of each case as a line of JSON. What is judged are the shim's lines.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import socket
import ssl
import sys
import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

from anyurl.errors import RefusedError
from anyurl.guard.limits import Limits
from anyurl.guard.policy import Policy
from tests.adapters.clients import FACTORIES, How
from tests.hostile import namespace
from tests.proxy.curl import CurlBehindProxy

CORPUS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "net" / "ssrf_cases.json").read_text("utf-8"))
POLICIES = {
    name: policy.replace(limits=Limits(connect=2.0, idle=2.0))
    for name, policy in {
        "untrusted": Policy.untrusted(), "default": Policy.default(), "open": Policy.open(),
        "one name": Policy.untrusted().replace(allow_nets=["Billing.Internal.", "bücher.internal"]),
        "one address": Policy.untrusted().replace(allow_nets=["10.0.0.42"]),
    }.items()
}  # fmt: skip


class Listener:
    """A server at one port of every address, which plays the hops of a case."""

    def __init__(self, arena: Arena, port: int, tls: ssl.SSLContext | None = None) -> None:
        self._arena = arena
        self._tls = tls
        self._socket = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            sock, _ = self._socket.accept()
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(5)
        try:
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
            with sock:
                data = b""
                while b"\r\n\r\n" not in data:
                    piece = sock.recv(65536)
                    if not piece:
                        return
                    data += piece
                sock.sendall(self._arena.answer(data))
        except OSError:
            pass


class Arena:
    """The names and servers of one process."""

    def __init__(self, server: ssl.SSLContext) -> None:
        self.case: Mapping[str, Any] = {}
        self.heads: list[str] = []
        self.looked_up: list[str] = []
        self._replies = 0
        self._listeners = [Listener(self, port) for port in (80, 3128, 1080, 8080)] + [Listener(self, 443, server)]

    def begin(self, case: Mapping[str, Any]) -> None:
        self.case, self.heads, self.looked_up, self._replies = case, [], [], 0

    def answer(self, head: bytes) -> bytes:
        self.heads.append(head.decode("latin-1"))
        hops = self.case.get("redirect", [])
        if hops == "loop":
            hops = [[302, self.case["url"]]] * (self._replies + 1)
        if self._replies >= len(hops):
            return b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
        status, location = hops[self._replies]
        self._replies += 1
        fields = b"Location: %s\r\nContent-Length: 0\r\n" % location.encode("utf-8")
        return b"HTTP/1.1 %d Moved\r\n%sConnection: close\r\n\r\n" % (status, fields)

    def addresses(self, host: str) -> Sequence[str]:
        name = host.lower().removesuffix(".")
        sequence = self.case.get("dns_sequence", {}).get(name)
        if sequence:
            turn = sum(one.lower().removesuffix(".") == name for one in self.looked_up) - 1
            return [str(address) for address in sequence[min(turn, len(sequence) - 1)]]
        for table in (self.case.get("dns", {}), CORPUS["base_dns"]):
            if name in table:
                return [str(address) for address in table[name]]
        return CORPUS["base_dns"]["public.test"] if name.endswith(".public.test") else []

    def getaddrinfo(self, host: Any, port: Any, family: int = 0, *rest: Any, **more: Any) -> list[tuple[Any, ...]]:
        """The name service: what is an address to the C library is one here, by the C library's own reading."""
        name = host.decode("ascii") if isinstance(host, bytes) else str(host)
        if more.get("flags", rest[2] if len(rest) > 2 else 0) & socket.AI_NUMERICHOST or _is_address(name):
            return _REAL(name, port, family, *rest, **more)
        self.looked_up.append(name)
        found = [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (each, port or 0, 0, 0))
            if ":" in each
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port or 0))
            for each in self.addresses(name)
        ]
        found = [row for row in found if family in (0, row[0])]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return found


_REAL = socket.getaddrinfo


def _is_address(text: str) -> bool:
    try:
        socket.inet_aton(text.strip())  # what the C library takes for an address: 127.1, 0x7f.1, 2130706433
    except OSError:
        return ":" in text
    return True


def play(name: str, cases: Iterable[Mapping[str, Any]], folder: Path) -> None:
    """Try each case by one client, and write what became of it."""
    log = Path(os.environ["WATCH_LOG"])
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "certificate.pem")
    ca_file = str(folder / "authority.pem")
    tls = ssl.create_default_context(cafile=ca_file)
    arena = Arena(server)
    warnings.simplefilter("ignore")
    made = nullcontext(FACTORIES[name]) if name in FACTORIES else CurlBehindProxy(name)
    with mock.patch.object(socket, "getaddrinfo", arena.getaddrinfo), made as fetch:
        for case in cases:
            arena.begin(case)
            before = log.stat().st_size if log.exists() else 0
            outcome: dict[str, Any] = {"id": case["id"], "error": None, "refused": False}
            with mock.patch.dict("os.environ", case.get("env", {})):
                try:
                    fetch([case["url"]], How(POLICIES[case.get("policy", "untrusted")], tls=tls, ca_file=ca_file))
                except Exception as error:
                    outcome["error"] = f"{type(error).__name__}: {error}"
                    outcome["refused"] = isinstance(error, RefusedError)
            written = log.read_bytes()[before:].decode("ascii", "replace").splitlines() if log.exists() else []
            connected = [line.split(" ")[1:] for line in written if line.startswith(("connect ", "send "))]
            connected = [one for one in connected if one[1] not in getattr(fetch, "ports", ())]
            outcome |= {"connected": connected, "heads": arena.heads, "looked_up": arena.looked_up}
            sys.stdout.write(json.dumps(outcome) + "\n")


def run_page(path: Path, folder: Path) -> int:
    """Run the examples of a page, and write what is not as it stands there."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "certificate.pem")
    arena = Arena(server)
    arena.begin({"dns": {"example.org": ["93.184.216.34"], "billing.internal": ["10.0.0.42"]}})
    text = path.read_text("utf-8")
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    examples = doctest.DocTestParser().get_doctest("\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)),
                                                   {"__name__": "__main__"}, path.name, str(path), 0)  # fmt: skip
    with mock.patch.object(socket, "getaddrinfo", arena.getaddrinfo):
        done = runner.run(examples, out=sys.stdout.write)
    sys.stdout.write(f"{done.attempted} examples, {done.failed} failed\n")
    return int(done.failed > 0)


def main() -> int:
    """The program: the name of a client, a folder with certificates, and cases as JSON on standard input.

    Or a page whose examples are run, and the folder.
    """
    try:
        namespace.enter()
    except namespace.NotPermitted as error:
        sys.stderr.write(f"{error}\n")
        return 3
    if sys.argv[1].endswith(".md"):
        return run_page(Path(sys.argv[1]), Path(sys.argv[2]))
    play(sys.argv[1], json.load(sys.stdin), Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
