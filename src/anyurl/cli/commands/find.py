"""``anyurl find``: the URLs in files, folders, compressed files and standard input (RFC 1738 appendix)."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import (
    STDIN,
    came_from_option,
    emails_option,
    format_option,
    grammar_option,
    json_option,
    plugin_option,
)
from anyurl.cli.replacing import Pairs, changed, rewrite, to_pairs
from anyurl.cli.terminal.console import Console
from anyurl.errors import (
    AnyURLError,
    LimitError,
    LocalFileError,
    MissingExtraError,
    UnknownSchemeError,
    URLSyntaxError,
)
from anyurl.errors.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyurl.text import Found
    from anyurl.url import URL
    from anyurl.values import Provenance

FOUND = (
    "url", "fragment", "alternatives", "raw", "start", "end", "line", "column", "context", "file", "origin", "grammar",
    "kind", "lookalike", "message",
)  # fmt: skip
"""The keys of the JSON object of a found URL."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+")
"""A scheme in a text; one letter is a drive."""

HEAD = 8192
"""Octets that are searched for a NUL, the sign of a binary file; git searches 8,000."""


def _to_schemes(_console: Console, values: tuple[str, ...]) -> tuple[str, ...]:
    """The names of schemes, also unknown ones: any is found before ://. Raises UsageError for an invalid name."""
    for name in values:
        if not _NAME.fullmatch(name):
            raise UsageError(_unknown(name) or f"{name!r} is not the name of a scheme.")
    return values


def _unknown(name: str) -> str:
    """The sentence about an unknown scheme, or ""."""
    from anyurl.schemes import registry
    from anyurl.url import syntax

    if name.lower() in syntax.ROWS or name.lower().startswith(registry.EXPERIMENTAL):
        return ""
    try:
        registry.find_scheme(name)
    except UnknownSchemeError as error:
        return str(error)
    return ""


@as_command("find")
@Parameter("files", many=True, metavar="[FILE]...")
@Parameter(
    "--scheme",
    "schemes",
    multiple=True,
    metavar="SCHEME",
    convert=_to_schemes,
    help="Only URLs of this scheme. Repeatable.",
)
@Parameter("--unique", is_flag=True, help="Show each URL once.")
@Parameter("--with-context", is_flag=True, help="Show file, line and column, and the context of the URL.")
@Parameter("--recursive", "-r", is_flag=True, help="Search folders; binary files in them are skipped.")
@emails_option
@Parameter("--www", is_flag=True, help="Also names that begin with www., as http:// URLs.")
@Parameter("--bare", is_flag=True, help="Also other registered domain names, as http:// URLs.")
@Parameter("--templates", is_flag=True, help="Also templates, as written: http://host/{id}.")
@Parameter("--refang", is_flag=True, help="Also defanged URLs, restored: hxxp://evil[.]com.")
@Parameter("--defang", is_flag=True, help="Show URLs defanged, as --refang reads them: hxxp://evil[.]com.")
@Parameter(
    "--replace",
    "pairs",
    multiple=True,
    metavar="FROM=TO",
    convert=to_pairs,
    help=(
        "Write TO for the URL FROM, and for longer URLs that begin with it, into the files, in the escapes of their "
        "format; shows what changes. Standard input is copied so. Repeatable."
    ),
)
@Parameter("--dry-run", is_flag=True, help="With --replace: only show what would change.")
@Parameter("--malformed", is_flag=True, help="Also links that are not URLs, and why (HTML, Markdown ...).")
@Parameter(
    "--column",
    metavar="NAME",
    help="Only this column of tables (.parquet, .arrow, .csv, .tsv, .jsonl). The place of a URL is then its row.",
)
@format_option
@Parameter("--base", metavar="URL", help="The base URL for relative links.")
@Parameter(
    "--encoding",
    metavar="NAME",
    default="auto",
    help="The encoding of the files; auto uses the declared one, else UTF-8.",
)
@Parameter("--reveal", is_flag=True, help="Show passwords.")
@came_from_option
@grammar_option
@plugin_option
@json_option
def command(console: Console, /, files: tuple[str, ...], **options: Any) -> int:
    """Find the URLs in texts.

    Reads files, including compressed files and the members of archives, or standard input if none are given. A file
    that cannot be read is reported and the others are still read; the exit code is then 9.
    """
    search = Search(console, **options)
    for name in files or (STDIN,):
        search.path(name)
    search.end()
    return search.code


