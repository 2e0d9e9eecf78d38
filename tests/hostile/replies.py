"""What the servers answer: links, redirections and lies, made up for each request.

Rule: each of these reads from one `Talk` and writes to it until there is nothing more to say; a client that is gone is
an OSError or EOFError, which the caller expects.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from base64 import b64encode
from typing import TYPE_CHECKING

from anyurl.schemes.wais.wire.messages import MessageReader
from anyurl.schemes.wais.wire.server import WaisConversation
from anyurl.world.wais import WaisLibrary
from anyurl.world.wais_index import Database, Document
from tests.hostile.graph import MARK, SECURE, TRAPS, WEB, Edge
from tests.hostile.places import Place

if TYPE_CHECKING:
    from tests.hostile.servers import Talk

STALL_SECONDS = 1.5
"""Longer than the crawl's client is patient."""

ENDLESS_PIECES = 100
"""Of a menu that does not end: a few megabytes."""

GARBAGE = bytes(range(256)) * 8
TLS = ("https", "https", *sorted(SECURE))


def mood(talk: Talk) -> bool:
    """Now and then a server is out of order; whether this one has had its say."""
    draw = talk.source.random()
    if draw < 0.0004:
        time.sleep(STALL_SECONDS)
    elif draw < 0.005:
        talk.send(GARBAGE)
    elif draw >= 0.01:
        return False
    return True


def edge(talk: Talk, how: str, *schemes: str) -> Edge:
    """A new edge; from TLS it mostly leads to TLS, or else the crawl would end there."""
    if not schemes and talk.secure and talk.source.random() < 0.7:
        schemes = TLS
    return talk.ledger.edge(talk.origin, how, *schemes)


def link(talk: Talk, how: str = "link") -> str:
    """A URL."""
    if talk.source.random() < 0.05:
        return odd(talk, how)
    return talk.ledger.url(edge(talk, how))


def odd(talk: Talk, how: str) -> str:
    """What should lead nowhere: no place on the network, two hosts in one, lines of another protocol in a path."""
    draw = talk.source.random()
    if draw < 0.6:
        return talk.ledger.odd()
    found, other = edge(talk, how, "http"), edge(talk, how, "http")
    # Without their logins: where a backslash is a slash, as it is in a page, one would be text of a path.
    first, second = f"{found.host}:{found.port}", f"{other.host}:{other.port}/{other.mark}"
    if draw < 0.7:
        return f"http://{first}\\@{second}"
    if draw < 0.8:
        return f"http://{first}#@{second}"
    if draw < 0.85:  # a document without a server, which names places as who wrote it does
        return "data:text/html;base64," + b64encode(page(talk)).decode()
    lines = edge(talk, how, "gopher", "gophers")
    return f"{lines.scheme}://{lines.authority()}/0/{lines.mark}%09%09+1%0D%0A{lines.content().decode()}%0D%0A.%0D%0A"


def name(talk: Talk) -> bytes:
    """A URL where the name of a file belongs; without its mark, since a client may well ask for such a file."""
    found = link(talk, "symlink").encode()
    return b"data" if found.startswith(b"data:") else re.sub(rb"e([0-9]+)z", rb"n\1z", found)  # base64 hides marks


def page(talk: Talk) -> bytes:
    """An HTML page, or a text."""
    links = [link(talk) for _ in range(talk.source.randrange(3, 8))]
    if talk.source.random() < 0.3:
        return "".join(f"See <URL:{each}> or {each} .\r\n" for each in links).encode()
    return b"<!doctype html>" + "".join(f'<p><a href="{each}">x</a>' for each in links).encode()


# --- http ------------------------------------------------------------------------------------------------------------


def http(talk: Talk) -> None:
    """Any number of requests."""
    while True:
        head = talk.line(b"\r\n\r\n")
        size = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
        if size is not None:
            talk.take(int(size[1]))
        elif re.search(rb"(?i)\r\ntransfer-encoding: *chunked", head):
            talk.line(b"0\r\n\r\n")
        talk.done()
        if mood(talk):
            return
        talk.send(_http_answer(talk, head.split(b" ")[1].decode("ascii", "replace")))


