"""The guard's rules, one row for each, and the codes as a closed list."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import RefusedError
from anyurl.guard.policy import CODES, Limits, Policy, Scope, Verdict
from anyurl.guard.verdict import UNJUDGED
from anyurl.url import URL, syntax
from anyurl.values import USER, Provenance
from tests.rows import each_row

DEFAULT, UNTRUSTED, OPEN = Policy.default(), Policy.untrusted(), Policy.open()
PUBLIC, PRIVATE, LINK, LOCAL = Scope.PUBLIC, Scope.PRIVATE, Scope.LINK, Scope.LOCAL


def named(scope: Scope | None) -> Provenance:
    """What the user asked for, or what a peer of that scope led to."""
    return USER if scope is None else Provenance("redirect", scope=scope)


# --- addresses and provenance --------------------------------------------------------------------------------------

ADDRESSES: list[tuple[Policy, str, Scope | None, str]] = [
    (DEFAULT, "8.8.8.8", None, "allowed"),
    (DEFAULT, "8.8.8.8", PUBLIC, "allowed"),
    (DEFAULT, "8.8.8.8", LOCAL, "allowed"),
    (DEFAULT, "10.0.0.1", None, "allowed"),
    (DEFAULT, "10.0.0.1", PUBLIC, "address-hop"),
    (DEFAULT, "10.0.0.1", PRIVATE, "allowed"),
    (DEFAULT, "10.0.0.1", LOCAL, "allowed"),
    (DEFAULT, "127.0.0.1", None, "allowed"),
    (DEFAULT, "127.0.0.1", PUBLIC, "address-hop"),
    (DEFAULT, "127.0.0.1", PRIVATE, "address-hop"),
    (DEFAULT, "127.0.0.1", LINK, "address-hop"),
    (DEFAULT, "127.0.0.1", LOCAL, "allowed"),
    (DEFAULT, "fe80::1%eth0", None, "allowed"),
    (DEFAULT, "fe80::1%eth0", PUBLIC, "address-link-hop"),
    (DEFAULT, "169.254.169.254", None, "allowed"),
    (DEFAULT, "169.254.169.254", LOCAL, "address-link-hop"),
    (DEFAULT, "169.254.169.254", LINK, "address-link-hop"),
    (DEFAULT, "0.0.0.0", None, "address-never"),
    (DEFAULT, "224.0.0.1", None, "address-never"),
    (DEFAULT, "::ffff:127.0.0.1", PUBLIC, "address-hop"),
    (DEFAULT, "64:ff9b::169.254.169.254", PUBLIC, "address-link-hop"),
    (DEFAULT, "127.1", None, "address-malformed"),
    (UNTRUSTED, "8.8.8.8", None, "allowed"),
    (UNTRUSTED, "10.0.0.1", None, "address-private"),
    (UNTRUSTED, "10.0.0.1", PRIVATE, "address-private"),
    (UNTRUSTED, "127.0.0.1", None, "address-private"),
    (UNTRUSTED, "169.254.169.254", None, "address-link"),
    (UNTRUSTED, "168.63.129.16", None, "address-link"),
    (UNTRUSTED, "0.0.0.0", None, "address-never"),
    (UNTRUSTED, "::ffff:8.8.8.8", None, "allowed"),
    (UNTRUSTED, "::ffff:10.0.0.1", None, "address-private"),
    (OPEN, "127.0.0.1", PUBLIC, "allowed"),
    (OPEN, "169.254.169.254", PUBLIC, "allowed"),
    (OPEN, "0.0.0.0", None, "address-never"),
    (UNTRUSTED.replace(allow_private=True), "10.0.0.1", None, "allowed"),
    (UNTRUSTED.replace(allow_private=True), "127.0.0.1", None, "allowed"),
    (UNTRUSTED.replace(allow_private=True), "10.0.0.1", PUBLIC, "address-hop"),
    (UNTRUSTED.replace(allow_private=True), "169.254.169.254", None, "address-link"),
]


@each_row(("policy", "address", "came_from", "code"), ADDRESSES)
def test_an_address_is_judged_by_its_scope_and_by_who_named_it(
    policy: Policy, address: str, came_from: Scope | None, code: str
) -> None:
    assert policy.judge_address(address, 80, "http", named(came_from)).code == code


@given(st.ip_addresses(), st.sampled_from([PUBLIC, PRIVATE, LINK, LOCAL]))
def test_no_hop_leads_to_a_less_public_scope(address: Any, came_from: Scope) -> None:
    from anyurl.guard.addresses import scope

    verdict = DEFAULT.judge_address(str(address), 80, "http", named(came_from))
    assert not (verdict.allowed and scope(str(address)) > came_from)
    assert not (UNTRUSTED.judge_address(str(address), 80, "http").allowed and scope(str(address)) != PUBLIC)


# --- lists and precedence ------------------------------------------------------------------------------------------

NETS: list[tuple[tuple[str, ...], tuple[str, ...], str, str, str]] = [
    (("10.0.0.42/32",), (), "10.0.0.42", "allowed", "an exception to the rule of the preset"),
    (("10.0.0.42",), (), "10.0.0.42", "allowed", "without a length, one address"),
    (("10.0.0.42/32",), (), "10.0.0.43", "address-private", "and no other"),
    (("10.0.0.0/8",), ("10.1.0.0/16",), "10.1.2.3", "address-denied", "the narrower entry wins: deny"),
    (("10.1.2.0/24",), ("10.1.0.0/16",), "10.1.2.3", "allowed", "the narrower entry wins: allow"),
    (("10.1.0.0/16",), ("10.1.0.0/16",), "10.1.2.3", "address-denied", "deny wins a tie"),
    ((), ("8.8.8.0/24",), "8.8.8.8", "address-denied", "a public network"),
    (("8.8.8.8/32",), ("0.0.0.0/0",), "8.8.8.8", "allowed", "only these: deny all the rest"),
    (("8.8.8.8/32",), ("0.0.0.0/0",), "8.8.4.4", "address-denied", "only these: deny all the rest"),
    ((), ("0.0.0.0/0",), "2606:4700::1", "allowed", "the other family is another list"),
    ((), ("::/0",), "2606:4700::1", "address-denied", "IPv6"),
    (("fd00::/8",), (), "fd12::1", "allowed", "IPv6"),
    (("10.0.0.42/32",), (), "::ffff:10.0.0.42", "allowed", "the embedded address is allowed too"),
    ((), ("8.8.8.8/32",), "::ffff:8.8.8.8", "address-denied", "the embedded address is denied too"),
    ((), ("8.8.8.8/32",), "64:ff9b::8.8.8.8", "address-denied", "the embedded address is denied too"),
    (("::/0",), (), "::ffff:10.0.0.42", "address-private", "allowing the form does not allow what it carries"),
    ((), ("::ffff:8.8.8.0/120",), "8.8.8.8", "address-denied", "a mapped network, as dual-stack servers log it"),
    ((), ("::ffff:8.8.8.8",), "64:ff9b::8.8.8.8", "address-denied", "a mapped address, in another form"),
    (("::ffff:10.0.0.0/104",), (), "::ffff:10.0.0.42", "allowed", "a mapped network, in its own form"),
    (("::ffff:10.0.0.0/104",), (), "10.0.0.42", "allowed", "a mapped network, in the form of IPv4"),
    (("::ffff:0.0.0.0/96",), (), "169.254.169.254", "address-link", "a broad entry opens no metadata in any form"),
    (("::/95",), (), "10.0.0.42", "address-private", "what holds more than the mapped ones is of IPv6"),
    (("0.0.0.0/0",), (), "10.0.0.1", "allowed", "private, by a broad entry"),
    (("0.0.0.0/0",), (), "169.254.169.254", "address-link", "metadata is never opened by a broad entry"),
    (("169.254.0.0/16",), (), "169.254.1.1", "allowed", "link-local by its own prefix"),
    (("169.254.0.0/16",), (), "169.254.169.254", "address-link", "metadata has a narrower row of its own"),
    (("169.254.169.254/32",), (), "169.254.169.254", "allowed", "metadata by its own name"),
    (("0.0.0.0/0",), (), "224.0.0.1", "address-never", "multicast is never opened by a broad entry"),
    (("240.1.0.0/16",), (), "240.1.2.3", "allowed", "reserved space that somebody uses inside"),
]


@each_row(("allow", "deny", "address", "code", "reason"), NETS, ids=[row[4] for row in NETS])
def test_networks(allow: tuple[str, ...], deny: tuple[str, ...], address: str, code: str, reason: str) -> None:
    policy = UNTRUSTED.replace(allow_nets=allow, deny_nets=deny)
    assert policy.judge_address(address, 80, "http").code == code


@pytest.mark.promise("internal-host")
def test_an_allowed_network_is_open_to_urls_that_are_handed_in_alone() -> None:
    policy = UNTRUSTED.replace(allow_nets=("10.0.0.42/32",))
    assert policy.judge_address("10.0.0.42", 80, "http").allowed
    assert policy.judge_address("10.0.0.42", 80, "http", named(PUBLIC)).code == "address-hop"
    assert policy.judge_address("10.0.0.42", 80, "http", named(PRIVATE)).allowed
    assert policy.replace(allow_inward=True).judge_address("10.0.0.42", 80, "http", named(PUBLIC)).allowed


HOSTS: list[tuple[tuple[str, ...] | None, tuple[str, ...], str, str, str]] = [
    (None, (), "example.org", "allowed", "no lists"),
    (None, ("example.org",), "example.org", "host-denied", "exact"),
    (None, ("example.org",), "EXAMPLE.org", "host-denied", "case"),
    (None, ("Example.Org.",), "example.org.", "host-denied", "the root's dot"),
    (None, ("example.org",), "www.example.org", "allowed", "an exact name is not what is below it"),
    (None, ("*.example.org",), "www.example.org", "host-denied", "below"),
    (None, ("*.example.org",), "a.b.example.org", "host-denied", "far below"),
    (None, ("*.example.org",), "example.org", "allowed", "not itself"),
    (None, ("*.example.org",), "badexample.org", "allowed", "a label is whole"),
    (("*.example.org",), (), "www.example.org", "allowed", "only these"),
    (("*.example.org",), (), "example.net", "host-not-allowed", "only these"),
    ((), (), "example.org", "host-not-allowed", "an empty list allows nothing"),
    (("www.example.org",), ("*.example.org",), "www.example.org", "allowed", "exact beats a suffix"),
    (("*.example.org",), ("*.lab.example.org",), "a.lab.example.org", "host-denied", "a longer suffix beats a shorter"),
    (("*.lab.example.org",), ("*.example.org",), "a.lab.example.org", "allowed", "a longer suffix beats a shorter"),
    (("*.example.org",), ("*.example.org",), "a.example.org", "host-denied", "deny wins a tie"),
    (("*.example.org",), ("*",), "a.example.org", "allowed", "any suffix beats *"),
    (("*",), ("example.org",), "example.org", "host-denied", "exact beats *"),
]


@each_row(("allow", "deny", "host", "code", "reason"), HOSTS, ids=[row[4] for row in HOSTS])
def test_hosts(allow: tuple[str, ...] | None, deny: tuple[str, ...], host: str, code: str, reason: str) -> None:
    policy = DEFAULT.replace(allow_hosts=allow, deny_hosts=deny)
    assert policy.judge_endpoint("http", host, 80).code == code


def test_a_host_pattern_opens_no_address() -> None:
    policy = UNTRUSTED.replace(allow_hosts=("*.example.org",))
    assert policy.judge_endpoint("http", "intranet.example.org", 80).allowed
    assert policy.judge_address("10.0.0.1", 80, "http").code == "address-private"


NAMES: list[tuple[Policy, str, Scope | None, str, str]] = [
    (UNTRUSTED, "localhost", None, "host-local", "by definition"),
    (UNTRUSTED, "LocalHost.", None, "host-local", "by definition, written otherwise"),
    (UNTRUSTED, "a.b.localhost", None, "host-local", "what is below it"),
    (UNTRUSTED, "localhost", PUBLIC, "host-local", "private addresses are refused, whoever leads there"),
    (UNTRUSTED.replace(allow_link=True), "169.254.1.1", None, "allowed", "of links it says so itself"),
    (UNTRUSTED.replace(allow_link=True), "10.0.0.1", None, "address-private", "and of these nothing"),
    (UNTRUSTED, "ip6-localhost", None, "host-local", "hosts files"),
    (UNTRUSTED, "localhost.example.org", None, "allowed", "a name like any other"),
    (UNTRUSTED, "mylocalhost", None, "allowed", "a name like any other"),
    (DEFAULT, "localhost", None, "allowed", "requested directly"),
    (DEFAULT, "localhost", PUBLIC, "host-local-hop", "led to"),
    (DEFAULT, "localhost", LOCAL, "allowed", "from this machine"),
    (OPEN, "localhost", PUBLIC, "allowed", "anywhere"),
    (UNTRUSTED.replace(allow_nets=("127.0.0.1",)), "localhost", None, "allowed", "its address is allowed"),
    (UNTRUSTED, "10.0.0.1", None, "address-private", "a literal is judged at once"),
    (UNTRUSTED, "10.0.0.1.", None, "address-private", "with the root's dot"),
    (UNTRUSTED, "::1", None, "address-private", "IPv6"),
    (UNTRUSTED, "8.8.8.8", None, "allowed", "a public literal"),
    (DEFAULT, "2130706433", None, "host-unclear", "127.0.0.1 to getaddrinfo"),
    (DEFAULT, "0x7f.1", None, "host-unclear", "127.0.0.1 to getaddrinfo"),
    (DEFAULT, "127.1", None, "host-unclear", "127.0.0.1 to getaddrinfo"),
    (DEFAULT, "127.0.0.01", None, "host-unclear", "octal to some"),
    (DEFAULT, "0x", None, "host-unclear", "0 to WHATWG"),
    (DEFAULT, "1.2.3.4.5", None, "host-unclear", "no address, and no name"),
    (DEFAULT, "v1.127.0.0.1", None, "host-unclear", "an address of the future"),
    (DEFAULT, "1::2::3", None, "host-unclear", "no address"),
    (DEFAULT, "8.8.8.8%eth0", None, "host-unclear", "a zone without a link"),
    (DEFAULT, "2606:4700::1%eth0", None, "host-unclear", "a zone without a link"),
    (DEFAULT, "fe80::1%eth0", None, "allowed", "a zone with its link"),
    (DEFAULT, "a..b", None, "host-unclear", "an empty label"),
    (DEFAULT, ".", None, "host-unclear", "nothing but a dot"),
    (DEFAULT, "a@b", None, "host-unclear", "a delimiter"),
    (DEFAULT, "a\0b", None, "host-unclear", "NUL"),
    (DEFAULT, "xn--bcher-kva.example", None, "allowed", "an A-label"),
    (DEFAULT, "bücher.example", None, "host-unclear", "a U-label: it is encoded before"),
    (DEFAULT, "un_der.example", None, "allowed", "an underscore"),
    (DEFAULT, "h.0xg1", None, "allowed", "no number, for all that it begins as one"),
    (DEFAULT, "1e0", None, "allowed", "not a number to anybody"),
    (DEFAULT, "10.example", None, "allowed", "a number that is not the last label"),
    (DEFAULT, "127.0.0.1e0", None, "host-unclear", "an address to who stops at the first letter"),
    (DEFAULT, "127.0.0.1_", None, "host-unclear", "an address to who stops at the first letter"),
    (DEFAULT, "10.0.0.1.1a.example", None, "allowed", "numbers that are not the last label"),
    (DEFAULT, "a" * 63 + ".example", None, "allowed", "the longest label there is"),
    (DEFAULT, "a" * 64 + ".example", None, "host-unclear", "a label that no name has (RFC 1035 2.3.4)"),
    (DEFAULT, "a." * 126 + "a", None, "allowed", "the longest name there is"),
    (DEFAULT, "a." * 127, None, "allowed", "the same with the root's dot"),
    (DEFAULT, "a." * 127 + "a", None, "host-unclear", "a name that there is not"),
    (DEFAULT, "xn--.example", None, "host-unclear", "an A-label of nothing"),
    (DEFAULT, "xn--localhost-.example", None, "host-unclear", "an A-label of what needs none"),
    (DEFAULT, "xn--a\u0300\u00fc.example", None, "host-unclear", "half an A-label"),
    (DEFAULT, "xn--99999999.example", None, "host-unclear", "an A-label of no text"),
    (DEFAULT, "xn--mi7cdqncpe6aj.example", None, "host-unclear", "localhost in full width: a name of its own, or it"),
    (DEFAULT, "xn--localhost-8ma.example", None, "host-unclear", "localhost with a soft hyphen"),
    (DEFAULT, "xn--ls8h.example", None, "allowed", "a pile of something: names of emoji exist"),
    (DEFAULT, "xn--fa-hia.example", None, "allowed", "faß, as IDNA 2008 writes it"),
]


@each_row(("policy", "host", "came_from", "code", "reason"), NAMES, ids=[f"{row[1][:40]!r} {row[4]}" for row in NAMES])
def test_a_host_is_judged_as_text_for_an_early_hint(
    policy: Policy, host: str, came_from: Scope | None, code: str, reason: str
) -> None:
    assert policy.judge_endpoint("http", host, 80, named(came_from)).code == code


# --- ports ---------------------------------------------------------------------------------------------------------

PORTS = [
    ("http", 80, "allowed"),
    ("http", 443, "allowed"),
    ("http", 8080, "allowed"),
    ("http", 81, "allowed"),
    ("http", 65_535, "allowed"),
    ("http", 0, "port-invalid"),
    ("http", -1, "port-invalid"),
    ("http", 65_536, "port-invalid"),
    ("http", 65_535, "allowed"),
    ("http", 2, "allowed"),
    ("http", 1, "port-service"),  # tcpmux
    ("http", 25, "port-service"),
    ("http", 6379, "port-service"),
    ("http", 21, "port-service"),
    ("http", 70, "port-service"),
    ("gopher", 70, "allowed"),
    ("gopher", 25, "port-service"),
    ("gopher", 80, "port-service"),
    ("ftp", 21, "allowed"),
    ("ftp", 990, "allowed"),
    ("ftp", 22, "port-service"),
    ("ftps", 21, "allowed"),
    ("telnet", 23, "allowed"),
    ("telnet", 25, "port-service"),
    ("nntp", 119, "allowed"),
    ("nntp", 563, "allowed"),
    ("x-unheard-of", 119, "port-service"),
    ("x-unheard-of", 7777, "allowed"),
]


@each_row(("scheme", "port", "code"), PORTS)
@each_row("policy", [DEFAULT, UNTRUSTED, OPEN], ids=lambda policy: policy.name)
def test_a_port_of_another_service_is_refused(policy: Policy, scheme: str, port: int, code: str) -> None:
    assert policy.judge_port(port, scheme).code == code
    assert policy.judge_address("8.8.8.8", port, scheme).code == code
    assert policy.judge_endpoint(scheme, "example.org", port).code == code


def test_every_scheme_may_use_its_own_default_port() -> None:
    refused = [
        row.name for row in syntax.ROWS.values() if row.port and not DEFAULT.judge_port(row.port, row.name).allowed
    ]
    assert refused == []


def test_a_port_that_the_policy_names_is_allowed() -> None:
    policy = DEFAULT.replace(allow_ports=(6379, 25))
    assert policy.judge_port(6379, "http").allowed
    assert policy.judge_port(25, "gopher").allowed
    assert not policy.judge_port(22, "http").allowed


@each_row(
    ("port", "code"),
    [(0, "port-invalid"), (22, "data-port"), (1023, "data-port"), (1024, "allowed"), (40_000, "allowed"),
     (3306, "port-service"), (6000, "port-service"), (65_535, "allowed"), (65_536, "port-invalid")],
)  # fmt: skip
def test_a_data_port_is_nobodys_service(port: int, code: str) -> None:
    assert DEFAULT.judge_data_port(port).code == code


def test_a_data_port_may_be_named_too() -> None:
    assert DEFAULT.replace(allow_ports=(20, 3306)).judge_data_port(20).allowed
    assert DEFAULT.replace(allow_ports=(20, 3306)).judge_data_port(3306).allowed


# --- URLs ----------------------------------------------------------------------------------------------------------

URLS: list[tuple[Policy, str, Scope | None, str]] = [
    (DEFAULT, "http://example.org/", None, "allowed"),
    (DEFAULT, "file:///etc/motd", None, "allowed"),
    (DEFAULT, "file:///etc/motd", PUBLIC, "file-hop"),
    (DEFAULT, "file:///etc/motd", LOCAL, "file-hop"),
    (OPEN, "file:///etc/motd", PUBLIC, "allowed"),
    (UNTRUSTED, "file:///etc/motd", None, "file"),
    (UNTRUSTED.replace(files=True), "file:///etc/motd", None, "allowed"),
    (DEFAULT, "telnet://example.org/", None, "allowed"),
    (UNTRUSTED, "telnet://example.org/", None, "service"),
    (UNTRUSTED.replace(services=True), "telnet://example.org/", None, "allowed"),
    (UNTRUSTED, "http://user:password@example.org/", None, "allowed"),
    (UNTRUSTED, "ftp://me%40home.example:pw@example.org/", None, "allowed"),
    (UNTRUSTED, "ftp://fran%C3%A7ois@example.org/", None, "allowed"),
    (UNTRUSTED, "ftp://@example.org/", None, "allowed"),
    (UNTRUSTED, "http://127.0.0.1%5c@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://127.0.0.1%2F@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://127.0.0.1%EF%BC%8F@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://127.0.0.1%E2%88%95@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://a%EF%BC%A0b@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://127.0.0.1:80%2F@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://127.0.0.1%252F@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://127.0.0.1:80%255c@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://127.0.0.1%EF%BC%852F@example.org/", None, "user-disguised"),
    (UNTRUSTED, "http://joe:100%25@example.org/", None, "allowed"),
    (DEFAULT, "ftp://DOMAIN%5Cuser@example.org/", None, "allowed"),
    (UNTRUSTED, "ftp://example.org/", None, "allowed"),
    (UNTRUSTED, "gopher://example.org/1", None, "allowed"),
    (UNTRUSTED, "gopher://example.org/0s%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A", None, "form"),
    (DEFAULT, "gopher://example.org/0s%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A", None, "allowed"),
    (DEFAULT, "gophers://example.org:7070/0s%09%09+%091%0d%0a+-1%0d%0aa%0d%0a.%0d%0a", None, "form-port"),
    (DEFAULT.replace(allow_ports=[7070]), "gopher://example.org:7070/0s%0A", None, "allowed"),
    (DEFAULT.replace(allow_forms=False), "gopher://example.org/0s%0A", None, "form"),
    (DEFAULT, "http://example.org:7070/0s%0A", None, "allowed"),
    (DEFAULT, "wais://example.org:7070/d?a%0Ab", None, "octets-port"),
    (UNTRUSTED, "wais://example.org/d?a%0Ab", None, "allowed"),
    (DEFAULT.replace(allow_ports=[7070]), "prospero://example.org:7070/a%0db", None, "allowed"),
    (UNTRUSTED, "wais://example.org/db", None, "allowed"),
    (UNTRUSTED, "prospero://example.org/x", None, "allowed"),
    (UNTRUSTED, "nntp://example.org/g/1", None, "allowed"),
    (UNTRUSTED, "mailto:a@example.org", None, "allowed"),
    (UNTRUSTED, "news:comp.lang.python", None, "allowed"),
    (UNTRUSTED, "dict://example.org/d", None, "scheme-not-allowed"),
    (UNTRUSTED, "x-new://example.org/d", None, "scheme-not-allowed"),
    (UNTRUSTED, "data:text/plain,x", None, "scheme-not-allowed"),
    (DEFAULT, "x-new://example.org/d", None, "allowed"),
    (DEFAULT.replace(deny_schemes=("http",)), "HTTP://example.org/", None, "scheme-denied"),
    (DEFAULT.replace(allow_schemes=("https",)), "http://example.org/", None, "scheme-not-allowed"),
    (DEFAULT.replace(allow_schemes=("https",)), "file:///etc/motd", None, "scheme-not-allowed"),
    (DEFAULT.replace(allow_schemes=("http",), deny_schemes=("http",)), "http://example.org/", None, "scheme-denied"),
    (DEFAULT, "http://example.org:6379/", None, "port-service"),
    (DEFAULT, "http://127.0.0.1:8080/", None, "allowed"),
    (DEFAULT, "http://127.0.0.1:8080/", PUBLIC, "address-hop"),
    (UNTRUSTED, "http://[::1]/", None, "address-private"),
    (UNTRUSTED, "http://localhost/", None, "host-local"),
    (UNTRUSTED, "http://[v1.example.org]/", None, "host-unclear"),
    (OPEN, "gopher://[V1.localhost]/", None, "host-unclear"),
    (DEFAULT, "nntp://[v7.a:b]/g", None, "host-unclear"),
]


@each_row(("policy", "text", "came_from", "code"), URLS)
def test_a_url_is_judged_before_anything_is_opened(
    policy: Policy, text: str, came_from: Scope | None, code: str
) -> None:
    assert policy.judge_url(URL(text), named(came_from)).code == code


# --- hops: test_hops.py has the table of the rule; this is how the switches of a policy reach it ----------------------

SECURE = Provenance("redirect", scheme="gophers", host="a.example", port=70, tls=True)
HOPS: list[tuple[Policy, str, Provenance, str]] = [
    (DEFAULT, "gopher://b.example/", SECURE, "clear-hop"),
    (DEFAULT.replace(allow_inward=True), "gopher://b.example/", SECURE, "clear-hop"),
    (DEFAULT.replace(allow_inward=True), "file:///etc/motd", SECURE, "allowed"),
    (DEFAULT.replace(allow_downgrade=True), "gopher://b.example/", SECURE, "allowed"),
    (DEFAULT.replace(allow_downgrade=True), "gophers://10.0.0.1/", SECURE, "address-hop"),
    (DEFAULT.replace(allow_downgrade=True), "file:///etc/motd", SECURE, "file-hop"),
    (UNTRUSTED.replace(files=True), "file:///etc/motd", SECURE, "file-hop"),
    (OPEN, "gopher://127.0.0.1/", SECURE, "allowed"),
    (OPEN, "telnet://b.example/", SECURE, "service-hop"),
    (OPEN, "data:,x", SECURE, "data-hop"),
    (OPEN, "gopher://b.example/0s%0A", SECURE, "form-hop"),
    (OPEN, "gopher://b.example/", Provenance("redirect", scheme="http", host="a.example", port=80), "redirect-scheme"),
]


@each_row(("policy", "text", "origin", "code"), HOPS)
def test_each_switch_opens_its_own_rule(policy: Policy, text: str, origin: Provenance, code: str) -> None:
    assert policy.judge_url(URL(text), origin).code == code


NAMED = UNTRUSTED.replace(allow_proxies=("p.example", "*.corp.example", "[fd00:0::1]", "10.0.0.5"))

PROXIES: list[tuple[Policy, str, int, str]] = [
    (DEFAULT, "p.example", 3128, "allowed"),
    (DEFAULT, "10.0.0.5", 8080, "allowed"),
    (DEFAULT, "127.0.0.1", 1080, "allowed"),
    (DEFAULT, "p.example", 443, "allowed"),  # a proxy may be a web server to its port
    (DEFAULT, "p.example", 25, "port-service"),
    (DEFAULT, "p.example", 6379, "port-service"),
    (DEFAULT, "0.0.0.0", 3128, "address-never"),
    (DEFAULT.replace(allow_link=False), "169.254.169.254", 3128, "address-link"),
    (DEFAULT.replace(deny_nets=("10.0.0.0/8",)), "10.0.0.5", 3128, "address-denied"),
    (DEFAULT, "0x7f.1", 3128, "host-unclear"),
    (UNTRUSTED, "p.example", 3128, "proxy"),
    (UNTRUSTED, "93.184.216.34", 3128, "proxy"),
    (NAMED, "P.Example.", 3128, "allowed"),
    (NAMED, "a.corp.example", 3128, "allowed"),
    (NAMED, "corp.example", 3128, "proxy"),
    (NAMED, "fd00::1", 3128, "allowed"),
    (NAMED, "10.0.0.5", 3128, "allowed"),  # it is named: no URL leads there all the same
    (NAMED, "10.0.0.6", 3128, "proxy"),
    (NAMED, "p.example", 22, "port-service"),
]


UNSEEN: list[tuple[Policy, Provenance, str]] = [
    (DEFAULT, USER, "proxy-resolves"),
    (DEFAULT.replace(proxy_resolves=True), USER, "allowed"),
    (DEFAULT.replace(proxy_resolves=True), Provenance("configuration"), "allowed"),
    (DEFAULT.replace(proxy_resolves=True), Provenance("document"), "proxy-resolves-hop"),
    (OPEN.replace(proxy_resolves=True), Provenance("redirect"), "proxy-resolves-hop"),
]


# --- verdicts ------------------------------------------------------------------------------------------------------


def verdicts() -> list[Verdict]:
    """One verdict for each row of the tables above."""
    found = [policy.judge_address(address, 80, "http", named(came_from)) for policy, address, came_from, _ in ADDRESSES]
    found += [UNTRUSTED.replace(allow_nets=row[0], deny_nets=row[1]).judge_address(row[2], 80, "http") for row in NETS]
    found += [
        DEFAULT.replace(allow_hosts=row[0], deny_hosts=row[1]).judge_endpoint("http", row[2], 80) for row in HOSTS
    ]
    found += [policy.judge_endpoint("http", host, 80, named(came_from)) for policy, host, came_from, _, _ in NAMES]
    found += [DEFAULT.judge_port(port, scheme) for scheme, port, _ in PORTS]
    found += [DEFAULT.judge_data_port(22)]
    found += [policy.judge_url(URL(text), named(came_from)) for policy, text, came_from, _ in URLS]
    mailbox = URL("mailto:a@example.org")
    found += [UNTRUSTED.judge_delivery(mailbox), DEFAULT.judge_delivery(mailbox, named(PUBLIC))]
    found += [DEFAULT.judge_content(mailbox, named(PUBLIC))]
    found += [policy.judge_url(URL(text), origin) for policy, text, origin, _ in HOPS]
    found += [policy.judge_proxy(host, port) for policy, host, port, _ in PROXIES]
    found += [policy.judge_unseen("h.example", came_from) for policy, came_from, _ in UNSEEN]
    found += [UNTRUSTED.check("gopher"), UNTRUSTED.check("http://h\\x/")]
    return found


def test_every_code_can_come_out_and_no_other() -> None:
    odd = {verdict.code for verdict in verdicts()} ^ (set(CODES) - set(UNJUDGED))
    assert not odd, f"in only one of `CODES` and the tables that `verdicts` reads: {sorted(odd)}"


def test_every_verdict_is_a_sentence_without_holes() -> None:
    for verdict in verdicts():
        assert verdict.allowed == (verdict.code == "allowed") == bool(verdict)
        assert verdict.message.isprintable()
        assert not any(hole in verdict.message for hole in ("{", "}", "()", "None", "  ", ": :"))


SENTENCES = [
    (
        UNTRUSTED.judge_address("10.0.0.42", 80, "http"),
        (
            "10.0.0.42 is in 10.0.0.0/8, Private-Use (RFC 1918): the policy untrusted allows public addresses only; "
            "allow_private=True or allow_nets=['10.0.0.42'] would allow it"
        ),
    ),
    (
        DEFAULT.judge_address("::ffff:127.0.0.1", 80, "http", named(PUBLIC)),
        (
            "::ffff:127.0.0.1 stands for 127.0.0.1, in 127.0.0.0/8, Loopback (RFC 1122 3.2.1.3): something on the "
            "public Internet may not lead there; requested directly it would be allowed, or with "
            "allow_inward=True"
        ),
    ),
    (
        DEFAULT.judge_port(6379, "http"),
        (
            "port 6379 belongs to another service (redis), which a URL must not be able to command (RFC 1738 section "
            "6); allow_ports=[6379] would allow it"
        ),
    ),
    (
        UNTRUSTED.judge_url(URL("file:///etc/motd")),
        "the policy untrusted reads no files of this machine; files=True would allow it",
    ),
]


@pytest.mark.parametrize(("verdict", "sentence"), SENTENCES)
def test_a_refusal_says_what_would_be_allowed(verdict: Verdict, sentence: str) -> None:
    assert verdict.message == sentence


def test_no_refusal_shows_a_password() -> None:
    url = URL("http://me:top%5Csecret@example.org:25/")
    for policy in (DEFAULT, UNTRUSTED, DEFAULT.replace(deny_schemes=("http",)), DEFAULT.replace(allow_hosts=())):
        verdict = policy.judge_url(url)
        assert not verdict.allowed
        assert "secret" not in f"{verdict!r} {verdict.message} {verdict.subject}"


def test_a_refusal_is_raised_with_its_verdict() -> None:
    verdict = UNTRUSTED.judge_address("10.0.0.1", 80, "http")
    with pytest.raises(RefusedError, match=r"^Refused: 10\.0\.0\.1 is in 10\.0\.0\.0/8") as caught:
        verdict.check()
    assert caught.value.verdict is verdict
    assert (verdict.subject, repr(verdict)) == ("10.0.0.1", "Verdict(False, 'address-private', '10.0.0.1')")
    DEFAULT.judge_address("10.0.0.1", 80, "http").check()


def test_what_the_remedy_says_is_true() -> None:
    """Whoever follows a refusal's advice is let through."""
    for address in (
        "10.0.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "fd00:ec2::254",
        "0.0.0.0",
        "ff02::1",
        "::ffff:10.0.0.1",
    ):
        for came_from in (None, PUBLIC):
            verdict = UNTRUSTED.judge_address(address, 80, "http", named(came_from))
            remedy = verdict.message.rpartition("allow_nets=['")[2].partition("'")[0]
            inward = "allow_inward=True" in verdict.remedy
            assert inward == (came_from is PUBLIC)
            policy = UNTRUSTED.replace(allow_nets=(remedy,), allow_inward=inward)
            assert policy.judge_address(address, 80, "http", named(came_from)).allowed


