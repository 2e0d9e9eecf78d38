"""RFC 1738 3.5 to 3.8: mailboxes, news and interactive services."""

from __future__ import annotations

import pytest

from anyurl import URL, diagnose, parse
from anyurl.client.dry_run import DryRun, dry_run
from anyurl.dialogue import Describe, Note, Options
from anyurl.errors import UnsupportedError, URLSyntaxError
from anyurl.grammar.matcher import matcher
from anyurl.schemes import registry
from anyurl.schemes.mailto.parts import MailtoParts
from anyurl.schemes.news.nntp import NntpParts
from anyurl.schemes.news.verbs import NewsParts
from anyurl.schemes.telnet.verbs import get as telnet_get
from anyurl.schemes.telnet.wire.server import TelnetServer
from anyurl.testing import rehearse
from tests.clauses.kit import errors, is_url, sent
from tests.rows import each_row

# --- 3.5 -------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("3.5-1")
def test_a_mailto_url_designates_an_address_and_no_host() -> None:
    url = parse("mailto:joe@host.dom", "rfc1738")
    assert (url.host, url.port, url.path) == (None, None, "joe@host.dom")
    assert URL("mailto:joe@host.dom").parts == MailtoParts(["joe@host.dom"])
    assert errors("mailto:") == [("address-missing", "")]


@pytest.mark.clause("3.5-2", "5-4")
@each_row(
    ("address", "valid"),
    [
        ("joe@host.dom", True),
        ("joe.b+c=d@[192.0.2.1]", False),  # 2.2: brackets are unsafe
        ("joe.b+c=d@%5B192.0.2.1%5D", True),
        ("joe", False),
        ("@host", False),
        ("joe@", False),
        ("a@b@c", False),
        ("a,b@c", False),
        ("a@b,c@d", False),
        ("a@b,c", False),
        ("a@b.c,d.e", False),
        ("%C3%A9@b", False),  # RFC 822 is US-ASCII
    ],
)
def test_it_is_an_addr_spec(address: str, valid: bool) -> None:
    assert is_url(f"mailto:{address}") is valid


@pytest.mark.clause("3.5-3")
def test_a_quoted_string_is_one() -> None:
    """It is by the RFC's own grammar; today's parts have addresses of RFC 6068, which takes no blank in one."""
    url = parse("mailto:%22a%20b%22@d.e", "rfc1738")
    assert (url.scheme, url.path) == ("mailto", "%22a%20b%22@d.e")
    assert is_url("mailto:%22a%20b%22@d.e")
    with pytest.raises(URLSyntaxError) as caught:
        URL("mailto:%22a%20b%22@d.e").parts  # noqa: B018
    assert caught.value.diagnostics[0].section == "RFC 6068 2"
    assert URL("mailto:%22a.b%22@d.e").parts == MailtoParts(['"a.b"@d.e'])


@pytest.mark.clause("3.5-4")
@pytest.mark.parametrize("char", "/?&=")
def test_nothing_is_reserved_in_it(char: str) -> None:
    assert parse(f"mailto:a{char}b@c.d", "rfc1738").path == f"a{char}b@c.d"
    assert is_url(f"mailto:a%{ord(char):02X}b@c.d")
    assert URL(f"mailto:a%{ord(char):02X}b@c.d").parts == MailtoParts([f"a{char}b@c.d"])


@pytest.mark.clause("3.5-5")
def test_the_percent_sign_of_an_address_is_encoded() -> None:
    assert errors("mailto:user%host@gate.dom") != []
    assert URL("mailto:user%25host@gate.dom").parts == MailtoParts(["user%host@gate.dom"])
    assert MailtoParts(["user%host@gate.dom"]).url_path() == "user%25host@gate.dom"


@pytest.mark.clause("3.5-6")
def test_it_designates_no_data_object() -> None:
    url = URL("mailto:joe@host.dom")
    script = rehearse(registry.verb(url, "stat")(url, Options()), [None] * 9)
    assert [ask.kind for ask in script.asks if isinstance(ask, Describe)] == ["mailbox"]
    assert sent("mailto:joe@host.dom") == []


# --- 3.6 and 3.7 -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("3.6-1", "3.6-4")
def test_a_group_or_an_article() -> None:
    assert URL("news:comp.infosystems.www.misc").parts == NewsParts("comp.infosystems.www.misc")
    assert URL("news:a.b@c.d").parts == NewsParts(message_id="a.b@c.d")


@pytest.mark.clause("3.6-2", "5-15")
def test_the_name_of_a_group() -> None:
    assert is_url("news:comp.lang.c++")
    assert is_url("news:a-b.c_d.e+f")
    assert errors("news:9a.b") == [("group-start", "9")]
    assert errors("news:a.b*") == [("group-character", "*")]
    assert errors("news:a,b") == [("group-character", ",")]
    for text in ("news:a.", "news:a..b", "news:a.b."):
        assert [one.code for one in diagnose(text, "rfc1738")] == ["group-part"]
    group = matcher("rfc1738", "group")
    assert [text for text in ("a", "a9-b.c_d+e", "9a", "", "a*", "a,b") if group.accepts(text)] == ["a", "a9-b.c_d+e"]


