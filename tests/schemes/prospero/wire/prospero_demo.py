"""What the real server of the transcripts had, for a server of ours: the same names, the same links."""

from __future__ import annotations

from anyurl.schemes.prospero.wire.commands import Item, Store, Stored, access, link, sequence
from anyurl.schemes.prospero.wire.messages import Attribute, Link

HERE = b"LOCALHOST(15250)"
THERE = b"LOCALHOST(15251)"
DEMO = b"/pfs/demo"
FTP = b"ftp.example.org"
GOPHER = b"gopher.example.org(70)"

FILE_OF_ITS_OWN = (b"", b"", b"", b"")


def file(name: bytes, hsoname: bytes, version: int = 0) -> Stored:
    return Stored(link(b"FILE", name, HERE, hsoname, version))


def folder(name: bytes, hsoname: bytes | None = None, host: bytes = HERE) -> Stored:
    return Stored(link(b"DIRECTORY", name, host, hsoname or DEMO + b"/" + name))


def external(name: bytes, host: bytes, hsoname: bytes, *attributes: Attribute) -> Stored:
    return Stored(link(b"EXTERNAL", name, host, hsoname), attributes)


def intrinsic(name: bytes, *value: bytes, precedence: bytes = b"OBJECT") -> Attribute:
    return sequence(precedence, b"INTRINSIC", name, *value)


def own_access(*more: tuple[bytes, ...]) -> list[Attribute]:
    """The access methods that the server makes up for a file of its own."""
    methods = ((b"PROSPERO-CONTENTS", *FILE_OF_ITS_OWN), (b"LOCAL", *FILE_OF_ITS_OWN), *more)
    return [intrinsic(b"ACCESS-METHOD", *method) for method in methods]


def native(path: bytes, size: int, contents: bytes = b"") -> Item:
    """A plain file below the area of anonymous FTP."""
    by_ftp = (b"AFTP", b"INTERNET-D", b"LOCALHOST", b"ASCII", path, b"BINARY")
    return Item(derived=[*facts(size, b"19940115104000Z", b"-rw-r--r--"), *own_access(by_ftp)], contents=contents)


def facts(size: int, modified: bytes, modes: bytes) -> list[Attribute]:
    return [
        intrinsic(b"SIZE", b"%d bytes" % size),
        intrinsic(b"NATIVE-OWNER", b"root"),
        intrinsic(b"NATIVE-GROUP", b"root"),
        intrinsic(b"LAST-MODIFIED", modified),
        intrinsic(b"UNIX-MODES", modes),
    ]


HELLO = b"Hello, Prospero world.\nSecond line, it's here.\n"

ODD = [
    (b"two words", b"two words"),
    (b"it's", b"it's"),
    (b"'quoted'", b"'quoted'"),
    (b"tab\there", b"tab\there"),
    (b"line\nfeed", b"lineNLfeed"),
    (b"cr\rhere", b"crCRhere"),
    (b"slash/inside", b"slash_inside"),
    *((name, name) for name in (b"semi;colon", b"hash#sign", b"per%cent", b"plus+sign", b"star*", b"question?")),
    *((name, name) for name in (b"(paren)", b"[bracket]", b"caf\xe9", b"a&b=c", b"UPPER", b"lower", b"=eq")),
    *((name, name) for name in (b"~tilde", b'"dq"', b"back\\slash")),
    (b"spacehso", b"name with spaces'and quote"),
]

PAPER = [
    sequence(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"AFTP", b"INTERNET-D", FTP, b"ASCII", b"/pub/papers/paper.ps",
             b"BINARY"),
    sequence(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"FTP", *FILE_OF_ITS_OWN, b"BINARY"),
    sequence(b"OBJECT", b"FIELD", b"OWNER", b"ASRTHOST", b"", b"swa@128.9.*.*"),
    sequence(b"OBJECT", b"FIELD", b"OWNER", b"AUTHENT", b"KERBEROS", b"swa@ISI.EDU", b"bcn@ISI.EDU"),
    sequence(b"OBJECT", b"APPLICATION", b"TITLE", b"The Prospero File System: it's a \"naming\" thing"),
    sequence(b"OBJECT", b"APPLICATION", b"KEYWORD", b"naming"),
    sequence(b"OBJECT", b"APPLICATION", b"KEYWORD", b"virtual systems", b"directory service"),
    sequence(b"OBJECT", b"APPLICATION", b"OBJECT-INTERPRETATION", b"DOCUMENT", b"POSTSCRIPT"),
    intrinsic(b"SIZE", b"271828 bytes"),
    intrinsic(b"LAST-MODIFIED", b"19930612120000Z"),
]  # fmt: skip

