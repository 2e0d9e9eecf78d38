"""RFC 1738 3.1: the syntax that the schemes of the Internet share."""

from __future__ import annotations

import pytest

from anyurl import URL, parse
from anyurl.errors import URLSyntaxError
from anyurl.grammar import diagnose
from anyurl.grammar.matcher import matcher
from tests.clauses.kit import connects, errors, is_url, sent
from tests.rows import each_row


@pytest.mark.clause("3.1-1")
def test_all_the_parts() -> None:
    url = parse("ftp://user:password@host.dom:2121/a/b", "rfc1738")
    assert (url.user, url.password, url.host, url.port) == ("user", "password", "host.dom", 2121)
    assert url.url_path == "a/b"
    assert is_url(str(url))


@pytest.mark.clause("3.1-2")
@pytest.mark.parametrize("text", ["ftp://h/a", "ftp://u@h/a", "ftp://h:21/a", "ftp://u:p@h", "ftp://u@h:21", "ftp://h"])
def test_some_of_them_may_be_left_out(text: str) -> None:
    assert is_url(text)
    assert parse(text, "rfc1738").host == "h"


@pytest.mark.clause("3.1-3")
@pytest.mark.parametrize("text", ["ftp:h/a", "ftp:/h/a", "http:h", "gopher:h", "telnet:h", "wais:h/d", "nntp:h/a"])
def test_they_begin_with_two_slashes(text: str) -> None:
    assert not is_url(text)
    with pytest.raises(URLSyntaxError):
        URL(text)


@pytest.mark.clause("3.1-4")
def test_the_user_may_be_left_out() -> None:
    assert URL("ftp://h/").user is None
    assert URL("ftp://u@h/").user == "u"
    assert is_url("ftp://h/")


@pytest.mark.clause("3.1-5")
def test_the_password_stands_behind_the_user_and_a_colon() -> None:
    assert (URL("ftp://u:p@h/").user, URL("ftp://u:p@h/").password) == ("u", "p")


@pytest.mark.clause("3.1-6")
@pytest.mark.parametrize("char", ":@/")
def test_what_delimits_is_encoded_in_a_user_and_a_password(char: str) -> None:
    encoded = f"%{ord(char):02X}"
    url = parse(f"ftp://a{encoded}b:c{encoded}d@h/", "rfc1738")
    assert (url.user, url.password, url.host) == (f"a{char}b", f"c{char}d", "h")
    assert not is_url(f"ftp://u:c{char}d@h/")
    assert not is_url("ftp://a@b@h/")
    built = URL.build(scheme="ftp", user=f"a{char}b", password=f"c{char}d", host="h", path="/")
    assert str(built.normalize("rfc1738")) == f"ftp://a{encoded}b:c{encoded}d@h/"


@pytest.mark.clause("3.1-7")
@pytest.mark.parametrize("char", ";?&=")
def test_others_may_stand_there(char: str) -> None:
    url = parse(f"ftp://a{char}b:c{char}d@h/", "rfc1738")
    assert (url.user, url.password, url.host) == (f"a{char}b", f"c{char}d", "h")


@pytest.mark.clause("3.1-8")
def test_an_empty_user_is_not_no_user() -> None:
    assert (URL("ftp://@host.com/").user, URL("ftp://host.com/").user) == ("", None)
    assert URL("ftp://@host.com/") != URL("ftp://host.com/")
    assert not URL("ftp://@host.com/").is_equivalent(URL("ftp://host.com/"))


@pytest.mark.clause("3.1-9")
def test_an_empty_password_is_not_no_password() -> None:
    assert (URL("ftp://foo:@host.com/").password, URL("ftp://foo@host.com/").password) == ("", None)
    assert not URL("ftp://foo:@host.com/").is_equivalent(URL("ftp://foo@host.com/"))


@pytest.mark.clause("3.1-10")
def test_there_is_no_password_without_a_user() -> None:
    for scheme in ("ftp", "telnet", "x-own"):
        with pytest.raises(URLSyntaxError, match="a password needs a user"):
            URL.build(scheme=scheme, password="p", host="h", path="/")
    # A user is named here, the empty one (3.1-8); the diagnosis warns of it.
    assert URL("ftp://:p@h/").user == parse("ftp://:p@h/", "rfc1738").user == ""
    (told,) = [one for one in diagnose("ftp://:p@h/", "rfc1738") if one.code == "password-without-user"]
    assert told.severity == "warning"


@pytest.mark.clause("3.1-11", "5-13")
@each_row(
    ("host", "fault"),
    [
        ("a.b-c.d9", ""),
        ("9a.b", ""),
        ("a", ""),
        ("a-.b", "host-hyphen"),
        ("a.-b", "host-hyphen"),
        ("a..b", "host-label"),
        ("a_b.c", "host-character"),
        ("a%41.b", "host-escape"),
        ("a.b.", "host-dot"),
    ],
)
def test_a_host_is_labels_of_letters_digits_and_hyphens(host: str, fault: str) -> None:
    for text in (f"http://{host}/", f"ftp://u@{host}/x", f"telnet://{host}:23/", f"news:a@{host}", f"file://{host}/x"):
        assert [code for code, _ in errors(text)] == [fault] * bool(fault), text
        if fault:
            with pytest.raises(URLSyntaxError):
                parse(text, "rfc1738")
        else:
            assert parse(text, "rfc1738").grammar == "rfc1738"


