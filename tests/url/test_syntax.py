from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from anyurl.errors import UnsupportedError, URLSyntaxError
from anyurl.url import URL, syntax
from anyurl.url.syntax import GENERIC, ROWS, Row, row
from tests.rows import each_row

RFC_1738 = ("file", "ftp", "gopher", "http", "mailto", "news", "nntp", "prospero", "telnet", "wais")
RESERVED_NAMES = ("afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50")
"""Names that RFC 1738 section 4 sets aside."""


def test_names_are_names_and_stand_for_themselves() -> None:
    assert {name: row.name for name, row in ROWS.items()} == {name: name for name in ROWS}
    assert [name for name in ROWS if URL(_example(ROWS[name])).scheme != name] == []


def test_a_scheme_has_one_row() -> None:
    """A second one would take the place of the first: a scheme that is spoken is no longer known by name only."""
    names = Counter(row.name for row in (*syntax._SPOKEN, *syntax._known()))
    assert [name for name, count in names.items() if count > 1] == []


def _example(row: Row) -> str:
    return f"{row.name}:/x" if row.authority != "required" else f"{row.name}://h/x"


def test_the_schemes_of_rfc_1738_are_spoken_and_its_reserved_names_are_known() -> None:
    assert [name for name in RFC_1738 if ROWS[name].module is None] == []
    assert [name for name in RESERVED_NAMES if ROWS[name].module is not None] == []


def test_every_row_has_a_reference() -> None:
    assert [row.name for row in ROWS.values() if not row.reference] == []


@each_row(
    ("name", "reserved", "forbidden", "query"),
    [
        # RFC 1738 2.2 and 6: which characters a scheme reserves, which octets its protocol ends things by.
        ("ftp", "/;", b"\r\n\0", False),
        ("ftps", "/;", b"\r\n\0", False),
        ("http", "/;?", b"", True),
        ("https", "/;?", b"", True),
        ("gopher", "", b"\r\n\0", False),
        ("mailto", "", b"\r\n\0", True),
        ("news", "", b"\r\n\0", False),
        ("nntp", "", b"\r\n\0", False),
        ("telnet", "", b"\r\n\0", False),
        ("wais", "/?", b"", True),
        ("data", ",;=", b"", False),
        ("dict", ":", bytes((*range(32), 127)), False),
        ("gemini", "/", b"", True),
        ("file", "/", b"\0/", False),
        ("prospero", ";=", b"\0", False),
        ("x-unknown", ":/?#[]@!$&'()*+,;=", b"", True),
    ],
)
def test_what_a_scheme_reserves_and_what_it_forbids(name: str, reserved: str, forbidden: bytes, query: bool) -> None:
    assert (row(name).reserved, row(name).forbidden, row(name).query) == (reserved, forbidden, query)


@each_row(
    ("text", "accepted"),
    [
        # the authority, by today's RFC of each scheme
        ("ftp://u:p@h:21/", True),
        ("http://u:p@h:80/", True),
        ("telnet://u:p@h:23/", True),
        ("sftp://u@h/", True),
        ("gopher://u@h/", False),
        ("nntp://u@h/g", False),
        ("news://u@h/g", False),
        ("wais://u@h/d", False),
        ("prospero://u@h/x", False),
        ("ws://u@h/", False),
        ("news:g", True),
        ("news://h/g", True),
        ("snews://h/g", True),
        ("nntp:g", False),
        ("mailto:a@b", True),
        ("mailto://h", False),
        ("tel:+1-816-555-1212", True),
        ("tel://1", False),
        ("urn:isbn:1", True),
        ("file:/x", True),
        ("file:///x", True),
        ("file://h/x", True),
        ("file:x", False),
        ("file://h:1/x", False),
        ("ldap:///o=x", True),
        ("ldap:o=x", False),
        ("data:,a%20b", True),
        ("x-foo:bar", True),
        ("x-foo://a;b@c,d:1/?", True),
        ("javascript:alert(1)", True),
        ("view-source:http://h/", True),
        ("localhost:80", True),
    ],
)
def test_the_authority_is_each_scheme_s_own(text: str, accepted: bool) -> None:
    try:
        URL(text)
    except URLSyntaxError:
        assert not accepted
    else:
        assert accepted


