"""Where a URL in prose ends: sentence marks, brackets, quotes, the next word (RFC 1738 appendix, RFC 3987)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anyurl.text.scan import rows
from tests.rows import each_row
from tests.text.scan.scanning import raws, read

ENDS = [
    ("see http://h/a.", "http://h/a", "a sentence"),
    ("http://h/a, then", "http://h/a", "a comma"),
    ("http://h/a!", "http://h/a", "a mark"),
    ("http://h/a?", "http://h/a", "a question"),
    ("http://h/a;", "http://h/a", "a semicolon"),
    ("http://h/a:", "http://h/a", "a colon"),
    ("http://h/a...", "http://h/a", "several marks"),
    ("http://h/a,b;c!", "http://h/a,b;c", "marks within"),
    ("(http://h/a)", "http://h/a", "brackets around it"),
    ("http://h/a(b)", "http://h/a(b)", "brackets within"),
    ("(http://h/a(b))", "http://h/a(b)", "both"),
    ("http://h/a(b", "http://h/a", "a bracket that is not closed"),
    ("http://h/(a)(b c", "http://h/(a)", "the second is not closed"),
    ("'http://h/a'", "http://h/a", "single quotes"),
    ('"http://h/a"', "http://h/a", "double quotes"),
    ('"http://h/a?"', "http://h/a?", "a mark within quotes is its own"),
    ('"http://h/a."', "http://h/a", "but for a full stop"),
    ("http://h/a'b", "http://h/a'b", "an apostrophe within"),
    ("http://h/'a'", "http://h/", "a quoted word behind it"),
    ("*http://h/a*", "http://h/a", "emphasis"),
    ("_http://h/a_", "http://h/a", "emphasis"),
    ("~http://h/a~", "http://h/a", "emphasis"),
    ("http://h/a*", "http://h/a*", "no emphasis"),
    ("http://h/a-->", "http://h/a", "the end of a comment of HTML"),
    ("/* http://h/a*/", "http://h/a", "the end of a comment of C"),
    ("http://h/a*/", "http://h/a*/", "no comment"),
    ("http://h/a&amp;b", "http://h/a&amp;b", "an entity that is a character"),
    ("http://h/a&&b", "http://h/a", "a shell's and"),
    ("http://h/a?b&&c", "http://h/a?b&&c", "two of them in a query"),
    ("http://h/a?b&& c", "http://h/a?b", "before a space"),
    ("http://h/a?b&amp;&amp; c", "http://h/a?b", "as HTML writes it"),
    ("http://h/a&amp;&amp;b", "http://h/a", "as HTML writes it, in a path"),
    ("語http://語.jp 語", "http://語.jp", "a host of another script"),
    ("x http://語 語", "http://語", "a host of another script"),
    ("http://h~ x", "http://h", "a tilde behind a host"),
    ("http://h==", "http://h==", "padding at the end"),
    ("http://h/a\u2014b", "http://h/a", "a dash"),
    ("http://h/a\u2013 b", "http://h/a", "an en dash at the end"),
    ("http://h/a\u2013b", "http://h/a\u2013b", "an en dash within"),
    ("http://h/a\u05f4 b", "http://h/a", "gershayim at the end"),
    ("http://h/a\u3002", "http://h/a", "an ideographic full stop"),
    ("http://h/a%20b", "http://h/a%20b", "an escape"),
    ("http://u:p@h/", "http://u:p@h/", "a login"),
    ("http://u,v;w@h/", "http://u,v;w@h/", "sub-delims of a login"),
    ("http://h/%", "http://h/", "a percent sign at the end"),
    ("http://h:80", "http://h:80", "a port"),
    ("http://h:80,", "http://h:80", "a port"),
    ("http://h:", "http://h", "a colon behind a host"),
    ("http://h: a", "http://h", "a colon behind a host"),
    ("http://h:8:9/", "http://h:8", "a second colon"),
    ("http://[::1]/a", "http://[::1]/a", "a literal"),
    ("http://[::1]:80", "http://[::1]:80", "a literal and a port"),
    ("file:///a", "file:///a", "no host"),
    ("http:///a", "http:///a", "no host"),
    ("letters東http://h東", "http://h", "a script without spaces"),
    ("http://h東/a", "http://h", "a word behind a host"),
    ("http://h#a", "http://h#a", "a fragment behind a host"),
    ("http://h?a", "http://h?a", "a query behind a host"),
]  # fmt: skip


@each_row(("text", "url", "why"), ENDS, ids=[row[0] for row in ENDS])
def test_where_a_url_ends(text: str, url: str, why: str) -> None:
    assert raws(text) == [url], why


@each_row(
    "text",
    [
        "http://", "http:// x", "http://.", "http://,", "http://[::1", "http://[::x y]/", "http://[", "file:////",
        "http://h/a%zz", "http://h/%04d", "http://h/%02x", "http://h/%08X", "http://h/%02u", "http://h/%02i",
         "http://h:x/", "語http://語", "http://h,i/", "http://h/%4", "http://h\u200bx/",
    ],
)  # fmt: skip
def test_what_is_no_url(text: str) -> None:
    assert raws(text) == []


@each_row(
    ("text", "expected"),
    [
        ("http://h/a,http://i/b", ["http://h/a", "http://i/b"]),
        ("http://h/a;http://i/", ["http://h/a", "http://i/"]),
        ("http://h/a|http://i/", ["http://h/a", "http://i/"]),
        ("a=http://h/,b=http://i/", ["http://h/", "http://i/"]),
        ("a=http://h/;b=http://i/", ["http://h/", "http://i/"]),
        ("a=http://h/?c;b=http://i/", ["http://h/?c;b=http://i/"]),
        ("http://h/?u=http://i/", ["http://h/?u=http://i/"]),
        ("http://h/http://i/", ["http://h/http://i/"]),
        ("http://h/a http://i/b", ["http://h/a", "http://i/b"]),
    ],
)
def test_a_list_without_spaces(text: str, expected: list[str]) -> None:
    assert raws(text) == expected


@each_row(
    ("text", "url", "kind", "shorter"),
    [
        ("http://h/aあb", "http://h/aあb", rows.SHORTER, "http://h/a"),
        ("http://h/a東b", "http://h/a東b", 0, "http://h/a"),
        ("http://h/a,東", "http://h/a,東", rows.SHORTER, "http://h/a"),
        ("http://h/東", "http://h/東", 0, None),
        ("http://h/é", "http://h/é", 0, None),
        ("http://h/a\u200bb", "http://h/a\u200bb", rows.JOINED, "http://h/a"),
        ("http://h/a?b=[c]", "http://h/a?b=[c]", rows.UNSAFE, None),
        ("http://h/a?b[c]=d", "http://h/a?b[c]=d", rows.UNSAFE, None),
        ("http://h/a?b=[c d]", "http://h/a?b=", rows.TEMPLATE, None),
        ("http://h/a[b]", "http://h/a", 0, None),
        ("http://h/a?b=c|d", "http://h/a?b=c|d", rows.UNSAFE, None),
        ("http://h/a?b=|&c", "http://h/a?b=|&c", rows.UNSAFE, None),
        ("http://h/a?b| c", "http://h/a?b", 0, None),
        ("http://h/a|b", "http://h/a", 0, None),
        ("http://h/#a#b", "http://h/#a#b", rows.UNSAFE, None),
        ("http://h/#/#/b", "http://h/#/#/b", rows.UNSAFE, None),
        ("http://h/#a# b", "http://h/#a", 0, None),
        ("http://h/#a%zz", "http://h/#a%zz", rows.UNSAFE, None),
    ],
)  # fmt: skip
def test_two_readings_and_what_must_be_encoded(text: str, url: str, kind: int, shorter: str | None) -> None:
    assert read(text) == [(url, kind, rows.BARE, shorter)]


def test_a_broken_escape_is_told_where_templates_are_sought() -> None:
    assert read("http://h/a%zz", rows.FIND_TEMPLATES) == [("http://h/a%zz", rows.BROKEN, rows.BARE, None)]


@given(st.text("ab/.-_~", max_size=12), st.sampled_from([" ", "\n", "<", ">", "\u3000", '"', ""]))
def test_what_never_needs_a_second_look_is_kept(path: str, end: str) -> None:
    assert raws(f"x http://h/{path}z{end}") == [f"http://h/{path}z"]


@given(st.text("a.,;:!?)", max_size=8))
def test_marks_at_the_end_are_no_part_of_it(path: str) -> None:
    assert raws(f"(http://h/b{path} c") == [f"http://h/b{path.partition(')')[0].rstrip('.,;:!?')}"]


@given(st.text("ab/()[]|#?&'\"<>,;:.%é東\u200b @\\", max_size=20))
def test_candidates_lie_in_the_text_in_order_and_each_octet_is_in_one(tail: str) -> None:
    text, place = f"http://h{tail} http://i/{tail}", 0
    for raw, _kind, _context, shorter in read(text):
        place = text.index(raw, place) + len(raw)
        assert raw.startswith("http://")
        assert shorter is None or raw.startswith(shorter)