def _http_answer(talk: Talk, path: str) -> bytes:
    draw = talk.source.random()
    if draw < 0.02:
        return _http("302 Here", f"Location: {path}\r\n", b"moved")
    if draw < 0.42:
        schemes: tuple[str, ...] = WEB if draw < 0.36 else ()
        if talk.secure and draw < 0.25:
            schemes = ("https",)
        there = talk.ledger.url(edge(talk, "redirect", *schemes)) if draw < 0.41 else odd(talk, "redirect")
        code = talk.source.choice((301, 302, 303, 307, 308))
        return _http(f"{code} There", f'Location: {there}\r\nAlt-Svc: h2="{there}"\r\n', b"moved")
    if draw < 0.54:
        challenge = talk.source.choice(('Basic realm="x"', 'Basic realm="x", Digest realm="x", nonce="y"', "Negotiate"))
        return _http("401 Who", f"WWW-Authenticate: {challenge}\r\n", b"")
    if draw < 0.57:
        return _http("407 Proxy", 'Proxy-Authenticate: Basic realm="x"\r\n', b"")
    if draw < 0.6:
        return _http(talk.source.choice(("404 Not here", "500 Broken", "503 Later")), "Retry-After: 0\r\n", b"")
    there = link(talk)
    fields = f"Content-Type: text/html\r\nRefresh: 0; url={there}\r\nLink: <{there}>; rel=preload\r\n"
    return _http(
        "200 Here", fields + f"Content-Location: {there}\r\nSet-Cookie: a=b; Domain=crawl.test\r\n", page(talk)
    )


