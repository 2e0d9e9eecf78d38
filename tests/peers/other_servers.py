"""Servers that nobody here wrote, one for a protocol: exim (mail), sn (news), pituophis (gopher), telnetlib3.

Rule: each listens on loopback, for one module of tests; its processes are ended by their id. What is not installed
skips the test. exim and sn run once for each connection, as inetd does; the other two are Python's, and have a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.peers.ftp_more import NOBODY, with_user
from tests.peers.ftp_servers import HOST, Spawning, let_through, program
from tests.peers.gopher_servers import TREE as GOPHER_TREE
from tests.peers.gopher_servers import write_tree
from tests.peers.http_servers import WebServer
from tests.servers import free_port

EXIM = """\
primary_hostname = mail.example
domainlist local_domains = world.example
spool_directory = {folder}/spool
log_file_path = {folder}/spool/log-%slog
never_users =
trusted_users = root
host_lookup =
rfc1413_hosts = :
keep_environment =
add_environment = PATH=/usr/bin
disable_ipv6 = true
message_size_limit = 100000
smtputf8_advertise_hosts =
acl_smtp_rcpt = rcpt
acl_smtp_data = accept
begin acl
rcpt:
  defer local_parts = grey
        message = Greylisted, please come back later
  defer local_parts = full
        message = 452 4.2.2 Mailbox full
  accept local_parts = guest
        domains = +local_domains
  deny message = 550 5.1.1 Unknown user
begin routers
keep:
  driver = accept
  transport = keep
begin transports
keep:
  driver = appendfile
  file = {folder}/mail
  user = nobody
  group = nogroup
  create_file = anywhere
"""


class Exim(Spawning):
    """exim: it keeps the mail to guest at world.example in its queue, puts grey off, and knows no other."""

    def __init__(self, folder: Path) -> None:
        binary = program("exim4")
        # The user that Debian's exim was built for, whom its package would make.
        apart = with_user(folder, "Debian-exim", folder)
        (folder / "spool").mkdir()
        os.chown(folder / "spool", NOBODY, NOBODY)
        let_through(folder)
        config = folder / "exim.conf"
        config.write_text(EXIM.format(folder=folder), "ascii")
        self._folder = folder
        # What it takes stays in its queue (-odq): delivering would start a process that nobody waits for.
        super().__init__([*apart, binary, "-C", str(config), "-odq", "-bs", "-oMa", "127.0.0.1"])

    def messages(self) -> list[bytes]:
        """The bodies that are in the queue."""
        return [path.read_bytes() for path in sorted(self._folder.glob("spool/input/**/*-D"))]


GROUP = "anyurl.test"
ARTICLES = [
    b"From: a@test.example\r\nNewsgroups: anyurl.test\r\nSubject: Article %d\r\nMessage-ID: <%d@test.example>\r\n"
    b"Date: Mon, 01 Jan 2024 00:00:0%d +0000\r\n\r\nHello %d.\r\n" % (number, number, number, number)
    for number in range(1, 4)
]


class Sn(Spawning):
    """sn: a small news server with one group and three articles; it knows nothing of RFC 3977, and takes no posts."""

    def __init__(self, folder: Path) -> None:
        binary, store, new = program("snntpd.bin"), program("snstore"), program("snnewgroup")
        root = folder / "root"
        root.mkdir()
        own = {**os.environ, "SNROOT": str(root), "TCPREMOTEIP": HOST, "TCPLOCALIP": HOST}
        subprocess.run([new, GROUP], env=own, check=True, capture_output=True)
        subprocess.run([store], env=own, check=True, capture_output=True, input=b".\r\n".join([*ARTICLES, b""]))
        variables = [f"{name}={own[name]}" for name in ("SNROOT", "TCPREMOTEIP", "TCPLOCALIP")]
        super().__init__(["/usr/bin/env", *variables, binary])


PITUOPHIS = """\
import sys
import pituophis
pituophis.serve(host="127.0.0.1", port=int(sys.argv[2]), pub_dir=sys.argv[1], debug=False, send_period=False)
"""


class Pituophis(WebServer):
    """pituophis: a gopher server in Python."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("pituophis", reason="pituophis is not installed (pip install pituophis)")
        self.port = free_port()
        self.root = folder / "root"
        write_tree(self.root, GOPHER_TREE)
        self._start([sys.executable, "-c", PITUOPHIS, f"{self.root}/", str(self.port)])


TELNETLIB3 = """\
import asyncio, sys
import telnetlib3
async def shell(reader, writer):
    writer.write("Name: ")
    name = await reader.readline()
    writer.write("Hello " + name.strip() + ".\\r\\n")
    await writer.drain()
    writer.close()
async def main():
    server = await telnetlib3.create_server(host="127.0.0.1", port=int(sys.argv[1]), shell=shell, timeout=30)
    await server.wait_closed()
asyncio.run(main())
"""


class Telnetlib3(WebServer):
    """telnetlib3: a telnet server that negotiates on its own, and asks for a name."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("telnetlib3", reason="telnetlib3 is not installed (pip install telnetlib3)")
        self.port = free_port()
        self.root = folder
        self._start([sys.executable, "-c", TELNETLIB3, str(self.port)])