def test_an_unknown_name_has_the_generic_row() -> None:
    found = row("x-test")
    assert found.name == "x-test"
    names = [name for name in Row.__slots__ if name != "name"]
    assert [getattr(found, name) for name in names] == [getattr(GENERIC, name) for name in names]
    assert repr(found) == "Row('x-test', 'RFC 3986 3', port=None, module=None)"


@each_row(
    ("name", "accepted", "refused"),
    [
        ("ssh", "//u@h/x //u:p@h:1/", "/x ///x //a!b/ x"),  # has a server, whose name DNS knows
        ("afs", "//u@h/x /x", "//a!b/"),  # RFC 1738 4 does not say what it has
        ("nfs", "//h/x", "//u@h/ /x ///x"),  # RFC 2224 1: no user
        ("z39.50r", "//h/x", "//u@h/ /x ///x"),
        ("ws", "//h/x //h./x", "//u@h/ /x ///x"),
        ("ldap", "//h/x ///x", "//u@h/ /x"),  # RFC 4516 2: without a host, the client chooses one
        ("dns", "//h/x x /x", ""),  # RFC 4501: an authority is a server to ask
        ("urn", "x:y /x", "//h/x"),
        ("tel", "+1", "//h/x"),
        ("xmpp", "a@b //u:p@h/x ///x //a!b/ /x", ""),  # nothing is known of it
        ("magnet", "?x //a!b/ ///x", ""),
        ("x-unknown", "a@b //u:p@h./x ///x //a!b/ /x", ""),
    ],
)
def test_what_a_scheme_that_is_only_known_by_name_may_have(name: str, accepted: str, refused: str) -> None:
    found: dict[bool, list[str]] = {True: [], False: []}
    for rest in (*accepted.split(), *refused.split()):
        try:
            found[str(URL(f"{name}:{rest}")) == f"{name}:{rest}"].append(rest)
        except URLSyntaxError:
            found[False].append(rest)
    assert found == {True: accepted.split(), False: refused.split()}


@pytest.mark.parametrize(
    ("name", "hierarchical"), [("ssh", True), ("xmpp", False), ("urn", False), ("tel", False), ("x-unknown", True)]
)
def test_a_path_follows_another_only_where_there_is_a_hierarchy(name: str, hierarchical: bool) -> None:
    base = URL(f"{name}://h/a/b" if name == "ssh" else f"{name}:/a/b")
    if hierarchical:
        assert base.join("c").path == "/a/c"
    else:
        with pytest.raises(URLSyntaxError, match="hierarch"):
            base.join("c")


@pytest.fixture
def _as_before() -> Iterator[None]:
    loader = syntax._loader
    yield
    syntax._loader = loader
    ROWS.pop("x-own", None)


@pytest.mark.usefixtures("_as_before")
def test_a_row_that_is_added_is_obeyed_at_once() -> None:
    assert URL("x-own:a?b").query == "b"
    ROWS["x-own"] = Row("x-own", "here", port=7777, query=False, userinfo=False)
    assert (URL("X-Own://h/a?b").query, URL("x-own://h/").port) == (None, 7777)
    with pytest.raises(URLSyntaxError):
        URL("x-own://u@h/")


@pytest.mark.usefixtures("_as_before")
def test_parts_are_read_by_the_reader_that_is_loaded() -> None:
    seen: list[str] = []

    def load(of: Row) -> syntax.Reader:
        seen.append(of.name)
        return lambda url: url.path

    syntax.set_reader_loader(load)
    assert (URL("FTP://h/x").parts, URL("x-own:y").parts, seen) == ("/x", "y", ["ftp", "x-own"])
    syntax._loader = None
    with pytest.raises(UnsupportedError, match=r"No reader for the parts of ftp URLs is loaded; import anyurl\."):
        _ = URL("ftp://h/x").parts
