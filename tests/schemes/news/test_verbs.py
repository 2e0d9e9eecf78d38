"""What news and nntp URLs make the client say (RFC 1738 3.6 and 3.7, RFC 3977), against playing servers."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from anyurl.client.client import Client, consent_to_all
from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options, Secret
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectionLost,
    DeniedError,
    LocalProtocolError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    UnavailableError,
    UnsupportedError,
    URLSyntaxError,
)
from anyurl.guard.policy import Policy
from anyurl.net.loop.provenance import Parties
from anyurl.schemes import registry
from anyurl.testing import rehearse
from anyurl.url import URL
from tests.rows import each_row
from tests.servers import Connection, Server, certificate

HEAD = b"Subject: x\r\nMessage-ID: <a@b>\r\n"
ARTICLE = b"220 1 <a@b>\r\n" + HEAD + b"\r\nbody\r\n.\r\n"
OVERVIEW = b"5\tx\tme\t\t<a@b>\t\t9\t1\r\n6\ty\tme\t\tno identifier\t\t9\t1\r\n"
MODERN = b"101 this\r\nVERSION 2\r\nREADER\r\nOVER\r\nHDR\r\n.\r\n"

REPLIES: Mapping[bytes, bytes] = {
    b"CAPABILITIES": MODERN,
    b"GROUP": b"211 2 5 6 a.b\r\n",
    b"ARTICLE": ARTICLE,
    b"OVER": b"224 lines\r\n" + OVERVIEW + b".\r\n",
    b"HEAD": b"221 1 <a@b>\r\n" + HEAD + b".\r\n",
    b"HDR": b"225 fields\r\n1 99\r\n.\r\n",
    b"LIST": b"215 groups\r\na.b 6 5 m\r\n.\r\n",
    b"POST": b"340 go on\r\n",
    b"QUIT": b"205 good-bye\r\n",
}


Replies: TypeAlias = "Mapping[bytes, bytes | list[bytes]]"
"""By the whole line, or by its first word; of several the next each time."""


def part(replies: Replies, greeting: bytes = b"200 ready\r\n") -> Callable[[Connection], None]:
    """A server that answers by the first word of each line, and takes what is posted."""
    left = {line: list(said) for line, said in replies.items() if isinstance(said, list)}

    def play(connection: Connection) -> None:
        connection.send(greeting)
        while line := connection.line():
            verb = line.split()[0].upper()
            found = replies.get(line, replies.get(verb, b"500 what?\r\n"))
            reply = found if isinstance(found, bytes) else left[verb].pop(0)
            connection.send(reply)
            if reply.startswith(b"340"):
                connection.until(b"\r\n.\r\n")
                posted = replies.get(b"posted", b"240 <new@server>\r\n")
                assert isinstance(posted, bytes)
                connection.send(posted)

    return play


class Talk:
    """A server, and a client whose news server it is."""

    def __init__(self, server: Server, client: Client) -> None:
        self.server = server
        self.client = client
        self.root = f"nntp://{server.authority}/"

    def said(self, connection: int = 0) -> list[bytes]:
        """The lines that the client sent."""
        return bytes(self.server.received[connection]).split(b"\r\n")[:-1]


@contextmanager
def talk(
    replies: Mapping[bytes, bytes | list[bytes]] = {}, greeting: bytes = b"200 ready\r\n", **client: object
) -> Iterator[Talk]:
    with Server(part({**REPLIES, **replies}, greeting)) as server:
        settings = {"news_server": server.authority, **client}
        with Client(Policy.open(), ask_consent=consent_to_all, **settings) as made:
            yield Talk(server, made)


SAID = [
    ("news:a@b", "get", [b"CAPABILITIES", b"ARTICLE <a@b>"]),
    ("{root}a.b/5", "get", [b"CAPABILITIES", b"GROUP a.b", b"ARTICLE 5"]),
    ("news:a.b", "list", [b"CAPABILITIES", b"GROUP a.b", b"OVER 5-6"]),
    ("news:a.b", "get", [b"CAPABILITIES", b"GROUP a.b", b"OVER 5-6"]),
    ("{root}a.b", "list", [b"CAPABILITIES", b"GROUP a.b", b"OVER 5-6"]),
    ("{root}a.b/5-6", "get", [b"CAPABILITIES", b"GROUP a.b", b"OVER 5-6"]),
    ("{root}a.b/6-9999999999999999", "get", [b"CAPABILITIES", b"GROUP a.b", b"OVER 6-6"]),  # no server counts so far
    ("{root}a.b/7-9", "get", [b"CAPABILITIES", b"GROUP a.b"]),  # nothing has these numbers: nothing is asked for
    ("news:*", "list", [b"CAPABILITIES", b"LIST NEWSGROUPS *", b"LIST ACTIVE *"]),
    ("news:a.*,!a.c", "list", [b"CAPABILITIES", b"LIST NEWSGROUPS a.*,!a.c", b"LIST ACTIVE a.*,!a.c"]),
    ("news:a%2Fb@c", "get", [b"CAPABILITIES", b"ARTICLE <a/b@c>"]),
    ("news:a@b", "stat", [b"CAPABILITIES", b"HEAD <a@b>", b"HDR :bytes <a@b>"]),
    ("news:a.b", "stat", [b"CAPABILITIES", b"GROUP a.b", b"LIST NEWSGROUPS a.b", b"LIST ACTIVE a.b"]),
    ("news:*", "stat", [b"CAPABILITIES"]),
]


@each_row(("url", "verb", "lines"), SAID)
def test_what_is_said(url: str, verb: str, lines: list[bytes]) -> None:
    with talk() as it:
        it.client.open(url.format(root=it.root), verb).read()  # type: ignore[arg-type]
        assert it.said() == lines


def test_a_body_alone() -> None:
    with talk({b"BODY": b"222 7 <a@b>\r\nbody\r\n..\r\n.\r\n"}) as it:
        found = it.client.get(f"{it.root}a.b/7", view="body")
        assert (found.attributes, found.read()) == ({"message_id": "a@b", "number": 7}, b"body\r\n.\r\n")
        assert it.said()[1:] == [b"GROUP a.b", b"BODY 7"]


def test_a_server_that_gives_no_heads() -> None:
    with talk({b"HEAD": b"502 not for you\r\n", b"STAT": b"223 0 <a@b>\r\n"}) as it:
        assert it.client.stat("news:a@b").attributes == {"message_id": "a@b"}
        assert it.said()[1:] == [b"HEAD <a@b>", b"STAT <a@b>"]
    with talk({b"HEAD": b"502 no\r\n", b"STAT": b"430 no\r\n"}) as it, pytest.raises(NotFoundError, match="430"):
        it.client.stat("news:a@b")
    assert it.said()[-1] == b"QUIT"  # RFC 3977 5.4: a connection that is not kept ends with it


@pytest.mark.clause("3.7-5")
def test_articles_without_an_identifier_are_reached_by_number_only() -> None:
    with talk() as it:
        entries = list(it.client.list("news:a.b").entries())
        assert [str(entry.url) for entry in entries] == ["news:a@b", f"{it.root}a.b/6"]
        assert [entry.attributes["news_url"] for entry in entries] == ["news:a@b", None]
        assert entries[1].attributes["nntp_url"] == f"{it.root}a.b/6"
        by_number = list(it.client.list(f"{it.root}a.b").entries())
        assert [str(entry.url) for entry in by_number] == [f"{it.root}a.b/5", f"{it.root}a.b/6"]
        with pytest.raises(AttributeError):
            entries[0].nothing  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("identifier", ["<a b@c>", "<a<b@c>", "<" + "a" * 250 + "@b>"])
def test_an_identifier_that_is_never_sent_is_in_no_url(identifier: str) -> None:
    """What can be listed can be followed."""
    line = f"5\tx\tme\t\t{identifier}\t\t9\t1\r\n"
    with talk({b"OVER": b"224 lines\r\n" + line.encode() + b".\r\n"}) as it:
        (entry,) = it.client.list("news:a.b").entries()
        assert (str(entry.url), entry.attributes["news_url"]) == (entry.attributes["nntp_url"], None)
        assert it.client.get(entry.attributes["nntp_url"]).read() == HEAD + b"\r\nbody\r\n"


BAD = b"x\ty\tz\r\n"


@pytest.mark.parametrize(
    ("url", "words", "replies", "names", "remark"),
    [
        ("news:a.b", "", {b"OVER": b"224 lines\r\n" + BAD + OVERVIEW + b"\r\n.\r\n"}, ["x", "y"],
         "a line of the overview is not understood; it is: “x\\x09y\\x09z”"),
        ("news:a.b", "me", {b"OVER": b"224 lines\r\n" + OVERVIEW + BAD + b"7\tz\r\n.\r\n"}, ["x", "y"],
         "2 lines of the overview are not understood; the first is: “x\\x09y\\x09z”"),
        ("news:*", "", {b"LIST": b"215 groups\r\na.b 6 5 m\r\na.c 6\r\n.\r\n"}, ["a.b"],
         "a line of the list of groups is not understood; it is: “a.c 6”"),
        ("news:a.*", "since:1994-12-20", {b"NEWNEWS": b"230 new\r\n<a@b>\r\nnot one\r\n.\r\n"}, ["a@b"],
         "a line of the list of new articles is not understood; it is: “not one”"),
    ],
)  # fmt: skip
def test_a_line_that_is_not_understood_is_told(
    url: str, words: str, replies: Replies, names: list[str], remark: str
) -> None:
    caps = b"101\r\nREADER\r\nOVER\r\nNEWNEWS\r\n.\r\n"
    with talk({b"CAPABILITIES": caps, **replies}) as it:
        resource = it.client.search(url, words) if words else it.client.list(url)
        assert [entry.name for entry in resource.entries()] == names
        assert remark in resource.notes


def test_the_newest_of_a_long_group() -> None:
    with talk({b"GROUP": b"211 4800 201 5000 a.b\r\n"}) as it:
        resource = it.client.list("news:a.b")
        assert it.said()[-1] == b"OVER 4001-5000"
        assert resource.notes == [
            f"the newest 1,000 of about 4,800 articles; a range names others: {it.root}a.b/201-5000"
        ]


def test_one_session_serves_many_urls_and_remembers_its_group() -> None:
    with talk() as it:
        for url in ("{root}a.b/5", "{root}a.b/6", "news:a@b", "{root}c.d/5"):
            it.client.get(url.format(root=it.root)).read()
        assert it.said() == [
            b"CAPABILITIES", b"GROUP a.b", b"ARTICLE 5", b"ARTICLE 6", b"ARTICLE <a@b>", b"GROUP c.d", b"ARTICLE 5",
        ]  # fmt: skip


def test_a_kept_session_that_breaks_is_replaced_once() -> None:
    def play(connection: Connection) -> None:
        connection.send(b"200 ready\r\n")
        count = 0
        while line := connection.line():
            count += line.startswith(b"ARTICLE")
            if count == 2:
                return
            connection.send(REPLIES[line.split()[0]])

    with Server(play) as server, Client(Policy.open()) as client:
        for _ in range(2):
            assert client.get(f"nntp://{server.authority}/a.b/5").read() == HEAD + b"\r\nbody\r\n"
        assert bytes(server.received[1]) == b"CAPABILITIES\r\nGROUP a.b\r\nARTICLE 5\r\n"


OLD = [
    ("a server that first talks to other servers", {b"CAPABILITIES": b"101\r\nIHAVE\r\nMODE-READER\r\n.\r\n",
     b"MODE": b"200 ready\r\n"},
     [b"CAPABILITIES", b"MODE READER", b"CAPABILITIES", b"GROUP a.b", b"XOVER 5-6", b"OVER 5-6"]),
    ("a server older than RFC 3977", {b"CAPABILITIES": b"500 what?\r\n", b"MODE": b"201 no posting\r\n",
     b"XOVER": REPLIES[b"OVER"]}, [b"CAPABILITIES", b"MODE READER", b"GROUP a.b", b"XOVER 5-6"]),
    ("one that does not know MODE either", {b"CAPABILITIES": b"500 what?\r\n", b"XOVER": REPLIES[b"OVER"]},
     [b"CAPABILITIES", b"MODE READER", b"GROUP a.b", b"XOVER 5-6"]),
    ("one that lets in readers only once they have logged in", {b"CAPABILITIES": b"101\r\nMODE-READER\r\n.\r\n",
     b"MODE": [b"480 who?\r\n", b"200 ready\r\n"], b"AUTHINFO": b"281 welcome\r\n", b"XOVER": REPLIES[b"OVER"]},
     [b"CAPABILITIES", b"MODE READER", b"AUTHINFO USER me", b"CAPABILITIES", b"MODE READER", b"CAPABILITIES",
      b"GROUP a.b", b"XOVER 5-6"]),
    ("an empty range of RFC 2980", {b"OVER": b"420 none\r\n"}, [b"CAPABILITIES", b"GROUP a.b", b"OVER 5-6"]),
]  # fmt: skip


@pytest.mark.parametrize(("replies", "lines"), [row[1:] for row in OLD], ids=[row[0] for row in OLD])
def test_older_servers(replies: Replies, lines: list[bytes]) -> None:
    with talk(replies, ask_secret=lambda *_: Secret("pw", "me")) as it:
        list(it.client.list("news:a.b").entries())
    assert it.said() == [*lines, b"QUIT"]  # the client is closed: kept or not, the session has ended


@pytest.mark.parametrize("reply", [b"500 what?\r\n", b"501 no wildmats here\r\n"])
def test_servers_that_list_all_groups_or_none(reply: bytes) -> None:
    """RFC 977 3.6 has LIST without any argument; the wildmat is then ours to apply."""
    replies = {
        b"LIST NEWSGROUPS a.*": reply,
        b"LIST ACTIVE a.*": reply,
        b"LIST": b"215\r\na.b 6 5 y\r\nc.d 1 1 y\r\n.\r\n",
    }
    with talk(replies) as it:
        assert [entry.name for entry in it.client.list("news:a.*").entries()] == ["a.b"]
        assert it.said()[1:] == [b"LIST NEWSGROUPS a.*", b"LIST ACTIVE a.*", b"LIST"]


def test_a_server_that_serves_no_readers() -> None:
    with talk({b"CAPABILITIES": b"101\r\nIHAVE\r\nMODE-READER\r\n.\r\n", b"MODE": b"502 go away\r\n"}) as it:
        with pytest.raises(DeniedError, match="serves no readers: “502 go away"):
            it.client.list("news:a.b")


@pytest.mark.parametrize(
    ("greeting", "error"),
    [(b"400 later\r\n", UnavailableError), (b"502 no\r\n", DeniedError), (b"480 who?\r\n", AuthRequiredError)],
)
def test_greetings_that_do_not_let_us_in(greeting: bytes, error: type[Exception]) -> None:
    with talk(greeting=greeting) as it:
        with pytest.raises(error):
            it.client.get("news:a@b")


# --- which server ----------------------------------------------------------------------------------------------------


def test_a_news_url_needs_a_server() -> None:
    with Client() as client:
        with pytest.raises(UnsupportedError, match=r"news:a\.b names no server, and no news server is"):
            client.get("news:a.b")


def test_the_configured_server_counts_as_asked_for_directly_and_no_other_does() -> None:
    """RFC 1738 3.6: the URL names no location. Nothing but the configured server is connected to for it."""
    with talk() as it:
        dialogue = registry.verb(URL("news:a@b"), "get")(URL("news:a@b"), Options(news_server="10.9.9.9:119"))
        scheduler = it.client._scheduler()
        task = scheduler.start(Parties(URL("news:a@b")), lambda: dialogue)
        while not task.done:
            scheduler.loop.turn()
        assert isinstance(task.error, RefusedError)
        assert "names no server: only the configured one is connected to" in str(task.error)


@pytest.mark.parametrize(
    ("url", "first"),
    [
        ("nntps://h/a.b", ["connect to h port 563 over TLS", "> CAPABILITIES"]),
        ("snews://h:7563/a.b", ["connect to h port 7563 over TLS", "> CAPABILITIES"]),
        ("nntps://h:119/a.b", ["connect to h port 119", "> CAPABILITIES", "> STARTTLS"]),
        ("nntp://h:563/a.b", ["connect to h port 563 over TLS", "> CAPABILITIES"]),
        ("nntp://h/a.b", ["connect to h port 119", "> CAPABILITIES", "> GROUP a.b"]),
    ],
)
def test_where_tls_begins(url: str, first: list[str]) -> None:
    lines: list[str] = []
    try:
        for line in dry_run(url):
            lines.append(line)
    except ReplyError:
        pass
    except Exception as error:  # the fake server has no STARTTLS: what led there is what is looked at
        assert "STARTTLS" in str(error)
        lines = first
    assert lines[: len(first)] == first


# --- searching -------------------------------------------------------------------------------------------------------


def test_what_is_new_in_many_groups() -> None:
    replies = {
        b"CAPABILITIES": b"101\r\nREADER\r\nNEWNEWS\r\n.\r\n",
        b"NEWNEWS": b"230 new\r\n<a@b>\r\nnot one\r\n.\r\n",
    }
    with talk(replies) as it:
        entries = list(it.client.search("news:a.*", "since:1994-12-20").entries())
        assert [str(entry.url) for entry in entries] == ["news:a@b"]
        assert it.said()[-1] == b"NEWNEWS a.* 19941220 000000 GMT"
    with talk() as it, pytest.raises(UnsupportedError, match="does not report new articles"):
        it.client.search("news:a.*", "since:1994-12-20")


@pytest.mark.parametrize(
    ("url", "words", "message"),
    [
        ("news:a@b", "x", "designates an article: a group, or a wildmat"),
        ("news:a.b", " ", "needs words"),
        ("nntp://127.0.0.1/a.b", "", "needs words"),
        ("news:*", "x since:1994-12-20", "New articles of several groups come without subjects"),
    ],
)
def test_searches_that_are_none(url: str, words: str, message: str) -> None:
    with talk() as it, pytest.raises(UnsupportedError, match=message):
        it.client.search(url, words)


def test_a_date_that_is_none_is_a_word() -> None:
    with talk() as it:
        assert list(it.client.search("news:a.b", "since:1994-02-31").entries()) == []
        assert [entry.name for entry in it.client.search("news:a.b", "X Me").entries()] == ["x"]


# --- posting ---------------------------------------------------------------------------------------------------------


def test_an_article_is_posted_with_what_it_lacks() -> None:
    with talk(identity="me@example.org") as it:
        found = it.client.append("news:a.b", [b"Subject: x\n", b"\n.dot\nlast"])
        assert found.attributes == {"group": "a.b", "message_id": "new@server"}
        assert it.said() == [
            b"CAPABILITIES", b"POST", b"From: me@example.org", b"Newsgroups: a.b", b"Subject: x", b"", b"..dot",
            b"last", b".",
        ]  # fmt: skip


def test_an_article_that_lacks_nothing_is_posted_as_it_is() -> None:
    with talk() as it:
        it.client.append(f"{it.root}a.b", b"From: x@y\r\nNewsgroups: c.d, a.b\r\nSubject: x\r\n\r\nbody\r\n")
        assert it.said()[2:] == [b"From: x@y", b"Newsgroups: c.d, a.b", b"Subject: x", b"", b"body", b"."]


NONE = [
    (b"no header at all", "it has no empty line after its header"),
    (b"Subject: x\n\nbody", "has no From, and no identity is configured"),
    (b"From: x@y\n\nbody", "has no Subject"),
    (b"From: x@y\nSubject: x\nNewsgroups: c.d\n\nbody", r"is for 'c\.d', and the URL names 'a\.b'"),
    (b"", "This is not an article"),
]


@pytest.mark.parametrize(("article", "message"), NONE)
def test_what_is_no_article_is_not_sent(article: bytes, message: str) -> None:
    with talk() as it:
        with pytest.raises(LocalProtocolError, match=message):
            it.client.append("news:a.b", article)
        assert it.server.received == []


ARTICLE_SOURCE = b"From: x@y\nSubject: x\n\nbody\n"


def test_refusals_to_post() -> None:
    with talk({b"posted": b"441 no such luck\r\n"}) as it, pytest.raises(DeniedError, match="441 no such luck"):
        it.client.append("news:a.b", ARTICLE_SOURCE)
    with talk({b"POST": b"440 read only\r\n"}) as it, pytest.raises(DeniedError, match="accepts no articles: “440"):
        it.client.append("news:a.b", ARTICLE_SOURCE)
    with talk() as it:
        for url in ("news:*", "news:a@b", f"{it.root}a.b/5"):
            with pytest.raises(UnsupportedError):
                it.client.append(url, ARTICLE_SOURCE)
        with Client(Policy.untrusted()) as client, pytest.raises(RefusedError, match="delivers none"):
            client.append("nntp://news.example.org/a.b", ARTICLE_SOURCE)
        assert it.server.received == []


# --- logins, compression, attributes ---------------------------------------------------------------------------------


def test_a_login_that_is_not_enough() -> None:
    replies = {b"GROUP": b"480 more\r\n", b"AUTHINFO USER me": b"281 welcome\r\n"}
    with talk(replies, ask_secret=lambda *_: Secret("pw", "me")) as it:
        with pytest.raises(AuthRequiredError, match="The login is not enough"):
            it.client.list("news:a.b")
    asked = [b"CAPABILITIES", b"GROUP a.b", b"AUTHINFO USER me", b"CAPABILITIES", b"GROUP a.b"]
    assert it.said() == [*asked, b"QUIT"]  # now that the server has heard the last one, too


def test_a_login_that_needs_tls_on_this_very_machine(tmp_path: Path) -> None:
    """RFC 4643 2.2: 483 is the reply to a login that has to be encrypted first; no password was said before."""
    caps = b"101\r\nREADER\r\nOVER\r\nSTARTTLS\r\n.\r\n"
    with certificate(tmp_path, "127.0.0.1") as (context, authority):

        def play(connection: Connection) -> None:
            connection.send(b"200 ready\r\n")
            secure = False
            while line := connection.line():
                if line == b"STARTTLS":
                    connection.send(b"382 go on\r\n")
                    connection.sock = context.wrap_socket(connection.sock, server_side=True)
                    secure = True
                    continue
                wants = b"480 who?\r\n" if not secure else REPLIES[b"ARTICLE"]
                login = b"281 welcome\r\n" if secure else b"483 not like this\r\n"
                said = {b"CAPABILITIES": caps, b"ARTICLE": wants, b"AUTHINFO": login, b"QUIT": REPLIES[b"QUIT"]}
                lines.append(line)
                connection.send(said[line.split()[0]])

        lines: list[bytes] = []
        with Server(play) as server:
            with Client(Policy.open(), ask_secret=lambda *_: Secret("pw", "me"), ca_file=authority) as client:
                assert client.get(f"news://{server.authority}/a@b").read() == HEAD + b"\r\nbody\r\n"
        asked = [b"CAPABILITIES", b"ARTICLE <a@b>", b"AUTHINFO USER me"]
        assert lines == [*asked, b"CAPABILITIES", b"AUTHINFO USER me", b"CAPABILITIES", b"ARTICLE <a@b>", b"QUIT"]


@pytest.mark.parametrize(("user", "password"), [("a\r\nPOST", "x"), ("me", "a\nb"), ("me", "")])
def test_logins_that_would_end_their_line(user: str, password: str) -> None:
    replies = {b"GROUP": b"480 who?\r\n", b"AUTHINFO": b"381 and?\r\n"}
    with talk(replies, ask_secret=lambda *_: Secret(password, user)) as it:
        with pytest.raises(RefusedError, match="would end the command"):
            it.client.list("news:a.b")


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (b"481 s3cr3t is wrong\r\n", AuthRequiredError, r"481 \*\*\* is wrong"),
        (b"200 s3cr3t is wrong\r\n", RemoteProtocolError, r"200 \*\*\* is wrong"),
        (b"400 s3cr3t\r\n", ConnectionLost, r"ends the session: “400 \*\*\*”$"),
        (
            b"s3cr3t\r\n",
            RemoteProtocolError,
            "sent no NNTP reply; it may hold the password, and is not shown.$",
        ),
        (b"281 Ok\r\n201 s3cr3t\r\n", RemoteProtocolError, r"sent an unexpected reply: “201 \*\*\*”$"),
    ],
)
def test_a_password_that_the_server_repeats_is_not_shown(answer: bytes, error: type[AnyURLError], words: str) -> None:
    replies = {b"GROUP": b"480 who?\r\n", b"AUTHINFO USER me": b"381 and?\r\n",
               b"AUTHINFO PASS s3cr3t": answer}  # fmt: skip
    with talk(replies, ask_secret=lambda *_: Secret("s3cr3t", "me")) as it:
        with pytest.raises(error, match=words):
            it.client.list("news:a.b")


def test_a_login_on_a_compressed_connection_begins_anew() -> None:
    """RFC 8054 2.2.2: no AUTHINFO behind COMPRESS; the session goes on uncompressed, and logged in."""
    caps = b"101\r\nREADER\r\nOVER\r\nCOMPRESS DEFLATE\r\n.\r\n"

    def play(connection: Connection) -> None:
        connection.send(b"200 ready\r\n")
        logged_in = False
        while line := connection.line():
            if line == b"COMPRESS DEFLATE":
                connection.send(b"206 on\r\n")
                connection.sock.recv(65536)
                out = zlib.compressobj(wbits=-15)
                connection.send(out.compress(b"480 who?\r\n") + out.flush(zlib.Z_SYNC_FLUSH))
                connection.wait_for_close()
                return
            logged_in |= line.startswith(b"AUTHINFO PASS")
            overview = REPLIES[b"OVER"] if logged_in else b"480 who?\r\n"
            login = b"281 in\r\n" if b"PASS" in line else b"381 and?\r\n"
            answers = {b"CAPABILITIES": caps, b"GROUP": b"211 900 1 900 a.b\r\n", b"OVER": overview, b"AUTHINFO": login}
            connection.send(answers.get(line.split()[0], b"205 good-bye\r\n"))

    with Server(play) as server:
        with Client(Policy.open(), ask_secret=lambda *_: Secret("pw", "me")) as client:
            assert len(list(client.list(f"nntp://{server.authority}/a.b").entries())) == 2
        assert bytes(server.received[1]).split(b"\r\n")[1:4] == [b"GROUP a.b", b"AUTHINFO USER me", b"AUTHINFO PASS pw"]


def test_what_a_server_says_before_its_compressed_stream_is_not_read_after() -> None:
    caps = b"101\r\nREADER\r\nOVER\r\nCOMPRESS DEFLATE\r\n.\r\n"
    replies = {b"CAPABILITIES": caps, b"GROUP": b"211 900 1 900 a.b\r\n", b"COMPRESS": b"206 on\r\n224 forged\r\n.\r\n"}
    with talk(replies) as it, pytest.raises(Exception, match="more than its reply before its compressed stream"):
        it.client.list("news:a.b")


def test_attributes_of_an_article() -> None:
    head = (b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nReferences: <a@b>\r\n <c@d>\r\n"
            b"Content-Type: text/plain;\r\n charset=\"KOI8-R\"\r\n"
            b"Date: Tue, 20 Dec 1994 00:00:00 GMT\r\nMessage-ID: <x@y>\r\n")  # fmt: skip
    with talk({b"ARTICLE": b"220 7 <x@y>\r\n" + head + b"\r\n.\r\n"}) as it:
        found = it.client.get(f"{it.root}a.b/7")
        assert found.attributes == {
            "subject": "Grüße", "date": "Tue, 20 Dec 1994 00:00:00 GMT", "content-type": 'text/plain; charset="KOI8-R"',
            "message_id": "x@y", "references": ["a@b", "c@d"], "number": 7, "charset": "koi8-r",
        }  # fmt: skip
        assert (found.modified, found.name, found.charset) == (787881600.0, "Grüße.eml", "koi8-r")


def test_nothing_is_asked_for_a_url_that_would_command_the_server() -> None:
    for text in ("news://h/a%0D%0APOST", "nntp://h/a%20b/1", "news://h/a%09@b", "nntps://h/a%00b"):
        url = URL(text)
        with pytest.raises(RefusedError):
            rehearse(registry.find_scheme(url.scheme).verbs["get"](url, Options()), [])
    with pytest.raises(URLSyntaxError, match="a message-id in a URL has no"):
        rehearse(registry.find_scheme("news").verbs["get"](URL("news://h/a%3E@b"), Options()), [])
