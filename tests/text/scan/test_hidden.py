"""Where what nobody sees ends: in a path, in a host, in a list."""

from __future__ import annotations

from anyurl.text.scan import characters, rows
from tests.rows import each_row
from tests.text.scan.test_scan import scanned

HIDDEN = sorted(characters.HIDDEN)


@each_row("hidden", HIDDEN)
@each_row("more", [b"b", b"/b", b"/", b"?b", b"#b", b"-b", b"%41", b";b", b"&b"])
def test_a_path_goes_on_behind_what_leaves_the_order_as_it_is(hidden: bytes, more: bytes) -> None:
    (row,), _, _ = scanned(b"http://h/a" + hidden * 2 + more + b" x")
    joins = hidden in characters.JOINERS
    assert row[rows.END] == (10 + 2 * len(hidden) + len(more) if joins else 10)
    assert (row[rows.KIND], row[rows.CUT]) == ((rows.JOINED, 10) if joins else (0, -1))


@each_row("hidden", HIDDEN)
@each_row("more", [b"", b".", b". b", b" b", b")", b"-", b"http://h/b"])
def test_a_path_ends_before_what_is_followed_by_nothing_of_it(hidden: bytes, more: bytes) -> None:
    found, _, _ = scanned(b"http://h/a" + hidden + more)
    assert (found[0][rows.END], found[0][rows.KIND]) == (10, 0)


@each_row("hidden", HIDDEN)
@each_row("more", [b"b/", b".b/", b":80/", b"@h/", b":p@h/", b"%41/", "\u00fc/".encode()])
def test_nothing_is_reported_before_a_host_goes_on(hidden: bytes, more: bytes) -> None:
    for times in (1, 2):
        found, _, _ = scanned(b"http://a" + hidden * times + more)
        assert found == []
