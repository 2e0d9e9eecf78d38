from __future__ import annotations

import pytest

from anyurl.schemes.prospero.methods import Method, is_computed, methods_of, split_host, stands_for
from anyurl.schemes.prospero.wire.messages import Attribute, read_reply
from tests.rows import each_row


def method(text: str) -> Method:
    """An access method as a server writes it, of an external link to ``/pub/x`` at ``link.example(99)``."""
    [attribute] = read_reply(b"ATTRIBUTE CACHED FIELD ACCESS-METHOD " + text.encode("latin-1"))
    assert isinstance(attribute, Attribute)
    [found] = methods_of([attribute], b"link.example(99)", b"/pub/x", external=True)
    return found


@each_row(
    ("text", "url", "reason"),
    [
        ("AFTP '' '' '' '' BINARY", "ftp://link.example:99/pub/x;type=i", "all as in the link, its port too"),
        ("AFTP '' '' '' '' TEXT", "ftp://link.example:99/pub/x;type=a", "text"),
        ("AFTP '' '' '' '' DIRECTORY", "ftp://link.example:99/pub/x;type=d", "a directory"),
        ("AFTP '' '' '' ''", "ftp://link.example:99/pub/x", "no mode"),
        (
            "AFTP INTERNET-D FTP.Example.ORG ASCII /pub/README TEXT",
            "ftp://ftp.example.org/pub/README;type=a",
            "all given",
        ),
        ("AFTP '' ftp.example.org '' /pub/README TEXT", "ftp://ftp.example.org/pub/README;type=a", "some given"),
        ("AFTP '' h(21) '' x BINARY", "ftp://h/x;type=i", "the port of ftp"),
        ("AFTP '' h '' '/a b/c;d' BINARY", "ftp://h/a%20b/c%3Bd;type=i", "what ftp reserves is encoded"),
        ("AFTP '' h '' /caf\xe9 BINARY", "ftp://h/caf%E9;type=i", "octets pass"),
        ("FTP '' h '' /home/user/r.txt TEXT", "ftp://h/%2Fhome/user/r.txt;type=a", "from the root: %2F"),
        ("FTP '' h '' /motd TEXT", "ftp://h/%2Fmotd;type=a", "one segment"),
        ("FTP '' h '' r.txt TEXT", "ftp://h/r.txt;type=a", "relative to the login"),
        ("GOPHER '' h(70) '' 0/docs/about.txt", "gopher://h/00/docs/about.txt", "the type is the selector's first"),
        ("GOPHER '' h(150) '' '/Fun Stuff' 1", "gopher://h:150/1/Fun%20Stuff", "the type is said"),
        ("GOPHER '' h '' 9/x TEXT", "gopher://h/09/x", "as the gateway says it: a text"),
        ("GOPHER '' h '' I/x BINARY", "gopher://h/9I/x", "and all else"),
        ("GOPHER '' h '' 9/x.gif 9", "gopher://h/99/x.gif", "a character"),
        ("WAIS '' h(210) '' WAIS/OBJECT/%3A%3Aid%3D4", "wais://h/", "a locator names no database: the server"),
        ("WAIS '' h(8000) '' x", "wais://h:8000/", "at its port"),
        ("WAIS '' h '' 'WAIS-GW/w.example(210)/QUERY/db/two words'", "wais://w.example/db?two%20words", "a gateway"),
        ("TELNET '' h(23) '' '' Use' the account name \"guest\" to log in'", "telnet://guest@h/", "the user is advice"),
        ("TELNET '' h(2300) '' '' Welcome", "telnet://h:2300/", "no user in it"),
        ("TELNET '' h '' ''", "telnet://h/", "no text"),
        ("TN3270 '' h(23) '' ''", "tn3270://h/", "a 3270 terminal"),
        ("NFS '' h '' ftp/pub/README '/auto/ftp'", "nfs://h/auto/ftp/ftp/pub/README", "file system and path"),
        ("HTTP '' h(8080) '' /a;b?c", "http://h:8080/a%3Bb%3Fc", "came later"),
        ("PROSPERO-CONTENTS '' '' '' ''", "prospero://link.example:99//pub/x", "in the protocol itself"),
        ("PROSPERO-CONTENTS '' h '' it's", "prospero://h/it%27s", "of another object"),
        ("LOCAL '' '' '' ''", None, "a file of the server's own machine"),
        ("AFS '' '' '' /example.org/README", None, "a file of every machine"),
        ("RCP '' '' '' ''", None, "no URL says it"),
        ("X-NEW '' '' '' '' y", None, "nobody knows it"),
        ("AFTP '' 'not a host' '' /x BINARY", None, "no host"),
        ("AFTP '' h\xe9 '' /x BINARY", None, "no ASCII"),
        ("AFTP '' h(99999) '' /x BINARY", None, "no port"),
        ("AFTP '' h '' '/a\r\nDELE b' BINARY", None, "never a line end for a command"),
        ("GOPHER '' h '' '0a\tb' 0", None, "never a tab for a selector"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else None,
)
def test_the_url_of_an_access_method(text: str, url: str | None, reason: str) -> None:
    raw = text.replace("it's", "it'''s'")
    found = method(raw).url
    assert (None if found is None else str(found)) == url


def test_of_an_object_the_port_is_prosperos() -> None:
    attributes = [
        Attribute(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"", (name, b"", b"", b"", b"", b"BINARY"))
        for name in (b"FTP", b"AFTP", b"PROSPERO-CONTENTS")
    ]
    found = methods_of(attributes, b"pros.example(1600)", b"/pfs/x")
    assert [str(each.url) for each in found] == [
        "ftp://pros.example/pfs/x;type=i",
        "prospero://pros.example:1600//pfs/x",
        "ftp://pros.example/%2Fpfs/x;type=i",  # needs an account: the last, wherever the server has it
    ]
    assert [each.spoken for each in found] == [True, True, True]


@pytest.mark.parametrize(
    ("hsoname", "url"),
    [
        (b"", "prospero://h//pfs/x;OBJECT-VERSION=3"),  # the URL itself
        (b"/pfs/y", "prospero://h//pfs/y"),  # another object has versions of its own
    ],
)
def test_contents_are_of_the_version_asked_about(hsoname: bytes, url: str) -> None:
    tokens = (b"PROSPERO-CONTENTS", b"", b"", b"", hsoname)
    [found] = methods_of([Attribute(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"", tokens)], b"h", b"/pfs/x", 3)
    assert str(found.url) == url


def test_fewer_than_five_tokens_are_no_access_method() -> None:
    short = Attribute(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"", (b"AFTP", b"", b"", b""))
    nested = Attribute(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"", (b"AFTP", b"", b"h", b"", b"x"), 1)
    assert methods_of([short, nested], b"h", b"x") == []


@pytest.mark.parametrize(
    ("host", "pair"),
    [
        (b"LOCALHOST(15250)", ("localhost", 15_250)),
        (b"ftp.example.org", ("ftp.example.org", None)),
        (b"192.0.2.1(70)", ("192.0.2.1", 70)),
        (b"h()", ("h()", None)),
        (b"", ("", None)),
    ],
)
def test_hosts_have_their_port_in_parentheses(host: bytes, pair: tuple[str, int | None]) -> None:
    assert split_host(host) == pair


@each_row(
    ("hsoname", "url"),
    [
        (b"GOPHER-GW/g.example(70)/1/", "gopher://g.example/1"),
        (b"GOPHER-GW/g.example(7070)/7/7/search", "gopher://g.example:7070/77/search"),
        (b"GOPHER-GW/g.example(70)/ab/x", None),  # a type is one octet
        (b"WAIS-GW/w.example(210)/QUERY/quotes", "wais://w.example/quotes"),
        (b"WAIS-GW/w.example(8210)/QUERY/quotes/to be", "wais://w.example:8210/quotes?to%20be"),
        (b"WAIS-GW/w.example(210)/TEXT/quotes/a/b=c", "wais://w.example/quotes/TEXT/a%2Fb%3Dc"),
        (b"ARCHIE/HOST/ftp.example.com/pub/x", "ftp://ftp.example.com/pub/x;type=d"),
        (b"ARCHIE/HOST/ftp.example.com", "ftp://ftp.example.com/;type=d"),
        (b"ARCHIE/MATCH(95,95,95,0,=)/x", None),
        (b"/pfs/demo", None),
    ],
)
def test_what_the_name_of_a_gateway_stands_for(hsoname: bytes, url: str | None) -> None:
    found = stands_for(hsoname)
    assert (None if found is None else str(found)) == url


def test_databases_and_gateways_are_known_by_their_names() -> None:
    computed = (b"ARCHIE", b"ARCHIE/HOST", b"GOPHER-GW/h/1/", b"WAIS-GW/h/QUERY/d")
    assert [is_computed(name) for name in computed] == [True] * 4
    assert [is_computed(name) for name in (b"ARCHIEVE", b"/ARCHIE/x", b"", b"AFTP/ARCHIE")] == [False] * 4
