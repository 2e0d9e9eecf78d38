"""``anyurl check --fix``: links that have moved for ever, written anew in the files that name them.

Rule: only whole URLs change, at the places that were checked; the fragment there is kept, and so is everything else.
Changes are shown before they are written.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias

from anyurl.cli.commands.find import HEAD, is_packed
from anyurl.cli.replacing import difference, write
from anyurl.errors import escape
from anyurl.errors.reasons import reason_of

if TYPE_CHECKING:
    from anyurl.batch.check import CheckState
    from anyurl.cli.terminal.console import Console
    from anyurl.text import Found

Moved: TypeAlias = dict[tuple[int, int], str]
"""For the line and the column of each URL that has moved, its target."""


def mend(console: Console, state: CheckState, format: str) -> None:
    """Show the changes of the files, ask the user at the terminal, and write them."""
    made = []
    for name, moved in moved_in(state).items():
        try:
            with open(name, "rb") as file:
                data = file.read()
            if is_packed(data[:HEAD]):
                continue
            new = mended(data, moved, name, format)
        except (OSError, ValueError) as error:
            console.say(f"{escape(name)} is left as it is: {reason_of(error)}.")
            continue
        if new != data:
            made.append((name, new))
            for line in difference(name, data, new):
                (console.say if console.json else console.line)(line)
    if not made or console.ask_consent("Write these changes?") is False:
        return
    for name, new in made:
        write(name, new)
    console.say(f"Moved links were written in {len(made):,} file{'' if len(made) == 1 else 's'}.")


def moved_in(state: CheckState) -> dict[str, Moved]:
    """The URLs that have moved for ever, by file; those with a login stay, which their target does not have."""
    from anyurl.batch.check.told import told
    from anyurl.url import URL

    found: dict[str, Moved] = {}
    for each in told(state, ("redirected",)):
        finding, place = each.finding, each.place
        if not finding.permanent or finding.target is None or not place.line or not os.path.isfile(place.file):
            continue
        if isinstance(each.link, URL) and each.link.user is None:
            found.setdefault(place.file, {})[place.line, place.column] = finding.target
    return found


def mended(data: bytes, moved: Moved, name: str, format: str) -> bytes:
    """The content of a file with the targets of its moved URLs. Raises ValueError for a URL that can't be written
    there."""
    from anyurl.text import replace

    link = ""  # of the attribute before: its URL, and where that leads to by now; its text is not checked again
    led_to: str | None = None

    def target(found: Found) -> str | None:
        nonlocal link, led_to
        if found.kind != "url" or str(found)[:4].lower() != found.raw[:4].lower():
            return None  # a relative reference stays one
        is_again = found.context == "html-text" and str(found) == link  # <a href="http://h/">http://h/</a>
        new = moved.get((found.line, found.column)) or (led_to if is_again else None)
        link, led_to = (str(found), new) if found.context == "html-attribute" else ("", None)
        if new is None:
            return None
        return new if found.fragment is None else f"{new.partition('#')[0]}#{found.fragment}"

    return replace(data, target, format=format, name=name.removesuffix(".gz"), encoding="auto", malformed=True)
