"""Groups and servers as listings, as steps of a session (RFC 3977 6.1, 7.4, 7.6, 8.3)."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Entry, Steps
from anyurl.errors import DeniedError, NotFoundError, RemoteProtocolError, ReplyError, UnsupportedError
from anyurl.schemes.news.groups import (
    BATCH,
    NEWEST,
    Wanted,
    list_articles,
    list_groups,
    list_new,
    stat_group,
    stat_server,
)
from anyurl.schemes.news.session import NewsSession
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.news.news_peer import Played, Replies, lines, overview, play

NEWS = URL("news://h/a.b")


def listed(
    replies: Replies, first: int | None = None, last: int | None = None, words: str | None = None, url: URL = NEWS
) -> Played:
    wanted = None if words is None else Wanted(words)

    def steps(session: NewsSession) -> Steps[None]:
        return list_articles(url, session, b"a.b", first, last, wanted)

    return play(str(url), steps, {b"GROUP": b"211 3 5 7 a.b\r\n", **replies})


# --- words -----------------------------------------------------------------------------------------------------------


@each_row(
    ("words", "plain", "since"),
    [
        ("", [], None), ("  a  STRASSE ", ["a", "strasse"], None), ("Straße", ["strasse"], None),
        ("since:1994-12-20", [], 787881600.0), ("a since:1970-01-01 b", ["a", "b"], 0.0),
        ("since:1970-01-01 since:1970-01-02", [], 86400.0), ("since:1994-02-31", ["since:1994-02-31"], None),
        ("since:1994-1-1", ["since:1994-1-1"], None), ("since:1994-12-20x", ["since:1994-12-20x"], None),
        ("Since:1994-12-20", ["since:1994-12-20"], None),
    ],
)  # fmt: skip
def test_search_terms(words: str, plain: list[str], since: float | None) -> None:
    wanted = Wanted(words)
    assert (wanted.words, wanted.since) == (plain, since)


@each_row(
    ("words", "taken"),
    [("", True), ("HELLO", True), ("me@h", True), ("hello world", True), ("hello mars", False), ("ell wor", True),
     ("since:1970-01-02", True), ("since:1970-01-03", False), ("since:1970-01-02 mars", False)],
)  # fmt: skip
def test_an_entry_has_all_words_in_subject_or_author_and_is_new_enough(words: str, taken: bool) -> None:
    entry = Entry("raw", None, title="Hello World", modified=86400.0, attributes={"from": "Me <me@h>"})
    assert Wanted(words).takes(entry) is taken
    undated = Entry("raw", None, title="Hello World")
    assert Wanted("since:1970-01-01").takes(undated) is False
    assert Wanted("me@h").takes(undated) is False


# --- articles --------------------------------------------------------------------------------------------------------


@each_row(
    ("group", "first", "last", "asked"),
    [
        (b"3 5 7", None, None, b"OVER 5-7"), (b"3 5 7", 6, None, b"OVER 6-7"), (b"3 5 7", 6, 6, b"OVER 6-6"),
        (b"3 5 7", 1, 99, b"OVER 1-7"), (b"3 5 7", 7, 7, b"OVER 7-7"), (b"3 5 7", 8, 9, None),
        (b"3 5 7", 6, 5, None), (b"0 8 7", None, None, None), (b"0 0 0", None, None, None),
        (b"1000 1 1000", None, None, b"OVER 1-1000"), (b"1001 1 1001", None, None, b"OVER 2-1001"),
        (b"1 1 5000", None, None, b"OVER 4001-5000"),
    ],
)  # fmt: skip
def test_which_articles_are_asked_for(group: bytes, first: int | None, last: int | None, asked: bytes | None) -> None:
    found = listed({b"GROUP": b"211 " + group + b" a.b\r\n", b"OVER": lines(b"224 these")}, first, last)
    assert (found.error, found.said) == (None, [b"GROUP a.b", *([] if asked is None else [asked])])
    count, low, high = map(int, group.split())
    assert found.described is not None
    assert (found.described.kind, found.described.name) == ("listing", "a.b")
    assert found.described.attributes == {"articles": count, "first": low, "last": high}
    assert found.kept
    assert NEWEST == 1000


def test_a_remark_says_what_is_left_out() -> None:
    found = listed({b"GROUP": b"211 1001 1 1001 a.b\r\n", b"OVER": lines(b"224 these")})
    assert found.notes == ["the newest 1,000 of about 1,001 articles; a range names others: nntp://h/a.b/1-1001"]
    assert listed({b"GROUP": b"211 1000 1 1000 a.b\r\n", b"OVER": lines(b"224 these")}).notes == []
    assert listed({b"GROUP": b"211 9000 1 9000 a.b\r\n", b"OVER": lines(b"224 these")}, 1, 9).notes == []


def test_entries_come_in_batches() -> None:
    found = listed({b"OVER": lines(b"224 these", *overview(*range(1, 2 * BATCH + 2)))})
    assert found.batches == [BATCH, BATCH, 1] == [500, 500, 1]
    assert [entry.name for entry in found.entries[:2]] == ["s 1", "s 2"]
    assert str(found.entries[0].url) == "news://h/1@h"


def test_only_those_wanted_come_and_odd_lines_are_told() -> None:
    block = lines(b"224 these", *overview(5, subject="Apple"), b"odd", b"", *overview(6, subject="Pear"))
    assert [entry.name for entry in listed({b"OVER": block}, words="pear").entries] == ["Pear 6"]
    found = listed({b"OVER": block})
    assert [entry.name for entry in found.entries] == ["Apple 5", "Pear 6"]
    assert found.notes == ["a line of the overview is not understood; it is: “odd”"]


OVER = lines(b"224 these", *overview(5))


@pytest.mark.parametrize(
    ("replies", "said", "count"),
    [
        ({b"OVER": OVER}, [b"OVER 5-7"], 1),
        ({b"OVER": b"503 no\r\n", b"XOVER": OVER}, [b"OVER 5-7", b"XOVER 5-7"], 1),
        ({b"CAPABILITIES": lines(b"101", b"READER"), b"XOVER": OVER}, [b"XOVER 5-7"], 1),
        ({b"CAPABILITIES": lines(b"101", b"READER"), b"OVER": OVER}, [b"XOVER 5-7", b"OVER 5-7"], 1),
        ({b"OVER": b"420 none\r\n"}, [b"OVER 5-7"], 0),  # RFC 2980 2.8
        ({b"OVER": b"423 none\r\n"}, [b"OVER 5-7"], 0),  # RFC 3977 8.3
    ],
)
def test_overviews_of_older_servers_and_none(replies: Replies, said: list[bytes], count: int) -> None:
    found = listed(replies)
    assert (found.error, found.said[1:], len(found.entries)) == (None, said, count)


@pytest.mark.parametrize(
    ("replies", "error", "words"),
    [
        ({b"GROUP": b"411 no\r\n"}, NotFoundError, "h does not select the group 'a.b': “411 no”."),
        ({b"OVER": b"403 broken\r\n"}, ReplyError, "h gives no overview of the group: “403 broken”. "),
        ({b"OVER": b"502 no\r\n", b"XOVER": b"502 no\r\n"}, DeniedError, "h gives no overview of the group: “502 no”."),
        ({b"OVER": b"225 what?\r\n"}, RemoteProtocolError, "h gives no overview of the group, and its reply makes no "),
    ],
)
def test_groups_that_are_not_listed(replies: Replies, error: type[Exception], words: str) -> None:
    found = listed(replies)
    assert isinstance(found.error, error)
    assert str(found.error).startswith(words)
    assert found.kept is False


def test_a_long_listing_is_compressed_where_that_is_offered() -> None:
    capabilities = {b"CAPABILITIES": lines(b"101", b"READER", b"OVER", b"COMPRESS DEFLATE")}
    for count, said in ((199, []), (200, [b"COMPRESS DEFLATE"])):
        group = b"211 %d 101 %d a.b\r\n" % (count, 100 + count)
        replies = {**capabilities, b"GROUP": group, b"COMPRESS": b"403 no\r\n", b"OVER": OVER}
        assert listed(replies).said[1:-1] == said
        assert listed(replies, 1, 100 + count).said[1:-1] == said  # what is below the first costs nothing


# --- groups ----------------------------------------------------------------------------------------------------------

ACTIVE = [b"a.b 7 5 y", b"a.c 1 2 n", b"a.d 9 9 =a.b", b"a.e 3 1 m", b"x.y 1 1 j", b"x.z 1 1 x", b"x.w 1 1 ?"]
DESCRIPTIONS = [b"a.b\tAbout  =?utf-8?q?=C3=BC?=", b"x.y\tOther things"]
LISTS = {b"LIST NEWSGROUPS *": lines(b"215 d", *DESCRIPTIONS), b"LIST ACTIVE *": lines(b"215 a", *ACTIVE)}


def groups(replies: Replies, wildmat: str = "*", words: str = "") -> Played:
    return play("news://h/*", lambda session: list_groups(URL("news://h/*"), session, wildmat, words), replies)


def test_groups_have_numbers_a_description_and_a_word_on_posting() -> None:
    """RFC 3977 7.6.3, and active(5) of INN for what it does not name."""
    found = groups(LISTS)
    assert (found.error, found.said, found.kept) == (None, [b"LIST NEWSGROUPS *", b"LIST ACTIVE *"], True)
    assert found.described is not None
    assert (found.described.kind, found.described.name) == ("listing", "*")
    assert [(entry.name, str(entry.url), entry.kind) for entry in found.entries[:1]] == [
        ("a.b", "news://h/a.b", "listing"),
    ]  # fmt: skip
    assert [entry.attributes["posting"] for entry in found.entries] == [
        "open", "closed", "see a.b", "moderated", "junk", "closed", "?",
    ]  # fmt: skip
    assert found.entries[0].attributes == {"articles": 3, "first": 5, "last": 7, "posting": "open"}
    assert found.entries[1].attributes == {"articles": 0, "first": 2, "last": 1, "posting": "closed"}
    assert [entry.title for entry in found.entries[:2]] == ["About  ü", None]


@pytest.mark.parametrize(
    ("words", "names"),
    [("X.", ["x.y", "x.z", "x.w"]), ("things", ["x.y"]), ("ABOUT ü", ["a.b"]), ("about things", [])],
)  # fmt: skip
def test_groups_that_contain_all_words(words: str, names: list[str]) -> None:
    assert [entry.name for entry in groups(LISTS, words=words).entries] == names


def test_servers_that_know_no_wildmats_and_no_descriptions() -> None:
    """RFC 977 3.6: LIST has no arguments."""
    for no in (b"500 what?\r\n", b"501 no\r\n"):
        found = groups({b"LIST ACTIVE x.*": no, b"LIST": lines(b"215 a", *ACTIVE, b"odd")}, "x.*")
        assert found.said == [b"LIST NEWSGROUPS x.*", b"LIST ACTIVE x.*", b"LIST"]
        assert [entry.name for entry in found.entries] == ["x.y", "x.z", "x.w"]
        assert found.notes == ["a line of the list of groups is not understood; it is: “odd”"]
    found = groups({b"LIST": b"503 no\r\n"})
    assert (type(found.error), str(found.error)) == (ReplyError, "h does not list its groups: “503 no”.")
    assert found.said[:2] == [b"LIST NEWSGROUPS *", b"LIST ACTIVE *"]


def test_many_groups_come_in_batches() -> None:
    many = [b"g.%d 2 1 y" % number for number in range(BATCH + 1)]
    assert groups({b"LIST NEWSGROUPS *": b"503 no\r\n", b"LIST ACTIVE *": lines(b"215 a", *many)}).batches == [500, 1]


def test_one_group_is_described() -> None:
    replies = {b"GROUP": b"211 3 5 7 a.b\r\n", b"LIST NEWSGROUPS a.b": lines(b"215 d", *DESCRIPTIONS),
               b"LIST ACTIVE a.b": lines(b"215 a", b"a.c 1 1 n", ACTIVE[0])}  # fmt: skip
    found = play("news://h/a.b", stat_group, replies, b"a.b")
    assert found.said == [b"GROUP a.b", b"LIST NEWSGROUPS a.b", b"LIST ACTIVE a.b"]
    assert found.described is not None
    assert (found.described.kind, found.described.name, found.kept) == ("listing", "a.b", True)
    assert found.described.attributes == {
        "articles": 3, "first": 5, "last": 7, "description": "About  ü", "posting": "open",
    }  # fmt: skip
    bare = play("news://h/a.b", stat_group, {b"GROUP": b"211 3 5 7 a.b\r\n"}, b"a.b")
    assert bare.described is not None
    assert bare.described.attributes == {"articles": 3, "first": 5, "last": 7}


def test_a_server_is_described_by_its_capabilities() -> None:
    capabilities = lines(b"101", b"VERSION 2", b"READER", b"LIST ACTIVE NEWSGROUPS")
    for greeting, posting in ((b"200 hi\r\n", True), (b"201 hi\r\n", False)):
        found = play("news://h/", stat_server, {b"greeting": greeting, b"CAPABILITIES": capabilities})
        assert (found.said, found.kept) == ([], True)
        assert found.described is not None
        assert (found.described.kind, found.described.name) == ("listing", "h")
        assert found.described.attributes == {
            "capabilities": {"version": ["2"], "reader": [], "list": ["ACTIVE", "NEWSGROUPS"]}, "posting": posting,
        }  # fmt: skip


# --- new articles ----------------------------------------------------------------------------------------------------


def new(replies: Replies, since: float = 787881600.0) -> Played:
    return play("news://h/*", lambda session: list_new(URL("news://h/*"), session, "a.*,!a.b", since), replies)


def test_new_articles_are_those_since_the_day_began_in_greenwich() -> None:
    """RFC 3977 7.4.1 and 7.3.1: date and time of eight and six digits."""
    found = new({b"NEWNEWS": lines(b"230 these", b"<a@b>", b"odd", b"", b"<c@d>")})
    assert (found.said, found.kept) == ([b"NEWNEWS a.*,!a.b 19941220 000000 GMT"], True)
    assert [(entry.name, str(entry.url)) for entry in found.entries] == [
        ("a@b", "news://h/a@b"), ("c@d", "news://h/c@d"),
    ]  # fmt: skip
    assert found.notes == ["a line of the list of new articles is not understood; it is: “odd”"]
    assert new({b"NEWNEWS": lines(b"230")}, 86399.0).said == [b"NEWNEWS a.*,!a.b 19700101 000000 GMT"]
    many = [b"<%d@h>" % number for number in range(BATCH + 1)]
    assert new({b"NEWNEWS": lines(b"230", *many)}).batches == [500, 1]


def test_servers_that_tell_nothing_new() -> None:
    found = new({b"CAPABILITIES": lines(b"101", b"READER")})
    assert isinstance(found.error, UnsupportedError)
    assert str(found.error) == (
        "h does not report new articles in 'a.*,!a.b' (NEWNEWS); the articles of one group can be searched."
    )
    assert found.said == []
    found = new({b"NEWNEWS": b"502 no\r\n"})
    assert (type(found.error), str(found.error)) == (DeniedError, "h does not report new articles: “502 no”.")
    old = {b"CAPABILITIES": b"500 what?\r\n", b"MODE": b"200 ready\r\n", b"NEWNEWS": lines(b"230", b"<a@b>")}
    assert len(new(old).entries) == 1  # a server older than RFC 3977 is asked
