"""Gateways (RFC 1738 4): where a URL goes through one, what never goes with it, and that each hop is judged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from anyurl import URL, AsyncClient, Client, Policy, parse
from anyurl.client.dry_run import dry_run
from anyurl.client.gateways import Gateway, Gateways
from anyurl.errors import RefusedError, UnknownSchemeError, UnsupportedError
from anyurl.testing import SmallNetwork
from anyurl.values import Provenance
from tests.rows import each_row
from tests.servers import Connection, Server, reply

DOI = "https://doi.org/{path}"
WHOLE = "http://gate.example:8080/fetch?type=x&u={url}"

LOCATORS = [
    (DOI, "doi:10.1000/182", "https://doi.org/10.1000/182"),
    (DOI, "doi:10.1000/a%2Fb%20c", "https://doi.org/10.1000/a%2Fb%20c"),  # as it is encoded
    (DOI, "doi:10.1000/a?b", "https://doi.org/10.1000/a%3Fb"),  # a "?" would begin a query
    (DOI, "doi:10.1000/a#b", "https://doi.org/10.1000/a"),  # a fragment is no part of a URL
    (DOI, "doi://h/a/b", "https://doi.org/a/b"),  # RFC 1738 3.1: the "/" behind the host is no part of the path
    (DOI, "doi:/a", "https://doi.org//a"),
    ("https://g/x/{path}/y", "doi:a//b", "https://g/x/a//b/y"),
    ("https://g/{host}/{port}/{path}", "doi://[::1]:9/a", "https://g/%5B%3A%3A1%5D/9/a"),
    ("https://g/{port}/{path}", "doi://h/a", "https://g//a"),
    (WHOLE, "doi:a&b=c", "http://gate.example:8080/fetch?type=x&u=doi%3Aa%26b%3Dc"),
    (WHOLE, "doi:a%26b", "http://gate.example:8080/fetch?type=x&u=doi%3Aa%2526b"),
    (WHOLE, "doi://joe:s3cr3t@h/a", "http://gate.example:8080/fetch?type=x&u=doi%3A%2F%2Fjoe%40h%2Fa"),
    (WHOLE, "doi://joe:@h/a", "http://gate.example:8080/fetch?type=x&u=doi%3A%2F%2Fjoe%40h%2Fa"),
    ("https://g/{url}", "doi:a/b", "https://g/doi%3Aa%2Fb"),
    ("https://g/?{path}&{path}", "doi:../a", "https://g/?..%2Fa&..%2Fa"),  # no segment: it stands in a query
    # a gateway of WAIS as those of 1994
    ("http://g/{host}:{port}/{path}?{query}", "wais://h.dom/db?two%20words", "http://g/h.dom:210/db?two%20words"),
    ("http://g/{path}?x={query}&y", "wais://h/db?a&b=c", "http://g/db?x=a%26b=c&y"),
    ("http://g/{path}?{query}", "wais://h/db", "http://g/db?"),
    ("http://g/{query}/{path}", "wais://h/db?a/b", "http://g/a%2Fb/db"),
    ("https://g/{path}", "doi:a%0D%0Ab", "https://g/a%0D%0Ab"),  # encoded it was and stays
]


@each_row(("template", "text", "locator"), LOCATORS)
def test_the_locator(template: str, text: str, locator: str) -> None:
    assert str(Gateway(text.partition(":")[0], template).locator(URL(text))) == locator
    assert "s3cr3t" not in locator


@pytest.mark.promise("one-reading")
def test_a_gateway_is_told_what_the_grammar_of_the_url_read() -> None:
    """Today's grammar, which the gateway knows, reads another host in the same text."""
    url = parse("x-doi://127.0.0.1?@allowed.example/a?b", "rfc1738")
    assert (url.host, URL(str(url)).host) == ("allowed.example", "127.0.0.1")
    whole = Gateway("x-doi", "http://gate.example/?u={url}").locator(url)
    assert str(whole) == "http://gate.example/?u=x-doi%3A%2F%2F127.0.0.1%253F%40allowed.example%2Fa%3Fb"
    assert str(Gateway("x-doi", "http://gate.example/{host}/{path}").locator(url)) == (
        "http://gate.example/allowed.example/a%3Fb"
    )