# --- policies as values --------------------------------------------------------------------------------------------


def test_policies_are_immutable_values() -> None:
    one = UNTRUSTED.replace(allow_ports=[2, 1, 2], deny_hosts="B.example", allow_nets=["10.0.0.1"])
    other = UNTRUSTED.replace(allow_ports=(1, 2), deny_hosts=("b.example.",), allow_nets=("10.0.0.1/32",))
    assert one == other
    assert hash(one) == hash(other)
    assert one != UNTRUSTED
    assert {one: "pool"}[other] == "pool"
    assert (one.allow_ports, one.deny_hosts, one.allow_nets) == ((1, 2), ("b.example",), ("10.0.0.1/32",))
    with pytest.raises(AttributeError, match="immutable"):
        one.allow_private = True
    with pytest.raises(AttributeError, match="immutable"):
        del one.name
    assert pickle.loads(pickle.dumps(one)) == one
    assert eval(repr(one), {"Policy": Policy, "Limits": Limits}) == one
    assert one.replace() == one


def test_the_presets_are_what_they_say() -> None:
    told = {
        policy.name: (
            policy.allow_private,
            policy.allow_link,
            policy.allow_inward,
            policy.allow_downgrade,
            policy.allow_disguise,
            policy.files,
            policy.services,
            policy.netrc,
            policy.allow_proxies is None,
            policy.proxy_resolves,
        )
        for policy in (DEFAULT, UNTRUSTED, OPEN)
    }
    assert told == {
        "default": (True, True, False, False, True, True, True, True, True, False),
        "untrusted": (False, False, False, False, False, False, False, False, False, False),
        "open": (True, True, True, True, True, True, True, True, True, False),
    }


