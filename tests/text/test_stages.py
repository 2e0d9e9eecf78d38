"""Stages: places through several decoders, and what is kept of a source."""

from __future__ import annotations

from anyurl.text.finder import Finder
from anyurl.text.kinds import URLS_ALONE
from anyurl.text.runs import Runs
from anyurl.text.stages import DecodingStage, Places, Stage, TextStage


class Doubled:
    """Takes each octet twice for one."""

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        end = len(data) // 2 * 2
        for at in range(0, end, 2):
            out.put(data[at : at + 1], at, at + 2)
        return end


def text_stage(_: str) -> Stage:
    finder = Finder(None, URLS_ALONE, "surrogateescape")
    return TextStage(finder, finder.read)


def test_a_place_goes_back_through_every_decoder() -> None:
    stage = DecodingStage(Doubled(), "doubled", lambda _: DecodingStage(Doubled(), "text", text_stage))
    data = b"".join(bytes((octet,)) * 4 for octet in b"x http://h/a ")
    found = []
    for at in range(0, len(data), 7):
        found += stage.feed(data[at : at + 7], False)
    found += stage.feed(b"", True)
    assert [(str(item), start, stop, context) for item, start, stop, context in found] == [
        ("http://h/a", 8, 48, "bare")
    ]


class Counted(Doubled):
    """Says how many octets it had to decide on; with `never` it decides nothing."""

    def __init__(self, never: bool = False) -> None:
        self.sizes: list[int] = []
        self._never = never

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        self.sizes.append(len(data))
        return 0 if self._never else super().decode(data, final, out)


def test_undecided_octets_wait_until_as_many_again_have_come_and_for_no_more() -> None:
    """So that octets that come one by one are looked at a few times each, and what can be told is told."""
    for decoder, sizes in ((Counted(), [1, 2] * 8), (Counted(never=True), [1, 2, 4, 8, 16])):
        stage = DecodingStage(decoder, "text", text_stage)
        for _ in range(16):
            stage.feed(b"a", False)
        assert decoder.sizes == sizes
        stage.feed(b"", True)
        assert decoder.sizes == [*sizes, 0 if sizes[-1] == 2 else 16]


def test_what_cannot_be_asked_for_any_more_is_not_kept() -> None:
    stage = DecodingStage(Doubled(), "text", text_stage)
    size = 0
    for _ in range(50):
        stage.feed(b"aa  " * 1000, False)
        size += 4000
        assert size - stage.least(0) < 140_000
    assert stage.least(0) > 50_000


def test_places_are_counted_in_the_encoding_of_the_source() -> None:
    places = Places("utf-16-le", "surrogatepass", 2)
    places.add("é\né http://h/".encode())
    (found,) = text_stage("").feed("é\né http://h/".encode(), True)
    placed = places.of(found, "m")
    assert (placed.span, placed.octet_span, placed.line, placed.column) == ((4, 13), (10, 28), 2, 3)
    assert (placed.raw, placed.member) == ("http://h/", "m")
