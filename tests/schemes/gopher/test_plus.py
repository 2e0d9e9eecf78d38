"""Attributes and forms: what is read of them, who has none, and that nothing goes out that no form has asked for."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.dialogue import Close, Consent, Describe, Emit, Follow, Options
from anyurl.errors import (
    AnyURLError,
    LimitError,
    LocalProtocolError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    Truncated,
)
from anyurl.schemes.gopher.exchange import ReplyBody
from anyurl.schemes.gopher.parts import GopherParts
from anyurl.schemes.gopher.plus import (
    BATCH,
    facts_of,
    fetch_questions,
    get_attributes,
    list_attributes,
    modified_of,
    questions_in,
    read_blocks,
    show_form,
    stat,
    submit,
)
from anyurl.schemes.gopher.wire.plus import DOTTED, MAX_BLOCKS, UNTIL_CLOSE, Block, Question
from anyurl.testing import three_ways
from anyurl.url import URL
from tests.schemes.steps import Link, Played, Said

HERE = URL("gopher://h/0/x")
PARTS = GopherParts("0", "/x")
INFO = b"+INFO: 0An item\t/x\th\t70\t+\r\n"
ADMIN = b"+ADMIN:\r\n Admin: Jo <jo@h>\r\n Mod-Date: Thu Dec  1 00:00:00 1994 <19941201000000>\r\n"
ASK = b"+ASK:\r\n Ask: Your name?\tJo\r\n Note: a word\r\n"
ALL = INFO + ADMIN + ASK + b"+ABSTRACT:\r\n one\r\n two\r\n"
MOVED = [b"--1\r\n3 Jo\r\n0New\t/new\th\t7070\r\n.\r\n"]
PLAIN = [b"plain\r\n"]


def dotted(data: bytes) -> list[Said]:
    return [b"+-1\r\n" + data + b".\r\n"]


def body_of(said: list[bytes], length: int = DOTTED, *, plus: bool = True) -> ReplyBody:
    return ReplyBody(Link(said, ("h", 70), None), b"", length, plus=plus)


# --- attributes ------------------------------------------------------------------------------------------------------


def test_blocks_however_they_come() -> None:
    for pieces in three_ways(ALL + b".\r\n", b"more"):
        blocks = Played(read_blocks(body_of(pieces))).value
        assert [block.name for block in blocks] == ["INFO", "ADMIN", "ASK", "ABSTRACT"]
    blocks = Played(read_blocks(body_of([ALL], UNTIL_CLOSE))).value
    assert blocks[-1] == Block("ABSTRACT", b"", (b"one", b"two"))


def test_blocks_without_their_end() -> None:
    assert type(Played(read_blocks(body_of([ALL]))).error) is Truncated
    assert Played(read_blocks(body_of([ALL], plus=False))).error is None


@pytest.mark.parametrize("more", [0, 1])
def test_as_many_octets_as_are_allowed(more: int) -> None:
    error = Played(read_blocks(body_of([ALL + b".\r\n"]), len(ALL) + 3 - more)).error
    if not more:
        assert error is None
        return
    assert isinstance(error, LimitError)
    assert (error.limit, str(error)) == (
        "MAX_ATTRIBUTES_BYTES", f"The attributes have more than {len(ALL) + 2:,} octets: the limit allows no more.",
    )  # fmt: skip


@pytest.mark.parametrize("end", [b".\r\n", b""])
def test_as_many_attributes_as_are_allowed(end: bytes) -> None:
    length = DOTTED if end else UNTIL_CLOSE
    assert len(Played(read_blocks(body_of([b"+X:\r\n" * MAX_BLOCKS + end], length))).value) == MAX_BLOCKS
    error = Played(read_blocks(body_of([b"+X:\r\n" * (MAX_BLOCKS + 1) + end], length))).error
    assert isinstance(error, LimitError)
    assert error.limit == "MAX_BLOCKS"


@pytest.mark.parametrize(
    ("length", "plus", "ended", "wrong"),
    [
        (DOTTED, True, False, True), (DOTTED, True, True, False), (DOTTED, False, False, False),
        (UNTIL_CLOSE, True, False, False), (5, True, False, False),
    ],
)  # fmt: skip
def test_who_must_end_with_a_dot(length: int, plus: bool, ended: bool, wrong: bool) -> None:
    body = body_of([], length, plus=plus)
    if wrong:
        with pytest.raises(Truncated, match=r"^The Gopher\+ reply ends without its end mark, a lone dot\.$"):
            list(body.tell_end(ended))
    else:
        assert list(body.tell_end(ended)) == []


def test_facts() -> None:
    blocks = [
        Block("INFO", b"0caf\xe9\t/x\th\t70"),
        Block("ADMIN", b"", (b"Admin: Jo <jo@h>", b" Mod-Date : a:b", b": nameless", b"alone")),
        Block("VIEWS", b"", (b"text/plain: <1k>", b"", b"image/gif De_DE: <9k>")),
        Block("ASK", b"", (b"Ask: Who?",)),
        Block("ASK", b"", (b"Note: x", b" ")),
        Block("ABSTRACT", b"in short", (b"and long",)),
    ]
    assert facts_of(blocks) == {
        "title": "caf\xe9",
        "admin": {"Admin": "Jo <jo@h>", "Mod-Date": "a:b", "alone": ""},
        "views": [
            {"type": "text/plain", "language": None, "size": "1k"},
            {"type": "image/gif", "language": "De_DE", "size": "9k"},
        ],
        "questions": [Question("Ask", "Who?").as_dict(), Question("Note", "x").as_dict()],
        "abstract": "in short\nand long",
    }
    assert facts_of([]) == {}


@pytest.mark.parametrize(
    ("facts", "modified"),
    [
        ({}, None), ({"admin": {}}, None), ({"admin": {"Mod-Date": "never"}}, None),
        ({"admin": {"Mod-Date": "<19941201000000>"}}, 786240000.0),
    ],
)  # fmt: skip
def test_the_time_of_the_last_change(facts: dict[str, Any], modified: float | None) -> None:
    assert modified_of(facts) == modified


def test_questions() -> None:
    blocks = [Block("INFO", b"0a"), Block("ASK", b"", (b"Ask: a\tb", b" ")), Block("X", b"", (b"Ask: no",))]
    assert questions_in(blocks) == [Question("Ask", "a", "b")]
    with pytest.raises(RemoteProtocolError, match="a question of an unknown kind"):
        questions_in([Block("ASK", b"", (b"Guess: a",))])


# --- stat ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("string", "asked", "names"),
    [
        ("", b"!", {"title", "admin", "questions", "abstract"}),
        ("+", b"!", {"title", "admin", "questions", "abstract"}),
        ("!", b"!", {"title", "admin", "questions", "abstract"}),
        ("!+ABSTRACT +admin", b"!+ABSTRACT +admin", {"admin", "abstract"}),
    ],
)
def test_what_is_described(string: str, asked: bytes, names: set[str]) -> None:
    played = Played(stat(HERE, GopherParts("0", "/x", None, string or None)), dotted(ALL))
    assert played.sent == [b"/x\t\t" + asked + b"\r\n"]
    [described] = played.of(Describe)
    assert set(described.attributes) == names
    assert described.kind == ("form" if "questions" in names else "document")
    assert described.modified == (786240000.0 if "admin" in names else None)
    assert (described.type, described.name) == ("text/plain", "x")


def test_who_has_no_attributes() -> None:
    played = Played(stat(HERE, PARTS), PLAIN, PLAIN, PLAIN)
    assert played.sent == [b"/x\t\t!\r\n", b"/x\t!\r\n", b"/x\r\n"]
    assert played.notes == [
        "the server has no attributes: only the facts in the URL are known, and that the server answers"
    ]
    [described] = played.of(Describe)
    assert (described.kind, described.type, dict(described.attributes)) == ("document", "text/plain", {})
    assert all(link.closed for link in played.links)
    refused = Played(stat(HERE, PARTS), PLAIN, PLAIN, [b"3no such thing\t\terror.host\t1\r\n"])
    assert type(refused.error) is NotFoundError


def test_who_sends_all_attributes_or_none() -> None:
    """pygopherd: the one that was wanted is taken out of all."""
    played = Played(stat(HERE, GopherParts("0", "/x", None, "!+ABSTRACT")), PLAIN, PLAIN, dotted(ALL))
    assert played.sent == [b"/x\t\t!+ABSTRACT\r\n", b"/x\t!+ABSTRACT\r\n", b"/x\t\t!\r\n"]
    assert dict(played.of(Describe)[0].attributes) == {"abstract": "one\ntwo"}


@pytest.mark.parametrize(
    ("selector", "known"), [("/x", True), ("x", True), ("//x/", True), ("/y", False), ("", False), ("/x/y", False)]
)
def test_attributes_of_another_item_are_none(selector: str, known: bool) -> None:
    played = Played(stat(HERE, GopherParts("0", selector)), dotted(ALL), PLAIN)
    assert bool(played.notes) is not known
    assert bool(played.of(Describe)[0].attributes) is known


def test_an_item_that_moved() -> None:
    where = "gopher://h:7070/0/new"
    options = Options()
    for steps in (
        stat(HERE, PARTS), get_attributes(HERE, PARTS), list_attributes(HERE, PARTS), show_form(HERE, PARTS),
        fetch_questions(HERE, PARTS), submit(HERE, PARTS, options),
    ):  # fmt: skip
        follow = Played(steps, MOVED).value
        assert isinstance(follow, Follow)
        assert str(follow.url) == where


# --- get and list ----------------------------------------------------------------------------------------------------


def test_attributes_as_a_document() -> None:
    played = Played(get_attributes(HERE, GopherParts("0", "/x", None, "!")), dotted(ALL))
    lines = [line.rstrip() for line in ALL.split(b"\r\n")]
    assert played.content == b"\n".join(lines)
    [described] = played.of(Describe)
    assert (described.kind, described.type, described.modified) == ("document", "text/plain", 786240000.0)
    error = Played(get_attributes(HERE, PARTS), PLAIN, PLAIN).error
    assert str(error) == "h has no attributes: it answers as a server without Gopher+ does."


def test_only_what_the_url_names_is_asked_for() -> None:
    played = Played(get_attributes(HERE, GopherParts("0", "/x", None, "!+ABSTRACT")), dotted(ALL))
    assert (played.sent, played.content) == ([b"/x\t\t!+ABSTRACT\r\n"], b"+ABSTRACT:\n one\n two\n")
    played = Played(list_attributes(HERE, GopherParts("1", "", None, "$+ABSTRACT")), dotted(INFO))
    assert played.sent == [b"\t\t$+ABSTRACT\r\n"]


def test_a_directory_with_attributes_however_it_comes() -> None:
    items = [b"+INFO: 0Item %d\t/%d\th\t70\r\n+ABSTRACT: about %d\r\n" % (at, at, at) for at in range(3)]
    for pieces in three_ways(b"+-1\r\n" + b"".join(items) + b".\r\n", b"more"):
        played = Played(list_attributes(HERE, GopherParts("1", "", None, "$")), pieces)
        assert played.sent == [b"\t\t$\r\n"]
        assert played.of(Describe)[0].kind == "listing"
        assert [(each.name, str(each.url), each.attributes["abstract"]) for each in played.entries] == [
            (f"Item {at}", f"gopher://h/0/{at}", f"about {at}") for at in range(3)
        ]
    assert Played(list_attributes(HERE, PARTS), dotted(b"")).entries == []
    assert BATCH == 500


def test_an_item_is_given_out_when_it_is_whole() -> None:
    items = [b"+INFO: 0Item %d\t/%d\th\t70\r\n" % (at, at) for at in range(3)]
    played = Played(list_attributes(HERE, PARTS), [b"+-1\r\n", *items, ADMIN, b".\r\n"])
    assert [[entry.name for entry in each.content] for each in played.of(Emit)] == [["Item 0"], ["Item 1"], ["Item 2"]]
    assert [entry.modified for entry in played.entries] == [None, None, 786240000.0]


def test_a_directory_that_does_not_end() -> None:
    played = Played(list_attributes(HERE, PARTS), [b"+-1\r\n" + INFO])
    assert [entry.title for entry in played.entries] == ["An item"]
    assert type(played.error) is Truncated
    many = Played(list_attributes(HERE, PARTS), dotted(INFO + b"+X:\r\n" * MAX_BLOCKS))
    assert isinstance(many.error, LimitError)
    assert Played(list_attributes(HERE, PARTS), dotted((INFO + b"+X:\r\n" * (MAX_BLOCKS - 1)) * 2)).error is None
    error = Played(list_attributes(HERE, PARTS), PLAIN, PLAIN).error
    assert str(error) == "h answers '$' as a server without Gopher+ does."


# --- forms -----------------------------------------------------------------------------------------------------------

FORM = [Question("Ask", "Your name?", "Jo"), Question("Note", "a word")]


@pytest.mark.parametrize(
    ("replies", "asked"),
    [
        ([dotted(ASK)], [b"/x\t\t!+ASK\r\n"]),
        ([dotted(INFO), dotted(ALL)], [b"/x\t\t!+ASK\r\n", b"/x\t\t!\r\n"]),
        ([PLAIN, PLAIN, dotted(ALL)], [b"/x\t\t!+ASK\r\n", b"/x\t!+ASK\r\n", b"/x\t\t!\r\n"]),
    ],
)
def test_the_questions_of_an_item(replies: list[list[Said]], asked: list[bytes]) -> None:
    played = Played(fetch_questions(HERE, GopherParts("0", "/x", None, "?")), *replies)
    assert (played.value, played.sent) == (FORM, asked)


def test_an_item_without_a_form() -> None:
    error = Played(fetch_questions(HERE, PARTS), dotted(INFO), dotted(INFO)).error
    assert (type(error), str(error)) == (
        NotFoundError, "gopher://h/0/x has no form: its server lists no +ASK attribute.",
    )  # fmt: skip


def test_a_form_is_shown() -> None:
    [described] = Played(show_form(HERE, PARTS), dotted(ASK)).of(Describe)
    assert (described.kind, described.name) == ("form", "x")
    assert described.attributes == {"questions": [question.as_dict() for question in FORM]}


def answering(text: str = "", answers: tuple[str, ...] = (), *replies: list[Said], **more: Any) -> Played:
    url = URL(text or "gopher://h/0/x%09%09?")
    return Played(submit(url, url.parts, Options(answers=answers)), *replies, **more)


SENT = b"/x\t+\t1\r\n+-1\r\nJo\r\n.\r\n"
IN_URL = "gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0AJo%0D%0A.%0D%0A"


@pytest.mark.parametrize(("text", "answers"), [("", ("Jo",)), (IN_URL, ()), (IN_URL, ("other",))])
def test_a_form_is_answered(text: str, answers: tuple[str, ...]) -> None:
    played = answering(text, answers, dotted(ASK), [b"+2\r\nok"])
    assert played.error is None
    assert played.sent == [b"/x\t\t!+ASK\r\n", SENT]
    assert isinstance(played.asks[0], Consent)  # before anything else
    assert (played.value.length, played.value.plus) == (2, True)
    assert played.of(Close) == []


@pytest.mark.promise("delimiters")
@pytest.mark.parametrize(
    ("form", "answers", "error"),
    [
        (ASK, (), LocalProtocolError),
        (ASK, ("a", "b"), LocalProtocolError),
        (b"+ASK:\r\n AskF: A file?\r\n", ("a",), LocalProtocolError),
        (b"+ASK:\r\n Guess: A file?\r\n", ("a",), RemoteProtocolError),
    ],
)
def test_what_does_not_fit_the_form_is_not_sent(
    form: bytes, answers: tuple[str, ...], error: type[AnyURLError]
) -> None:
    played = answering("", answers, dotted(form))
    assert (type(played.error), len(played.sent)) == (error, 1)


def test_lines_of_a_url_that_answer_nothing_are_not_sent() -> None:
    """Attack: they could be commands to a server of another protocol."""
    played = answering(IN_URL.replace("Jo", "Jo%0D%0AQUIT"), (), dotted(ASK))
    assert (type(played.error), len(played.sent)) == (LocalProtocolError, 1)


def test_nothing_goes_out_without_consent() -> None:
    played = answering("", ("Jo",), refuse=RefusedError("No."))
    assert (type(played.error), played.sent) == (RefusedError, [])


def test_an_answer_that_is_none() -> None:
    error = answering("", ("Jo",), dotted(ASK), PLAIN).error
    assert str(error) == "h does not answer the form in Gopher+."
