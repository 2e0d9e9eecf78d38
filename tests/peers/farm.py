"""The farm: every server that nobody here wrote, and what is done with it. `docs/peers.md` is printed from it.

Rule: a row says what the peer is and which operations it has; `tests/peers/test_farm.py` does each of them. What a peer
can't do is said, and tested where there is something to be seen of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from anyurl.net.wire.connector import Network
from anyurl.world import news
from tests.peers import beside, ftp_more, gopher_servers, http_servers, other_servers, reports, zones
from tests.peers.ftp_servers import HOST, TREE, Certificates, PureFtpd, Vsftpd
from tests.peers.telnet_servers import Telnetd
from tests.peers.tolerances import section

MODIFIED = 786_240_000.0
JOE = "joe:s3cret%20pass@"

OPERATIONS = {
    "get": "what comes are the octets of the file",
    "many": "all of them at once, by map",
    "list": "the names are there",
    "stat": "kind and size",
    "times": "the modification time",
    "directory": "a directory's name without a slash is no file",
    "absent": "what is not there is NotFoundError, by get and by stat",
    "put": "what is uploaded is what is downloaded, whatever its name, suffix and octets",
    "append": "what is appended stands behind what was there",
    "continue": "a transfer goes on in the middle",
    "continue put": "an upload goes on behind what is there, and only if that is its beginning",
    "put times": "what is uploaded gets the time that it is given (MFMT)",
    "deliver": "mail is taken for one, put off for one, and refused for one who is unknown",
    "session": "what is typed arrives, and so does the answer",
}
"""What is tried, and what has to hold."""


class Place:
    """A peer that runs.

    Attributes:
        documents: Content by URL.
        listing: A URL and names of its entries.
        directory: A directory, named without its slash.
        missing: What is not there.
        writable: A URL that names can be put behind.
        settings: Of the client.
    """

    def __init__(
        self,
        documents: Mapping[str, bytes] | None = None,
        *,
        listing: tuple[str, set[str]] = ("", set()),
        directory: str = "",
        missing: str = "",
        writable: str = "",
        **settings: Any,
    ) -> None:
        self.documents = dict(documents or {})
        self.listing = listing
        self.directory = directory
        self.missing = missing
        self.writable = writable
        self.settings = settings


Start = Callable[[Path, ExitStack], Place]


class Peer:
    """A row of the table.

    Args:
        name: What it is called, and how it is set up.
        scheme: By which it is spoken to.
        start: Starts it, in a folder of its own.
        can: The operations that hold.
        lacks: Why others are not tried.
    """

    def __init__(self, name: str, scheme: str, start: Start, can: str, lacks: str = "") -> None:
        self.name = name
        self.scheme = scheme
        self.start = start
        self.can: Sequence[str] = tuple(each.strip() for each in can.split(","))
        self.lacks = lacks

    def __repr__(self) -> str:
        return self.name


def _ftp(port: int, user: str = "", scheme: str = "ftp", put: str = "pub/", **settings: Any) -> Place:
    top = f"{scheme}://{user}{HOST}:{port}/"
    return Place(
        {top + name: TREE[name.encode()] for name in ("pub/x.bin", "pub/x.txt", "pub/sub/empty.bin")},
        listing=(top + "pub/", {"x.bin", "x.txt", "sub"}),
        directory=top + "pub",
        missing=top + "pub/nothing",
        writable=top + put,
        **settings,
    )


def _vsftpd(folder: Path, stack: ExitStack) -> Place:
    return _ftp(stack.enter_context(closing(Vsftpd(folder))).port)


def _vsftpd_tls(folder: Path, stack: ExitStack) -> Place:
    known = Certificates(folder)
    server = stack.enter_context(closing(Vsftpd(folder, known.certificate)))
    return _ftp(server.port, scheme="ftps", ca_file=known.authority)


def _pure(folder: Path, stack: ExitStack) -> Place:
    return _ftp(stack.enter_context(closing(PureFtpd(folder))).port, JOE)


def _pure_tls(folder: Path, stack: ExitStack) -> Place:
    known = Certificates(folder)
    server = stack.enter_context(closing(PureFtpd(folder, known.certificate)))
    return _ftp(server.port, JOE, "ftps", ca_file=known.authority)


def _proftpd(tls: str = "", *, implicit: bool = False) -> Start:
    def start(folder: Path, stack: ExitStack) -> Place:
        known = Certificates(folder) if tls else None
        certificate = None if known is None else known.certificate
        server = ftp_more.Proftpd(folder, certificate, tls=tls, implicit=implicit)
        port = stack.enter_context(closing(server)).port
        if known is None:
            return _ftp(port, JOE)
        if not implicit:
            return _ftp(port, JOE, "ftps", ca_file=known.authority)
        # TLS begins with the connection at port 990 only, which is another one here.
        network = Network(translate=lambda endpoint: (HOST, port) if endpoint[1] == 990 else endpoint)
        return _ftp(990, JOE, "ftps", ca_file=known.authority, network=network)

    return start


def _inetutils(folder: Path, stack: ExitStack) -> Place:
    return _ftp(stack.enter_context(closing(ftp_more.InetutilsFtpd(folder))).port)


def _aioftp(folder: Path, stack: ExitStack) -> Place:
    return _ftp(stack.enter_context(closing(ftp_more.Aioftp(folder))).port)


def _pyftpdlib(*without: str, tls: bool = False) -> Start:
    def start(folder: Path, stack: ExitStack) -> Place:
        known = Certificates(folder) if tls else None
        certificate = None if known is None else known.certificate
        server = stack.enter_context(closing(ftp_more.Pyftpdlib(folder, without=without, tls=certificate)))
        more: dict[str, Any] = {} if known is None else {"ca_file": known.authority}
        return _ftp(server.port, JOE, "ftps" if tls else "ftp", **more)

    return start


def _web(server: type[http_servers.WebServer], scheme: str = "http") -> Start:
    def start(folder: Path, stack: ExitStack) -> Place:
        port = stack.enter_context(closing(server(folder))).port
        return _web_place(f"{scheme}://{HOST}:{port}/")

    return start


def _node(folder: Path, stack: ExitStack) -> Place:
    known = Certificates(folder)
    server = stack.enter_context(closing(http_servers.NodeH2(folder, known.certificate)))
    return _web_place(f"https://{HOST}:{server.port}/", ca_file=known.authority)


def _caddy_http3(folder: Path, stack: ExitStack) -> Place:
    known = Certificates(folder)
    server = stack.enter_context(closing(http_servers.Caddy(folder, known.certificate)))
    return _web_place(f"https://{HOST}:{server.port}/", ca_file=known.authority, http3=True)


def _web_place(top: str, **settings: Any) -> Place:
    documents = {top + name: content for name, content in http_servers.TREE.items()}
    listing = top + "pub/", {"x.bin", "x.txt", "x.txt.gz", "empty.txt"}
    return Place(documents, listing=listing, missing=top + "nothing", writable=top + "put/", **settings)


def _gopher(make: Callable[[Path], Any]) -> Start:
    def start(folder: Path, stack: ExitStack) -> Place:
        top = f"gopher://{HOST}:{stack.enter_context(closing(make(folder))).port}/"
        name = "pub/x.bin"
        return Place(
            {f"{top}9/{name}": gopher_servers.TREE[name]},
            listing=(f"{top}1/pub", {"x.bin"}),
            missing=f"{top}0/nothing",
        )

    return start


def _sn(folder: Path, stack: ExitStack) -> Place:
    port = stack.enter_context(closing(other_servers.Sn(folder))).port
    return Place(
        {f"news:{number}@test.example": b"Hello %d.\r\n" % number for number in (1, 2, 3)},
        listing=("news:anyurl.test", {"Article 1", "Article 2", "Article 3"}),
        missing="news:none@test.example",
        news_server=f"{HOST}:{port}",
    )


def _leafnode(folder: Path, stack: ExitStack) -> Place:
    port = stack.enter_context(closing(other_servers.Leafnode(folder))).port
    heads = [each.partition(b"\r\n\r\n") for each in news.articles()]
    notes = {head.partition(b"Message-ID: <")[2].partition(b">")[0].decode(): body for head, _, body in heads
             if b"Newsgroups: world.notes\r\n" in head}  # fmt: skip
    return Place(
        {f"news:{identifier}": body for identifier, body in notes.items()},
        listing=("news:world.notes", {"Notes"}),
        missing="news:none@test.example",
        news_server=f"{HOST}:{port}",
    )


def _jetforce(folder: Path, stack: ExitStack) -> Place:
    top = f"gemini://{HOST}:{stack.enter_context(closing(other_servers.Jetforce(folder))).port}/"
    documents = {top + name: content for name, content in gopher_servers.TREE.items()}
    return Place(documents, listing=(f"{top}pub/", {"x.bin"}), missing=f"{top}nothing", pins=folder / "pins")


def _mail(make: Callable[[Path], Any]) -> Start:
    def start(folder: Path, stack: ExitStack) -> Place:
        port = stack.enter_context(closing(make(folder))).port
        return Place(
            writable="mailto:guest@world.example", missing="mailto:nobody@world.example",
            mail_server=f"{HOST}:{port}", mail_from="me@example.org",
        )  # fmt: skip

    return start


def _telnetlib3(folder: Path, stack: ExitStack) -> Place:
    port = stack.enter_context(closing(other_servers.Telnetlib3(folder))).port
    return Place({f"telnet://{HOST}:{port}/": b"Name: |ada\n|Hello ada."})


def _telnetd(_folder: Path, stack: ExitStack) -> Place:
    # telnetd loses what a program writes last: this one waits for one line more, and nobody types it.
    login = "/bin/sh -c 'printf \"Name: \"; read n; echo Hello $n.; read n'"
    port = stack.enter_context(closing(Telnetd(login))).port
    return Place({f"telnet://{HOST}:{port}/": b"Name: |ada\n|Hello ada."})


FILES = "get, many, list, stat, times, directory, absent, put, append, continue, continue put"
WEB = "get, many, list, stat, times, absent, continue"
DATED = f"{FILES}, put times"
NO_TIMES = "it has no MFMT: the time of an upload is its own"

PEERS = (
    Peer("vsftpd", "ftp", _vsftpd, FILES, NO_TIMES),
    Peer("vsftpd, TLS, session reuse demanded", "ftps", _vsftpd_tls, FILES, NO_TIMES),
    Peer("pure-ftpd", "ftp", _pure, DATED, "a name that begins or ends with a space is stored with `_` for it"),
    Peer("pure-ftpd, TLS", "ftps", _pure_tls, DATED),
    Peer("proftpd", "ftp", _proftpd(), DATED),
    Peer("proftpd, TLS 1.2, session reuse demanded", "ftps", _proftpd("TLSv1.2"), DATED),
    Peer("proftpd, TLS 1.3, session reuse demanded", "ftps", _proftpd("TLSv1.3"), DATED),
    Peer("proftpd, implicit TLS", "ftps", _proftpd("TLSv1.2 TLSv1.3", implicit=True), DATED),
    Peer("inetutils-ftpd", "ftp", _inetutils, FILES, NO_TIMES),
    Peer("pyftpdlib", "ftp", _pyftpdlib(), DATED),
    Peer("pyftpdlib, TLS demanded", "ftps", _pyftpdlib(tls=True), DATED),
    Peer("pyftpdlib without MLST, MLSD, FEAT, EPSV", "ftp",
         _pyftpdlib("MLST", "MLSD", "FEAT", "EPSV"), FILES, NO_TIMES),
    Peer("pyftpdlib without MLST, SIZE, MDTM, REST too", "ftp",
         _pyftpdlib("MLST", "MLSD", "FEAT", "EPSV", "SIZE", "MDTM", "REST"),
         "get, many, list, stat, directory, absent, put, append",
         "nothing proves that a file is unchanged: it is downloaded again"),
    Peer("aioftp", "ftp", _aioftp, FILES, f"{NO_TIMES}; a name that is not UTF-8 ends its connection"),
    Peer("apache2, with DAV and gzip", "http", _web(http_servers.Apache),
         "get, many, list, stat, times, absent, put, continue"),
    Peer("lighttpd", "http", _web(http_servers.Lighttpd), WEB, "read only"),
    Peer("nginx, with gzip", "http", _web(http_servers.Nginx), WEB, "read only"),
    Peer("caddy, with gzip", "http", _web(http_servers.Caddy), WEB, "read only"),
    Peer("node, HTTP/2 only", "https", _node, "get, many, stat, times, absent, continue", "read only"),
    Peer("caddy, HTTP/3", "https", _caddy_http3, WEB, "read only"),
    Peer("pygopherd", "gopher", _gopher(gopher_servers.Pygopherd), "get, list, absent", "no sizes; read only"),
    Peer("gophernicus", "gopher", _gopher(gopher_servers.Gophernicus), "get, list",
         "what is not there is a text that says so; no sizes; read only"),
    Peer("pituophis", "gopher", _gopher(other_servers.Pituophis), "get, list, absent", "no sizes; read only"),
    Peer("sn", "news", _sn, "get, list, absent", "it takes posts through a script of its own only"),
    Peer("leafnode", "news", _leafnode, "get, list, absent", "its fetchnews has fetched them from `anyurl serve news`"),
    Peer("jetforce", "gemini", _jetforce, "get, many, list, absent", "read only"),
    Peer("exim", "mailto", _mail(other_servers.Exim), "deliver"),
    Peer("postfix", "mailto", _mail(other_servers.Postfix), "deliver"),
    Peer("inetutils-telnetd", "telnet", _telnetd, "session"),
    Peer("telnetlib3", "telnet", _telnetlib3, "session"),
)  # fmt: skip
"""The table; peers that are tried by more than that have files of their own."""

APART = {
    "nginx": "http, https, HTTP/2: test_nginx.py",
    "caddy": "HTTP/3: test_http3.py",
    "apache2": "logins, Basic and Digest: test_apache.py",
    "tinyproxy, squid (Basic, Digest, TLS to it), microsocks": "every scheme of TCP through them: test_proxies.py",
    "INN": "news, nntp, nntps: test_inn.py",
    "OpenSMTPD, aiosmtpd": "mailto: test_mail_servers.py",
    "dictd and its client dict, dicod": "dict: test_dict.py",
    "yaz-ztest (Z39.50)": "wais: test_z3950.py",
    "molly-brown": "gemini: test_gemini.py",
    "curl, lynx, gopher, slrn, neomutt, bombadillo, inetutils-telnet": "against the servers of the demo: "
    "test_*_clients.py",
    "lynx, w3m": "in `anyurl web`: tests/web/test_old_browsers.py",
    "curl, wget, lynx": "against `anyurl serve --folder`: tests/world/test_shared_*.py",
}
"""Peers that are tried by more than a row has."""


def page() -> str:
    """docs/peers.md."""
    lines = [
        "# Peers",
        "",
        "What is tested with third-party servers. Each mark is a test (`tests/peers/test_farm.py`) that",
        "starts the server on loopback; `scripts/peers` installs them. This page is printed by `docs/peers.py`.",
        "",
    ]
    for title, names in (
        ("Files and documents", tuple(name for name in OPERATIONS if name not in ("deliver", "session"))),
        ("Mail and sessions", ("deliver", "session")),
    ):
        rows = [peer for peer in PEERS if set(peer.can) & set(names)]
        lines += [f"## {title}", "", f"| peer | scheme | {' | '.join(names)} | |", "|" + "---|" * (len(names) + 3)]
        for peer in rows:
            marks = " | ".join("+" if name in peer.can else "" for name in names)
            lines.append(f"| {peer.name} | {peer.scheme} | {marks} | {peer.lacks} |")
        lines.append("")
    from tests.peers import beside_real  # it reads this table

    lines += section() + reports.section() + beside.section() + beside_real.section() + zones.section()
    lines += ["## What is tried", ""]
    lines += [f"- **{name}**: {text}." for name, text in OPERATIONS.items()]
    lines += ["", "## Tried more closely", ""]
    lines += [f"- {name}: {text}" for name, text in APART.items()]
    return "\n".join(lines) + "\n"
