"""The arguments and options that commands share, and the types of their values.

Rule: an option is defined once, so that it means the same in every command.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from anyurl.cli.arguments import Parameter, UsageError
from anyurl.cli.terminal.console import MASK
from anyurl.errors import URLSyntaxError

if TYPE_CHECKING:
    from anyurl.cli.terminal.console import Console
    from anyurl.grammar import Guess
    from anyurl.url import URL

Command = TypeVar("Command", bound=Callable[..., Any])

STDIN = "-"

FORMATS = (
    "auto", "text", "bzip2", "css", "csv", "gemtext", "gzip", "har",
    "html", "ical", "jsonl", "json", "latex", "log", "mail",
    "man", "markdown", "notebook", "office", "pdf", "po", "properties", "rst", "tar", "tsv", "warc", "xml", "xz", "zip",
    "zstd",
)  # fmt: skip
"""The choices of --format: the names of `anyurl.text.formats`, which is not loaded just for them."""

UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


def url_argument(command: Command) -> Command:
    """The argument URL, and ``--grammar``; the error for a text that is not a URL shows the place of its fault."""
    return Parameter("url", metavar="URL", required=True, convert=to_url)(_grammar_option(command, is_passed=False))


def typed_url_argument(command: Command) -> Command:
    """The same for a command that changes nothing: without ``--exact``, invalid texts are guessed (`anyurl.guess`)."""
    return Parameter("url", metavar="URL", required=True)(_exact_option(command))


def several_urls_argument(command: Command) -> Command:
    """The same for any number of URLs, even none: an option may name them instead."""
    return Parameter("urls", metavar="[URL]...", many=True)(_exact_option(command))


def _exact_option(command: Command) -> Command:
    @functools.wraps(command)
    def with_urls(console: Console, exact: bool, **values: Any) -> Any:
        from anyurl.guard.policy_file import PRESETS

        # A stranger's text is never guessed: it could name a host here that the stranger's own check did not see.
        own = values["policy"] in PRESETS[1:] and values["came_from"] is None
        guesses = own and not exact and console.grammar == "current"
        zones = {values["zone"]} - {None}
        if "url" in values:
            values["url"] = read_typed(console, values["url"], guesses, zones)
        else:
            values["urls"] = tuple(read_typed(console, text, guesses, zones) for text in values["urls"])
        if len(zones) > 1:
            raise UsageError(f"One command uses one interface for all of its URLs, not {_listed(zones)}.")
        return command(console, **{**values, "zone": next(iter(zones), None)})

    text = "Do not guess a URL from text that is not one; guesses are reported on standard error."
    with_exact: Any = Parameter("--exact", is_flag=True, help=text)(with_urls)
    decorated: Command = _grammar_option(with_exact, is_passed=False)
    return decorated


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))


def read_typed(console: Console, text: str, guesses: bool, zones: set[str]) -> URL:
    """The URL that a person has typed; a guess is reported on standard error.

    Args:
        guesses: Guess a URL from a text that is not one.
        zones: The interface that the text names, if any, is added to this set.

    Raises:
        URLSyntaxError: It is not a URL, and none was guessed.
    """
    from anyurl.url import parse, syntax

    try:
        url = parse(text, console.grammar)
    except URLSyntaxError:
        found = _guessed(text, console) if guesses else None
        if found is None:
            raise
        url = found.url
        if found.zone:
            zones.add(found.zone)
    else:
        # A non-ASCII character at the end is punctuation of the sentence around the URL, or invisible
        found = _guessed(text, console) if guesses and (url.scheme not in syntax.ROWS or text[-1] > "\x7f") else None
        url = url if found is None else found.url
    console.subject = url.masked
    return without_mask(console, url)


def without_mask(console: Console, url: URL) -> URL:
    """The URL without a password that is only the mask of one, copied from anyurl's output: the user is prompted
    instead.

    Each line of a list that `find` wrote would be a failed login, after some of which a server locks the account. A
    password that is these three characters is written ``%2A%2A%2A``.
    """
    if url.raw_password != MASK:
        return url
    console.say(f"The password in {url.masked} is a mask, not the password: the URL is read without it.")
    return url.replace(password=None)


def _guessed(text: str, console: Console) -> Guess | None:
    """The guess, which is reported; None without one. Raises URLSyntaxError for a template or a defanged URL."""
    from anyurl.grammar import guess

    meant: Guess | None
    try:
        meant = guess(text)
    except URLSyntaxError as fault:
        meant = _of_file(text)
        if meant is None and fault.diagnostics[0].code in ("template", "defanged"):
            raise fault from None
        if meant is None:
            return None
    else:
        if meant.how and _may_be_file(meant.url):
            meant = _of_file(text) or meant
    if meant.how:
        from anyurl.cli.terminal.caret import masked_everywhere

        console.say(f"Read as {masked_everywhere(meant.url.masked)}: {meant.how}.")
    return meant


def _may_be_file(url: URL) -> bool:
    """Whether the guessed host looks like the name of a file or a folder: ``README.md``, ``docs/``."""
    from anyurl.text.judgement import FILE_SUFFIXES

    host = url.host or ""
    if str(url).rstrip("/").lower() not in (f"http://{host}", f"https://{host}"):
        return False
    return host.rpartition(".")[2].lower() in FILE_SUFFIXES if "." in host else host.lower() != "localhost"


def _of_file(text: str) -> Guess | None:
    """The URL of the file or folder on this machine with the text as its name; None if there is none."""
    from pathlib import Path

    from anyurl.grammar import Guess
    from anyurl.url import URL

    try:
        path = Path(text)
        if not text or path.is_absolute() or not path.exists():
            return None
        end = "/" if path.is_dir() else ""
        return Guess(URL(path.absolute().as_uri() + end), "a file on this machine has that name")
    except (OSError, ValueError):  # not a possible file name
        return None


def texts_of(console: Console, texts: tuple[str, ...]) -> Iterator[str]:
    """The texts of a command line; ``-`` is replaced by the non-empty lines of standard input."""
    for text in texts:
        if text != STDIN:
            yield text
            continue
        from anyurl.cli.terminal.lines import lines_of

        yield from filter(None, lines_of(console.input()))


def to_url(console: Console, value: str) -> URL:
    """Parse a URL with the grammar of the command. Raises URLSyntaxError."""
    from anyurl.url import parse

    url = parse(value, console.grammar)
    console.subject = url.masked
    return without_mask(console, url)


def to_urls(console: Console, values: tuple[str, ...]) -> tuple[URL, ...]:
    """Parse URLs with the grammar of the command. Raises URLSyntaxError."""
    from anyurl.url import parse

    return tuple(without_mask(console, parse(value, console.grammar)) for value in values)


def _to_origin(console: Console, value: str | None) -> URL | None:
    from anyurl.url import parse

    return None if value is None else parse(value, console.grammar)


came_from_option = Parameter(
    "--came-from",
    metavar="URL",
    convert=_to_origin,
    help="It comes from the resource at URL, not from you: it is judged as a link from there.",
)


emails_option = Parameter("--emails", is_flag=True, help="Also e-mail addresses, as mailto: URLs.")

format_option = Parameter(
    "--format",
    "form",
    metavar="FORMAT",
    choices=FORMATS,
    default="auto",
    help="The format of the files; auto detects it by name or first octets.",
)


def to_octets(console: Console, value: str | None) -> int | None:
    """A number of octets: ``500``, ``64k``, ``10M``, ``2G`` (powers of 1024). Raises UsageError."""
    if value is None:
        return None
    digits = value.rstrip("kmgtKMGT")
    unit = value[len(digits) :].lower()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20) or unit not in UNITS:
        raise UsageError(f"{value!r} is not a number of bytes; 500, 64k, 10M or 2G would be.")
    return int(digits) * UNITS[unit]


def _to_rate(console: Console, value: str | None) -> int | None:
    rate = to_octets(console, value)
    if rate == 0:
        raise UsageError("A rate of nothing would never end: 100k would be one.")
    return rate


rate_option = Parameter(
    "--limit-rate",
    "rate",
    metavar="BYTES",
    convert=_to_rate,
    help="Save at most BYTES a second, on average and in all; k, M or G may follow the number.",
)


def to_seconds(console: Console, value: str | None) -> float | None:
    """A positive number of seconds. Raises UsageError."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"{value!r} is not a time to wait; 30 or 0.5 (seconds) would be.")
    return seconds


