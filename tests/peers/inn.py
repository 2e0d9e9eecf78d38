"""A news server that nobody here wrote: INN, in a folder of its own, as the user `news` where the tests run as root.

Rule: loopback only, ports of the system's choice; its processes are ended by their id. What is not installed skips the
test. A reader speaks to innd first, as Debian sets it up, and MODE READER hands it to nnrpd; a second nnrpd, with a
certificate, wants a password.
"""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from tests.needs import installed_in
from tests.servers import WAIT_SECONDS, free_port

HOST = "127.0.0.1"
USER, PASSWORD = "guest", "welcome"
HASH = "$6$anyurl$XM1J8UcIHPyEFiQD61MdGe.TVrUYjcLPUQ.mbmYukP2p77WDmIJ9Sl.JTOrezqq/oGag2HMxIcp.FnHqYAhfL."
"""PASSWORD as crypt(3) has it."""

HOMES = (Path("/usr/local/lib/news"), Path("/usr/lib/news"))
"""Where scripts/peers, and where Debian, puts the programs."""

GROUPS = {
    "anyurl.test": ("y", "Where tests post"),
    "anyurl.test.binaries": ("y", "Pictures and the like"),
    "anyurl.announce": ("m", "Moderated"),
    "anyurl.readonly": ("n", "Nobody posts here"),
    "control": ("n", "What servers tell each other"),
    "control.cancel": ("n", "What takes articles back"),
    "junk": ("n", "What has no other place"),
}

INN_CONF = """\
mta: "/bin/true %s"
mailcmd: /bin/true
organization: "anyurl tests"
ovmethod: tradindexed
hismethod: hisv6
pathhost: news.example.org
domain: example.org
server: 127.0.0.1
runasuser: {user}
runasgroup: {group}
bindaddress: 127.0.0.1
port: {port}
nnrpdloadlimit: 0
nnrpdposthost: 127.0.0.1
nnrpdpostport: {port}
pgpverify: false
syntaxchecks: [ no-laxmid ]
doinnwatch: false
logstatus: false
xrefslave: false
icdsynccount: 1
pathnews: {home}
pathbin: {home}/bin
pathetc: {etc}
pathdb: {db}
pathrun: {run}
pathlog: {log}
pathspool: {spool}
patharticles: {spool}/articles
pathoverview: {spool}/overview
pathincoming: {spool}/incoming
pathoutgoing: {spool}/outgoing
patharchive: {spool}/archive
pathtmp: {tmp}
pathfilter: {etc}/filter
tlscafile: {etc}/cert.pem
tlscertfile: {etc}/cert.pem
tlskeyfile: {etc}/key.pem
"""

ETC = {
    "incoming.conf": 'streaming: true\nmax-connections: 8\npeer ME {\n  hostname: "127.0.0.1"\n}\n',
    "newsfeeds": "ME:!*/!local::\n",
    "storage.conf": "method tradspool {\n    newsgroups: *\n    class: 0\n}\n",
    "expire.ctl": "/remember/:11\n*:A:1:10:never\n",
    "control.ctl": "all:*:*:drop\n",
    "moderators": "*:nobody@example.org\n",
    "readers.conf": """\
auth "all" {
    hosts: "127.0.0.1"
    default: "<all>"
}
access "all" {
    users: "<all>"
    newsgroups: "*"
    access: RPAN
    addcanlockuser: none
}
""",
    "readers-login.conf": """\
auth "users" {
    hosts: "127.0.0.1"
    auth: "ckpasswd -f %(etc)s/users"
}
access "users" {
    users: "*"
    newsgroups: "*"
    access: RPAN
    addcanlockuser: none
}
""",
    "users": f"{USER}:{HASH}\n",
}


