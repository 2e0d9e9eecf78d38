"""Articles as steps of a session: got, described, taken apart and posted (RFC 3977 6.2, 6.3.1; RFC 5536 3.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl.dialogue import Options
from anyurl.errors import (
    DeniedError,
    LimitError,
    LocalProtocolError,
    NotFoundError,
    RemoteProtocolError,
    Truncated,
)
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.news.articles import (
    PIECE_BYTES,
    attributes_of,
    choose,
    get_article,
    post,
    reference_of,
    stat_article,
)
from anyurl.schemes.news.session import NewsSession
from anyurl.schemes.news.wire.article import Part
from anyurl.schemes.news.wire.headers import MAX_HEAD_BYTES
from anyurl.url import URL
from tests.cli.runner import run
from tests.rows import each_row
from tests.schemes.news.news_peer import Played, Replies, lines, play
from tests.schemes.news.wire.nntp_samples import yenc_file
from tests.servers import Connection, Server

HEAD = b"Subject: x\r\nDate: Thu, 01 Dec 1994 00:00:00 GMT\r\nMessage-ID: <a@b>\r\n"
ARTICLE = HEAD + b"\r\nbody\r\n"
NEWS = URL("news://h/a.b")


def got(replies: Replies, view: str | None = None, most: int = 1 << 20) -> Played:
    session = NewsSession(NEWS, Options())
    steps = get_article(NEWS, session, b"<a@b>", Options(view=view))
    return Played(session.converse(steps), replies, most=most)


# --- getting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 7, 1 << 20])
def test_it_comes_octet_for_octet_however_it_is_cut(most: int) -> None:
    article = ARTICLE + b"..dot\r\n\xff\0\r\n" + b"x" * 1000 + b"\r\n"
    found = got({b"ARTICLE": b"220 7 <a@b>\r\n" + article + b".\r\n"}, most=most)
    assert (found.error, found.said, found.kept) == (None, [b"ARTICLE <a@b>"], True)
    assert found.emitted == article.replace(b"\r\n..dot", b"\r\n.dot")
    assert found.described is not None
    assert (found.described.kind, found.described.type, found.described.name) == ("document", "message/rfc822", "x.eml")
    assert found.described.modified == 786240000.0
    assert found.described.attributes["number"] == 7


def test_the_injection_date_goes_before_the_date() -> None:
    """RFC 5536 3.2.7."""
    article = b"Injection-Date: Fri, 02 Dec 1994 00:00:00 GMT\r\n" + ARTICLE
    found = got({b"ARTICLE": b"220 7 <a@b>\r\n" + article + b".\r\n"})
    assert found.described is not None
    assert (found.described.modified, found.emitted) == (786240000.0 + 86400, article)
    found = got({b"ARTICLE": b"220 7 <a@b>\r\nFrom: me\r\n.\r\n"})  # a head alone
    assert found.described is not None
    assert (found.emitted, found.described.modified, found.described.name) == (b"From: me\r\n", None, None)


def test_the_body_alone_is_asked_for_alone() -> None:
    found = got({b"BODY": lines(b"222 7 <a@b>", b"one", b"..two")}, "body")
    assert (found.said, found.emitted, found.kept) == ([b"BODY <a@b>"], b"one\r\n.two\r\n", True)
    assert found.described is not None
    assert found.described.attributes == {"message_id": "a@b", "number": 7}
    assert found.described.type is None


@pytest.mark.parametrize(
    ("replies", "view", "error", "words"),
    [
        ({b"ARTICLE": b"430 no\r\n"}, None, NotFoundError, "h does not give the article '<a@b>': “430 no”."),
        ({b"BODY": b"430 no\r\n"}, "body", NotFoundError, "h does not give the article '<a@b>': “430 no”."),
        ({b"ARTICLE": b"221 head\r\n"}, None, RemoteProtocolError,
         "h does not give the article '<a@b>', and its reply makes no sense: “221 head”."),
        ({b"ARTICLE": b"220 1 <a@b>\r\n" + ARTICLE}, None, Truncated,
         "h closed the connection before the lone dot that ends its data."),
    ],
)  # fmt: skip
def test_articles_that_do_not_come(replies: Replies, view: str | None, error: type[Exception], words: str) -> None:
    found = got(replies, view)
    assert type(found.error) is error
    assert str(found.error).startswith(words)
    assert found.kept is False


@pytest.mark.parametrize(("head", "octet"), [(b"A: \0\r\n", "NUL"), (b"A: b\rc: d\r\n", "a CR without LF")])
def test_an_odd_octet_in_a_head_is_told_and_the_article_comes_as_it_is(head: bytes, octet: str) -> None:
    found = got({b"ARTICLE": b"220 1 <a@b>\r\n" + head + b"\r\nx\r\n.\r\n"})
    assert (found.error, found.emitted, found.kept) == (None, head + b"\r\nx\r\n", True)
    assert found.notes == [f"the head of the article holds {octet}: other programs may read other fields there"]


def test_what_a_body_holds_is_no_matter_of_the_head() -> None:
    found = got({b"ARTICLE": b"220 1 <a@b>\r\n" + HEAD + b"\r\n\0\rx\r\n.\r\n"})
    assert (found.error, found.emitted) == (None, HEAD + b"\r\n\0\rx\r\n")


@pytest.mark.parametrize("most", [1000, 1 << 20])
def test_a_head_has_an_end(most: int) -> None:
    def article(size: int) -> Replies:
        return {b"ARTICLE": b"220 1 <a@b>\r\nA: " + b"x" * (size - 7) + b"\r\n\r\nbody\r\n.\r\n"}

    assert got(article(MAX_HEAD_BYTES), most=most).error is None
    found = got(article(MAX_HEAD_BYTES + 1), most=most)
    assert isinstance(found.error, LimitError)
    assert str(found.error) == "The head of the article has more than 262,144 octets: the limit allows no more."
    assert found.error.limit == "MAX_HEAD_BYTES"


# --- parts -----------------------------------------------------------------------------------------------------------

MIXED = (
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n\xfc"
    b"\r\n--b\r\nContent-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBO\r\n--b--\r\n"
)


@pytest.mark.parametrize(
    ("view", "data", "type", "attributes"),
    [
        ("1", b"\xfc", "text/plain", {"part": 1, "coding": "mime", "charset": "iso-8859-1"}),
        ("2", b"\x89PN", "image/png", {"part": 2, "coding": "mime"}),
        ("a.png", b"\x89PN", "image/png", {"part": 2, "coding": "mime"}),
        ("IMAGE", b"\x89PN", "image/png", {"part": 2, "coding": "mime"}),
    ],
)
def test_one_part_of_it(view: str, data: bytes, type: str, attributes: dict[str, object]) -> None:
    for most in (1, 1 << 20):
        found = got({b"ARTICLE": b"220 1 <a@b>\r\n" + MIXED + b".\r\n"}, view, most)
        assert (found.emitted, found.kept) == (data, True)
        assert found.described is not None
        assert (found.described.type, found.described.size) == (type, len(data))
        assert found.described.attributes == attributes


def test_a_part_of_a_file_in_several_articles_says_which_and_what_is_wrong() -> None:
    body = (
        b"\r\n=ybegin part=2 total=3 line=128 size=9 name=x\r\n=ypart begin=4 end=6\r\n\x8b\x8c\x8d\r\n=yend size=4\r\n"
    )
    found = got({b"ARTICLE": b"220 1 <a@b>\r\n" + body + b".\r\n"}, "x")
    assert found.emitted == b"abc"
    assert found.described is not None
    assert found.described.attributes == {
        "part": 2, "coding": "yenc", "of_file": {"part": 2, "total": 3, "offset": 3},
        "fault": "3 octets came out of the 4 that it should have",
    }  # fmt: skip
    assert found.described.name == "x.part2"
    assert found.notes == ["this is part 2 of 3 of the file “x”, and not all of it"]
    assert isinstance(found.error, Truncated)
    assert str(found.error) == (
        "The file “x” in the article is damaged: 3 octets came out of the 4 that it should have."
    )


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        (yenc_file(b"abc", b"x"), True),
        (yenc_file(b"abc", b"x").partition(b"=yend")[0], False),
        (yenc_file(b"abc", b"x").replace(b"crc32=", b"crc32=1 x="), False),
        (b"begin 644 x\r\n#86)C\r\nend\r\n", True),
        (b"begin 644 x\r\n#86)C\r\n", False),
        (b"begin 644 x\r\n#86)C\r\nno \x7f line\r\nend\r\n", False),
    ],
)
def test_a_damaged_file_is_never_saved_under_its_name(body: bytes, whole: bool, tmp_path: Path) -> None:
    def part(connection: Connection) -> None:
        connection.send(b"200 hello\r\n")
        while line := connection.line():
            if line.startswith(b"ARTICLE"):
                connection.send(b"220 5 <a@b>\r\nSubject: s\r\n\r\n" + body + b".\r\n")
            else:
                connection.send(b"500 no\r\n")

    with Server(part) as server:
        url = f"news://{server.authority}/a@b"
        done = run("get", "--allow-private", "--view", "x", "-o", str(tmp_path / "x"), url)
        shown = run("get", "--allow-private", "--view", "x", url)
    assert (done.exit_code, (tmp_path / "x").exists()) == ((0, True) if whole else (7, False))
    assert whole or "is damaged" in done.stderr
    assert shown.stdout == "abc"
    assert shown.exit_code == done.exit_code


def test_a_long_part_comes_in_pieces_and_a_missing_one_is_named() -> None:
    found = got({b"ARTICLE": lines(b"220 1 <a@b>", b"", b"x" * (2 * PIECE_BYTES))}, "1")
    assert found.emitted == b"x" * (2 * PIECE_BYTES) + b"\r\n"
    found = got({b"ARTICLE": b"220 1 <a@b>\r\n" + MIXED + b".\r\n"}, "audio")
    assert isinstance(found.error, NotFoundError)
    assert str(found.error) == "news://h/a.b has no part 'audio'; it has 1 text/plain, 2 image/png 'a.png'."


PARTS = [Part(1, "text/html", b""), Part(2, "text/plain", b"", name="1"), Part(3, "image/png", b"", name="text")]


@each_row(
    ("view", "number"),
    [("1", 1), ("3", 3), ("text", 3), ("TEXT", 1), ("text/plain", 2), ("Text/Plain", 2), ("image", 3), ("4", None),
     ("png", None), ("", None)],
)  # fmt: skip
def test_a_number_or_a_name_goes_before_a_type(view: str, number: int | None) -> None:
    part = choose(PARTS, view)
    assert (None if part is None else part.number) == number


# --- describing ------------------------------------------------------------------------------------------------------


def described(replies: Replies) -> Played:
    return play("news://h/a@b", stat_article, replies, b"<a@b>")


def test_it_is_described_by_its_head_and_its_size() -> None:
    """RFC 3977 6.2.2, and the metadata item ``:bytes`` of 8.1.2."""
    found = described({b"HEAD": b"221 7 <a@b>\r\n" + HEAD + b".\r\n", b"HDR": lines(b"225 these", b"7 1234")})
    assert (found.said, found.kept, found.emitted) == ([b"HEAD <a@b>", b"HDR :bytes <a@b>"], True, b"")
    assert found.described is not None
    assert (found.described.size, found.described.modified, found.described.name) == (1234, 786240000.0, "x.eml")
    assert found.described.type == "message/rfc822"
    assert found.described.attributes == {
        "subject": "x", "date": "Thu, 01 Dec 1994 00:00:00 GMT", "message_id": "a@b", "number": 7,
    }  # fmt: skip


@pytest.mark.parametrize("reply", [b"430 no\r\n", b"503 no\r\n", lines(b"225 these", b"7 many"), lines(b"225 none")])
def test_a_size_that_is_not_told_is_unknown(reply: bytes) -> None:
    found = described({b"HEAD": b"221 7 <a@b>\r\n" + HEAD + b".\r\n", b"HDR": reply})
    assert found.error is None
    assert found.described is not None
    assert found.described.size is None


def test_hdr_is_for_servers_that_offer_it() -> None:
    found = described({b"CAPABILITIES": lines(b"101", b"READER"), b"HEAD": b"221 7 <a@b>\r\n" + HEAD + b".\r\n"})
    assert (found.error, found.said) == (None, [b"HEAD <a@b>"])


@pytest.mark.parametrize("no", [b"500 what?\r\n", b"501 no\r\n", b"502 no\r\n", b"503 no\r\n"])
def test_without_head_stat_tells_whether_it_exists(no: bytes) -> None:
    found = described({b"HEAD": no, b"STAT": b"223 7 <a@b>\r\n"})
    assert (found.said, found.kept) == ([b"HEAD <a@b>", b"STAT <a@b>"], True)
    assert found.described is not None
    assert (found.described.type, found.described.attributes) == ("message/rfc822", {"message_id": "a@b", "number": 7})
    found = described({b"HEAD": no, b"STAT": b"430 no\r\n"})
    assert isinstance(found.error, NotFoundError)
    assert str(found.error) == "h does not describe the article '<a@b>': “430 no”."


def test_an_article_that_is_not_there_is_not_asked_for_twice() -> None:
    found = described({b"HEAD": b"430 no\r\n"})
    assert (type(found.error), found.said[:1]) == (NotFoundError, [b"HEAD <a@b>"])
    assert b"STAT <a@b>" not in found.said
    long = described({b"HEAD": lines(b"221 7 <a@b>", b"A: " + b"x" * MAX_HEAD_BYTES)})
    assert isinstance(long.error, LimitError)
    long = described({b"HEAD": b"221 7 <a@b>\r\n" + HEAD + b".\r\n", b"HDR": lines(b"225", b"x" * MAX_HEAD_BYTES)})
    assert isinstance(long.error, LimitError)


REPLY = Reply(220, (b"7 <reply@h> article",))


@each_row(
    ("fields", "reply", "attributes"),
    [
        ({}, None, {}),
        ({}, REPLY, {"message_id": "reply@h", "number": 7}),
        ({"message-id": b"<a@b>"}, REPLY, {"message_id": "a@b", "number": 7}),
        ({"message-id": b"none"}, Reply(220, (b"0",)), {}),  # RFC 3977 6.2.1.2: 0 if it was asked for by its identifier
        ({"subject": b"=?utf-8?q?=C3=BC?=", "from": b"me", "x-other": b"y"}, None, {"subject": "ü", "from": "me"}),
        ({"newsgroups": b"a.b", "organization": b"o", "followup-to": b"poster"}, None,
         {"newsgroups": "a.b", "organization": "o", "followup-to": "poster"}),
        ({"references": b"<a@b>  <c@d>"}, None, {"references": ["a@b", "c@d"]}),
        ({"content-type": b"text/plain; charset=UTF-8; format=flowed"}, None,
         {"content-type": "text/plain; charset=UTF-8; format=flowed", "charset": "utf-8"}),
        ({"content-type": b"Text/Plain; Charset = x"}, None, {"content-type": "Text/Plain; Charset = x"}),
        ({"content-type": b"text/plain; charset='koi8-r'"}, None,
         {"content-type": "text/plain; charset='koi8-r'", "charset": "koi8-r"}),
        ({"content-type": b"text/plain; charset=nope"}, None, {"content-type": "text/plain; charset=nope"}),
        ({"content-type": b"text/plain; charset=\xff"}, None, {"content-type": "text/plain; charset=ÿ"}),
        ({"content-type": b"image/png; charset=utf-8"}, None, {"content-type": "image/png; charset=utf-8"}),
    ],
)  # fmt: skip
def test_attributes(fields: dict[str, bytes], reply: Reply | None, attributes: dict[str, object]) -> None:
    assert attributes_of(fields, reply) == attributes


# --- posting ---------------------------------------------------------------------------------------------------------


def posted(*takes: bytes, replies: Replies | None = None, **options: object) -> Played:
    wanted = Options(**options)  # type: ignore[arg-type]
    return Played(
        post(NEWS, NewsSession(NEWS, wanted), "a.b", wanted), {b"POST": b"340 go on\r\n", **(replies or {})}, takes
    )


WHOLE = b"From: x@y\r\nNewsgroups: a.b\r\nSubject: s\r\n\r\nbody\r\n"


def test_it_is_sent_as_it_is_with_its_dots_doubled() -> None:
    """RFC 3977 3.1.1."""
    for takes in ([WHOLE + b".x\r\n"], [WHOLE, b".", b"x\r\n"], [bytes((octet,)) for octet in WHOLE + b".x\r\n"]):
        found = posted(*takes)
        assert found.said == [b"POST", *WHOLE.split(b"\r\n")[:-1], b"..x", b"."]
        assert (found.acts, found.kept) == (["delivery"], True)
        assert found.described is not None
        assert found.described.attributes == {"group": "a.b", "message_id": "new@server"}
        assert found.described.size == len(WHOLE) + 4


def test_what_it_lacks_is_added_before_it() -> None:
    found = posted(b"Subject: s\n\nbody", identity="me@h")
    assert found.said == [b"POST", b"From: me@h", b"Newsgroups: a.b", b"Subject: s", b"", b"body", b"."]
    assert posted(WHOLE, identity="me@h").said[1:5] == WHOLE.split(b"\r\n")[:4]  # who wrote it has said so
    assert posted(WHOLE.replace(b"a.b", b"c.d , a.b ")).error is None


@pytest.mark.parametrize(
    ("article", "options", "words"),
    [
        (b"Subject: s", {}, "This is not an article: it has no empty line after its header (From, Subject ...)."),
        (b"", {"upload_size": 0}, "This is not an article: it has no empty line after its header (From, Subject ...)."),
        (b"Subject: s\n\n", {},
         "The article has no From, and no identity is configured: identity='EMAIL' says who writes it."),
        (b"Subject: s\n\n", {"identity": "a\nb"},
         "The identity holds CR, LF or NUL, which would end its line: it is never sent."),
        (b"From: x@y\nSubject:\n\n", {}, "The article has no Subject, which every article must have (RFC 5536 3.1.6)."),
        (WHOLE.replace(b"a.b", b"c.d,a.bc"), {}, "The article is for 'c.d,a.bc', and the URL names 'a.b'."),
        (b"x" * (MAX_HEAD_BYTES + 1), {},
         "This is not an article: it has no empty line after its header (From, Subject ...)."),
    ],
)  # fmt: skip
def test_what_is_no_article_is_not_sent(article: bytes, options: dict[str, object], words: str) -> None:
    found = posted(article, **options)
    assert isinstance(found.error, LocalProtocolError)
    assert (str(found.error), found.said, found.acts) == (words, [], ["delivery"])


def test_servers_that_do_not_take_it() -> None:
    for replies, kind, words in (
        ({b"POST": b"440 no\r\n"}, DeniedError, "h accepts no articles: “440 no”."),
        ({b"posted": b"441 no\r\n"}, DeniedError, "h does not post the article to 'a.b': “441 no”."),
        ({b"POST": b"240 what?\r\n"}, RemoteProtocolError, "h accepts no articles, and its reply makes no sense: "),
    ):
        found = posted(WHOLE, replies=replies)
        assert type(found.error) is kind
        assert str(found.error).startswith(words)
    found = posted(WHOLE, replies={b"posted": b"240 received\r\n"})
    assert found.described is not None
    assert found.described.attributes == {"group": "a.b"}


@pytest.mark.parametrize(
    ("identifier", "sent"), [("a@b", b"<a@b>"), ("a/b@c", b"<a/b@c>"), ("x" * 246 + "@b", b"<" + b"x" * 246 + b"@b>")]
)
def test_references(identifier: str, sent: bytes) -> None:
    assert reference_of(identifier) == sent


@pytest.mark.parametrize("identifier", ["a>@b", "<a@b>", "x" * 247 + "@b"])
def test_references_that_are_none(identifier: str) -> None:
    with pytest.raises(LocalProtocolError):
        reference_of(identifier)


MIME_LINES = [b"MIME-Version: 1.0", b"Content-Type: text/plain; charset=utf-8", b"Content-Transfer-Encoding: 8bit"]


@pytest.mark.parametrize(
    ("head", "body", "adds"),
    [
        (b"", "Grüße".encode(), True),
        (b"", b"hello", False),
        (b"", b"Gr\xfc\xdfe", False),  # nobody knows which charset that is
        (b"", "Grüße".encode()[:-3], True),  # a piece ends within a character
        (b"Content-Type: text/plain; charset=utf-8\r\n", "Grüße".encode(), False),
        (b"MIME-Version: 1.0\r\n", "Grüße".encode(), False),
    ],
)
def test_a_text_in_utf_8_says_so(head: bytes, body: bytes, adds: bool) -> None:
    found = posted(b"From: me@h\r\nSubject: s\r\nNewsgroups: a.b\r\n" + head + b"\r\n" + body)
    assert found.error is None
    assert [line in found.said for line in MIME_LINES] == [adds or line in head for line in MIME_LINES]
