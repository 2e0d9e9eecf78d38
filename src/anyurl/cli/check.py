"""``anyurl check``: whether the URLs in files, folders and pages lead anywhere."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.console import Console
from anyurl.cli.find import FORMATS
from anyurl.cli.options import to_url
from anyurl.cli.settings import MOST, Settings, access_options
from anyurl.errors import AnyURLError, LocalFileError, escape

if TYPE_CHECKING:
    from anyurl.batch.check import Checked, CheckState, Mention, Run, Sources
    from anyurl.url import URL

CHECKED = ("url", "outcome", "status", "target", "permanent", "error", "message", "missing", "places")
"""The keys of one URL that was checked."""

PLACE = ("file", "line", "column", "fragment")
"""The keys of one place where it stands."""

SHOWN_PLACES = 20
"""Of one URL, for a person; JSON has up to a thousand."""

PATIENCE_SECONDS = 30.0
"""For one URL, where nobody says another time: browsers give up after 30 to 300."""

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def _to_age(console: Console, value: str | None) -> float:
    """Seconds: ``90s``, ``30m``, ``12h``, ``7d``. Raises UsageError."""
    if value is None:
        return 0.0
    number = value[:-1]
    if value[-1:] not in UNITS or not (number.isascii() and number.isdigit()):
        raise UsageError(f"{value!r} is no age; 30m, 12h or 7d would be.")
    return int(number) * UNITS[value[-1]]


@as_command("check")
@Parameter("sources", many=True, metavar="[FILE|FOLDER|URL]...")
@Parameter("--all", "shows_all", is_flag=True, help="Show what is well, too.")
@Parameter("--state", metavar="FILE", help="Keep what is known in FILE: a check that breaks off can go on.")
@Parameter("--resume", is_flag=True, help="Go on with the check of --state that broke off.")
@Parameter(
    "--max-age", metavar="AGE", convert=_to_age,
    help="Don't ask again for what was well so lately, as in 12h or 7d (--state).",
)  # fmt: skip
@Parameter("--exclude", metavar="PATTERN", multiple=True, help="Pass over files and folders that fit. Repeatable.")
@Parameter("--accept", metavar="STATUS", between=(1, 999), multiple=True, help="This reply is no fault. Repeatable.")
@Parameter("--format", "form", choices=FORMATS, help="What the files hold; told by their names if not said.")
@Parameter("--base", metavar="URL", help="What relative links in files are relative to.")
@Parameter("--emails", is_flag=True, help="E-mail addresses, too, as mailto: URLs.")
@Parameter("--parallel", metavar="COUNT", between=(1, MOST), default="64", help="URLs asked for at once.")
@Parameter("--max-per-host", metavar="COUNT", between=(1, MOST), help="Ask for so many URLs of one host, at most.")
@access_options
def command(console: Console, settings: Settings, sources: tuple[str, ...], **options: Any) -> int:
    """Check whether the URLs in files and pages lead anywhere.

    Folders and standard input are looked through, too. Each different URL is asked for once, in its scheme's cheapest
    honest way; nothing is sent that would change anything. Told is what is broken, where it stands and why. Ends with 1
    if something is broken or timed out. A URL that stands in a file leads to no private address, unless --allow-private
    says so.
    """
    return _Check(console, settings, sources or ("-",), **options).run()


class _Check:
    """One run of the command."""

    def __init__(
        self,
        console: Console,
        settings: Settings,
        sources: tuple[str, ...],
        *,
        shows_all: bool,
        state: str | None,
        resume: bool,
        max_age: float,
        exclude: tuple[str, ...],
        accept: tuple[int, ...],
        form: str | None,
        base: str | None,
        emails: bool,
        parallel: int,
        max_per_host: int | None,
    ) -> None:
        if state is None and (resume or max_age):
            raise UsageError("--resume and --max-age are about a --state FILE.")
        self._console = console
        self._settings = settings
        self._shows_all = shows_all
        self._state_path, self._resume, self._max_age = state, resume, max_age
        self._accept = accept
        self._parallel = parallel
        self._max_per_host = max_per_host
        self._code = exits.OK
        self._urls, paths = _told_apart(console, sources)
        self._work = repr((sources, exclude, accept, form, base, emails, settings.allow_private, max_per_host))
        self._given: dict[str, Any] = {
            "paths": paths, "stdin": console.input, "private": settings.allow_private, "exclude": exclude,
            "base": None if base is None else to_url(console, base), "format": form, "emails": emails,
        }  # fmt: skip

    def run(self) -> int:
        """Check everything; the exit code."""
        from anyurl.batch.check import CheckState, Run, Sources

        self._settings.be_patient(PATIENCE_SECONDS)
        state = CheckState(
            self._state_path, self._work, resume=self._resume, now=time.time(), max_age=self._max_age
        )  # fmt: skip
        try:
            self._collect(state, Sources(complain=self._complain, **self._given))
            with self._settings.client(self._console) as client:
                run = Run(
                    client, state, limit=self._parallel, max_per_host=self._max_per_host, accept=self._accept
                )  # fmt: skip
                for checked in run:
                    self._tell(state, checked)
            state.finish()
            return self._sum_up(state, run)
        finally:
            state.close()

    def _complain(self, sentence: str) -> None:
        self._console.say(sentence)
        self._code = exits.LOCAL_FILE

    def _collect(self, state: CheckState, sources: Sources) -> None:
        from anyurl.batch.check.run import way_of
        from anyurl.batch.check.state import Mention

        for url in self._urls:
            state.place(state.add(url, self._settings.origin, way_of(url)), Mention("", fragment=url.fragment))
        if state.is_read:
            return
        for named in sources:
            state.place(state.add(named.url, named.origin, way_of(named.url)), named.place)
        state.read_to_end()

    # --- what is told ------------------------------------------------------------------------------------------------

    def _tell(self, state: CheckState, checked: Checked) -> None:
        from anyurl.batch.check.outcome import FAULTS

        is_fault = checked.finding.outcome in FAULTS or bool(checked.missing)
        if self._console.json:
            self._console.record(record(checked, state.places(checked.number)))
        elif self._shows_all or checked.finding.outcome != "ok" or is_fault:
            for line in lines(checked, state.places(checked.number, SHOWN_PLACES)):
                self._console.line(line)

    def _sum_up(self, state: CheckState, run: Run) -> int:
        from anyurl.batch.check.outcome import FAULTS

        counts = state.counts()
        told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        total = sum(counts.values())
        if not self._console.json:
            self._console.aside(f"{total:,} URL{'' if total == 1 else 's'}: {told}." if total else "No URL was found.")
        if self._code == exits.OK and (any(counts[name] for name in FAULTS) or state.has_missing()):
            return exits.FAULTS
        return self._code


def _told_apart(console: Console, sources: tuple[str, ...]) -> tuple[list[URL], tuple[str, ...]]:
    """The URLs, and the names of files and folders.

    Raises:
        LocalFileError: Something is neither.
    """
    urls, paths = [], []
    for source in sources:
        if source == "-" or os.path.exists(source):
            paths.append(source)
            continue
        try:
            urls.append(to_url(console, source))
        except AnyURLError:
            if ":" in source and "//" in source:
                raise
            raise LocalFileError(f"There is no file or folder {escape(source)}, and it is no URL.") from None
    return urls, tuple(paths)


def record(checked: Checked, places: list[Mention]) -> dict[str, Any]:
    """What became of one URL, as JSON values."""
    finding = checked.finding
    values = (
        checked.url.masked,
        finding.outcome,
        finding.status,
        finding.target,
        finding.permanent if finding.target is not None else None,
        finding.error,
        finding.message or None,
        list(checked.missing),
        [dict(zip(PLACE, (each.file, each.line, each.column, each.fragment), strict=True)) for each in places],
    )
    return dict(zip(CHECKED, values, strict=True))


def lines(checked: Checked, places: list[Mention]) -> list[str]:
    """What became of one URL, a line for each place where it stands, as compilers write it."""
    from anyurl.batch.check import Mention

    finding = checked.finding
    outcome = "broken" if checked.missing else finding.outcome
    told = f"{outcome}: {checked.url.masked}"
    found = []
    for place in places or [Mention("")]:
        at = f"{place.file}:{place.line}:{place.column}: " if place.file else ""
        message = finding.message
        if place.fragment in checked.missing:
            message = f"The page has nothing that is called #{place.fragment}."
        elif checked.missing:
            continue
        found.append(f"{at}{told}{f': {message}' if message else ''}")
    return found
