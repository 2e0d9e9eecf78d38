"""All faults of a text by today's grammar, each at its place in the text, and what changed since RFC 1738."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.grammar.current import (
    ADVICE,
    CHANGES,
    EVERYWHERE,
    MAX_ROUNDS,
    STILL,
    current_errors,
    diagnose_current,
    remark_change,
)
from anyurl.grammar.mending import Mending
from anyurl.url import URL, syntax
from anyurl.url.cut import decode_text
from tests.grammar.strings import texts
from tests.rows import each_row

DIAGNOSES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "grammar" / "diagnoses.jsonl").read_text("utf-8").splitlines()
]
"""What is said to the letter, of every code."""

Told = tuple[str, tuple[int, int], str, str | None]


def errors(text: str) -> list[Told]:
    return [(one.code, one.span, one.section, one.fix) for one in current_errors(text)]


ENDS = "RFC 3986 2"
PREFIXED = "RFC 3986 3"

FAULTS: list[tuple[str, list[Told]]] = [
    ("http://h/", []),
    ("x:", []),
    ("", [("empty", (0, 0), PREFIXED, None)]),
    ("http://h/" + "a" * 65_528, [("too-long", (65_536, 65_537), "RFC 9110 4.1", None)]),
    ("http://h/" + "a" * 65_527, []),
    # one kind at many places, and many kinds
    ("http://h/ b", [("space", (9, 10), ENDS, "%20")]),
    ("http://h/a  b c", [("space", (10, 12), ENDS, "%20%20"), ("space", (13, 14), ENDS, "%20")]),
    ("http://h/<>a^", [("character", (9, 11), ENDS, "%3C%3E"), ("character", (12, 13), ENDS, "%5E")]),
    ("http://h/\n\x7f", [("control", (9, 11), ENDS, "%0A%7F")]),
    ("http://h/ \x01 ", [("space", (9, 10), ENDS, "%20"), ("control", (10, 11), ENDS, "%01"),
                         ("space", (11, 12), ENDS, "%20")]),
    ("http://a b/c", [("space", (8, 9), ENDS, "%20")]),
    ("http://h/[a]", [("bracket", (9, 10), "RFC 3986 3.2.2", "%5B"), ("bracket", (11, 12), "RFC 3986 3.2.2", "%5D")]),
    # a backslash that separates segments to a browser, and one behind them
    ("http://h/\\a\\b?\\", [("backslash", (9, 10), ENDS, "/"), ("backslash", (11, 12), ENDS, "/"),
                            ("backslash", (14, 15), ENDS, "%5C")]),
    ("http://h/#\\", [("backslash", (10, 11), ENDS, "%5C")]),
    ("gopher://h/1\\", [("backslash", (12, 13), ENDS, "%5C")]),
    ("C:\\x\\y", [("backslash", (2, 3), ENDS, "/"), ("backslash", (4, 5), ENDS, "/")]),
    # escapes
    ("http://h/%zz%4", [("percent", (9, 14), "RFC 3986 2.1", "%25zz%254")]),
    ("http://h/%%41%", [("percent", (9, 10), "RFC 3986 2.1", "%25"), ("percent", (13, 14), "RFC 3986 2.1", "%25")]),
    ("http://h/%4/%a\u00e9", [("percent", (9, 11), "RFC 3986 2.1", "%254"), ("percent", (12, 14), "RFC 3986 2.1",
     "%25a")]),
    ("http://h%41/%41", [("host-percent", (8, 11), "RFC 3986 3.2.2", None)]),
    ("http://h/<%<", [("character", (9, 10), ENDS, "%3C"), ("percent", (10, 11), "RFC 3986 2.1", "%25"),
                      ("character", (11, 12), ENDS, "%3C")]),
    ("http://h/<%4<", [("character", (9, 10), ENDS, "%3C"), ("percent", (10, 12), "RFC 3986 2.1", "%254"),
                       ("character", (12, 13), ENDS, "%3C")]),
    ("http://h/ %  a", [("space", (9, 10), ENDS, "%20"), ("percent", (10, 11), "RFC 3986 2.1", "%25"),
                        ("space", (11, 13), ENDS, "%20%20")]),
    # the authority
    ("http://u@v@w/a@b", [("two-at", (8, 9), "RFC 3986 3.2", "%40")]),
    ("ftp://a@b@c@d/", [("two-at", (7, 8), "RFC 3986 3.2", "%40"), ("two-at", (9, 10), "RFC 3986 3.2", "%40")]),
    ("http://h:x/", [("port-not-digits", (9, 10), "RFC 3986 3.2.3", None)]),
    ("http://h:65536/", [("port-too-large", (9, 14), "RFC 9293 3.1", None)]),
    ("http://h:80:80/", [("host-colons", (7, 14), "RFC 3986 3.2.2", None)]),
    ("http://[::1/", [("open-bracket", (7, 11), "RFC 3986 3.2.2", None)]),
    ("http://[::1]x/", [("after-bracket", (12, 13), "RFC 3986 3.2", None)]),
    ("http://[a]/", [("address", (7, 10), "RFC 3986 3.2.2", None)]),
    ("http://127.1/", [("numeric-host", (7, 12), "RFC 3986 7.4", None)]),
    ("http:///a", [("empty-host", (7, 7), "RFC 3986 3.2.2", None)]),
    ("mailto://u@h", [("authority", (7, 10), "RFC 6068", None)]),
    ("http://h/#a#b#c", [("second-hash", (11, 12), "RFC 3986 3.5", "%23"), ("second-hash", (13, 14), "RFC 3986 3.5",
     "%23")]),
    # gaps
    ("http:h", [("no-authority", (5, 5), "RFC 9110 4.2", "//")]),
    ("file:a", [("relative-path", (5, 5), "RFC 8089 2", "/")]),
    ("ftp:/a", [("no-authority", (4, 4), "RFC 1738 3.2", "//"), ("empty-host", (4, 4), "RFC 3986 3.2.2", None)]),
    ("example.com/a", [("no-scheme", (0, 0), PREFIXED, "https://")]),
    ("//h/a", [("no-scheme", (0, 0), PREFIXED, "http:")]),
    ("foo bar", [("no-scheme", (0, 0), PREFIXED, None), ("space", (3, 4), ENDS, "%20")]),
    ("1a:b c", [("scheme-start", (0, 1), "RFC 3986 3.1", None), ("space", (4, 5), ENDS, "%20")]),
    ("a_b_c:d_e", [("scheme-character", (1, 2), "RFC 3986 3.1", None), ("scheme-character", (3, 4),
     "RFC 3986 3.1", None)]),
    # what is no character
    ("http://h/\ud800\ud801", [("surrogate", (9, 11), "RFC 3629 3", None)]),
]  # fmt: skip


@each_row(("text", "expected"), FAULTS, ids=[f"{row[0][:24]!a} {len(row[0])}" for row in FAULTS])
def test_all_faults_are_told_at_their_places(text: str, expected: list[Told]) -> None:
    assert errors(text) == expected


def test_there_is_none_if_and_only_if_it_is_a_url() -> None:
    counts = [0, 0]
    for text in texts(3, 400):
        try:
            URL(text)
            good = True
        except URLSyntaxError as error:
            good = False
            assert error.diagnostics[0].code in {one.code for one in current_errors(text)}
        assert (not current_errors(text)) is good
        assert all(one.severity == "error" for one in current_errors(text))
        assert (not any(one.severity == "error" for one in diagnose_current(text))) is good
        counts[good] += 1
    assert min(counts) > 100


@given(st.text(" \\<^|[]%#é\x01a4/?", max_size=12))
@example("<%<")
@example("<%4<")
def test_the_fixes_of_faults_of_characters_make_a_url_of_the_same_characters(rest: str) -> None:
    """Behind the host each of these faults has a fix, which says nothing that the text did not."""
    text = f"http://h/{rest}"
    found = current_errors(text)
    copy = Mending(text)
    copy.replace_many([(one.span, one.fix or "") for one in found])
    assert current_errors(copy.text) == []
    slashed = {place for one in found for place in range(*one.span) if set(one.fix or "") == {"/"}}
    wanted = "".join("/" if place in slashed else char for place, char in enumerate(text))
    path, query, fragment = (decode_text(part or "") for part in (URL(copy.text).path, URL(copy.text).query,
                                                                   URL(copy.text).fragment))  # fmt: skip
    assert f"http://h{path}{query}{fragment}".replace("#", "").replace("?", "") == (
        decode_text(re.sub("%(?![0-9A-Fa-f]{2})", "%25", wanted)).replace("#", "").replace("?", "")
    )


@given(st.text(" \\<^|[]%#é\x01a/@:?", max_size=12))
def test_places_are_in_the_text_and_in_order(rest: str) -> None:
    text = f"http://h/{rest}"
    found = current_errors(text)
    spans = [one.span for one in found]
    assert spans == sorted(spans)
    for one in found:
        assert 9 <= one.span[0] <= one.span[1] <= len(text)
        if one.code in EVERYWHERE:
            there = text[slice(*one.span)]
            assert set(there) <= {"space": set(" "), "control": set("\x01"), "backslash": set("\\"),
                                  "character": set("<^|"), "bracket": set("[]"), "second-hash": set("#"),
                                  "percent": set("%a")}[one.code]  # fmt: skip
    covered = {place for one in found for place in range(*one.span)}
    assert covered >= {place for place, char in enumerate(text) if char in " \\<^|[]\x01"}


def test_many_faults_take_time_in_proportion() -> None:
    """Those that recur are mended together: a round for each kind, not for each place."""

    def measured(count: int) -> float:
        text = "http://h/" + " a\\b<" * count
        began = time.process_time()
        assert len(current_errors(text)) == 3 * count
        return time.process_time() - began

    measured(10)
    assert min(measured(3_200) for _ in range(3)) < 40 * min(measured(200) for _ in range(3))


def test_there_are_more_rounds_than_kinds_of_faults() -> None:
    assert len(EVERYWHERE) * 4 < MAX_ROUNDS
    kinds = "".join(map(chr, range(0x80)))
    assert len(current_errors(f"http://h/{kinds}")) > 5, "each of these is mended, and the last is told"
    assert current_errors(f"http://h/{kinds} ")[-1].span[1] == 9 + 0x80 + 1


def test_advice_follows_the_sentence() -> None:
    for text, code in (
        ("http://h/ ", "space"), ("http://h/\n", "control"), ("http://h/\\", "backslash"), ("http://h/<", "character"),
        ("http://h/[", "bracket"), ("http://h/##", "second-hash"), ("http://u@v@w", "two-at"), ("http://h/%",
         "percent"),
    ):  # fmt: skip
        (one,) = current_errors(text)
        with pytest.raises(URLSyntaxError) as caught:
            URL(text)
        assert one.code == code
        assert one.message == f"{caught.value.diagnostics[0].message}; {ADVICE[code]}"
        assert (one.rule, one.section) == (caught.value.diagnostics[0].rule, caught.value.diagnostics[0].section)
    (one,) = current_errors("http://h:x/")
    assert one.message == "a port must consist of decimal digits"


def test_octets_are_read_as_octets() -> None:
    """A surrogate is an octet that is not UTF-8, where there are octets; else nothing."""
    text = "http://h/\udcff"
    assert [one.code for one in current_errors(text)] == ["surrogate"]
    assert current_errors(text, octets=True) == []
    assert [one.severity for one in diagnose_current(text, octets=True)] == ["remark"]


# --- what is told of a URL -------------------------------------------------------------------------------------------

REMARKS: list[tuple[str, list[tuple[str, str, tuple[int, int], str, str | None]]]] = [
    ("http://h", []),
    ("http://h/~a", [("changed", "remark", (9, 10), "RFC 2396 2.3", None)]),
    ("http://h/é", [("changed", "remark", (9, 10), "RFC 3987 3.1", None)]),
    ("http://bücher.de/", [("changed", "remark", (8, 9), "RFC 3490 4", None)]),
    ("http://h/?a/b", [("changed", "remark", (11, 12), "RFC 2396 3.4", None)]),
    ("gopher://h/7%09a/b", [("changed", "remark", (16, 17), "RFC 4266", None)]),
    ("http://[::1]/", [("changed", "remark", (7, 12), "RFC 2732 2", None)]),
    ("http://h?a", [("changed", "remark", (8, 8), "RFC 2396 3", None)]),
    ("http://h/a#b", [("fragment", "remark", (10, 11), "RFC 1738 2.2", None)]),
    # what is still so
    ("gopher://h/1%0A", [("selector-octet", "warning", (12, 15), "RFC 4266 2.1", None)]),
    ("telnet://h:25/", [("port-reserved", "warning", (11, 13), "RFC 1738 6", "23")]),
    ("URL:http://h/", [("wrapper", "warning", (0, 4), "RFC 1738 appendix", "")]),
    # doubts of the reader hide what is said at the same place
    ("ftp://h/a;type=x", [("bad-typecode", "warning", (15, 16), "RFC 1738 3.2.2", None)]),
    ("mailto:a", [("bad-address", "warning", (7, 8), "RFC 6068 2", None)]),
    # a password
    ("telnet://u:pw@h/", [("password", "warning", (11, 13), "RFC 1738 6", None)]),
    ("ssh://u:pw@h/?a@b", [("password", "warning", (8, 10), "RFC 1738 6", None)]),
    ("ssh://u:p:w@h", [("password", "warning", (8, 11), "RFC 1738 6", None),
                       ("changed", "remark", (9, 10), "RFC 3986 3.2.1", None)]),
    ("ssh://u:@h", []),
    # what is read as a scheme, but is never meant as one
    ("localhost:8080/x", [("host-and-port", "remark", (0, 14), "RFC 3986 3.1", "http://localhost:8080")]),
    ("x:/a", [("drive-letter", "remark", (0, 2), "RFC 8089 E.2", "file:///x:")]),
    ("telnet:23", [("no-authority", "error", (7, 7), "RFC 4248", "//"), ("numeric-host", "error", (7, 9),
     "RFC 3986 7.4", None)]),
    # another host
    ("http://раураl.com/", [("changed", "remark", (7, 12), "RFC 3490 4", None),
                            ("look-alike", "remark", (7, 17), "UTS 39 5", None)]),
    # beside an error, what the text still has
    ("telnet://u:pw@h:25/#a b", [("password", "warning", (11, 13), "RFC 1738 6", None),
                                 ("port-reserved", "warning", (16, 18), "RFC 1738 6", "23"),
                                 ("fragment", "remark", (19, 20), "RFC 1738 2.2", None),
                                 ("space", "error", (21, 22), ENDS, "%20")]),
    ("http://h:99999/~", [("port-too-large", "error", (9, 14), "RFC 9293 3.1", None)]),
]  # fmt: skip


@each_row(("text", "expected"), REMARKS, ids=[repr(row[0]) for row in REMARKS])
def test_what_is_told_of_a_url(text: str, expected: list[object]) -> None:
    found = diagnose_current(text)
    assert [(one.code, one.severity, one.span, one.section, one.fix) for one in found] == expected


def test_the_sentence_of_a_change_has_both_rules() -> None:
    (one,) = diagnose_current("http://h/~a")
    assert one.message == 'unreserved since RFC 2396 2.3; RFC 1738 2.2: "~" is unsafe and must be encoded: %7E'
    fault = Diagnostic("unheard", "error", (1, 2), "rule", "RFC 1738 3.9", "it was forbidden", "fix")
    assert remark_change(fault, "wais") == Diagnostic(
        "changed", "remark", (1, 2), "rule", syntax.row("wais").reference,
        f"allowed by {syntax.row('wais').reference}; RFC 1738 3.9: it was forbidden",
    )  # fmt: skip
    reserved = Diagnostic("reserved", "error", (1, 2), "search", "RFC 1738 3.3", "it was forbidden")
    assert remark_change(reserved, "http").section == "RFC 2396 3.4"
    assert remark_change(reserved, "gopher").section == syntax.row("gopher").reference
    path = Diagnostic("reserved", "error", (1, 2), "hpath", "RFC 1738 3.3", "it was forbidden")
    assert (remark_change(path, "http").section, remark_change(path, "gopher").section) == ("RFC 2396 3.3",) * 2


def test_the_words_about_what_is_never_meant() -> None:
    assert diagnose_current("x:/a")[0].message == (
        "one letter and a colon are a Windows drive rather than a scheme; its file URL begins with file:///"
    )
    assert diagnose_current("localhost:8080/x")[0].message == (
        "this is read as a scheme and a path; a host and a port need a scheme and two slashes before them"
    )
    found = diagnose_current("http://раураl.com/")[1].message
    assert found == "the host may be mistaken for another one: one label mixes scripts: Cyrillic and Latin"


def test_every_row_is_of_a_fault_of_the_rfc_with_a_clause() -> None:
    known = {one[0] for row in DIAGNOSES if row["grammar"] == "rfc1738" for one in row["diagnostics"]}
    for code, (section, word) in CHANGES.items():
        assert re.fullmatch(r"RFC \d+ [\dA-Z.]+", section)
        assert word
        assert code not in STILL
    assert set(CHANGES) | set(STILL) <= known