class Inn:
    """A running INN.

    Attributes:
        port: Of innd.
        login_port: Of the nnrpd that wants a password, plain with STARTTLS; 0 without a certificate.
        tls_port: The same, over TLS from the start; 0 without a certificate.
    """

    def __init__(self, certificate: tuple[bytes, bytes] | None = None) -> None:
        home = next((each for each in HOMES if (each / "bin/nnrpd").exists()), None)
        if home is None:
            pytest.skip("inn2 is not installed (scripts/peers installs it)")
        self._home = home
        self._folder = Path(tempfile.mkdtemp(prefix="anyurl-inn-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._user = "news" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.port, self.login_port, self.tls_port = free_port(), 0, 0
        try:
            self._write(certificate)
            self._run("makedbz", "-i", "-o", "-s", "1000")
            self._start("innd", "-f", "-P", str(self.port))
            self._wait(self.port, "innd")
            if certificate is not None:
                config = str(self._folder / "etc/readers-login.conf")
                self.login_port, self.tls_port = free_port(), free_port()
                self._start("nnrpd", "-D", "-f", "-c", config, "-p", str(self.login_port), "-b", HOST)
                self._start("nnrpd", "-D", "-f", "-S", "-c", config, "-p", str(self.tls_port), "-b", HOST)
                self._wait(self.login_port, "nnrpd")
                self._wait(self.tls_port, "nnrpd -S")
        except BaseException:
            self.close()
            raise

    def _write(self, certificate: tuple[bytes, bytes] | None) -> None:
        account = pwd.getpwnam(self._user)
        group = grp.getgrgid(account.pw_gid).gr_name
        places = {name: str(self._folder / name) for name in ("etc", "db", "run", "log", "spool", "tmp")}
        files = {
            "etc/inn.conf": INN_CONF.format(home=self._home, user=self._user, group=group, port=self.port, **places),
            "db/active": "".join(f"{name} 0000000000 0000000001 {flag}\n" for name, (flag, _) in GROUPS.items()),
            "db/newsgroups": "".join(f"{name}\t{about}\n" for name, (_, about) in GROUPS.items()),
            "db/active.times": "".join(f"{name} 786240000 news@example.org\n" for name in GROUPS),
            "db/history": "",
            **{f"etc/{name}": text.replace("%(etc)s", places["etc"]) for name, text in ETC.items()},
        }
        for name in ("articles", "overview", "incoming/bad", "outgoing", "archive"):
            (self._folder / "spool" / name).mkdir(parents=True)
        for name in ("etc/filter", "db", "run", "log", "tmp"):
            (self._folder / name).mkdir(parents=True)
        for name, text in files.items():
            (self._folder / name).write_text(text, "utf-8")
        if certificate is not None:
            for name, data in zip(("etc/cert.pem", "etc/key.pem"), certificate, strict=True):
                (self._folder / name).write_bytes(data)
        for parent, folders, names in os.walk(self._folder):
            for name in (".", *folders, *names):
                path = os.path.join(parent, name)
                if os.geteuid() == 0:
                    os.chown(path, account.pw_uid, account.pw_gid)
                os.chmod(path, 0o640 if os.path.isfile(path) else 0o750)

    def _how(self) -> dict[str, Any]:
        environment = {
            "PATH": f"{self._home}/bin:/usr/bin:/bin",
            "INNCONF": str(self._folder / "etc/inn.conf"),
            "LD_LIBRARY_PATH": str(self._home),
        }
        how: dict[str, Any] = {"env": environment, "cwd": str(self._folder), "stdin": subprocess.DEVNULL}
        if os.geteuid() == 0:
            how |= {"user": self._user, "group": pwd.getpwnam(self._user).pw_gid, "extra_groups": []}
        return how

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [installed_in(self._home / "bin", program), *arguments],
            capture_output=True,
            timeout=WAIT_SECONDS,
            **self._how(),
        )
        assert done.returncode == 0, (program, done.stdout, done.stderr)

    def _start(self, program: str, *arguments: str) -> None:
        with open(self._folder / "log" / f"{program}.out", "ab") as out:
            command = [installed_in(self._home / "bin", program), *arguments]
            process: subprocess.Popen[bytes] = subprocess.Popen(command, stdout=out, stderr=out, **self._how())
            self._processes.append(process)

    def _wait(self, port: int, what: str) -> None:
        """Until it listens."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                socket.create_connection((HOST, port), 1).close()
                return
            except OSError:
                ended = [process.args for process in self._processes if process.poll() is not None]
                said = b"".join(path.read_bytes()[-500:] for path in (self._folder / "log").iterdir())
                assert not ended, f"{ended} ended: {said!r}"
                assert time.monotonic() < deadline, f"{what} does not listen: {said!r}"
                time.sleep(0.05)

    def close(self) -> None:
        """End it, and remove its folder."""
        for process in reversed(self._processes):
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        for process in self._processes:
            process.wait(WAIT_SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)