class Search:
    """One run of the command over all its files.

    Attributes:
        code: The exit code of the command.
    """

    def __init__(
        self,
        console: Console,
        *,
        schemes: tuple[str, ...],
        unique: bool,
        with_context: bool,
        recursive: bool,
        emails: bool,
        www: bool,
        bare: bool,
        templates: bool,
        refang: bool,
        defang: bool,
        pairs: Pairs,
        dry_run: bool,
        malformed: bool,
        column: str | None,
        form: str,
        base: str | None,
        encoding: str,
        reveal: bool,
        grammar: str,
        came_from: URL | None,
    ) -> None:
        from anyurl.guard.hops import named_in
        from anyurl.url import parse

        self.code = exits.OK
        self._found = False
        self._origin: tuple[Provenance, dict[str, Any]] | None = None
        self._console = console
        self._form = form
        self._column = column
        self._seen: set[str] | None = set() if unique else None
        self._with_context = with_context
        self._recursive = recursive
        self._reveal = reveal
        self._defang = defang
        self._pairs = pairs
        self._writes = not dry_run
        if column is not None and (pairs or recursive):
            raise UsageError("--column is for tables that are named: it goes with neither --replace nor --recursive.")
        if column is not None and form != "auto":
            raise UsageError("--column is for tables, whose names tell their format: --format does not go with it.")
        if dry_run and not pairs:
            raise UsageError("--dry-run is for --replace.")
        _check_encoding(encoding)
        self._options: dict[str, Any] = {
            "came_from": None if came_from is None else named_in(came_from),
            "schemes": schemes or None, "emails": emails, "www": www, "bare": bare, "templates": templates,
            "refang": refang, "malformed": malformed, "encoding": encoding,
            "base": None if base is None else parse(base, grammar), "grammar": grammar,
        }  # fmt: skip

    def path(self, name: str) -> None:
        """Search one argument of the command."""
        if self._column is not None:
            self._search_column(name, self._column)
        elif name == STDIN:
            self._search(_Live(self._console), STDIN)
        elif not os.path.isdir(name):
            self._file(name)
        elif self._recursive:
            self._folder(name)
        else:
            self._cannot_read(f"{name} is a folder; --recursive searches the files in it")

    def end(self) -> None:
        """Report that nothing was found, if so."""
        if not self._found:
            schemes = " or ".join(self._options["schemes"] or ())
            if self._pairs:
                self._console.nothing("No such URL was found: nothing is replaced.")
                return
            self._console.nothing(f"No {schemes} URL was found." if schemes else "No URL was found.")
            for sentence in filter(None, map(_unknown, self._options["schemes"] or ())):
                self._console.say(sentence)

    def _folder(self, name: str) -> None:
        for folder, folders, names in os.walk(name, onerror=self._cannot_enter):
            folders.sort()
            if self._pairs:  # their own files hold URLs, too
                folders[:] = [entry for entry in folders if entry not in (".git", ".hg", ".svn")]
            for entry in sorted(names):
                path = os.path.join(folder, entry)
                if os.path.isfile(path):  # a pipe or a device would never end
                    self._file(path, in_folder=True)

    def _cannot_enter(self, error: OSError) -> None:
        self._cannot_read(f"{error.filename} can't be read: {reason_of(error)}")

    def _cannot_read(self, sentence: str) -> None:
        from anyurl.cli.run import report

        report(self._console, LocalFileError(f"{sentence}."))
        self.code = exits.LOCAL_FILE

    def _file(self, name: str, in_folder: bool = False) -> None:
        """Search one file; a binary file in a folder is skipped."""
        from anyurl.text.readers.registry import is_table, unpacked

        try:
            with open(name, "rb") as file:
                head = file.peek(HEAD)[:HEAD]
                if is_table(head) and not in_folder and self._pairs:
                    self._cannot_read(f"{name} is a table in binary, in which no URL is replaced")
                elif is_table(head) and not in_folder:
                    self._search(self._rows(name, head), name, "json")
                elif not in_folder or is_packed(head) or not _is_binary(head):
                    # A given format is that of the decompressed text.
                    self._search(file if self._form == "auto" else unpacked(file, head), name)
        except (LimitError, MissingExtraError) as error:
            self._cannot_read(f"{name}: {error}".removesuffix("."))
        except OSError as error:
            if isinstance(error, AnyURLError):  # the output can't be written
                raise
            self._cannot_read(f"{name} can't be read: {reason_of(error)}")

    def _search_column(self, name: str, column: str) -> None:
        """Search one column of a table."""
        from anyurl.batch.tables import FORMATS, Table

        if name == STDIN or os.path.isdir(name):
            what = "standard input" if name == STDIN else f"the folder {name}"
            self._cannot_read(f"--column does not search {what}, but files that are named {', '.join(FORMATS)}")
            return
        try:
            self._search(Table(name, column, reader="options").column_as_text(), name, "json")
        except LocalFileError as error:
            self._cannot_read(str(error).removesuffix("."))
        except (ValueError, TypeError) as error:
            sentence = reason_of(error)
            self._cannot_read(f"{sentence[:1].upper()}{sentence[1:]}")

    def _rows(self, name: str, head: bytes) -> Iterator[bytes]:
        from anyurl.batch.tables import rows_as_text

        try:
            yield from rows_as_text(name, head)
        except LocalFileError as error:
            self._cannot_read(str(error).removesuffix("."))

    def _search(self, stream: Any, name: str, form: str = "") -> None:
        from anyurl.text import find

        if self._pairs:
            self._replace(stream.read(), name)
            return
        for found in find(stream, format=form or self._form, name=name, **self._options):
            if self._seen is not None:
                if str(found) in self._seen:
                    continue
                self._seen.add(str(found))
            self._show(found, f"{name}!{found.member}" if found.member else name)

    def _replace(self, data: bytes, name: str) -> None:
        """Replace the URLs of one text."""
        from anyurl.text import replace

        if is_packed(data[:HEAD]):
            self._cannot_read(f"{name} is compressed or an archive, in which nothing is replaced")
            return
        options = {"format": self._form, **self._options}
        try:
            if name == STDIN:
                made = replace(data, lambda found: changed(found, self._pairs), **options)
                self._found = self._found or made != data
                if self._writes:
                    self._console.octets(made)
            elif rewrite(
                self._console, name, data, lambda found: changed(found, self._pairs), options, writes=self._writes
            ):
                self._found = True
        except ValueError as error:
            self._cannot_read(f"{name} is left as it is: {reason_of(error)}.")

    def _show(self, found: Found, name: str) -> None:
        self._found = True
        if self._console.json:
            self._console.record(self._record(found, name), at_once=False)
            return
        text = str(found) if self._reveal else _masked(found)
        if self._defang:
            from anyurl.text.defang import defanged

            text = defanged(text)
        if self._with_context:
            from anyurl.text.kinds import is_gap

            told = found.kind if is_gap(found.kind) else found.context
            beware = f" (look-alike: {reason})" if (reason := found.lookalike) is not None else ""
            place = f"{found.line}:{found.column}" if self._column is None else f"row {found.line}"
            self._console.line(f"{name}:{place}: {told}: {text}{_fault(found)}{beware}")
        else:
            self._console.line(f"{text}{_fault(found)}")

    def _record(self, found: Found, name: str) -> dict[str, Any]:
        from anyurl.text.kinds import WITHOUT_URL

        url = None if found.kind in WITHOUT_URL else found.url
        is_open = self._reveal or (url is not None and url.password is None)
        values = (
            None if url is None else str(url) if is_open else url.masked,
            found.fragment,
            [str(url) if is_open else url.masked for url in found.alternatives],
            found.raw if is_open else _masked(found),
            *(found.span if self._column is None else (None, None)),  # of a table only the row is known
            found.line,
            found.column if self._column is None else None,
            found.context,
            name,
            self._origin_of(found),
            None if url is None else url.grammar,
            found.kind,
            found.lookalike,
            _fault(found).removeprefix(": ") or None,
        )
        return dict(zip(FOUND, values, strict=True))

    def _origin_of(self, found: Found) -> dict[str, Any]:
        """The origin of a found URL for JSON; it is the same for all of a text."""
        if self._origin is None or self._origin[0] is not found.origin:
            self._origin = found.origin, found.origin.as_dict()
        return self._origin[1]