@pytest.mark.clause("5-13")
def test_the_productions_of_a_host() -> None:
    takes = {
        "domainlabel": ["a", "1", "a-b", "1-2", "a1"], "toplabel": ["a", "a-b", "a1"], "hostnumber": ["1.2.3.4"],
        "hostname": ["a", "a-b", "a1", "1.a"],
    }  # fmt: skip
    texts = ["a", "1", "a-b", "1-2", "a1", "1.a", "a.1", "-a", "a-", "a_b", "a..b", "1.2.3", "1.2.3.4", "1.2.3.4.5", ""]
    for name, taken in takes.items():
        assert [text for text in texts if matcher("rfc1738", name).accepts(text)] == taken, name


@pytest.mark.clause("3.1-12", "5-13")
@pytest.mark.parametrize("host", ["a.1b", "a.b.9", "1a"])
def test_the_rightmost_label_never_starts_with_a_digit(host: str) -> None:
    assert [code for code, _ in errors(f"http://{host}/")] == ["host-digit"]


@pytest.mark.clause("3.1-13", "5-13")
def test_or_it_is_an_address_of_four_decimals() -> None:
    assert parse("http://192.0.2.1/", "rfc1738").host == "192.0.2.1"
    assert not is_url("http://192.0.2/")
    assert not is_url("http://192.0.2.1.5/")
    assert not is_url("http://0x7f.0.0.1/")


@pytest.mark.clause("3.1-14")
def test_each_of_them_is_an_octet() -> None:
    assert is_url("http://255.255.255.255/")
    assert not is_url("http://256.0.0.1/")
    assert not is_url("http://1.2.3.999/")


@pytest.mark.clause("3.1-15")
def test_a_port_is_a_decimal_number_behind_a_colon() -> None:
    assert (parse("http://h:8080/", "rfc1738").port, URL("http://h:0080/").port) == (8080, 80)
    assert [URL(f"http://h:{port}/").port for port in (1, 443, 1023, 65535)] == [1, 443, 1023, 65535]
    assert not is_url("http://h:80a/")
    assert not is_url("http://h:65536/")


@pytest.mark.clause("3.1-16")
def test_without_a_port_there_is_no_colon() -> None:
    assert [code for code, _ in errors("http://h:/")] == ["port-empty"]
    assert str(URL.build(scheme="http", host="h", path="/")) == "http://h/"


@pytest.mark.clause("3.1-17", "3.2-2", "3.3-2", "3.4.1-2", "3.7-2", "3.8-2", "3.9-2", "3.11-2")
@pytest.mark.parametrize(
    ("scheme", "port"),
    [
        ("ftp", 21),
        ("http", 80),
        ("gopher", 70),
        ("nntp", 119),
        ("telnet", 23),
        ("wais", 210),
        ("prospero", 1525),
    ],
)
def test_the_port_of_a_scheme(scheme: str, port: int) -> None:
    assert URL(f"{scheme}://h/a").port == port
    assert URL(f"{scheme}://h:{port}/a").is_equivalent(URL(f"{scheme}://h/a"))
    path = {"telnet": "/", "nntp": "/a/1"}.get(scheme, "/a")
    assert connects(f"{scheme}://h{path}")[0].startswith(f"connect to h port {port}")


@pytest.mark.clause("3.1-18")
def test_the_slash_before_the_path_is_no_part_of_it() -> None:
    assert (URL("ftp://h/a").url_path, URL("ftp://h//a").url_path, URL("ftp://h").url_path) == ("a", "/a", "")
    assert URL("ftp://h/").url_path == ""


@pytest.mark.clause("3.1-19")
def test_what_a_path_means_depends_on_the_scheme() -> None:
    assert sent("ftp://h/1a/b")[0:1] == ["USER anonymous"]
    assert sent("gopher://h/1a/b") == ["a/b"]
    assert sent("http://h/1a/b")[0] == "GET /1a/b HTTP/1.1"


@pytest.mark.clause("3.1-20")
@pytest.mark.parametrize(
    "text", ["ftp://good.dom?@evil.dom/x", "ftp://u:good.dom?x@evil.dom/x", "telnet://a?b@evil.dom/"]
)
def test_a_question_mark_in_a_user_leads_to_the_same_host_whatever_is_done_with_the_url(text: str) -> None:
    url = parse(text, "rfc1738")
    assert url.host == "evil.dom"
    assert {one.host for one in (url.normalize("rfc1738"), url.without_fragment(), url.normalize())} == {"evil.dom"}
    try:
        today = URL(text)
    except URLSyntaxError:
        return
    assert today.host == "evil.dom" or today != url
