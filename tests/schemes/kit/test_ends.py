"""An end that nothing proves is told, and no other; `tests/schemes/test_ends.py` has what that means to each scheme."""

from __future__ import annotations

from anyurl.dialogue import Channel, Note
from anyurl.schemes.kit import ends as kit


def test_only_what_is_unmarked_is_told() -> None:
    channel = Channel()
    assert list(kit.tell_end(channel)) == []
    channel.unmarked = True
    [note] = list(kit.tell_end(channel))
    assert isinstance(note, Note)
    assert (note.text, note.unproved) == (kit.UNMARKED, True)