@pytest.mark.promise("gateways")
@each_row(
    "path",
    ["..", "a/../b", "a/%2e%2E/b", ".%2e/b", "a%2F..%2Fb", "./a", "a/."]
    + ["a/..%5C..%5Cb", "a/..;/b", "a/..;x=y/b", "a/%252e%252e/b", "a%252F..%252Fb"],  # as some servers read them
)
def test_a_path_that_leads_out_of_the_gateways_folder_is_refused(path: str) -> None:
    with pytest.raises(RefusedError, match="would lead elsewhere"):
        Gateway("doi", DOI).locator(URL(f"doi:{path}"))


@each_row(
    ("scheme", "template"),
    [
        ("http", DOI),  # it would lead to itself
        ("https", DOI),
        ("file", DOI),
        ("doi", "ftp://h/{path}"),  # RFC 1738 4 names no other, and libcurl is the most tested
        ("doi", "https://{host}/{path}"),  # a URL would choose the server
        ("doi", "https://h{path}"),
        ("doi", "https://h.{host}/{path}"),
        ("doi", "https://h:{port}/{path}"),
        ("doi", "{url}"),
        ("doi", "https://u:p@h/{path}"),  # passwords don't stand in settings
        ("doi", "https://u@h/{path}"),
        ("doi", "https://h/{path}#x"),
        ("doi", "https://h/#{path}"),
        ("doi", "https://h/"),  # nothing of the URL
        ("doi", "https://h/{host}"),
        ("doi", "https://h/{path}{x}"),
        ("doi", "https://h/{}{path}"),
        ("doi", "https://h/{path"),
        ("doi", "https://h/../{path}"),
        ("doi", "https://h/a/./{path}"),
        ("doi", "https://h/%2e%2E/{path}"),
        ("doi", "https://h /{path}"),
    ],
)
def test_what_is_no_gateway(scheme: str, template: str) -> None:
    with pytest.raises(ValueError, match="no gateway for"):
        Client(gateways={scheme: template})


@pytest.mark.promise("gateways")
def test_the_policy_judges_the_url_before_the_gateway_does_anything() -> None:
    gateways = Gateways(dict.fromkeys(("DOI", "wais", "telnet", "gopher", "nntp"), DOI))
    untrusted = Policy.untrusted()
    lead = gateways.lead(URL("doi:10/1"), "get", untrusted)  # no scheme of strangers
    assert lead is not None
    assert str(lead.url) == "https://doi.org/10/1"
    assert gateways.lead(URL("ftp://h/"), "get", untrusted) is None
    for text, policy in (
        ("doi:a", untrusted.replace(deny_schemes=["doi"])),
        ("wais://10.0.0.1/db", untrusted),  # somebody else would fetch it for us
        ("wais://169.254.169.254/db", untrusted),
        ("wais://h:25/db", Policy.default()),
        ("wais://h/db", Policy(deny_hosts=["h"])),
        ("telnet://h/", untrusted),
        ("gopher://h/1a%0D%0Ab", Policy.open()),  # the gateway would decode it and send two lines
        ("nntp://h/a.b%0D%0APOST/1", Policy.open()),
    ):
        with pytest.raises(RefusedError):
            gateways.lead(URL(text), "get", policy)
    with pytest.raises(RefusedError):
        gateways.lead(URL("wais://10.0.0.1/db"), "get", Policy.default(), Provenance("redirect"))


@pytest.mark.parametrize("verb", ["put", "append", "list", "search"])
def test_only_what_reads_goes_through(verb: str) -> None:
    with Client(gateways={"doi": DOI}) as client, pytest.raises(UnsupportedError, match="through a gateway"):
        client.open("doi:10/1", verb, source=b"")  # type: ignore[arg-type]


def echo(connection: Connection) -> None:
    while head := connection.head():
        target = head.split(b" ")[1]
        if target.startswith(b"/moved"):
            connection.send(reply(b"", "Location: http://other.example/there", status="302 Found"))
        elif target.startswith(b"/inside"):
            connection.send(reply(b"", "Location: http://10.0.0.1/", status="302 Found"))
        elif target.startswith(b"/on"):
            connection.send(reply(b"", "Location: doi:10/2", status="302 Found"))
        else:
            connection.send(reply(head))


@pytest.fixture
def network() -> Iterator[SmallNetwork]:
    with Server(echo) as server:
        here = (server.host, server.port)
        public, other = "93.184.216.34", "151.101.1.69"
        yield SmallNetwork(
            {"gate.example": [public], "other.example": [other], "inner.example": ["10.0.0.9"]},
            {(public, 80): here, (other, 80): here, ("10.0.0.9", 80): here},
        )


GATEWAYS = {
    "doi": "http://gate.example/{path}",
    "x-in": "http://inner.example/{path}",
    "ftp": "http://gate.example/?{url}",
}