@pytest.mark.clause("3.6-3")
def test_an_article_has_no_angle_brackets_and_a_host() -> None:
    assert is_url("news:unique.1@full.domain.name")
    assert not is_url("news:<unique.1@full.domain.name>")
    assert errors("news:@h") != []
    assert errors("news:a@") == [("host-empty", "")]
    assert sent("news://h/a.b@c.d")[-1] == "ARTICLE <a.b@c.d>"


@pytest.mark.clause("3.6-5")
@pytest.mark.parametrize("char", ";/?:&=")
def test_nothing_more_is_reserved_in_news(char: str) -> None:
    assert is_url(f"news:a{char}b@c.d")
    assert URL(f"news:a{char}b@c.d").parts == URL(f"news:a%{ord(char):02X}b@c.d").parts


@pytest.mark.clause("3.6-6")
def test_the_star_is_all_groups() -> None:
    assert is_url("news:*")
    assert URL("news:*").parts == NewsParts(wildmat="*")
    assert any(line.startswith("LIST ACTIVE") for line in sent("news://h/*", "list"))


@pytest.mark.clause("3.6-7")
def test_a_news_url_says_no_place() -> None:
    assert parse("news:a.b", "rfc1738").host is None
    assert dry_run_of("news:a@b", news_server="news.example")[0] == "connect to news.example port 119"
    assert errors("news://h/a.b") != []
    with pytest.raises(UnsupportedError, match="names no server, and no news server is configured"):
        dry_run_of("news:a@b")


def dry_run_of(text: str, **options: str) -> list[str]:
    return list(dry_run(text, "get", Options(**options)))  # type: ignore[arg-type]


@pytest.mark.clause("3.7-1")
def test_an_article_by_its_number() -> None:
    assert URL("nntp://news.host.dom:8119/comp.lang.c/1234").parts == NntpParts("comp.lang.c", 1234)
    assert sent("nntp://h/comp.lang.c/1234")[-2:] == ["GROUP comp.lang.c", "ARTICLE 1234"]


@pytest.mark.clause("3.7-2")
def test_the_port_of_nntp() -> None:
    assert URL("nntp://h/a.b/1").port == 119


@pytest.mark.clause("3.7-3")
@pytest.mark.parametrize("number", ["", "x", "1x", "-1", "%31"])
def test_the_number_is_digits(number: str) -> None:
    assert errors(f"nntp://h/a.b/{number}") == [("article-number", number)]
    with pytest.raises(URLSyntaxError, match="digits"):
        URL(f"nntp://h/a.b/{number}").parts  # noqa: B018


@pytest.mark.clause("3.7-4")
def test_a_group_of_one_server() -> None:
    assert is_url("nntp://h/a.b")
    assert URL("nntp://h/a.b").parts == NntpParts("a.b")
    assert not is_url("nntp://h")
    assert "GROUP a.b" in sent("nntp://h/a.b")


# --- 3.8 -------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("3.8-1")
def test_a_telnet_url_ends_with_its_host() -> None:
    assert is_url("telnet://user:password@host:2323/")
    assert is_url("telnet://host")
    assert errors("telnet://host/x") == [("path-forbidden", "x")]


@pytest.mark.clause("3.8-2")
def test_the_port_of_telnet() -> None:
    assert URL("telnet://h/").port == 23


@pytest.mark.clause("3.8-3")
def test_it_designates_a_service() -> None:
    url = URL("telnet://h/")
    script = rehearse(registry.verb(url, "stat")(url, Options()), [None] * 9)
    assert [ask.kind for ask in script.asks if isinstance(ask, Describe)] == ["service"]
    assert "put" not in registry.find_scheme("telnet").verbs


@pytest.mark.clause("3.8-4")
def test_user_and_password_are_advice() -> None:
    """The user is told the name, and of the password how to see it: no password is shown unasked."""
    script = rehearse(telnet_get(URL("telnet://joe:pw-in-url@h/"), Options()), [None] * 3)
    told = [ask.text for ask in script.asks if isinstance(ask, Note)]
    assert len(told) == 2
    assert "'joe'" in told[0]
    assert "anyurl parse --reveal" in told[1]
    assert "pw-in-url" not in "".join(told)


@pytest.mark.clause("3.8-5")
def test_neither_is_sent() -> None:
    # As most services do, the second one asks for a login.
    for greeting in ("Welcome.\n", "login: "):
        server = TelnetServer(greeting, lambda _line, _reader: ("Password: ", False))
        run = DryRun(telnet_get(URL("telnet://joe:pw-in-url@h/"), Options()), server).run()
        octets = b"".join(run.sent.values())
        assert octets
        assert b"joe" not in octets
        assert b"pw-in-url" not in octets
