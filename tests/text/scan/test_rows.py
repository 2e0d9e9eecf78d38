"""The numbers of the search: columns, bits and limits, and that the limits are those of the RFCs."""

from __future__ import annotations

from anyurl.text import find
from anyurl.text.scan import rows
from anyurl.url import syntax
from anyurl.url.cut import numbers
from tests.text.scan.scanning import raws, read


def test_columns_contexts_and_shapes_are_numbered_without_gaps() -> None:
    columns = [rows.START, rows.END, rows.COLON, rows.HASH, rows.KIND, rows.CONTEXT, rows.CUT]
    assert columns == list(range(rows.COLUMNS))
    contexts = [rows.BARE, rows.ANGLE, rows.URL_PREFIX, rows.MARKDOWN, rows.RST, rows.HTML_ATTRIBUTE]
    assert contexts == list(range(6))
    shapes = [value for name, value in vars(rows).items() if name.startswith("SHAPE_") and name != "SHAPE_REACH"]
    assert sorted(shapes) == list(range(15))
    assert rows.SHAPE_AUTHORITY == 0


def test_kinds_and_flags_are_bits() -> None:
    kinds = [
        rows.FOLDED, rows.UNSAFE, rows.EMAIL, rows.WWW, rows.SPACED, rows.SHORTER, rows.GLUED, rows.TEMPLATE,
        rows.BROKEN, rows.DOMAIN, rows.SLASHED, rows.JOINED,
    ]  # fmt: skip
    assert kinds == [1 << place for place in range(len(kinds))]
    flags = [rows.FIND_EMAILS, rows.FIND_WWW, rows.NO_WRAPPERS, rows.FIND_TEMPLATES, rows.FIND_DOMAINS]
    assert flags == [1 << place for place in range(len(flags))]


def test_the_longest_candidate_is_the_longest_url() -> None:
    assert rows.MAX_URL == numbers.MAX_LENGTH
    longest = "http://h/" + "a" * (rows.MAX_URL - 9)
    assert raws(f"{longest} http://i/") == [longest, "http://i/"]
    assert raws(f"{longest}a http://i/") == ["http://i/"]
    assert [str(one.url) for one in find(longest)] == [longest]
    assert rows.MAX_WRAPPED == 2 * rows.MAX_URL


def test_limits_are_those_of_the_rfcs() -> None:
    """RFC 1035 2.3.4, RFC 5321 4.5.3.1."""
    assert (rows.MAX_DOMAIN, rows.MAX_ADDRESS) == (255 - 2, 64)
    assert rows.SHAPE_REACH >= 64 + 1 + 255
    assert max(map(len, syntax.ROWS)) <= rows.MAX_NAME
    assert rows.MAX_NAME + rows.LINE_REACH < rows.LOOK_BACK


def test_what_is_longer_than_a_limit_is_not_found() -> None:
    local, host = "a" * rows.MAX_ADDRESS, "h.example"
    assert raws(f"{local}@{host}", rows.FIND_EMAILS) == [f"{local}@{host}"]
    assert raws(f"{local}a@{host}", rows.FIND_EMAILS) == []
    assert raws(f"<URL:http://h/{' a' * (rows.MAX_GAPS + 1)}>") == [f"http://h/{' a' * (rows.MAX_GAPS + 1)}"]
    for gaps, kind in ((rows.MAX_GAPS, rows.FOLDED | rows.LABELLED), (rows.MAX_GAPS + 1, 0)):
        ((raw, told, _, _),) = read(f"<http://h/{' a' * gaps}>")
        assert (raw, told) == ("http://h/", kind)