def test_a_resource_through_a_gateway(network: SmallNetwork) -> None:
    with Client(Policy.untrusted(), network=network, gateways=GATEWAYS) as client:
        resource = client.get("doi:10.1000/18%2F2#part")
        assert resource.read().startswith(b"GET /10.1000/18%2F2 HTTP/1.1\r\nHost: gate.example\r\n")
        assert str(resource.url) == "http://gate.example/10.1000/18%2F2"
        assert [(str(hop.url), hop.reason, hop.permanent) for hop in resource.history] == [
            ("doi:10.1000/18%2F2#part", "gateway", False)
        ]
        assert network.connected == [("93.184.216.34", 80)]
        (result,) = client.map(["doi:10/1"])
        assert result.resource is not None
        assert result.resource.read().startswith(b"GET /10/1 ")
        assert client.stat("doi:10/1").kind == "document"


def test_the_same_in_asyncio(network: SmallNetwork) -> None:
    async def main() -> None:
        async with AsyncClient(Policy.untrusted(), network=network, gateways=GATEWAYS) as client:
            async with await client.get("doi:10/1") as resource:
                assert str(resource.base) == "doi:10/1"
                assert (await resource.read()).startswith(b"GET /10/1 ")
            async for result in client.map(["doi:10/2"]):
                assert result.error is None

    asyncio.run(main())


@pytest.mark.promise("gateways")
def test_no_password_leaves_with_it(network: SmallNetwork) -> None:
    with Client(network=network, gateways=GATEWAYS) as client:
        head = client.get("ftp://joe:s3cr3t@host.example/a/b").read()
    assert head.startswith(b"GET /?ftp%3A%2F%2Fjoe%40host.example%2Fa%2Fb HTTP/1.1\r\n")
    assert b"s3cr3t" not in head
    assert b"uthorization" not in head
    assert network.looked_up == ["gate.example"]  # the host of the URL is the gateway's to find


def test_relative_references_are_relative_to_the_url_that_was_asked_for(network: SmallNetwork) -> None:
    with Client(network=network, gateways=GATEWAYS) as client:
        resource = client.get("ftp://host.example/a/b")
        assert str(resource.base) == "ftp://host.example/a/b"
        assert str(resource.base.join("../c")) == "ftp://host.example/c"
        moved = client.get("doi:moved")  # the gateway has sent us on: what is there is that place's own
        assert str(moved.base) == str(moved.url) == "http://other.example/there"
        assert [hop.reason for hop in moved.history] == ["gateway", "302"]
        direct = client.get("http://other.example/x")
        assert str(direct.base) == "http://other.example/x"


@pytest.mark.promise("gateways")
def test_each_hop_is_judged(network: SmallNetwork) -> None:
    with Client(Policy.untrusted(), network=network, gateways=GATEWAYS) as client:
        with pytest.raises(RefusedError):  # a gateway inside is no stranger's to use
            client.get("x-in:a")
        with pytest.raises(RefusedError):  # nor may a gateway lead there
            client.get("doi:inside")
        with pytest.raises(RefusedError, match="the web may lead only to the web"):  # nor the web to a gateway
            client.get("http://other.example/on")
    assert network.connected == [("93.184.216.34", 80), ("151.101.1.69", 80)]
    policy = Policy.untrusted().replace(allow_nets=["10.0.0.9"])
    with Client(policy, network=network, gateways=GATEWAYS) as client:
        assert client.get("x-in:a").read().startswith(b"GET /a ")


def test_without_a_gateway_nothing_changes(network: SmallNetwork) -> None:
    with Client(network=network) as client:
        with pytest.raises(UnsupportedError):
            client.get("doi:10/1")
        with pytest.raises(UnknownSchemeError):
            client.get("x-in:a")
    assert network.connected == []


def test_a_plan_shows_the_hop() -> None:
    assert list(dry_run("doi:10/1", gateways=Gateways({"doi": DOI})))[:2] == [
        "go on at https://doi.org/10/1 (gateway)",
        "connect to doi.org port 443 over TLS",
    ]


def test_a_plan_shows_what_a_proxy_is_told() -> None:
    gateways = Gateways({"gopher": "list proxy http://127.0.0.1:3128"})
    assert list(dry_run("gopher://h.example/1a", "list", gateways=gateways))[:4] == [
        "go on at http://127.0.0.1:3128 (gateway)",
        "connect to 127.0.0.1 port 3128",
        "> GET gopher://h.example/1a HTTP/1.1",
        "> Host: h.example",
    ]
