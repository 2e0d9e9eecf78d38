"""The hop rule, row for row: each rule for each scheme and each reason to go on, and what opens it."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LimitError
from anyurl.guard import hops
from anyurl.guard.policy import Policy
from anyurl.url import URL, syntax
from anyurl.values import CONFIGURATION, STRANGER, USER, Provenance, Scope, Who
from tests.rows import each_row

WHO: tuple[Who, ...] = get_args(Who)
STRANGERS = [who for who in WHO if who not in ("user", "configuration")]
CHOSEN, UNASKED = ("document", "listing", "search"), ("redirect", "reply")
SCHEMES = sorted(name for name, row in syntax.ROWS.items() if row.module is not None)


def at(url: str, who: Who = "listing", scope: Scope | None = Scope.PUBLIC) -> Provenance:
    return hops.named_by(URL(url), who, scope, USER)


def code(url: str, origin: Provenance, *, inward: bool = False, downgrade: bool = False) -> str:
    found = hops.fault(URL(url), origin, inward=inward, downgrade=downgrade)
    return "allowed" if found is None else found[0]


def test_a_refusal_names_the_host_or_nothing() -> None:
    for url, host in (("file:/etc/hostname", ""), ("file://localhost/etc/hostname", "localhost")):
        found = hops.fault(URL(url), at("http://a.example/"), inward=False, downgrade=False)
        assert found == ("file-hop", host)


ROWS: list[tuple[str, str, tuple[str, ...], str]] = [
    # files
    ("gopher://a.example/1", "file:///etc/hostname", tuple(STRANGERS), "file-hop"),
    ("http://a.example/", "file://localhost/etc/hostname", tuple(STRANGERS), "file-hop"),
    ("file:///srv/", "file:///srv/x", ("listing", "search"), "allowed"),
    ("file:///srv/page.html", "file:///etc/passwd", ("document", "redirect", "reply"), "file-hop"),
    # TLS to clear: every scheme that has both
    ("https://a.example/", "http://a.example/", tuple(STRANGERS), "clear-hop"),
    ("gophers://a.example/1", "gopher://a.example/1", tuple(STRANGERS), "clear-hop"),
    ("ftps://a.example/", "ftp://a.example/", tuple(STRANGERS), "clear-hop"),
    ("nntps://a.example/g", "nntp://a.example/g/1", tuple(STRANGERS), "clear-hop"),
    ("snews://a.example/g", "news://a.example/g", tuple(STRANGERS), "clear-hop"),
    ("gophers://a.example/1", "wais://a.example/d", tuple(STRANGERS), "clear-hop"),
    ("gophers://a.example/1", "prospero://a.example/d", tuple(STRANGERS), "clear-hop"),
    ("gophers://a.example/1", "x-new://a.example/d", tuple(STRANGERS), "clear-hop"),
    ("gophers://a.example/1", "z39.50s://a.example/d", tuple(STRANGERS), "clear-hop"),  # RFC 2056: a session
    ("gophers://a.example/1", "telnet://a.example/", CHOSEN, "clear-hop"),
    ("gophers://a.example/1", "https://b.example/", tuple(STRANGERS), "allowed"),
    ("gopher://a.example/1", "http://b.example/", tuple(STRANGERS), "allowed"),
    # what names no host goes to the user's own servers, if anywhere
    ("https://a.example/", "news:comp.lang.python", CHOSEN, "allowed"),
    ("https://a.example/", "mailto:me@b.example", CHOSEN, "allowed"),
    ("gophers://a.example/", "news:comp.lang.python", UNASKED, "allowed"),
    # a document never becomes a session unasked
    ("gopher://a.example/0x", "telnet://b.example/", UNASKED, "service-hop"),
    ("prospero://a.example/x", "rlogin://b.example/", UNASKED, "service-hop"),
    ("prospero://a.example/x", "data:,x", UNASKED, "data-hop"),
    ("http://a.example/", "data:text/html,x", UNASKED, "data-hop"),
    ("prospero://a.example/x", "tn3270://b.example/", UNASKED, "service-hop"),
    ("gopher://a.example/0x", "telnet://b.example/", CHOSEN, "allowed"),
    # the web leads to the web
    ("http://a.example/", "ftp://b.example/", UNASKED, "redirect-scheme"),
    ("http://a.example/", "mailto:me@b.example", UNASKED, "redirect-scheme"),
    ("https://a.example/", "gophers://b.example/", UNASKED, "redirect-scheme"),
    ("http://a.example/", "ftp://b.example/", CHOSEN, "allowed"),
    ("http://a.example/", "https://b.example/", UNASKED, "allowed"),
    ("prospero://a.example/x", "ftp://b.example/", UNASKED, "allowed"),
    # answers that somebody else wrote
    ("gopher://a.example/1", "gopher://a.example/0s%09%09+%091%0D%0A", tuple(STRANGERS), "form-hop"),
    ("http://a.example/", "gopher://b.example/0s%0a", CHOSEN, "form-hop"),
]


@pytest.mark.promise("provenance")
@each_row(("here", "there", "whos", "expected"), ROWS)
def test_the_rule(here: str, there: str, whos: tuple[Who, ...], expected: str) -> None:
    assert [code(there, at(here, who)) for who in whos] == [expected] * len(whos)
    for own in (USER, CONFIGURATION):
        assert code(there, own) == "allowed"


@each_row(("here", "there", "whos", "expected"), ROWS)
def test_one_switch_opens_one_rule(here: str, there: str, whos: tuple[Who, ...], expected: str) -> None:
    opens = {"file-hop": "inward", "clear-hop": "downgrade"}.get(expected)
    for switch in ("inward", "downgrade"):
        found = code(there, at(here, whos[0]), **{switch: True})
        assert found == ("allowed" if switch == opens else expected)


@each_row("who", STRANGERS)
@each_row("scheme", SCHEMES)
def test_no_scheme_leads_from_tls_to_a_clear_connection(scheme: str, who: Who) -> None:
    """Over every pair of schemes that are spoken and can name a host."""
    origin = Provenance(who, scheme=scheme, host="a.example", port=1, tls=scheme in hops.SECURE)
    for other in SCHEMES:
        if syntax.ROWS[other].authority == "forbidden" or other == "file":
            continue
        clear = code(f"{other}://b.example/x", origin)
        assert (clear == "allowed") <= (scheme not in hops.SECURE or other in hops.SECURE)


def test_every_scheme_with_tls_is_known_to_have_it() -> None:
    twins = {name for name in syntax.ROWS if name.endswith("s") and name[:-1] in syntax.ROWS} | {"snews"}
    assert twins - hops.SECURE == {"z39.50s"}  # RFC 2056: the "s" is that of a session
    assert not hops.SECURE & {"http", "ftp", "gopher", "nntp", "news", "telnet", "wais", "prospero", "mailto", "file"}


# --- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.promise("provenance")
@given(st.sampled_from(Scope), st.sampled_from(Scope), st.sampled_from(STRANGERS))
def test_no_less_public_place(where: Scope, scope: Scope, who: Who) -> None:
    origin = Provenance(who, scope=scope)
    assert origin.scope is not None
    assert hops.leads_inward(where, origin) == (where is Scope.LINK or where > origin.scope)
    assert not hops.leads_inward(where, USER)


@each_row(
    ("text", "scope"),
    [
        ("http://127.0.0.1:8000/", Scope.LOCAL), ("http://[::1]/", Scope.LOCAL), ("gopher://10.0.0.1/", Scope.PRIVATE),
        ("http://a.example/", Scope.PUBLIC), ("http://localhost/", Scope.PUBLIC), ("http://8.8.8.8/", Scope.PUBLIC),
        ("http://[::ffff:10.0.0.1]/", Scope.PUBLIC), ("http://169.254.169.254/", Scope.LINK),
        ("file:///srv/links.html", Scope.PUBLIC), ("mailto:me@a.example", Scope.PUBLIC),
    ],
)  # fmt: skip
def test_the_scope_of_a_text_of_which_the_url_is_all_that_is_known(text: str, scope: Scope) -> None:
    """A name may have any address; a mapped address counts as its most public form."""
    origin = hops.named_in(URL(text))
    assert (origin.who, origin.scope, origin.own) == ("document", scope, False)


# --- logins --------------------------------------------------------------------------------------------------------

ALICE = "ftp://alice@a.example:2121/"


@pytest.mark.promise("provenance")
@each_row(
    ("there", "origin", "left"),
    [
        ("ftp://alice:pw@b.example/", USER, "ftp://alice:pw@b.example/"),
        ("ftp://alice:pw@b.example/", CONFIGURATION, "ftp://alice:pw@b.example/"),
        ("ftp://a.example/x", at(ALICE), "ftp://a.example/x"),
        (ALICE + "x", at(ALICE), ALICE + "x"),
        ("ftp://alice@b.example:2121/", at(ALICE), "ftp://b.example:2121/"),
        ("ftp://alice@a.example/", at(ALICE), "ftp://a.example/"),
        ("ftps://alice@a.example:2121/", at(ALICE), "ftps://a.example:2121/"),
        ("ftp://bob@a.example:2121/", at(ALICE), "ftp://a.example:2121/"),
        ("ftp://alice@a.example:2121/", at("ftp://a.example:2121/"), "ftp://a.example:2121/"),
        ("ftp://:pw@a.example/", at("ftp://a.example/"), "ftp://a.example/"),
        ("ftp://@a.example/", at("ftp://a.example/"), "ftp://a.example/"),
        ("http://u:p@a.example/", STRANGER, "http://a.example/"),
        ("telnet://guest@a.example/", at("gopher://a.example/"), "telnet://guest@a.example/"),
    ],
)
def test_a_login_is_the_users_own_for_that_very_place(there: str, origin: Provenance, left: str) -> None:
    url, note = hops.without_login(URL(there), origin)
    assert str(url) == left
    assert (note is None) == (left == there)
    if note is not None:
        assert note.startswith(f"The user and password in {left}")
        assert "pw" not in note


@each_row(
    ("url", "origin", "expected"),
    [
        ("ftp://alice@a.example:9999/", USER, True),
        (ALICE, at(ALICE), True),
        ("ftp://a.example:2122/", at(ALICE), False),
        ("ftps://a.example:2121/", at(ALICE), False),
        ("ftp://b.example:2121/", at(ALICE), False),
        ("ftp://a.example/", STRANGER, False),
        ("news:x.y", at("news:x.y"), True),
        ("news:x.y", at("http://a.example/"), False),
    ],
)
def test_passwords_go_no_further_than_where_they_came_from(url: str, origin: Provenance, expected: bool) -> None:
    assert hops.may_use_secrets(URL(url), origin) is expected


@pytest.mark.parametrize("scheme", ["gopher", "gophers", "ftp", "http", "x-unheard-of"])
def test_an_encoded_line_end_in_a_gopher_url_is_an_answered_form(scheme: str) -> None:
    for path, has in (
        ("0a", False),
        ("0a%0D", True),
        ("0a%0d", True),
        ("0a%0A", True),
        ("0a%0a%0d", True),
        ("", False),
    ):
        assert hops.is_form(URL(f"{scheme}://h.example/{path}")) is (has and scheme in ("gopher", "gophers"))


# --- what is sent --------------------------------------------------------------------------------------------------


@each_row(
    ("url", "origin", "message", "content"),
    [
        ("mailto:me@a.example", USER, True, True),
        ("mailto:me@a.example", at("http://a.example/", "document"), False, True),
        ("mailto:me@a.example", Provenance("redirect", scheme="http"), False, False),
        ("nntp://a.example/g", at("nntp://a.example/*"), True, True),
        ("nntp://a.example/g", at("nntp://a.example/*", "redirect"), False, True),
        ("nntp://a.example/g", at("nntp://a.example/*", "document"), True, True),
        ("news:a.group", at("news:*", "document"), False, True),
        ("news:a.group", at("news:*", "search"), True, True),
        ("nntp://b.example/g", at("nntp://a.example/*"), False, True),
        ("news:a.group", at("news:*"), True, True),
        ("news:a.group", at("nntp://a.example/*"), False, True),
        ("mailto:me@a.example", at("mailto:you@a.example", "document"), False, True),
        ("nntp://b.example/g", at("nntp://a.example/*", "redirect"), False, False),
        ("ftp://a.example/x", at("ftp://a.example/"), True, True),
    ],
)
def test_what_goes_out_was_asked_for(url: str, origin: Provenance, message: bool, content: bool) -> None:
    assert hops.may_deliver(URL(url), origin) is message
    assert hops.may_carry(URL(url), origin) is content
    assert Policy.default().judge_delivery(URL(url), origin).allowed is message
    assert Policy.default().judge_content(URL(url), origin).allowed is content


def test_a_chain_has_an_end() -> None:
    past = [URL(f"http://a.example/{number}") for number in range(3)]
    hops.refuse_circle(URL("http://a.example/9"), past, 3)
    with pytest.raises(LimitError, match="more than 2 times"):
        hops.refuse_circle(URL("http://a.example/9"), past, 2)
    hops.refuse_circle(past[1], past, 3, asked=1)
    with pytest.raises(LimitError, match="was requested 2 times, and is redirected to itself again"):
        hops.refuse_circle(past[1], past, 3, asked=2)
    hops.refuse_circle(past[1], past, 3, asked=2, cookie=True, cookies_kept=True)
    with pytest.raises(LimitError, match="requires a cookie, and cookies are off"):
        hops.refuse_circle(past[1], past, 3, asked=2, cookie=True)
    with pytest.raises(LimitError, match="leads back to itself"):
        hops.refuse_circle(URL("prospero://a.example/x"), past, 3, asked=1)


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (USER, "the user"), (STRANGER, "someone else"), (at("gophers://a.example/1"), "a listing at gophers://a.example"),
        (at("http://[::1]/", "redirect"), "the server at http://[::1]"),
        (at("file:///x", "document"), "a document on this machine"), (at("news:*"), "a listing of news"),
    ],
)  # fmt: skip
def test_who_it_was_in_words(origin: Provenance, words: str) -> None:
    assert hops.place(origin) == words


def test_a_strangers_link_to_a_place_that_leads_on_to_itself_gets_nothing_that_the_user_keeps() -> None:
    """Attack: two steps to a server of the user's, and the second one would have come from that very place."""
    there = URL("nntps://news.example/a.b")
    own = hops.named_by(there, "redirect", Scope.PUBLIC, USER)
    stranger = hops.named_by(URL("gopher://evil.example/1"), "listing", Scope.PUBLIC, USER)
    led = hops.named_by(there, "redirect", Scope.PUBLIC, stranger)
    assert (hops.may_use_secrets(there, own), hops.may_use_secrets(there, led)) == (True, False)
    assert not hops.may_use_secrets(there, hops.named_by(there, "listing", Scope.PUBLIC, led))
    assert own.key != led.key


