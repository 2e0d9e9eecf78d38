"""``anyurl get --from``: every URL of a file, as plain lines or as the JSON lines of ``ls``, ``search`` and ``find``.

Rule: a plain line is the user's own, as on the command line. The origin in a JSON line, and ``--came-from``, can only
reduce trust; there are no prompts, and no session is opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

from anyurl.cli import exits, upload
from anyurl.cli.options import without_mask
from anyurl.cli.several import hand_over
from anyurl.cli.terminal.console import MASK, Console
from anyurl.cli.terminal.lines import MAX_LINE, lines_of
from anyurl.errors import AnyURLError, LocalFileError
from anyurl.errors.reasons import reason_of

if TYPE_CHECKING:
    from anyurl.cli.request import RequestWords
    from anyurl.cli.settings import Settings
    from anyurl.cli.several import Saving
    from anyurl.saving.several import SaveItem
    from anyurl.url import URL
    from anyurl.values import Provenance

STANDARD_INPUT = "-"


def get(console: Console, settings: Settings, name: str) -> int:
    """Get each URL; failures are reported, and the others still fetched. Returns the code of the first failure, or 0.

    Raises:
        LocalFileError: The file can't be read.
    """
    from anyurl.cli.run import report

    code = exits.OK
    with ExitStack() as stack:
        if name == STANDARD_INPUT:
            file: IO[bytes] = console.input()
        else:
            file = stack.enter_context(upload.opened(console, name))
        client = stack.enter_context(settings.client(console))
        for number, line in _lines(file, name):
            console.subject = None
            try:
                url, origin = read_line(line, f"line {number} of {name}", console.grammar)
                console.subject = url.masked
                url = without_mask(console, url)
                with client.get(url, came_from=origin.lowered(settings.origin)) as resource:
                    hand_over(console, resource)
            except AnyURLError as error:
                report(console, error)
                code = code or exits.exit_code(error)
    return code


def save(console: Console, settings: Settings, name: str, wanted: RequestWords, how: Saving) -> int:
    """Save each URL to a file of its own. Returns and raises as `get`."""
    from anyurl.cli import several
    from anyurl.saving.several import SaveItem

    def items(file: IO[bytes]) -> Iterator[SaveItem | AnyURLError]:
        for number, line in _lines(file, name):
            try:
                url, origin = read_line(line, f"line {number} of {name}", console.grammar)
                yield SaveItem(without_mask(console, url), origin)
            except AnyURLError as error:
                yield error

    with ExitStack() as stack:
        file = console.input() if name == STANDARD_INPUT else stack.enter_context(upload.opened(console, name))
        return several.save(console, settings, items(file), None, wanted, how)


def _lines(file: IO[bytes], name: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, without empty ones and comments, which begin with ``#`` (RFC 2483 5)."""
    for number, line in enumerate(lines_of(_pieces(file, name)), 1):
        text = line.strip(" \t\r\n")
        if text and not text.startswith("#"):
            yield number, text


def _pieces(file: IO[bytes], name: str) -> Iterator[bytes]:
    number = 0
    while True:
        number += 1
        try:
            line = file.readline(MAX_LINE)
        except (OSError, ValueError) as error:
            raise LocalFileError(f"{name} can't be read: {reason_of(error)}.") from error
        if not line:
            return
        if len(line) >= MAX_LINE and not line.endswith(b"\n"):
            # Attack: the rest of an overlong object would count as a line of its own, and so as named by the user.
            raise LocalFileError(
                f"Line {number} of {name} is longer than {MAX_LINE:,} octets: the limit allows no more."
            )
        yield line


def read_line(text: str, where: str, grammar: str = "current") -> tuple[URL, Provenance]:
    """The URL of a line, and who named it.

    Raises:
        URLSyntaxError: It contains no URL.
        LocalFileError: It is not an object as ``ls``, ``search`` and ``find`` write them.
    """
    from anyurl.url import parse
    from anyurl.url.grammars import GRAMMARS
    from anyurl.values import STRANGER, USER, Provenance

    if not text.startswith("{"):
        return parse(text, grammar), USER
    try:
        record: Any = json.loads(text)
        written, said = record.get("url"), record.get("origin")
        if "error" in record:
            raise ValueError("it reports an error")
        origin = STRANGER if said is None else Provenance.from_dict(said)
        if not isinstance(written, str):
            raise ValueError("it has no URL")
        # The writer saw the host that this grammar finds; another grammar may find another host.
        grammar = record.get("grammar", grammar)
        if grammar not in GRAMMARS:
            raise ValueError(f"there is no grammar {grammar!r}")
    except (ValueError, TypeError, RecursionError, AttributeError) as error:
        reason = error if isinstance(error, ValueError) and not isinstance(error, json.JSONDecodeError) else "no JSON"
        raise LocalFileError(f"{where} is not a line of ls, search or find: {reason}.") from None
    url = parse(written, grammar)
    return (url.replace(password=None) if url.raw_password == MASK else url), origin  # JSON needs no note
