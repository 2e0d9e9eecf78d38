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
