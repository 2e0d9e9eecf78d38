"""A whole document where its rest was asked for, by all that may be told of it."""

from __future__ import annotations

from anyurl.dialogue import Describe, Resume
from anyurl.schemes.kit.whole import judge_whole
from tests.rows import each_row

DATE = 800_000_000.0


@each_row(
    ("resume", "told", "verdict"),
    [
        (Resume(4, '"1"'), Describe("document", etag='"1"'), "same"),
        (Resume(4, '"1"'), Describe("document", etag='W/"1"'), "same"),
        (Resume(4, '"1"', size=9), Describe("document", etag='"1"', size=8), "contradicted"),
        (Resume(4, '"1"'), Describe("document", etag='"2"'), "another"),
        (Resume(4, '"1"'), Describe("document", etag='W/"2"'), "unproven"),
        (Resume(4, '"1"', DATE), Describe("document", modified=DATE + 1), "another"),
        (Resume(4, '"1"', DATE, type="a/b"), Describe("document", "text/html", modified=DATE + 1), "unproven"),
        (Resume(4, '"1"', DATE), Describe("document", modified=DATE - 1), "unproven"),
        (Resume(4, '"1"', DATE, 9), Describe("document", modified=DATE, size=9), "same"),
        (Resume(4, '"1"', DATE, 9), Describe("document", modified=DATE, size=8), "contradicted"),
        (Resume(4, None, DATE + 0.5), Describe("document", modified=DATE + 0.25), "same"),  # of one second
        (Resume(4, '"1"', DATE, 9), Describe("document", size=9), "same"),
        (Resume(4, '"1"', DATE, 9), Describe("document", size=8), "unproven"),
        (Resume(4, '"1"', type="a/b"), Describe("document", "a/b"), "same"),
        (Resume(4, '"1"', type="a/b"), Describe("document", "text/html"), "unproven"),
    ],
)
def test_what_a_whole_document_proves(resume: Resume, told: Describe, verdict: str) -> None:
    assert judge_whole(resume, told) == verdict
