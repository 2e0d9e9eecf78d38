"""What goes through gateways: schemes that are not spoken, each verb, proxies, redirections, names of entries."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from anyurl import URL, Client, CookieJar, Login, Policy, Secret
from anyurl.client.gateways import Gateway
from anyurl.errors import LimitError, RefusedError, SchemeError, UnsupportedError
from anyurl.testing import SmallNetwork
from tests.servers import Connection, Server, reply

PUBLIC = "93.184.216.34"


def part(connection: Connection) -> None:
    while head := connection.head():
        method, target = head.split(b" ")[:2]
        told = head
        if b"Content-Length: " in head:
            told += connection.take(int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0]))
        if target == b"/ipfs/bafy/dir":
            connection.send(reply(b"", "Location: /ipfs/bafy/dir/", status="301 Moved"))
        elif target == b"/ipfs/bafy/dir/":
            page = b'<a href="a.txt">a</a><a href="/ipfs/bafy/b%20c">b</a><a href="/about">x</a><a href="http://o.example/">'
            connection.send(reply(page, "Content-Type: text/html"))
        elif target == b"ftp://h.example/old":
            connection.send(reply(b"", "Location: new", status="302 Found"))
        elif target == b"ftp://h.example/dir/":
            connection.send(reply(b'<a href="a">a</a>', "Content-Type: text/html"))
        elif target.startswith(b"/to/"):
            connection.send(reply(b"", f"Location: {target[4:].decode()}", status="302 Found"))
        elif target == b"/docs":
            connection.send(reply(b'<a href="http://127.0.0.1/x">', "Content-Type: text/html"))
        else:
            connection.send(reply(b"" if method == b"HEAD" else told))


@pytest.fixture(scope="module")
def gate() -> Iterator[Server]:
    with Server(part) as server:
        yield server


@pytest.fixture
def network(gate: Server) -> SmallNetwork:
    here = (gate.host, gate.port)
    return SmallNetwork({"gate.example": [PUBLIC], "o.example": [PUBLIC]}, {(PUBLIC, 80): here, (PUBLIC, 3128): here})


def asked(client: Client, url: str) -> bytes:
    with client.get(url) as resource:
        return resource.read().partition(b" HTTP/1.1")[0]


@pytest.mark.parametrize(
    ("pattern", "template", "url", "target"),
    [
        ("doi", "/{path}", "doi:10.1000/182", b"/10.1000/182"),
        ("urn:ietf", "/doc/html/{path}", "urn:ietf:rfc:1738", b"/doc/html/ietf:rfc:1738"),
        ("ipfs", "/ipfs/{host}/{path}", "ipfs://bafy/a/b%20c", b"/ipfs/bafy/a/b%20c"),
        ("afs", "/afs{url_path}", "afs:/cell/x?y", b"/afs/cell/x%3Fy"),
        ("z39.50r", "/z/{user}@{host}/{port}/{path}", "z39.50r://h.dom:2100/db?doc", b"/z/@h.dom/2100/db%3Fdoc"),
        ("ipfs", "/{scheme}?h={host}&f={fragment}&p={path}", "ipfs://bafy/a#x%26y", b"/ipfs?h=bafy&f=x%26y&p=a"),
    ],
)
def test_schemes_that_are_not_spoken(gate: Server, pattern: str, template: str, url: str, target: bytes) -> None:
    """Of this machine, whose gateway everybody may name who may name anything."""
    with Client(Policy.default(), gateways={pattern: f"http://{gate.authority}{template}"}) as client:
        assert asked(client, url) == b"GET " + target
        assert client.stat(url).history[0].reason == "gateway"
    with Client(Policy.default(), gateways={"x-other": f"http://{gate.authority}/{{path}}"}) as client:
        with pytest.raises(SchemeError):
            client.get(url)


def test_the_most_exact_rule_holds(network: SmallNetwork) -> None:
    gateways = {
        "ftp": "http://gate.example/ftp?{url}",
        "ftp://*.dom": "http://gate.example/dom/{host}/{path}",
        "ftp://h.dom/pub": "http://gate.example/pub?{path}",
        "*://h.dom": "http://gate.example/h?{url}",
        "http://old.example": "http://gate.example/web/{url}",
    }
    with Client(network=network, gateways=gateways) as client:
        assert asked(client, "ftp://x.example/a") == b"GET /ftp?ftp%3A%2F%2Fx.example%2Fa"
        assert asked(client, "ftp://x.dom/a") == b"GET /dom/x.dom/a"
        assert asked(client, "ftp://h.dom/pub/a") == b"GET /pub?pub%2Fa"
        assert asked(client, "gopher://h.dom/0a") == b"GET /h?gopher%3A%2F%2Fh.dom%2F0a"
        assert asked(client, "http://old.example/a?b") == b"GET /web/http%3A%2F%2Fold.example%2Fa%3Fb"
        assert asked(client, "http://o.example/a") == b"GET /a"
    assert set(network.looked_up) == {"gate.example", "o.example"}


@pytest.mark.promise("gateways")
@pytest.mark.parametrize(
    ("template", "url"),
    [
        ("/{host}/{path}", "ipfs://../a"),
        ("/{user}/{path}", "ipfs://..@h/a"),
        ("/{user}/{path}", "ipfs://%2E%2E@h/a"),
        ("/{fragment}/{path}", "ipfs://h/a#.."),
        ("/{url}", "doi:a/../b"),
        ("/.{path}", "doi:."),
        ("/{url_path}", "doi:a/%2e%2e/b"),
    ],
)
def test_no_field_leads_out_of_its_place(template: str, url: str) -> None:
    with pytest.raises(RefusedError, match="would lead elsewhere"):
        Gateway(URL(url).scheme, f"http://gate.example{template}").locator(URL(url))


@pytest.mark.promise("gateways")
@pytest.mark.parametrize(
    ("template", "url", "target"),
    [
        ("/{user}/x?{path}", "ipfs://a%2Fb@h/p", b"/a%2Fb/x?p"),
        ("/{user}/x?{path}", "ipfs://a%3Fb@h/p", b"/a%3Fb/x?p"),
        ("/?u={user}&p={path}", "ipfs://a%26x=y@h/p", b"/?u=a%26x%3Dy&p=p"),
        ("/{path}?f={fragment}&x", "ipfs://h/p#a&b=c", b"/p?f=a%26b%3Dc&x"),
        ("/{path}?f={query}&x", "ipfs://h/p?a;b&c", b"/p?f=a%3Bb%26c&x"),  # old forms part fields by a semicolon
        ("/{path}?{url_path}", "ipfs://h/p?a", b"/p%3Fa?p%3Fa"),
        ("/{path}?{url_path}&{query}", "ipfs://h/p?a", b"/p?p%3Fa&a"),
        ("/?{url}", "ipfs://joe:s3cr3t@h/p", b"/?ipfs%3A%2F%2Fjoe%40h%2Fp"),
        ("/{user}?{path}", "ipfs://joe:s3cr3t@h/p", b"/joe?p"),
    ],
)
def test_no_field_ends_its_place(network: SmallNetwork, template: str, url: str, target: bytes) -> None:
    with Client(Policy.open(), network=network, gateways={"ipfs": f"http://gate.example{template}"}) as client:
        assert asked(client, url) == b"GET " + target


IPFS = {"ipfs": "get list stat http://gate.example/ipfs/{host}/{path}"}


def test_a_redirection_within_the_gateway_is_one_of_the_url(network: SmallNetwork) -> None:
    with Client(Policy.untrusted(), network=network, gateways=IPFS) as client, client.get("ipfs://bafy/dir") as found:
        assert str(found.base) == "ipfs://bafy/dir/"
        assert str(found.url) == "http://gate.example/ipfs/bafy/dir/"
        assert [(str(hop.url), hop.reason) for hop in found.history] == [
            ("ipfs://bafy/dir", "gateway"),
            ("http://gate.example/ipfs/bafy/dir", "301"),
            ("ipfs://bafy/dir/", "gateway"),
        ]
        assert found.content_origin.scheme == "ipfs"
        assert found.content_origin.host == "bafy"


def test_entries_have_the_names_of_the_scheme(network: SmallNetwork) -> None:
    with Client(network=network, gateways=IPFS) as client, client.list("ipfs://bafy/dir/") as listing:
        entries = list(listing.entries())
    assert [(entry.name, str(entry.url)) for entry in entries] == [
        ("a.txt", "ipfs://bafy/dir/a.txt"),
        ("http://gate.example/ipfs/bafy/b%20c", "ipfs://bafy/b%20c"),
        ("http://gate.example/about", "http://gate.example/about"),
        ("http://o.example/", "http://o.example/"),
    ]
    assert {entry.origin.host for entry in entries} == {"bafy"}


def test_a_search_names_its_words(network: SmallNetwork) -> None:
    gateways = {"wais": "search http://gate.example/{host}/{path}?q={query}&n=10"}
    with Client(network=network, gateways=gateways) as client:
        with client.search("wais://h.dom/db", "two words & more") as found:
            assert found.read().startswith(b"GET /h.dom/db?q=two%20words%20%26%20more&n=10 HTTP/1.1\r\n")
            assert str(found.base) == "wais://h.dom/db?two%20words%20%26%20more"
        with pytest.raises(UnsupportedError, match="which has no 'get'; it has search"):
            client.get("wais://h.dom/db")
        with pytest.raises(UnsupportedError, match="accepts only words"):
            client.search("wais://h.dom/db", "x", match="exact")


def test_what_is_put_goes_through_where_the_rule_says_so(gate: Server, network: SmallNetwork) -> None:
    with Client(network=network, gateways={"x-dav": "get put http://gate.example/{path}"}) as client:
        client.put("x-dav:a", b"content")
    told = bytes(gate.received[-1])
    assert told.startswith(b"PUT /a HTTP/1.1\r\n")
    assert told.endswith(b"\r\n\r\ncontent")
    with Client(network=network, gateways={"x-dav": "http://gate.example/{path}"}) as client:
        with pytest.raises(UnsupportedError, match="has no 'put'; it has get, stat"):
            client.put("x-dav:a", b"content")
        with pytest.raises(UnsupportedError, match="has no 'put'"):
            client.request("POST", "x-dav:a", content=b"content")


PROXY = {"ftp": "get list stat put proxy http://gate.example:3128", "x-any": "proxy http://gate.example:3128"}


def test_a_proxy_is_told_the_url_itself(network: SmallNetwork) -> None:
    with Client(network=network, gateways=PROXY, auth=None) as client:
        with client.get("ftp://joe:s3cr3t@h.example:2121/a%20b;type=i#x") as found:
            head = found.read()
            assert str(found.base) == "ftp://joe:s3cr3t@h.example:2121/a%20b;type=i#x"
        assert head.startswith(b"GET ftp://joe@h.example:2121/a%20b;type=i HTTP/1.1\r\n")
        assert b"\r\nHost: h.example:2121\r\n" in head
        assert b"s3cr3t" not in head
        assert b"uthorization" not in head
        assert asked(client, "x-any:a%0D%0Ab") == b"GET x-any:a%0D%0Ab"
    assert network.looked_up == ["gate.example"] * len(network.looked_up)


def test_what_a_proxy_says_is_said_of_the_url(network: SmallNetwork) -> None:
    with Client(network=network, gateways=PROXY) as client:
        with client.get("ftp://h.example/old") as found:
            assert found.read().startswith(b"GET ftp://h.example/new HTTP/1.1\r\n")
            assert str(found.base) == "ftp://h.example/new"
        with client.list("ftp://h.example/dir/") as listing:
            assert [str(entry.url) for entry in listing.entries()] == ["ftp://h.example/dir/a"]


@pytest.mark.promise("gateways")
@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://127.0.0.1:9/", "address-hop"),  # the gateway is on this machine, what it says is from anywhere
        ("http://10.0.0.1/", "address-hop"),
        ("ftp://o.example/", "redirect-scheme"),  # the web leads to the web
        ("file:///etc/passwd", "file-hop"),
        ("telnet://o.example/", "service-hop"),
    ],
)
def test_where_a_gateway_near_by_leads_is_judged_as_the_url_would_be(gate: Server, location: str, code: str) -> None:
    with Client(Policy.default(), gateways={"x-to": f"http://{gate.authority}/to/{{path}}?{{query}}"}) as client:
        with pytest.raises(RefusedError) as caught:
            client.get(f"x-to:{location}")
    assert caught.value.verdict is not None
    assert caught.value.verdict.code == code


def test_a_gateway_near_by_may_lead_about_its_own_server(gate: Server) -> None:
    with Client(Policy.default(), gateways={"x-to": f"http://{gate.authority}/to/{{path}}"}) as client:
        with client.get("x-to:/docs") as found:
            assert str(found.base) == f"http://{gate.authority}/docs"
            assert found.content_origin.scheme == "x-to"
            with pytest.raises(RefusedError):  # what is written there has no claim to what is near the gateway
                client.get("http://127.0.0.1:9/x", came_from=found)


@pytest.mark.promise("gateways")
def test_a_credential_for_the_url_is_not_the_gateways(network: SmallNetwork) -> None:
    gateways = {"http://old.example": "http://gate.example/{url}"}
    with Client(network=network, gateways=gateways) as client:
        with client.get("http://old.example/", headers={"Authorization": "Bearer s3cr3t", "X-A": "b"}) as found:
            head = found.read()
            assert any("Authorization field was not sent" in note for note in found.notes)
        with client.get("http://old.example/", headers={"Authorization": "x", "Cookie": "a=b"}) as found:
            assert any("Authorization, Cookie fields were not sent" in note for note in found.notes)
    assert b"s3cr3t" not in head
    assert b"X-A: b" in head


@pytest.mark.promise("gateways")
def test_what_the_user_keeps_for_a_gateway_is_not_for_the_links_of_others(network: SmallNetwork) -> None:
    login = Login.basic("joe", Secret("s3cr3t"))
    jar = CookieJar()
    jar.store(URL("http://gate.example/"), ["id=s3cr3t-too"])
    gateways = {**IPFS, "x-to": "http://gate.example/to/{path}"}
    with Client(network=network, gateways=gateways, auth={"http://gate.example": login}, cookies=jar) as client:
        for url in ("ipfs://bafy/a", "x-to:/ipfs/bafy/a"):
            with client.get(url) as found:
                told = found.read()
                assert b"uthorization: Basic" in told
                assert b"s3cr3t-too" in told
        with client.get("ipfs://bafy/a", came_from="ftp://other.example/") as found:
            told = found.read()
            assert b"uthorization" not in told
            assert b"s3cr3t" not in told


def test_rules_that_lead_from_one_gateway_to_the_next(network: SmallNetwork) -> None:
    gateways = {"doi": "https://doi.example/{path}", "https://doi.example": "http://gate.example/?u={url}"}
    with Client(network=network, gateways=gateways) as client, client.get("doi:10.1/x") as found:
        assert found.read().startswith(b"GET /?u=https%3A%2F%2Fdoi.example%2F10.1%2Fx HTTP/1.1\r\n")
        assert str(found.base) == "doi:10.1/x"
        assert [str(hop.url) for hop in found.history] == ["doi:10.1/x", "https://doi.example/10.1/x"]
    with (
        pytest.raises(RefusedError),
        Client(Policy.untrusted().replace(deny_hosts=["doi.example"]), network=network, gateways=gateways) as client,
    ):
        client.get("doi:10.1/x")  # each step is judged


def test_rules_that_lead_in_a_circle_are_an_error() -> None:
    for gateways in (
        {"http://*": "http://a.example/{url}"},
        {"http://*.a": "http://x.b/{url}", "http://*.b": "http://x.a/{url}"},
        {"x-in": "http://x.b/{url}", "http://*.b": "http://x.b/{url}"},
    ):
        with pytest.raises(ValueError, match="leads back"):
            Client(gateways=gateways)
    by_path = {"http://a/x": "http://b/{path}", "http://b/x/q": "http://a/x/{path}"}
    with Client(Policy.open(), network=SmallNetwork({}), gateways=by_path) as client:
        with pytest.raises(LimitError, match="form a loop"):
            client.get("http://a/x/q")


def test_the_rest_is_got_by_the_same_way() -> None:
    whole = bytes(range(256)) * 8192
    heads: list[bytes] = []

    def part_of_it(connection: Connection) -> None:
        with contextlib.suppress(OSError):  # who seeks reads no further
            while head := connection.head():
                heads.append(head)
                if b"Range: bytes=2097000-" in head:
                    fields = ('ETag: "a"', f"Content-Range: bytes 2097000-2097151/{len(whole)}")
                    connection.send(reply(whole[2_097_000:], *fields, status="206 Partial Content"))
                else:
                    connection.send(reply(whole, 'ETag: "a"', "Accept-Ranges: bytes"))

    with Server(part_of_it) as server:
        gateways = {"ftp": f"proxy http://{server.authority}"}
        with Client(gateways=gateways) as client, client.get("ftp://h.example/a") as found:
            found.seek(2_097_000)
            assert found.read() == whole[2_097_000:]
    assert [head.partition(b"\r\n")[0] for head in heads] == [b"GET ftp://h.example/a HTTP/1.1"] * 2