def _http(status: str, fields: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\n{fields}Content-Length: {len(body)}\r\n\r\n".encode() + body


# --- gopher ----------------------------------------------------------------------------------------------------------


def gopher(talk: Talk) -> None:
    """One request: a menu, unless it is for a page; Gopher+ where it is asked for, and there it has often moved."""
    request = talk.line()
    if mood(talk):
        return
    draw = talk.source.random()
    if b"\t+" in request or b"\t!" in request or b"\t$" in request:
        if draw < 0.6:
            talk.send(b"--1\r\n3 Nobody <nobody@crawl.test>\r\n" + _item(talk, "moved") + b".\r\n")
        elif b"\t+" in request:
            talk.send(b"+-1\r\n" + _menu(talk))
        else:
            talk.send(b"+-1\r\n+INFO: 1x\t/x\tcrawl.test\t70\t+\r\n+ADMIN:\r\n Admin: x <x@crawl.test>\r\n.\r\n")
        return
    if draw < 0.03:
        talk.send(b"3 Not here\terror\terror.host\t1\r\n.\r\n")
    elif draw < 0.15:
        talk.send(page(talk) + b"\r\n.\r\n")
    elif draw < 0.153:
        line = _item(talk, "menu")
        for _ in range(ENDLESS_PIECES):
            talk.send(line * 500)
    else:
        talk.send(_menu(talk))


def _menu(talk: Talk) -> bytes:
    return b"".join(_item(talk, "menu") for _ in range(talk.source.randrange(3, 8))) + b".\r\n"


def _item(talk: Talk, how: str) -> bytes:
    draw = talk.source.random()
    if draw < 0.3:
        there = link(talk, how)
        return f"hx\tURL:{there}\tcrawl.test\t70\r\n".encode()
    if draw < 0.38:
        found = edge(talk, how, "telnet")
        kind = talk.source.choice("8T")
        login = found.secrets[0] if found.secrets else ""
        return f"{kind}x\t{login}\t{found.host.strip('[]')}\t{found.port}\r\n".encode()
    # An item on the very host and port of its menu is reached as that was: over TLS.
    found = edge(talk, how, "gopher")
    kind = talk.source.choice("1111100h7+g2")
    plus = talk.source.choice(("", "", "\t+", "\t?"))
    return f"{kind}x\t/{found.mark}\t{found.host.strip('[]')}\t{found.port}{plus}\r\n".encode()


# --- ftp -------------------------------------------------------------------------------------------------------------


class _Ftp:
    """One control connection."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.listener: socket.socket | None = None
        self.protected = False
        self.place = b""

    def serve(self) -> None:
        talk = self.talk
        if mood(talk):
            return
        talk.send(b"220 Come in\r\n")
        while True:
            verb, _, argument = talk.line().strip().partition(b" ")
            command = getattr(self, f"do_{verb.decode('ascii', 'replace').lower()}", None)
            if command is None:
                talk.send(b"500 What\r\n")
            else:
                command(argument)

    def do_auth(self, _argument: bytes) -> None:
        self.talk.send(b"234 Go on\r\n")
        self.talk.secure_it()

    def do_user(self, argument: bytes) -> None:
        self.talk.send(b"331 And the password\r\n")

    def do_pass(self, _argument: bytes) -> None:
        self.talk.send(b"230 Welcome\r\n" if self.talk.source.random() < 0.95 else b"530 No\r\n")

    def do_pbsz(self, _argument: bytes) -> None:
        self.talk.send(b"200 Yes\r\n")

    def do_prot(self, argument: bytes) -> None:
        self.protected = argument == b"P"
        self.talk.send(b"200 Yes\r\n")

    def do_type(self, _argument: bytes) -> None:
        self.talk.send(b"200 Yes\r\n")

    def do_feat(self, _argument: bytes) -> None:
        more = b" MLST type*;size*;modify*;\r\n" if self.talk.source.random() < 0.5 else b""
        self.talk.send(b"211-Features\r\n UTF8\r\n EPSV\r\n" + more + b"211 End\r\n")

    do_opts = do_noop = do_type

    def do_pwd(self, _argument: bytes) -> None:
        self.talk.send(b'257 "/" is here\r\n')

    def do_cwd(self, argument: bytes) -> None:
        self.talk.send(b"250 Yes\r\n")

    def do_size(self, _argument: bytes) -> None:
        self.talk.send(b"550 No\r\n")

    do_mdtm = do_rest = do_stat = do_size

    def _listen(self) -> int:
        if self.listener is not None:
            self.listener.close()
        self.listener = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.listener.settimeout(1.0)
        port: int = self.listener.getsockname()[1]
        return self.talk.source.choice(TRAPS) if self.talk.source.random() < 0.15 else port

    def do_epsv(self, _argument: bytes) -> None:
        if self.talk.source.random() < 0.5:
            self.talk.send(b"500 What\r\n")
        else:
            self.talk.send(b"229 Extended (|||%d|)\r\n" % self._listen())

    def do_pasv(self, _argument: bytes) -> None:
        """Mostly somebody else's address."""
        port = self._listen()
        place = self.talk.ledger.pool.any()
        address = next((each for each in place.addresses if ":" not in each), "127.0.0.1")
        self.talk.ledger.edge(self.talk.origin, "pasv", "ftp", place=Place(address, address), port=port)
        numbers = (*map(int, address.split(".")), port >> 8, port & 255)
        self.talk.send(b"227 Passive (%d,%d,%d,%d,%d,%d)\r\n" % numbers)

    def _transfer(self, data: bytes) -> None:
        if self.listener is None:
            self.talk.send(b"425 No data connection\r\n")
            return
        self.talk.send(b"150 Coming\r\n")
        sock = self.listener.accept()[0]
        try:
            sock.settimeout(2.0)
            if self.protected:
                sock = self.talk.internet.context.wrap_socket(sock, server_side=True)
            sock.sendall(data)
            if isinstance(sock, ssl.SSLSocket):
                sock = sock.unwrap()
        finally:
            sock.close()
            self.listener.close()
            self.listener = None
        self.talk.send(b"226 Done\r\n")

    def do_retr(self, _argument: bytes) -> None:
        self._transfer(page(self.talk))

    def do_list(self, _argument: bytes) -> None:
        """Files, folders, and links to all sorts of places."""
        there = name(self.talk)
        self._transfer(
            b"drwxr-xr-x 2 ftp ftp 4096 Jan 1 2020 d\r\n-rw-r--r-- 1 ftp ftp 10 Jan 1 2020 p.html\r\n"
            b"lrwxrwxrwx 1 ftp ftp 10 Jan 1 2020 l -> " + there + b"\r\n"
            b"-rw-r--r-- 1 ftp ftp 10 Jan 1 2020 ../../../etc/passwd\r\n"
            b"-rw-r--r-- 1 ftp ftp 10 Jan 1 2020 " + there + b"\r\n"
        )

    def do_mlsd(self, _argument: bytes) -> None:
        there = name(self.talk)
        self._transfer(
            b"type=dir; d\r\ntype=file;size=10; p.html\r\ntype=OS.unix=slink:" + there + b"; l\r\n"
            b"type=file; " + there + b"\r\ntype=file; //10.0.0.1/x\r\n"
        )  # fmt: skip

    def do_nlst(self, _argument: bytes) -> None:
        self._transfer(b"p.html\r\n" + name(self.talk) + b"\r\n")

    def do_quit(self, _argument: bytes) -> None:
        self.talk.send(b"221 Bye\r\n")
        raise EOFError


def ftp(talk: Talk) -> None:
    """A control connection."""
    session = _Ftp(talk)
    try:
        session.serve()
    finally:
        if session.listener is not None:
            session.listener.close()


# --- news ------------------------------------------------------------------------------------------------------------


def news(talk: Talk) -> None:
    """A reader's commands."""
    if mood(talk):
        return
    talk.send(b"200 Hello\r\n")
    group = b"grp.x"
    while True:
        verb, _, argument = talk.line().strip().partition(b" ")
        verb = verb.upper()
        if verb == b"QUIT":
            talk.send(b"205 Bye\r\n")
            return
        if verb == b"GROUP":
            group = argument
        if talk.source.random() < 0.1 and verb != b"AUTHINFO":
            talk.send(b"480 Who are you\r\n")
        else:
            talk.send(_news_answer(talk, verb, argument, group))


def _news_answer(talk: Talk, verb: bytes, argument: bytes, group: bytes) -> bytes:
    match verb:
        case b"CAPABILITIES":
            return b"101 These\r\nVERSION 2\r\nREADER\r\nOVER MSGID\r\nAUTHINFO USER\r\nLIST ACTIVE\r\n.\r\n"
        case b"AUTHINFO":
            return b"381 Password\r\n" if argument.upper().startswith(b"USER") else b"281 Welcome\r\n"
        case b"MODE":
            return b"200 Hello\r\n"
        case b"GROUP" | b"LISTGROUP":
            return (
                b"211 3 1 3 "
                + (argument or group)
                + b"\r\n"
                + (b"1\r\n2\r\n3\r\n.\r\n" if verb == b"LISTGROUP" else b"")
            )
        case b"OVER" | b"XOVER":
            lines = (f"{n}\t{link(talk)}\tx@y.z\t1 Jan 2020 00:00:00 GMT\t<{n}@crawl.test>\t\t10\t1" for n in (1, 2, 3))
            return b"224 These\r\n" + "\r\n".join(lines).encode() + b"\r\n.\r\n"
        case b"LIST":
            return b"215 Groups\r\n" + group + b" 3 1 y\r\n.\r\n"
        case b"STAT":
            return b"223 1 <1@crawl.test>\r\n"
        case b"ARTICLE" | b"HEAD" | b"BODY":
            code = {b"ARTICLE": b"220", b"HEAD": b"221", b"BODY": b"222"}[verb]
            head = (
                f"From: x@y.z\r\nSubject: x\r\nNewsgroups: grp.x\r\nArchived-At: <{link(talk, 'header')}>\r\n"
                f"Xref: {edge(talk, 'header', 'news').host} grp.x:1\r\nMessage-ID: <1@crawl.test>\r\n"
            ).encode()
            body = page(talk).removesuffix(b"\r\n") + b"\r\n"
            whole = {b"ARTICLE": head + b"\r\n" + body, b"HEAD": head, b"BODY": body}[verb]
            return code + b" 1 <1@crawl.test>\r\n" + whole + b".\r\n"
        case _:
            return b"500 What\r\n"


# --- wais, dict, gemini, telnet, traps -------------------------------------------------------------------------------


class _Wais(WaisLibrary):
    """Whatever the database, its documents are elsewhere."""

    def __init__(self, talk: Talk) -> None:
        super().__init__([])
        self._talk = talk

    def _find_database(self, name: bytes) -> Database:
        wanted = MARK.search(name)
        shown = wanted[0].decode() if wanted is not None else "x"
        return self._database(shown)

    def _database(self, name: str) -> Database:
        talk = self._talk
        there = edge(talk, "hit", "wais")
        documents = []
        for number in range(3):
            kind = talk.source.choice(("TEXT", "HTML", "URL", "WSRC"))
            data = page(talk) if kind != "URL" else link(talk, "hit").encode() + b"\n"
            documents.append(Document(f"{there.mark}{number}", link(talk, "hit"), {kind: data}, words="words text"))
        return Database(name, f"{there.host}:{there.port}", documents, description=f"words {link(talk)}")

    def _find_document(self, document_id: bytes) -> tuple[Database, Document]:
        database = self._database("x")
        return database, database.documents[0]


def wais(talk: Talk) -> None:
    """Any number of requests."""
    session, reader = WaisConversation(_Wais(talk)), MessageReader(lenient=True)
    while True:
        for message in reader.feed(talk.piece()):
            if mood(talk):
                return
            reply = session.reply(message)
            if reply is None:
                return
            talk.send(reply)


def dictionary(talk: Talk) -> None:
    """Whatever is asked for is defined by a page, and matches lines that hold URLs."""
    talk.send(b"220 here <mime> <1@crawl.test>\r\n")
    while not mood(talk):
        verb = talk.line().upper()
        if verb.startswith(b"DEFINE"):
            text = page(talk).replace(b"\n", b"\r\n")
            talk.send(b'150 1 found\r\n151 "x" db "' + name(talk) + b'"\r\n' + text + b"\r\n.\r\n250 ok\r\n")
        elif verb.startswith((b"MATCH", b"SHOW")):
            lines = b"".join(b'db "' + name(talk) + b'"\r\n' for _ in range(3))
            talk.send((b"152" if verb.startswith(b"MATCH") else b"110") + b" 3 found\r\n" + lines + b".\r\n250 ok\r\n")
        elif verb.startswith(b"QUIT"):
            return talk.send(b"221 bye\r\n")
        else:
            talk.send(b"250 ok\r\n")


def gemini(talk: Talk) -> None:
    """One request: a page of links, a redirection, a question, or a no that names places too."""
    talk.line()
    if mood(talk):
        return
    draw = talk.source.random()
    if draw < 0.35:
        schemes = ("gemini",) if draw < 0.2 else ()
        there = talk.ledger.url(edge(talk, "redirect", *schemes)) if draw < 0.32 else odd(talk, "redirect")
        talk.send(f"{talk.source.choice((30, 31))} {there}\r\n".encode())
    elif draw < 0.45:
        talk.send(f"{talk.source.choice((10, 10, 11))} Say {link(talk)}\r\n".encode())
    elif draw < 0.6:
        talk.send(f"{talk.source.choice((44, 51, 53, 59, 60, 60, 60, 61, 62))} See {link(talk)}\r\n".encode())
    elif draw < 0.7:
        talk.send(b"20 text/html\r\n" + page(talk))
    else:
        lines = "".join(f"=> {link(talk)} {link(talk)}\n" for _ in range(talk.source.randrange(3, 8)))
        talk.send(b"20 text/gemini\r\n" + lines.encode())


def telnet(talk: Talk) -> None:
    """Somebody asks for a login."""
    talk.send(b"\xff\xfd\x18\xff\xfb\x01Welcome, see " + link(talk).encode() + b"\r\nlogin: ")
    talk.sock.settimeout(0.05)
    while True:
        talk.piece()


def trap(talk: Talk) -> None:
    """Nobody may come here."""
    talk.sock.settimeout(0.5)
    talk.piece()