class _Live:
    """Standard input that flushes the results so far before it waits for more."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stream = console.input()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def read1(self, size: int = -1) -> bytes:
        """The available octets, at most `size`."""
        self._console.flush()
        return self._stream.read1(size)  # type: ignore[attr-defined, no-any-return]


def _fault(found: Found) -> str:
    """A colon and the reason why a malformed link is not a URL; empty for a URL."""
    if found.kind != "malformed":
        return ""
    try:
        found.url  # noqa: B018 - it raises the error that says why
    except URLSyntaxError as error:
        return f": {error}"
    return ""


def _masked(found: Found) -> str:
    from anyurl.text.kinds import WITHOUT_URL

    if found.kind in WITHOUT_URL:
        from anyurl.url.masking import mask

        return mask(found.raw)
    return found.url.masked if found.fragment is None else f"{found.url.masked}#{found.fragment}"


def is_packed(head: bytes) -> bool:
    """Whether a file with this beginning is an archive or compressed."""
    from anyurl.text.readers.registry import find_reader, tell

    reader = find_reader(tell("", head))
    return reader is not None and reader.unpack is not None


def _is_binary(head: bytes) -> bool:
    """Whether a file with this beginning is binary; UTF-16 and UTF-32 have NULs, but begin with a byte order mark."""
    return b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"))


def _check_encoding(name: str) -> None:
    from anyurl.url.charsets import codec_of

    if name == "auto":
        return
    try:
        codec_of(name)
    except LookupError:
        raise UsageError(
            f"Invalid value for --encoding: there is no text encoding {name!r}; utf-8 or latin-1 would be."
        ) from None