@each_row(
    ("method", "status", "after"),
    [
        ("POST", 301, "GET"), ("POST", 302, "GET"), ("POST", 303, "GET"), ("POST", 307, "POST"), ("POST", 308, "POST"),
        ("PUT", 301, "PUT"), ("PUT", 302, "PUT"), ("PUT", 303, "GET"), ("PUT", 304, "PUT"), ("HEAD", 303, "HEAD"),
    ],
)  # fmt: skip
def test_the_method_after_a_redirection(method: str, status: int, after: str) -> None:
    """RFC 9110 15.4."""
    assert hops.method_after(method, status) == after


@pytest.mark.parametrize(
    ("there", "led", "expected"),
    [
        ("gophers://a.example/", "gopher://a.example/", "clear-hop"),
        ("gopher://a.example/", "gopher://a.example/", "allowed"),
        ("gopher://8.8.8.8/", "http://10.0.0.1/", "address-hop"),
    ],
)
def test_what_a_gateway_hands_out_comes_from_where_the_url_says(there: str, led: str, expected: str) -> None:
    origin = hops.named_through(URL(there), "listing")
    url = URL(led)
    assert (origin.host, origin.port, origin.kept) == (URL(there).host, URL(there).port, False)
    found = code(led, origin)
    if found == "allowed":
        found = Policy.default().judge_endpoint(url.scheme, url.host or "", url.port, origin).code
    assert found == expected