MANY = [
    intrinsic(b"SIZE", b"12345 bytes", precedence=b"CACHED"),
    intrinsic(b"LAST-MODIFIED", b"19940115103000Z", precedence=b"CACHED"),
    intrinsic(b"UNIX-MODES", b"-rw-r--r--", precedence=b"CACHED"),
    sequence(b"REPLACEMENT", b"APPLICATION", b"TITLE", b"A replacement title"),
    sequence(b"ADDITIONAL", b"APPLICATION", b"KEYWORD", b"directory", b"service"),
    sequence(b"LINK", b"APPLICATION", b"COLLATION-ORDER", b"NUMERIC", b"1"),
    sequence(b"LINK", b"APPLICATION", b"EMPTY"),
    Attribute(b"LINK", b"APPLICATION", b"SEE-ALSO", b"LINK", link(b"FILE", b"", HERE, DEMO + b"/paper.ps")),
    Attribute(b"CACHED", b"APPLICATION", b"SUB", b"SEQUENCE", [b"nested", b"one"], 1),
    sequence(b"OBJECT", b"APPLICATION", b"OBJECT-INTERPRETATION", b"DOCUMENT", b"TEXT", b"ASCII"),
]

EXTERNAL = [
    external(b"aftp.tar", FTP, b"/pub/dist/foo.tar", access(b"AFTP", b"BINARY")),
    external(b"aftp-full.txt", FTP, b"/pub/README",
             access(b"AFTP", b"TEXT", place=(b"INTERNET-D", FTP, b"ASCII", b"/pub/README"))),
    external(b"aftp-port", FTP + b"(2121)", b"/pub/README", access(b"AFTP", b"TEXT")),
    external(b"ftp-private", FTP, b"/home" b"/alice/report.txt", access(b"FTP", b"TEXT")),
    external(b"gopher-text", GOPHER, b"0/docs/about.txt", access(b"GOPHER")),
    external(b"gopher-menu", b"gopher.example.org(150)", b"/Fun Stuff/Pyrotechnics", access(b"GOPHER", b"1")),
    external(b"wais-doc", b"wais.example.org(210)", b"WAIS/OBJECT/%3A%3Adoc-id%3D42", access(b"WAIS")),
    external(b"telnet", b"library.example.org(23)", b"",
             access(b"TELNET", b'Use the account name "guest" to log in'),
             sequence(b"CACHED", b"APPLICATION", b"OBJECT-INTERPRETATION", b"PORTAL")),
    external(b"tn3270", b"catalog.example.org(23)", b"", access(b"TN3270")),
    external(b"nfs", b"nfs.example.org", b"ftp/pub/README", access(b"NFS", b"/auto/ftp")),
    Stored(Link(b"L", b"EXTERNAL", b"afs", b"DUMMY", b"DUMMY", b"ASCII", b"/example.org/doc/README", 0),
           [access(b"AFS", place=(b"DUMMY", b"DUMMY", b"ASCII", b"/example.org/doc/README"))]),
    external(b"local", b"here.example.org", b"/etc/motd", access(b"LOCAL")),
    external(b"both", FTP, b"/pub/x.gif", access(b"AFTP", b"BINARY"),
             access(b"GOPHER", b"9", place=(b"INTERNET-D", GOPHER, b"ASCII", b"9/x.gif"))),
]  # fmt: skip


def hit(name: bytes, host: bytes, path: bytes, size: int, modes: bytes, modified: bytes) -> Stored:
    """What archie found."""
    told = [
        intrinsic(b"SIZE", b"%d bytes" % size, precedence=b"CACHED"),
        intrinsic(b"UNIX-MODES", modes, precedence=b"CACHED"),
        intrinsic(b"LAST-MODIFIED", modified, precedence=b"CACHED"),
    ]
    if modes.startswith(b"d"):
        return Stored(link(b"DIRECTORY", name, HERE, b"ARCHIE/HOST/" + host + path), told)
    return external(name, host, path, access(b"AFTP", b"BINARY"), *told)


HITS = [
    hit(b"prospero.tar.Z", FTP, b"/pub/prospero/prospero.tar.Z", 812345, b"-rw-r--r--", b"19930612000000Z"),
    hit(b"prospero.tar.Z", b"ftp.example.net", b"/mirrors/prospero.tar.Z", 812345, b"-r--r--r--", b"19930701000000Z"),
    hit(b"prospero", b"ftp.example.com", b"/pub/prospero", 512, b"drwxr-xr-x", b"19930801000000Z"),
]

NOTES = b"/pfs/demo/docs/notes.txt"


