"""news and nntp against INN: what a person gets."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from anyurl.client.article import Part, read_article
from anyurl.client.client import Client, consent_to_all
from anyurl.dialogue import Secret
from anyurl.errors import AuthRequiredError, ConnectError, DeniedError, NotFoundError, RefusedError, SecretNeededError
from anyurl.guard.policy import Policy
from anyurl.schemes.news import session as nntp_session
from anyurl.testing import SmallNetwork
from anyurl.url import URL
from tests.peers.inn import HOST, PASSWORD, USER, Inn
from tests.schemes.news.wire.nntp_samples import UU_ARTICLE, YENC_ARTICLE, YENC_DATA
from tests.servers import Connection, Server

PUBLIC = "93.184.216.34"
ME = "me@example.org"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def inn(authority: trustme.CA) -> Iterator[Inn]:
    leaf = authority.issue_cert(HOST, "news.example.org")
    chain = b"".join(blob.bytes() for blob in leaf.cert_chain_pems)
    with contextlib.closing(Inn((chain, leaf.private_key_pem.bytes()))) as server:
        yield server


@pytest.fixture(scope="module")
def trust(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trust") / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return path


@pytest.fixture(scope="module")
def news(inn: Inn) -> Iterator[Client]:
    """A client whose news server is INN, where a few articles are."""
    with Client(Policy.open(), news_server=f"{HOST}:{inn.port}", identity=ME, ask_consent=consent_to_all) as client:
        for number, (subject, body) in enumerate(ARTICLES, 1):
            client.append("news:anyurl.test", article(f"{number}@test.example", subject, body))
        client.append("news:anyurl.test.binaries", YENC_ARTICLE)
        client.append("news:anyurl.test.binaries", UU_ARTICLE)
        yield client


ARTICLES = (
    (b"=?utf-8?q?Gr=C3=BC=C3=9Fe?=", b"Hello.\n"),
    (b"Dots", b".\n..\n.two\n\nEnd\n"),
    (b"Re: Dots", b"No end of line"),
)


def article(identifier: str, subject: bytes, body: bytes) -> bytes:
    return b"Subject: " + subject + b"\nMessage-ID: <" + identifier.encode() + b">\n\n" + body


def test_an_article_by_its_identifier(news: Client) -> None:
    resource = news.get("news:2@test.example")
    assert (resource.kind, resource.type, resource.name) == ("document", "message/rfc822", "Dots.eml")
    assert resource.attributes["from"] == ME
    assert resource.attributes["message_id"] == "2@test.example"
    assert resource.modified is not None
    head, body = resource.read().split(b"\r\n\r\n", 1)
    assert body == b".\r\n..\r\n.two\r\n\r\nEnd\r\n"
    assert b"\r\nNewsgroups: anyurl.test\r\n" in head


def test_an_article_by_its_number(news: Client, inn: Inn) -> None:
    resource = news.get(f"nntp://{HOST}:{inn.port}/anyurl.test/3")
    assert resource.attributes["number"] == 3
    assert resource.read().endswith(b"\r\n\r\nNo end of line\r\n")
    message = read_article(news.get(f"nntp://{HOST}:{inn.port}/anyurl.test/1")).message
    assert (message["Subject"], message.get_content()) == ("Grüße", "Hello.\r\n")


def test_a_group(news: Client, inn: Inn) -> None:
    resource = news.list("news:anyurl.test")
    assert resource.kind == "listing"
    assert resource.attributes == {"articles": 3, "first": 1, "last": 3}
    entries = list(resource.entries())
    assert [(str(entry.url), entry.title) for entry in entries] == [
        ("news:1@test.example", "Grüße"), ("news:2@test.example", "Dots"), ("news:3@test.example", "Re: Dots"),
    ]  # fmt: skip
    first = entries[0]
    assert (first.kind, first.type, first.attributes["from"]) == ("document", "message/rfc822", ME)
    assert first.attributes["nntp_url"] == f"nntp://{HOST}:{inn.port}/anyurl.test/1"
    assert first.size is not None
    assert first.modified is not None
    assert news.get(first.url).read().endswith(b"\r\n\r\nHello.\r\n")  # type: ignore[arg-type]


def test_what_is_listed_by_number_is_reached_by_number(news: Client, inn: Inn) -> None:
    root = f"nntp://{HOST}:{inn.port}/anyurl.test"
    assert [str(entry.url) for entry in news.list(f"{root}/2-3").entries()] == [f"{root}/2", f"{root}/3"]
    assert [entry.attributes["news_url"] for entry in news.list(f"{root}/2").entries()] == ["news:2@test.example"]
    assert list(news.list(f"{root}/7-9").entries()) == []
    there = f"news://{HOST}:{inn.port}/"
    assert next(str(entry.url) for entry in news.list(f"{there}anyurl.test").entries()) == f"{there}1@test.example"


def test_groups(news: Client, inn: Inn) -> None:
    assert [entry.name for entry in news.list("news:*").entries()] == [
        "anyurl.test", "anyurl.test.binaries", "anyurl.announce", "anyurl.readonly", "control", "control.cancel",
        "junk",
    ]  # fmt: skip
    entries = list(news.list(f"news://{HOST}:{inn.port}/anyurl.*,!*binaries").entries())
    assert [(entry.title, entry.attributes["posting"]) for entry in entries] == [
        ("Where tests post", "open"), ("Moderated", "moderated"), ("Nobody posts here", "closed"),
    ]  # fmt: skip
    assert str(entries[0].url) == f"news://{HOST}:{inn.port}/anyurl.test"
    assert list(news.list("news:nothing.*").entries()) == []


def test_attributes(news: Client, inn: Inn) -> None:
    group = news.stat("news:anyurl.test")
    assert group.kind == "listing"
    assert (group.attributes["description"], group.attributes["posting"]) == ("Where tests post", "open")
    found = news.stat(f"nntp://{HOST}:{inn.port}/anyurl.test/2")
    listed = next(e for e in news.list("news:anyurl.test").entries() if e.name == "Dots")
    assert (found.attributes["subject"], found.size) == ("Dots", listed.size)
    assert news.stat("news:2@test.example").size is None  # INN counts by number only
    server = news.stat(f"news://{HOST}:{inn.port}/")
    assert server.attributes["capabilities"]["compress"] == ["DEFLATE"]


def test_search(news: Client) -> None:
    assert [str(e.url) for e in news.search("news:anyurl.test", "dots re:").entries()] == ["news:3@test.example"]
    assert [e.name for e in news.search("news:*", "pictures").entries()] == ["anyurl.test.binaries"]
    found = [str(e.url) for e in news.search("news:anyurl.test", "since:2020-01-01").entries()]
    assert found == [f"news:{number}@test.example" for number in (1, 2, 3)]
    assert list(news.search("news:anyurl.test", "dots since:2200-01-01").entries()) == []
    assert set(found) < {str(e.url) for e in news.search("news:anyurl.*", "since:2020-01-01").entries()}  # NEWNEWS


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("news:nope@test.example", "430"),
        ("news:nope.nope", "411"),
        ("nntp://{server}/anyurl.test/99", "423"),
        ("nntp://{server}/nope.nope/1", "411"),
    ],
)
def test_what_is_not_there(news: Client, inn: Inn, url: str, said: str) -> None:
    with pytest.raises(NotFoundError, match=said):
        news.get(url.format(server=f"{HOST}:{inn.port}"))


def parts_of(news: Client, identifier: str) -> list[Part]:
    return read_article(news.get(f"news:{identifier}")).parts()


def test_files_in_articles(news: Client) -> None:
    text, file = parts_of(news, "yenc@test.example")
    assert (text.type, file.coding, file.name, file.fault) == ("text/plain", "yenc", "all.bin", None)
    assert file.data == YENC_DATA
    assert parts_of(news, "uu@test.example")[1].data == b"Cat"
    resource = news.get("news:yenc@test.example", view="all.bin")
    assert (resource.type, resource.size, resource.read()) == ("application/octet-stream", len(YENC_DATA), YENC_DATA)
    with pytest.raises(
        NotFoundError, match=r"has no part 'image/png'; it has 1 text/plain, 2 application/octet-stream"
    ):
        news.get("news:yenc@test.example", view="image/png")


def test_posting_is_refused(news: Client) -> None:
    with pytest.raises(DeniedError, match="441"):
        news.append("news:anyurl.readonly", article("no@test.example", b"x", b"x\n"))
    with pytest.raises(DeniedError, match="441"):
        news.append("news:anyurl.test", article("1@test.example", b"again", b"x\n"))
    assert news.get("news:1@test.example").read().endswith(b"\r\n\r\nHello.\r\n")


def test_many_articles_over_one_compressed_connection(inn: Inn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nntp_session, "COMPRESS_FROM_LINES", 10)
    network = SmallNetwork({}, {(HOST, inn.port): (HOST, inn.port)})
    with Client(
        Policy.open(), news_server=f"{HOST}:{inn.port}", identity=ME, network=network, ask_consent=consent_to_all
    ) as client:
        for number in range(12):
            client.append("news:anyurl.test.binaries", article(f"many{number}@test.example", b"Many %d" % number, b"x"))
        assert len(network.connected) == 12  # what is posted on a kept connection might be posted twice
        for _ in range(2):
            entries = list(client.list("news:anyurl.test.binaries").entries())
            assert [e.title for e in entries][-3:] == ["Many 9", "Many 10", "Many 11"]
        assert client.get("news:many7@test.example").read().endswith(b"\r\n\r\nx\r\n")
        assert len(network.connected) == 12  # and what is asked goes over one that was kept


# --- logins and TLS --------------------------------------------------------------------------------------------------


def public(port: int, seen: int) -> SmallNetwork:
    """A network in which INN stands at a public address: what goes there passes other machines."""
    return SmallNetwork({"news.example.org": [PUBLIC]}, {(PUBLIC, seen): (HOST, port)})


@pytest.mark.parametrize(
    ("url", "which"),
    [
        ("nntp://news.example.org/anyurl.test/1", "login_port"),  # TLS begins before the password goes out
        ("nntps://news.example.org:119/anyurl.test/1", "login_port"),  # TLS begins at once
        ("nntps://news.example.org/anyurl.test/1", "tls_port"),
        ("snews://news.example.org/1@test.example", "tls_port"),
    ],
)
def test_a_login_over_tls(news: Client, inn: Inn, trust: Path, url: str, which: str) -> None:
    asked: list[tuple[str, str, str]] = []

    def ask(host: str, user: str, kind: str) -> Secret:
        asked.append((host, user, kind))
        return Secret(PASSWORD, USER)

    network = public(getattr(inn, which), URL(url).port or 0)
    with Client(Policy.untrusted(), network=network, ca_file=trust, ask_secret=ask) as client:
        assert client.get(url).read().endswith(b"\r\n\r\nHello.\r\n")
        assert asked == [("news.example.org", "", "news password")]


def test_a_certificate_that_nobody_vouches_for(news: Client, inn: Inn) -> None:
    with Client(Policy.untrusted(), network=public(inn.tls_port, 563)) as client:
        with pytest.raises(ConnectError, match="certificate"):
            client.get("nntps://news.example.org/anyurl.test/1")


def test_logins_that_fail(news: Client, inn: Inn, trust: Path) -> None:
    url = "nntp://news.example.org/anyurl.test/1"
    with Client(Policy.untrusted(), network=public(inn.login_port, 119), ca_file=trust) as client:
        with pytest.raises(SecretNeededError, match=r"news.example.org asks for a login \(“480 "):
            client.get(url)
    with Client(
        Policy.untrusted(), network=public(inn.login_port, 119), ca_file=trust,
        ask_secret=lambda *_: Secret("wrong-pw", USER),
    ) as client:  # fmt: skip
        with pytest.raises(AuthRequiredError, match="does not take the login of 'guest': “481 ") as caught:
            client.get(url)
        assert "wrong-pw" not in str(caught.value)


def test_the_configured_user(news: Client, inn: Inn, trust: Path) -> None:
    asked: list[str] = []

    def ask(host: str, user: str, kind: str) -> Secret:
        asked.append(user)
        return Secret(PASSWORD)

    with Client(
        Policy.untrusted(), network=public(inn.login_port, 119), ca_file=trust, ask_secret=ask,
        news_server=f"{USER}@news.example.org",
    ) as client:  # fmt: skip
        assert client.stat("news:anyurl.test").attributes["articles"] == 3
        assert client.stat("nntp://news.example.org/anyurl.test").attributes["articles"] == 3
    assert asked == [USER, USER]


def test_a_password_is_never_sent_in_the_clear() -> None:
    """A server without TLS that wants a login gets none; a configured one on this machine does."""

    def part(connection: Connection) -> None:
        connection.send(b"200 hello\r\n")
        replies = {b"CAPABILITIES": b"101\r\nREADER\r\n.\r\n", b"AUTHINFO USER guest": b"381\r\n",
                   b"AUTHINFO PASS welcome": b"281\r\n", b"GROUP a.b": b"480 who?\r\n"}  # fmt: skip
        while line := connection.line():
            connection.send(replies.get(line, b"480 who?\r\n"))
            if line.startswith(b"AUTHINFO PASS"):
                replies[b"GROUP a.b"] = b"211 0 1 0 a.b\r\n"

    with Server(part) as server:
        ask = Secret(PASSWORD, USER)
        with Client(Policy.untrusted(), network=public(server.port, 119), ask_secret=lambda *_: ask) as client:
            with pytest.raises(RefusedError, match="a password is never sent in the clear to another machine"):
                client.list("nntp://news.example.org/a.b")
        assert b"AUTHINFO" not in server.received[0]
        with Client(Policy.default(), news_server=f"{HOST}:{server.port}", ask_secret=lambda *_: ask) as client:
            assert list(client.list("news:a.b").entries()) == []
        assert b"AUTHINFO PASS welcome\r\n" in server.received[1]
