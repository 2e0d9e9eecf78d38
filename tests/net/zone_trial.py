"""A link-local address, reached by every transport: ``python -m tests.net.zone_trial`` prints what came.

It has a network of its own, in which fe80::1 is an address of ``lo``, and every public address leads there, too.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable

from anyurl import AsyncClient, Client, Policy, Provenance
from anyurl.errors import AnyURLError
from anyurl.net.wire.connector import Network
from anyurl.schemes.prospero.wire.commands import Commands
from anyurl.schemes.prospero.wire.server import Answer, ProsperoServer
from anyurl.values import Scope
from anyurl.world.prospero import world_store
from tests.hostile import namespace
from tests.servers import Connection, Server, reply

NOT_RUN = 3
_SIOCSIFADDR = 0x8916
_LO = "lo"


def _add_address() -> None:
    """``ip address add fe80::1/64 dev lo``."""
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
        address = socket.inet_pton(socket.AF_INET6, "fe80::1")
        fcntl.ioctl(sock, _SIOCSIFADDR, address + struct.pack("Ii", 64, socket.if_nametoindex(_LO)))


def _http(connection: Connection) -> None:
    while head := connection.head():
        to = head.startswith(b"GET /moved ")
        connection.send(reply(b"", "Location: /", status="302 Found") if to else reply(b"by http"))


def _ftp(connection: Connection) -> None:
    connection.send(b"220 ready\r\n")
    with socket.create_server(("::", 0), family=socket.AF_INET6) as listener:
        while line := connection.line():
            verb = line.split(b" ")[0]
            if verb == b"EPSV":
                connection.send(b"229 here (|||%d|)\r\n" % listener.getsockname()[1])
            elif verb == b"RETR":
                connection.send(b"150 it comes\r\n")
                with listener.accept()[0] as data:
                    data.sendall(b"by ftp")
                connection.send(b"226 done\r\n")
            elif verb == b"QUIT":
                connection.send(b"221 bye\r\n")
            else:
                connection.send({b"USER": b"331 word?\r\n", b"PASS": b"230 in\r\n"}.get(verb, b"200 so be it\r\n"))


def _gopher(connection: Connection) -> None:
    connection.line()
    connection.send(b"by gopher\r\n.\r\n")


def _proxy(connection: Connection) -> None:
    connection.head()
    connection.send(b"HTTP/1.1 200 Connected\r\n\r\n")
    connection.line()
    connection.send(b"by a proxy\r\n.\r\n")


def _serve_prospero(sock: socket.socket) -> None:
    here = b"[fe80::1](%d)" % sock.getsockname()[1]
    commands = Commands(world_store(here), here)
    server = ProsperoServer(lambda request: Answer(commands.answer(request)))
    while True:
        data, client = sock.recvfrom(65536)
        for datagram in server.reply(client, data):
            sock.sendto(datagram, client)


def tell(act: Callable[[], object]) -> str:
    try:
        return str(act())
    except AnyURLError as error:
        return f"{type(error).__name__}: {error}"


def _text(of: Client, url: object, **more: object) -> Callable[[], object]:
    return lambda: of.get(url, **more).text()  # type: ignore[arg-type]


def _command(*words: str) -> tuple[int, str, str]:
    line = [sys.executable, "-m", "anyurl", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def _run() -> dict[str, object]:
    told: dict[str, object] = {}
    with Server(_http, host="::") as http, Server(_gopher, host="::") as gopher, Server(_ftp, host="::") as ftp:
        web, menu = f"http://[fe80::1]:{http.port}/", f"gopher://[fe80::1]:{gopher.port}/0x"
        with Client() as client:
            told["none"] = [tell(_text(client, web)), tell(_text(client, menu))]
        with Client(zone="lo") as client:
            told["redirected"] = [tell(_text(client, web + "moved")).split(":")[0]]
            told["http"] = tell(_text(client, web))
            told["map"] = [result.resource.text() for result in client.map([web] * 3) if result.resource]
            told["gopher"] = tell(_text(client, menu))
            told["ftp"] = tell(_text(client, f"ftp://[fe80::1]:{ftp.port}/x"))
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
                sock.bind(("::", 0))
                threading.Thread(target=_serve_prospero, args=(sock,), daemon=True).start()
                told["prospero"] = tell(_text(client, f"prospero://[fe80::1]:{sock.getsockname()[1]}//world/motd.txt"))
            stranger = Provenance("document", scope=Scope.PUBLIC)
            told["a stranger's"] = [
                tell(_text(client, web, came_from=stranger)).split(":")[0],
                tell(_text(client, menu, came_from="http://93.184.216.34/")).split(":")[0],
            ]
        with Client(Policy.default().replace(allow_nets=("fe80::1",), allow_inward=True), zone="lo") as client:
            told["redirected"].append(tell(_text(client, web + "moved")))
        with Client(zone=str(socket.if_nametoindex("lo"))) as client:
            told["by number"] = tell(_text(client, menu))
        with Client(Policy.untrusted(), zone="lo") as client:
            told["untrusted"] = tell(_text(client, web)).split(":")[0]
        for zone in ("nowhere", "", "0", "4294967297", "a\0b"):
            with Client(zone=zone) as client:
                told[f"interface {zone!r}"] = tell(_text(client, web))
        index = socket.if_nametoindex("lo")
        with Client(network=Network(lambda _: [f"fe80::1%{index}"])) as client:
            told["a name"] = [
                tell(_text(client, web.replace("[fe80::1]", "printer.local"))),
                tell(_text(client, menu.replace("[fe80::1]", "printer.local"))),
            ]
        told["asyncio"] = asyncio.run(_in_asyncio(web, menu))
        lines = {bytes(line) for each in http.received for line in each.split(b"\r\n") if b"fe80" in line}
        told["host header"] = sorted(line.replace(b"%d" % http.port, b"PORT").decode() for line in lines)
        zoned = web.replace("::1]", "::1%lo]")
        told["command"] = [
            _command("get", zoned)[:2],
            _command("get", zoned.replace("%", "%25"))[:2],
            _command("get", "--zone", "lo", menu)[:2],
            _command("get", menu.replace("::1]", "::1%lo]"), zoned)[:2],
            _command("get", zoned, zoned.replace("%lo", "%other"))[0],
            _command("get", "--zone", "other", zoned)[0],
            _command("get", "--exact", zoned)[0],
            _command("get", "--policy", "untrusted", zoned)[0],
            _command("get", "--came-from", "http://93.184.216.34/", zoned)[0],
        ]
        with Server(_proxy) as proxy, Client(zone="lo", proxy=f"http://127.0.0.1:{proxy.port}") as client:
            told["through a proxy"] = tell(_text(client, menu))
            first = bytes(proxy.received[0]).split(b"\r\n")[0]
            told["told the proxy"] = first.replace(b"%d" % gopher.port, b"PORT").decode()
    return told


async def _in_asyncio(web: str, menu: str) -> list[str]:
    async with AsyncClient(zone="lo") as client:
        return [await (await client.get(url)).text() for url in (web, menu)]


if __name__ == "__main__":
    try:
        namespace.enter()
        _add_address()
    except (namespace.NotPermitted, OSError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(NOT_RUN)
    json.dump(_run(), sys.stdout, indent=1)