def store() -> Store:
    """All of it."""
    hello = b"AFTP/pub/hello.txt"
    readme = b"AFTP/pub/README"
    folder_facts = facts(4096, b"20261121213402Z", b"drwxr-xr-x")
    natives = {
        hello: native(b"/pub/hello.txt", 47, HELLO),
        readme: native(b"/pub/README", 8),
        b"AFTP/pub/rfc/rfc1738.txt": native(b"/pub/rfc/rfc1738.txt", 9),
    }
    pub = [
        Stored(folder(b"rfc", b"AFTP/pub/rfc").link, folder_facts),
        Stored(file(b"hello.txt", hello).link, natives[hello].derived),
        Stored(file(b"README", readme).link, natives[readme].derived),
    ]
    rfcs = [file(name, b"AFTP/pub/rfc/" + name) for name in (b"rfc1034.txt", b"rfc1035.txt", b"rfc1436.txt",
                                                             b"rfc1738.txt")]  # fmt: skip
    odd = [file(name, DEMO + b"/odd/" + hsoname) for name, hsoname in ODD]
    stale = Link(b"L", b"FILE", b"expires", b"INTERNET-D", HERE, b"ASCII", DEMO + b"/odd/expires", 0,
                 [b"DEST-EXP", b"19951231235959Z"])  # fmt: skip
    odd += [file(b"versioned", DEMO + b"/odd/versioned", 3), Stored(stale)]
    odd += [file(b"twins", DEMO + b"/odd/twin1"), file(b"twins", DEMO + b"/odd/twin2")]
    client_filter = (b"DIRECTORY", b"CLIENT", b"POST", b"PREDEFINED", b"ATTRIBUTE", b"ARGS", b"size", b"10")
    symbolic = Link(b"L", b"SYMBOLIC", b"vs", b"VIRTUAL-SYSTEM", b"#/INET/EDU/ISI/swa", b"ASCII",
                    b"/projects/prospero", 0)  # fmt: skip
    top = [
        folder(b"docs"),
        file(b"hello.txt", hello),
        file(b"paper.ps", DEMO + b"/paper.ps"),
        *map(folder, (b"ext", b"odd", b"big", b"secret", b"union", b"acl", b"filters", b"attrs", b"empty", b"moved")),
        folder(b"magic"),
        folder(b"elsewhere", b"/pfs/other/root", THERE),
        Stored(symbolic),
    ]
    items = {
        DEMO: Item(top),
        DEMO + b"/docs": Item([
            folder(b"rfc", DEMO + b"/docs/rfc"), file(b"README", readme), file(b"notes.txt", NOTES),
        ]),
        DEMO + b"/docs/rfc": Item(rfcs),
        DEMO + b"/ext": Item(EXTERNAL),
        DEMO + b"/odd": Item(odd),
        DEMO + b"/big": Item(
            file(b"item-%04d" % number, DEMO + b"/big/item-%04d" % number) for number in range(1, 601)
        ),
        DEMO + b"/secret": Item([], hidden="all"),
        DEMO + b"/secret/x": Item(hidden="all"),
        DEMO + b"/union": Item([
            file(b"a", DEMO + b"/union/a"),
            Stored(link(b"DIRECTORY", b"u1", HERE, DEMO + b"/docs", type=b"U")),
            Stored(link(b"DIRECTORY", b"u2", THERE, b"/pfs/other/root", type=b"U")),
        ]),
        DEMO + b"/acl": Item([file(b"readable", b"x"), file(b"listonly", b"x")], hidden="links"),
        DEMO + b"/filters": Item([
            Stored(folder(b"filtered", DEMO + b"/docs").link,
                   [Attribute(b"LINK", b"FIELD", b"FILTER", b"FILTER", client_filter)]),
        ]),
        DEMO + b"/attrs": Item([Stored(file(b"many", DEMO + b"/attrs/many").link, MANY)]),
        DEMO + b"/empty": Item([]),
        DEMO + b"/moved.obj": Item(),
        DEMO + b"/magic": Item([
            Stored(file(b"magic", DEMO + b"/magic/magic").link,
                   [Attribute(b"LINK", b"FIELD", b"ID", b"SEQUENCE", [b"REMOTE", b"777"])]),
            file(b"after", DEMO + b"/magic/after"),
        ]),
        DEMO + b"/paper.ps": Item(attributes=PAPER, derived=own_access()),
        DEMO + b"/odd/name with spaces'and quote": Item(
            attributes=[sequence(b"OBJECT", b"APPLICATION", b"TITLE", b"An object whose hsoname needs quoting")],
            derived=own_access(),
        ),
        **natives,
        b"/srv/prospero/pfs/aftp/pub/hello.txt": natives[hello],
        b"AFTP/pub": Item(pub, derived=folder_facts),
        b"ARCHIE/MATCH(95,95,95,0,=)/prospero": Item(HITS),
    }  # fmt: skip
    return Store(items, (b"/pfs/", b"AFTP/", b"ARCHIE/", b"/srv/prospero/"))