def json_option(command: Command) -> Command:
    """``--json``, which is processed before everything else."""

    def switch(console: Console, value: bool) -> None:
        console.json |= value

    text = "Write one JSON object per line."
    return Parameter("--json", is_flag=True, is_eager=True, is_passed=False, convert=switch, help=text)(command)


def charset_option(command: Command) -> Command:
    """``--charset``."""

    def switch(console: Console, value: str | None) -> None:
        if value is None:
            return
        from anyurl.url.charsets import codec_of

        try:
            console.charset = codec_of(value)
        except LookupError:
            raise UsageError(
                f"{value!r} is not a known charset; utf-8, latin-1, cp437, koi8-r, gbk would be."
            ) from None

    text = "The charset of texts, names and sessions on this terminal, whatever the server says: `cp437`, `gbk` ..."
    return Parameter("--charset", metavar="NAME", is_passed=False, convert=switch, help=text)(command)


def plugin_option(command: Command) -> Command:
    """``--plugin``: a third-party scheme, which must be loaded before a URL is parsed."""

    def load(console: Console, names: tuple[str, ...]) -> None:
        if names:
            from anyurl.schemes.registry import load_plugins

            load_plugins(*names)

    return Parameter(
        "--plugin", metavar="NAME", multiple=True, is_eager=True, is_passed=False, convert=load,
        help="Load this plug-in, which adds a scheme (`anyurl schemes --plugins`). Repeatable.",
    )(command)  # fmt: skip


def grammar_option(command: Command) -> Command:
    """``--grammar``, passed to the command."""
    return _grammar_option(command, is_passed=True)


def _grammar_option(command: Command, *, is_passed: bool) -> Command:
    def known(console: Console, value: str) -> str:
        from anyurl.url.grammars import GRAMMARS

        if value not in GRAMMARS:
            raise UsageError(f"There is no grammar {value!r}; there are {', '.join(GRAMMARS)}.")
        console.grammar = value
        return value

    text = "Parse with this grammar: `current` is today's RFC of each scheme."
    return Parameter(
        "--grammar", metavar="NAME", default="current", convert=known, help=text, is_eager=True, is_passed=is_passed
    )(command)