@each_row(
    "changes",
    [
        {"allow_nets": ["10.0.0.1/8"]}, {"allow_nets": ["10.0.0.0/33"]}, {"allow_nets": ["10.0/8"]},
        {"allow_nets": ["fe80::%eth0/10"]}, {"deny_nets": ["example.org"]}, {"deny_nets": ["10.0.0.0/"]},
        {"deny_nets": ["10.0.0.0/+8"]}, {"deny_nets": ["::/129"]}, {"deny_nets": [""]},
        {"allow_hosts": [""]}, {"allow_hosts": ["*.*.org"]}, {"allow_hosts": ["a*.org"]}, {"allow_hosts": ["*."]},
        {"deny_hosts": ["evil.example:80"]}, {"deny_hosts": ["http://evil.example/"]}, {"deny_hosts": [".x.example"]},
        {"deny_hosts": ["evil..example"]}, {"deny_hosts": ["*.evil.example/x"]}, {"deny_hosts": ["a@evil.example"]},
        {"deny_schemes": ["ftp:"]}, {"deny_schemes": ["ftp://"]}, {"allow_schemes": [""]}, {"allow_schemes": ["1a"]},
        {"deny_hosts": ["10.0.0.1"]}, {"deny_hosts": ["[::1]"]}, {"deny_hosts": ["bücher.example"]},
        {"allow_proxies": ["10.0.0.1?"]}, {"allow_proxies": ["?[::1]"]}, {"allow_proxies": [""]},
        {"allow_schemes": ["\u00e9"]}, {"allow_schemes": ["x y"]},
        {"allow_proxies": ["http://p.example"]}, {"allow_proxies": ["p.example:3128"]},
        {"allow_ports": [0]}, {"allow_ports": [65_536]},
    ],
)  # fmt: skip
def test_an_entry_that_means_nothing_is_an_error(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Policy(**changes)


@pytest.mark.parametrize(
    "name", ["allow_hosts", "deny_hosts", "allow_nets", "deny_nets", "allow_schemes", "deny_schemes", "allow_proxies"]
)
def test_an_entry_of_another_type_is_told_with_the_name_of_its_list(name: str) -> None:
    with pytest.raises(TypeError, match=f"^the entries of {name} are str, not int$"):
        Policy(**{name: [1]})  # type: ignore[arg-type]


@each_row(
    "name", ["allow_hosts", "deny_hosts", "allow_nets", "deny_nets", "allow_schemes", "deny_schemes", "allow_proxies",
             "allow_ports"]
)  # fmt: skip
@each_row("value", [1, b"x", bytearray(b"x"), memoryview(b"x"), {"x": 1}])
def test_what_is_no_list_is_told_with_its_name(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"^{name} is a list, not {type(value).__name__}$"):
        Policy(**{name: value})  # type: ignore[arg-type]


def test_a_scheme_may_have_one_letter_and_a_proxy_an_address() -> None:
    policy = Policy(allow_schemes=["X", "z39.50r", "a-b"], allow_proxies=["[::1]", "10.0.0.1", "*.p.example"])
    assert policy.allow_schemes == ("a-b", "x", "z39.50r")
    assert policy.allow_proxies == ("*.p.example", "10.0.0.1", "::1")


def test_the_name_of_a_policy_is_a_text() -> None:
    with pytest.raises(TypeError, match=r"^name\b"):
        Policy(name=1)  # type: ignore[arg-type]
    assert Policy(name="mine").name == "mine"


def test_an_unknown_field_is_an_error() -> None:
    with pytest.raises(TypeError):
        DEFAULT.replace(allow_everything=True)


# --- one question for a caller -------------------------------------------------------------------------------------

CHECKS: list[tuple[str, str, str]] = [
    ("http://8.8.8.8/", "allowed", ""),
    ("http://10.0.0.1/", "address-private", "allow_private=True or allow_nets=['10.0.0.1'] would allow it"),
    ("http://8.8.8.8:6379/", "port-service", "allow_ports=[6379] would allow it"),
    ("http://0x7f.1/", "no-url", ""),
    ("gopher", "no-url", ""),
]


@pytest.mark.parametrize(("text", "code", "remedy"), CHECKS)
def test_a_check_says_what_and_what_would_be_allowed(text: str, code: str, remedy: str) -> None:
    verdict = UNTRUSTED.replace(allow_link=True).check(text)
    assert (verdict.allowed, verdict.code) == (code == "allowed", code)
    assert remedy in verdict.remedy
    assert verdict.message.endswith(verdict.remedy)


def test_a_check_takes_a_url_and_who_named_it() -> None:
    assert DEFAULT.check(URL("http://10.0.0.1/")).allowed
    assert DEFAULT.check("http://10.0.0.1/", Provenance("redirect")).code == "address-hop"


def test_a_check_shows_no_password() -> None:
    assert "s3cr3t" not in UNTRUSTED.check("http://joe:s3cr3t@h\\x/").message


# --- proxies ---------------------------------------------------------------------------------------------------------


@each_row(("policy", "host", "port", "code"), PROXIES)
def test_a_proxy_is_judged(policy: Policy, host: str, port: int, code: str) -> None:
    assert policy.judge_proxy(host, port).code == code


def test_that_a_proxy_is_named_opens_no_address_for_a_url() -> None:
    assert NAMED.judge_proxy_address("10.0.0.5", 3128).allowed
    assert NAMED.judge_url(URL("http://10.0.0.5:3128/")).code == "address-private"


@pytest.mark.parametrize(("policy", "came_from", "code"), UNSEEN)
def test_a_name_that_a_proxy_would_look_up(policy: Policy, came_from: Provenance, code: str) -> None:
    assert policy.judge_unseen("h.example", came_from).code == code


def test_what_another_switch_shuts_is_not_told_as_allowed() -> None:
    detail = UNTRUSTED.judge_url(URL("ldap://example.org/")).message
    assert "ftp" in detail
    assert not {"file", "telnet", "rlogin", "tn3270"} & set(detail.replace(",", " ").replace(")", " ").split())
    assert "(file, " in UNTRUSTED.replace(files=True).judge_url(URL("ldap://example.org/")).message
