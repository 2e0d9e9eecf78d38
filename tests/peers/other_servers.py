"""Servers that nobody here wrote: exim and postfix (mail), sn and leafnode (news), pituophis (gopher), jetforce
(gemini), telnetlib3.

Rule: each listens on loopback, for one module of tests; its processes are ended by their id. What is not installed
skips the test. exim, sn and leafnode run once for each connection, as inetd does; the others have a process. What knows
one place for its files, or wants users or a host name of its own, has them in a namespace.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from anyurl.world import news
from anyurl.world.certificate import self_signed
from tests.needs import need
from tests.peers.ftp_more import NOBODY, with_user
from tests.peers.ftp_servers import HOST, Spawning, let_through, program
from tests.peers.gopher_servers import TREE as GOPHER_TREE
from tests.peers.gopher_servers import write_tree
from tests.peers.http_servers import WebServer
from tests.servers import WAIT_SECONDS, free_port

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


POSTFIX_MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/spool
data_directory = {folder}/data
daemon_directory = {home}/sbin
import_environment = MAIL_CONFIG LD_LIBRARY_PATH
mail_owner = postfix
setgid_group = postdrop
default_database_type = texthash
myhostname = mail.example
mydestination = world.example
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
local_transport = discard
local_recipient_maps = texthash:{folder}/etc/users
smtpd_recipient_restrictions = check_recipient_access texthash:{folder}/etc/access, reject_unauth_destination
message_size_limit = 100000
maillog_file = /dev/stdout
"""
POSTFIX_MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
rewrite unix - - n - - trivial-rewrite
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""
POSTFIX_RUN = """\
set -e
cd "$1/spool"
mkdir pid public private maildrop hold incoming active deferred bounce defer trace flush saved corrupt
chown -R postfix . "$1/data"
chown root . pid
chown :postdrop public maildrop
chmod 710 public
chmod 730 maildrop
LD_LIBRARY_PATH="$2"
export LD_LIBRARY_PATH
exec "$2/sbin/master" -d -c "$1/etc"
"""


class Postfix(WebServer):
    """postfix: it takes the mail to guest at world.example, puts grey and full off, and knows no other."""

    def __init__(self, folder: Path) -> None:
        home = next((each for each in POSTFIX_HOMES if (each / "sbin/master").exists()), None)
        if home is None:
            pytest.skip("postfix is not installed (scripts/peers installs it)")
        # It shares its number with nobody, and insists on that.
        apart = with_user(folder, "postfix", folder, number=NOBODY - 1, groups=("postdrop",))
        self.port, self.root = free_port(), folder
        files = {
            "main.cf": POSTFIX_MAIN.format(folder=folder, home=home),
            "master.cf": POSTFIX_MASTER.format(port=self.port),
            "users": "guest x\ngrey x\nfull x\n",
            "access": "grey@world.example 450 4.7.1 Greylisted, please come back later\n"
            "full@world.example 452 4.2.2 Mailbox full\n",
        }
        for name in ("etc", "spool", "data"):
            (folder / name).mkdir()
            (folder / name).chmod(0o755)
        for name, text in files.items():
            (folder / "etc" / name).write_text(text, "ascii")
        let_through(folder)
        self._start([*apart, "sh", "-c", POSTFIX_RUN, "sh", str(folder), str(home)])


POSTFIX_HOMES = (Path("/usr/local/lib/postfix"), Path("/usr/lib/postfix"))
"""Where scripts/peers, and where Debian, puts its programs."""

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


LEAFNODE_CONFIG = """\
server = 127.0.0.1
port = {port}
expire = 20000
maxage = 20000
hostname = news.anyurl-tests.net
"""
LEAFNODE_RUN = """\
set -e
mkdir -p /etc/news/leafnode /var/spool/news
{mount} --bind {folder}/etc /etc/news/leafnode
{mount} --bind {folder}/spool /var/spool/news
{hostname} news.anyurl-tests.net
exec {setpriv} --reuid=news --regid=news --clear-groups "$@"
"""


class Leafnode(Spawning):
    """leafnode: a news server for one household, which fetches the groups that are read from another one: the world's.

    Attributes:
        fetched: What its fetchnews said.
    """

    def __init__(self, folder: Path) -> None:
        need("root", "mounts")
        paths = {name: program(name) for name in ("mount", "hostname", "setpriv")}
        server, fetch = program("leafnode"), program("fetchnews")
        spool = folder / "spool"
        for name in ("leaf.node", "out.going", "failed.postings", "temp.files", "interesting.groups"):
            (spool / name).mkdir(parents=True)
        for number in range(1000):
            (spool / f"message.id/{number:03}").mkdir(parents=True)
        (spool / "interesting.groups/world.notes").touch()
        (folder / "etc").mkdir()
        run = LEAFNODE_RUN.format(folder=folder, **paths)
        apart = [program("unshare"), "--mount", "--uts", "sh", "-c", run, "sh"]
        with closing(news.start()) as upstream:
            (folder / "etc/config").write_text(LEAFNODE_CONFIG.format(port=upstream.port), "ascii")
            for path in (spool, *spool.rglob("*")):
                shutil.chown(path, "news", "news")
            let_through(folder)
            done = subprocess.run([*apart, fetch, "-vvv"], capture_output=True, text=True, timeout=WAIT_SECONDS)
            self.fetched = done.stdout + done.stderr
        super().__init__([*apart, server])


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


class Jetforce(WebServer):
    """jetforce: a gemini server in Python, with a certificate of its own."""

    def __init__(self, folder: Path) -> None:
        binary = program("jetforce")
        self.port = free_port()
        self.root = folder / "root"
        write_tree(self.root, GOPHER_TREE)
        for name, data in zip(("cert.pem", "key.pem"), self_signed("localhost"), strict=True):
            (folder / name).write_bytes(data)
        self._start([
            binary, "--host", HOST, "--port", str(self.port), "--hostname", HOST, "--dir", str(self.root),
            "--tls-certfile", str(folder / "cert.pem"), "--tls-keyfile", str(folder / "key.pem"),
        ])  # fmt: skip


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
