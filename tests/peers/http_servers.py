"""Web servers that nobody here wrote: apache2 (with DAV), lighttpd, nginx, caddy, and one on node with HTTP/2 only.

Rule: each listens on loopback, for one module of tests; its processes are ended by their id. What is not installed
skips the test.
"""

from __future__ import annotations

import gzip
import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.peers.ftp_servers import HOST, let_through, program
from tests.servers import WAIT_SECONDS, free_port

MODIFIED = 786_240_000
PLAIN = b"a text in an archive\n" * 500
TREE: dict[str, bytes] = {
    "pub/x.bin": bytes(range(256)) * 40,
    "pub/x.txt": b"one\r\ntwo\nthree\rfour\n",
    "pub/x.txt.gz": gzip.compress(PLAIN, mtime=0),
    "pub/empty.txt": b"",
}
"""What they serve, by path."""


def write_tree(root: Path) -> None:
    """Write `TREE` below a folder, for anybody to read and one folder for anybody to write to."""
    for name, content in TREE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (MODIFIED, MODIFIED))
    (root / "put").mkdir()
    (root / "put").chmod(0o777)


class WebServer:
    """A program that listens on `port` until it is closed.

    Attributes:
        port: Where it listens.
        root: What it serves.
    """

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.root = folder / "www"
        write_tree(self.root)
        let_through(folder)

    def _start(self, argv: Sequence[str], **environment: str) -> None:
        self._process = subprocess.Popen(
            argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment},
            start_new_session=True,
        )  # fmt: skip
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                socket.create_connection((HOST, self.port), 1).close()
                return
            except ConnectionRefusedError:
                assert self._process.poll() is None, f"{argv[0]} ended"
                assert time.monotonic() < deadline, f"{argv[0]} does not listen"
                time.sleep(0.01)

    def close(self) -> None:
        """End it, and its children, which are in a session of their own."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(WAIT_SECONDS)


APACHE = """\
ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/error.log
Mutex posixsem
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule mime_module {modules}/mod_mime.so
LoadModule dir_module {modules}/mod_dir.so
LoadModule dav_module {modules}/mod_dav.so
LoadModule dav_fs_module {modules}/mod_dav_fs.so
LoadModule autoindex_module {modules}/mod_autoindex.so
LoadModule deflate_module {modules}/mod_deflate.so
LoadModule filter_module {modules}/mod_filter.so
User nobody
Group nogroup
StartServers 1
TypesConfig /etc/mime.types
DavLockDB {folder}/dav/lock
DocumentRoot {folder}/www
AddEncoding x-gzip .gz
AddOutputFilterByType DEFLATE text/plain
<Directory {folder}/www>
  Require all granted
  Options Indexes FollowSymLinks
</Directory>
<Directory {folder}/www/put>
  Dav On
</Directory>
<Location /no>
  Require all denied
</Location>
"""


class Apache(WebServer):
    """apache2: it gives gzip to texts and calls an archive a coding (x-gzip), and one folder is written to by DAV."""

    def __init__(self, folder: Path) -> None:
        binary = program("apache2")
        super().__init__(folder)
        (folder / "dav").mkdir()
        (folder / "dav").chmod(0o777)
        config = folder / "apache2.conf"
        config.write_text(APACHE.format(folder=folder, port=self.port, modules="/usr/lib/apache2/modules"), "utf-8")
        self._start([binary, "-D", "FOREGROUND", "-f", str(config)])


class Lighttpd(WebServer):
    """lighttpd, with an index of each folder."""

    def __init__(self, folder: Path) -> None:
        binary = program("lighttpd")
        super().__init__(folder)
        config = folder / "lighttpd.conf"
        config.write_text(
            f'server.document-root = "{self.root}"\nserver.bind = "{HOST}"\nserver.port = {self.port}\n'
            f'server.errorlog = "{folder}/error.log"\nserver.modules = ("mod_dirlisting")\n'
            'dir-listing.activate = "enable"\ndir-listing.encoding = "utf-8"\n'
            'mimetype.assign = (".txt" => "text/plain", "" => "application/octet-stream")\n',
            "utf-8",
        )
        self._start([binary, "-D", "-f", str(config)])


class Caddy(WebServer):
    """caddy, a file server with an index of each folder; with a certificate over TLS and QUIC (HTTP/3)."""

    def __init__(self, folder: Path, certificate: Path | None = None) -> None:
        binary = program("caddy")
        super().__init__(folder)
        config = folder / "Caddyfile"
        scheme, tls = ("http", "") if certificate is None else ("https", f" tls {certificate} {certificate}\n")
        config.write_text(
            f"{{\n admin off\n auto_https off\n}}\n{scheme}://{HOST}:{self.port} {{\n bind {HOST}\n{tls}"
            f' respond /echo "{{method}} {{http.request.body}}"\n'
            f" root * {self.root}\n file_server browse\n encode gzip\n}}\n",
            "utf-8",
        )
        self._start(
            [binary, "run", "--config", str(config), "--adapter", "caddyfile"],
            HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder),
        )  # fmt: skip


NGINX = """\
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 1;
{user}
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  types {{ text/plain txt; }}
  gzip on;
  gzip_min_length 10;
  gzip_types text/plain;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/www;
    autoindex on;
  }}
}}
"""


class Nginx(WebServer):
    """nginx, with gzip for texts and an index of each folder."""

    def __init__(self, folder: Path) -> None:
        binary = program("nginx")
        super().__init__(folder)
        user = "" if os.getuid() else "user root;"
        config = folder / "nginx.conf"
        config.write_text(NGINX.format(folder=folder, port=self.port, user=user), "utf-8")
        self._start([binary, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(config)])


NODE = """\
const http2 = require('node:http2'), fs = require('node:fs'), path = require('node:path');
const [root, port, certificate] = process.argv.slice(1);
const pem = fs.readFileSync(certificate);
const server = http2.createSecureServer({ key: pem, cert: pem, allowHTTP1: false });
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  const file = path.join(root, decodeURIComponent(headers[':path'].split('?')[0]));
  let known;
  try { known = fs.statSync(file); } catch { known = null; }
  if (known === null || !known.isFile()) { stream.respond({ ':status': 404 }); stream.end(); return; }
  const found = /^bytes=(\\d+)-$/.exec(headers['range'] || '');
  const offset = found ? Number(found[1]) : 0;
  const reply = { ':status': found ? 206 : 200, 'last-modified': known.mtime.toUTCString(),
                  'content-length': known.size - offset };
  if (found) reply['content-range'] = `bytes ${offset}-${known.size - 1}/${known.size}`;
  stream.respond(reply);
  if (headers[':method'] === 'HEAD') { stream.end(); return; }
  stream.end(fs.readFileSync(file).subarray(offset));
});
server.listen(Number(port), '127.0.0.1');
"""


class NodeH2(WebServer):
    """A server on node that speaks HTTP/2 over TLS, and no HTTP/1."""

    def __init__(self, folder: Path, certificate: Path) -> None:
        binary = program("node")
        super().__init__(folder)
        self._start([binary, "-e", NODE, str(self.root), str(self.port), str(certificate)])
