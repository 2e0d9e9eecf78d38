"""Replies of Prospero servers: their lines sorted, what leads on, and where it ends."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from anyurl.dialogue import Steps
from anyurl.errors import (
    AnyURLError,
    LimitError,
    Meaning,
    NotFoundError,
    RemoteProtocolError,
    Truncated,
    UnsupportedError,
)
from anyurl.schemes.kit.meanings import CLASSES
from anyurl.schemes.prospero.answers import (
    MAX_ATTRIBUTES_OF_ONE,
    MAX_DEPTH,
    MAX_DIRECTORIES,
    MAX_NOTES,
    DirectoryReply,
    Walk,
    ask,
    complaint_error,
)
from anyurl.schemes.prospero.methods import Location
from anyurl.schemes.prospero.wire.messages import Complaint, Line, Names, list_request, read_reply
from anyurl.testing import three_ways
from tests.schemes.steps import Played

HERE = Location("h", 1525, b"/d")
LINK = "LINK  L FILE {0} INTERNET-D h ASCII /{0} 0\n"
UNION = "LINK  U DIRECTORY {0} INTERNET-D h ASCII /{0} 0\n"


class Courier:
    """Answers the listings of directories, by their names and the path that is looked up in them."""

    def __init__(self, replies: Mapping[str, str | AnyURLError]) -> None:
        self.replies = replies
        self.asked: list[str] = []
        self.route = None

    def ask(self, host: str, port: int, request: bytes, **_more: object) -> Steps[Courier]:
        yield from ()
        [name] = [
            key for key in self.replies
            if request == list_request(key.partition(" ")[0].encode(), 0, [n.encode() for n in key.split(" ")[1:]])
        ]  # fmt: skip
        self.asked.append(name)
        said = self.replies[name]
        self.said = [said] if isinstance(said, AnyURLError) else [said.encode("latin-1")]
        if isinstance(said, str) and said.endswith("CUT"):
            self.said = [said.removesuffix("CUT").encode(), Truncated("cut", received=1)]
        return self

    def receive(self) -> Steps[bytes]:
        yield from ()
        piece = self.said.pop(0) if self.said else b""
        if isinstance(piece, AnyURLError):
            raise piece
        return piece


def walk(replies: Mapping[str, str | AnyURLError], *names: bytes) -> tuple[Played, Courier]:
    courier = Courier(replies)
    return Played(Walk(courier).visit(HERE, names)), courier  # type: ignore[arg-type]


def names_in(played: Played) -> list[bytes]:
    assert played.error is None
    return [found.link.name for found in played.value]


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (b"NOT-FOUND", "not-found"), (b"NOT-AUTHORIZED", "denied"), (b"AUTHENTICATION-REQUIRED", "login"),
        (b"SERVER-FAILED", "other"), (b"", "other"),
    ],
)  # fmt: skip
def test_prospero_complaints(code: bytes, meaning: Meaning) -> None:
    error = complaint_error(Location("h", 1525, b"/x"), Complaint(b"FAILURE", code))
    assert (type(error), error.meaning) == (CLASSES[meaning], meaning)


def test_a_complaint_is_one_sentence() -> None:
    error = complaint_error(HERE, Complaint(b"FAILURE", b"NOT-FOUND", b"gone\x1b"))
    assert str(error) == r"h refuses “/d”: it has no such object (“NOT-FOUND”, “gone\x1b”)."
    error = complaint_error(HERE, Complaint(b"ERROR", b""))
    assert str(error) == "h refuses “/d”: it does not understand the request (ERROR)."
    assert str(complaint_error(HERE, Complaint(b"FAILURE", b"X"))) == "h refuses “/d”: the request is refused (“X”)."


def fed(text: str) -> DirectoryReply:
    reply = DirectoryReply()
    reply.feed(read_reply(text.encode("latin-1")))
    return reply


def test_lines_are_sorted() -> None:
    attribute = "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 7\n"
    reply = fed(attribute + LINK.format("a") + attribute * 2 + LINK.format("b") + "UNRESOLVED x/y z\nNONE-FOUND\n")
    assert [(found.link.name, len(found.attributes)) for found in reply.links] == [(b"a", 2), (b"b", 0)]
    assert (len(reply.attributes), reply.unresolved, reply.none_found) == (1, (b"x", b"y", b"z"), True)
    assert (reply.empty, fed("what\n").empty, DirectoryReply().empty) == (False, True, True)
    reply = fed("WARNING MESSAGE hot\nFAILURE NOT-FOUND a\nFAILURE TOO-MANY b\nodd\n")
    assert reply.complaint == Complaint(b"FAILURE", b"NOT-FOUND", b"a")
    assert (reply.notes, reply.odd.lines) == (["the server warns: “hot”"], [b"odd"])
    assert len(fed("WARNING MESSAGE hot\n" * (MAX_NOTES + 5)).notes) == MAX_NOTES
    assert Line(b"UNRESOLVED", Names(b"x")).word == b"UNRESOLVED"
    with pytest.raises(RemoteProtocolError, match="does not speak version 5 of Prospero"):
        fed("VERSION-NOT-SUPPORTED TRY 1-5")


def test_where_an_object_has_moved_to() -> None:
    pointer = "ATTRIBUTE OBJECT FIELD FORWARDING-POINTER LINK L FILE x INTERNET-D k ASCII /new 0\n"
    for text in (pointer, "FORWARDED INTERNET-D k ASCII /new 0\n"):
        there = fed(text).forwarded
        assert there is not None
        assert (there.host, there.hsoname) == (b"k", b"/new")
    assert fed(LINK.format("a") + pointer).forwarded is None  # that of a link is not the object's


@pytest.mark.parametrize("more", [0, 1])
def test_as_many_attributes_as_are_allowed(more: int) -> None:
    text = LINK.format("a") + "ATTRIBUTE LINK INTRINSIC X SEQUENCE\n" * (MAX_ATTRIBUTES_OF_ONE + more)
    if more:
        with pytest.raises(LimitError) as caught:
            fed(text)
        assert caught.value.limit == "MAX_ATTRIBUTES_OF_ONE"
    else:
        fed(text)


def test_one_request_however_its_reply_comes() -> None:
    for pieces in three_ways(LINK.format("a").encode() + b"odd\n"):
        courier = Courier({"/d": ""})

        def steps(courier: Courier = courier, pieces: list[bytes] = pieces) -> Steps[DirectoryReply]:
            def receive() -> Steps[bytes]:
                yield from ()
                return pieces.pop(0) if pieces else b""

            courier.receive = receive  # type: ignore[method-assign]
            return ask(courier, HERE, list_request(b"/d"))  # type: ignore[arg-type]

        played = Played(steps())
        assert [found.link.name for found in played.value.links] == [b"a"]
        assert played.notes == ["a line of the reply is not understood; it is: “odd”"]


def test_what_is_no_answer_and_what_is_a_part_of_one() -> None:
    error = walk({"/d": "odd\n"})[0].error
    assert str(error).startswith("h answers without a line of Prospero, not even NONE-FOUND: “odd”")
    assert str(walk({"/d": ""})[0].error).endswith("NONE-FOUND: nothing at all")
    assert type(walk({"/d": Truncated("cut", received=1)})[0].error) is Truncated
    assert names_in(walk({"/d": LINK.format("a") + "CUT"})[0]) == [b"a"]
    assert type(walk({"/d": "FAILURE NOT-FOUND\n"})[0].error) is NotFoundError
    broke = walk({"/d": LINK.format("a") + "FAILURE NOT-FOUND\n"})[0]
    assert names_in(broke) == [b"a"]
    assert broke.notes[0].startswith("the listing broke off: h refuses “/d”")


def test_unions_are_put_in_their_place_and_loops_cut() -> None:
    union = LINK.format("a") + UNION.format("u") + LINK.format("z")
    played, courier = walk({"/d": union, "/u": LINK.format("b")})
    assert (names_in(played), courier.asked) == ([b"a", b"b", b"z"], ["/d", "/u"])
    played, courier = walk({"/d": LINK.format("a") + UNION.format("d")})
    assert (names_in(played), courier.asked) == ([b"a"], ["/d"])
    assert played.notes == ["“/d” at h leads back to itself: left out"]
    played, _ = walk({"/d": union, "/u": "FAILURE NOT-FOUND\n"})
    assert names_in(played) == [b"a", b"u", b"z"]
    assert played.notes[0].startswith("a part of the union is left out: h refuses “/u”")


def test_a_path_leads_on() -> None:
    played, courier = walk({"/d a b": LINK.format("a") + "UNRESOLVED b\n", "/a b": LINK.format("b")}, b"a", b"b")
    assert (names_in(played), courier.asked) == ([b"b"], ["/d a b", "/a b"])
    error = walk({"/d a b": LINK.format("a") + "UNRESOLVED c\n"}, b"a", b"b")[0].error
    assert str(error) == "h leaves names unresolved that were not in the request."
    external = "LINK  L EXTERNAL a INTERNET-D h ASCII /a 0\nUNRESOLVED b\n"
    assert type(walk({"/d a b": external}, b"a", b"b")[0].error) is UnsupportedError


def test_it_ends() -> None:
    deep: dict[str, str | AnyURLError] = {f"/{at}": f"FORWARDED INTERNET-D h ASCII /{at + 1} 0\n" for at in range(30)}
    error = walk({"/d": "FORWARDED INTERNET-D h ASCII /0 0\n", **deep})[0].error
    assert isinstance(error, LimitError)
    assert error.limit == "MAX_DEPTH"
    assert MAX_DEPTH < MAX_DIRECTORIES
    wide = {f"/u{at}": LINK.format("x") for at in range(MAX_DIRECTORIES)}
    error = walk({"/d": "".join(UNION.format(name[1:]) for name in [*wide][:-1]), **wide})[0].error
    assert error is None
