"""FTP servers beside those of `ftp_servers`: proftpd, that of inetutils, aioftp, and pyftpdlib with features off.

Rule: as there. proftpd and that of inetutils run once for each connection, as inetd does; the others in a thread.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.needs import need
from tests.peers.ftp_servers import DATA_PORTS, HOST, TREE, Spawning, let_through, program, write_tree
from tests.servers import WAIT_SECONDS

USER, PASSWORD = "joe", "s3cret pass"
HASH = "$5$rounds=1000$anyurl$HVuHelgGAsj0mo.Efk//iQGnZ0S9F0SyqmD7VYJqQaC"
NOBODY = 65534


def make_root(folder: Path, owner: int = NOBODY) -> Path:
    """A folder with `TREE` in it, which a user without rights may change."""
    need("root")  # the server changes its user at login
    root = folder / "root"
    write_tree(root)
    for path in (root, *root.rglob("*")):
        os.chown(path, owner, owner)
    let_through(folder)
    return root


class Proftpd(Spawning):
    """proftpd, for one user, who is locked into his folder.

    Args:
        tls: The versions that its TLS has, as ``TLSv1.3``; it demands TLS, and its session for data connections.
        implicit: TLS begins with the connection.
        settings: Further lines of its configuration.
    """

    def __init__(
        self,
        folder: Path,
        certificate: Path | None = None,
        *,
        tls: str = "TLSv1.2 TLSv1.3",
        implicit: bool = False,
        settings: Sequence[str] = (),
    ) -> None:
        binary = program("proftpd")
        self.root = make_root(folder)
        passwords, config = folder / "passwords", folder / "proftpd.conf"
        passwords.write_text(f"{USER}:{HASH}:{NOBODY}:{NOBODY}::{self.root}:/bin/sh\n", encoding="ascii")
        passwords.chmod(0o600)
        lines = [
            "ServerName anyurl", "ServerType inetd", "DefaultServer on", "Port 0", "ModulePath /usr/local/lib/proftpd",
            "DelayEngine off", "UseReverseDNS off", "WtmpLog off", "TransferLog none",
            f"SystemLog {folder}/log", "User nobody", "Group nogroup", "UseIPv6 off", "RequireValidShell off",
            f"PassivePorts {DATA_PORTS[0]} {DATA_PORTS[1]}", "AuthOrder mod_auth_file.c", f"AuthUserFile {passwords}",
            "ScoreboardFile none", "DefaultRoot ~", "AllowOverwrite on", "AllowStoreRestart on",
            "AllowRetrieveRestart on", *settings,
        ]  # fmt: skip
        if certificate is not None:
            options = ["TLSOptions UseImplicitSSL"] if implicit else []
            lines += [
                "LoadModule mod_tls.c", "TLSEngine on", f"TLSProtocol {tls}", "TLSRequired on", "TLSVerifyClient off",
                f"TLSRSACertificateFile {certificate}", f"TLSRSACertificateKeyFile {certificate}",
                f"TLSLog {folder}/tls",
                *options,
            ]  # fmt: skip
        config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        super().__init__([binary, "-n", "-c", str(config)])


IN_A_NAMESPACE = 'set -e; for name in passwd group; do "$2" --bind "$1/$name" "/etc/$name"; done; shift 2; exec "$@"'


def with_user(folder: Path, name: str, home: Path, *, number: int = NOBODY, groups: Sequence[str] = ()) -> list[str]:
    """What runs a program for which this machine has one user, and a group of that name, more than it has.

    Args:
        home: His folder.
        number: His own, and his group's.
        groups: Further groups.
    """
    need("root", "mounts")  # the server changes its user
    unshare = program("unshare")
    more = {
        "passwd": [f"{name}:x:{number}:{number}::{home}:/bin/sh"],
        "group": [f"{each}:x:{number - place}:" for place, each in enumerate((name, *groups))],
    }
    for file, added in more.items():
        lines = Path("/etc", file).read_text("utf-8").splitlines()
        kept = [one for one in lines if not one.startswith((f"{name}:", *(f"{each}:" for each in groups)))]
        (folder / file).write_text("\n".join([*kept, *added, ""]), encoding="utf-8")
    return [unshare, "--mount", "sh", "-c", IN_A_NAMESPACE, "sh", str(folder), program("mount")]


class InetutilsFtpd(Spawning):
    """The ftpd of GNU inetutils, for anonymous users, who are locked into their folder; it knows no MLST."""

    def __init__(self, folder: Path) -> None:
        binary = program("ftpd")
        self.root = make_root(folder)
        super().__init__([*with_user(folder, "ftp", self.root), binary, "-A", "-q"])


def _chdir(files: Any, path: str) -> None:
    """What CWD does in pyftpdlib, but for the folder of the process, which is that of the tests."""
    os.scandir(path).close()  # or the error that os.chdir would raise
    files.cwd = files.fs2ftp(path)


class Pyftpdlib:
    """pyftpdlib in a thread, for one user and for anonymous ones.

    Args:
        without: Commands that it does not know, such as ``MLST``.
        tls: A certificate: logins and data need TLS.
        settings: Class attributes of its handler.
        most: Connections that it takes at a time; each address has as many.

    Attributes:
        root: What it serves.
        port: Where it listens.
    """

    def __init__(
        self, folder: Path, *, without: tuple[str, ...] = (), tls: Path | None = None, most: int = 0, **settings: Any
    ) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            from pyftpdlib import authorizers, filesystems, handlers, ioloop, servers
        logging.getLogger("pyftpdlib").addHandler(logging.NullHandler())
        self.root = folder / "root"
        write_tree(self.root)
        authorizer = authorizers.DummyAuthorizer()
        authorizer.add_user(USER, PASSWORD, str(self.root), perm="elradfmwMT")
        authorizer.add_anonymous(str(self.root))
        base = handlers.FTPHandler if tls is None else handlers.TLS_FTPHandler
        known = {verb: facts for verb, facts in base.proto_cmds.items() if verb not in without}
        stays = type("Stays", (filesystems.AbstractedFS,), {"chdir": _chdir})
        facts = {
            "authorizer": authorizer, "auth_failed_timeout": 0, "proto_cmds": known, "abstracted_fs": stays, **settings
        }  # fmt: skip
        if tls is not None:
            facts |= {"certfile": str(tls), "tls_control_required": True, "tls_data_required": True}
        self._loop = ioloop.IOLoop()
        self._server = servers.FTPServer((HOST, 0), type("Handler", (base,), facts), ioloop=self._loop)
        if most:
            self._server.max_cons = most + 1  # it counts itself
            self._server.max_cons_per_ip = most
        self.port: int = self._server.address[1]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.is_set():
            self._loop.loop(0.05, blocking=False)
        self._server.close_all()

    def close(self) -> None:
        """Hang up on everybody."""
        self._ended.set()
        self._thread.join()


class Aioftp:
    """aioftp's server in a thread, for anonymous users. It has no SIZE and no MDTM, but MLST and MLSD.

    Attributes:
        root: What it serves.
        port: Where it listens.
    """

    def __init__(self, folder: Path) -> None:
        import aioftp

        self.root = folder / "root"
        write_tree(self.root)
        user = aioftp.User(base_path=self.root, permissions=[aioftp.Permission("/")])
        self._loop = asyncio.new_event_loop()
        self._server = aioftp.Server([user])
        self._loop.run_until_complete(self._server.start(HOST, 0))
        self.port: int = self._server.server_port
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up on everybody."""
        asyncio.run_coroutine_threadsafe(self._server.close(), self._loop).result(WAIT_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


__all__ = ["PASSWORD", "TREE", "USER", "Aioftp", "InetutilsFtpd", "Proftpd", "Pyftpdlib"]
