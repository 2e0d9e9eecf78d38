"""One run of ``anyurl check``: sets up `anyurl.batch.check` from the options and the settings of the tree.

Rule: the caller's options determine the policy; the settings of the tree can only restrict it.
"""

from __future__ import annotations

import functools
import os
import time
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import UsageError
from anyurl.cli.findings import Lines, left_out, not_read, record, told_apart
from anyurl.cli.options import to_url
from anyurl.cli.settings import MOST
from anyurl.cli.terminal.board import Board
from anyurl.cli.terminal.watch import Watch
from anyurl.errors import LocalFileError, escape
from anyurl.url.masking import mask

if TYPE_CHECKING:
    from anyurl.access import Client
    from anyurl.batch.check import Checked, CheckState, Finding, Run
    from anyurl.batch.check.collector import Collector
    from anyurl.batch.check.crawl import Crawl
    from anyurl.batch.check.sites import Sites
    from anyurl.batch.check.state import CheckItem
    from anyurl.batch.check.tree_settings import TreeSettings
    from anyurl.cli.settings import Settings
    from anyurl.cli.terminal.console import Console
    from anyurl.dialogue import Login

GOES_ON = "note: the results so far are kept in the state; the same command with --resume continues"
GOES_NOT_ON = "note: with --state FILE an interrupted check can be continued"

PATIENCE_SECONDS = 30.0
"""The default time limit for one URL: browsers give up after 30 to 300."""

WRITTEN = ("junit", "html", "write_baseline")
"""Options that name a file which the command writes."""

_NOT_WORK = (
    "resume", "max_age", "state", "shows_all", "github", "write_baseline", "junit", "html", "parallel", "per_host",
    "delay", "tokens", "engine", "address", "workers", "fix",
)  # fmt: skip
"""Options that may differ when a check is resumed."""


class Checking:
    """One run of the command.

    Args:
        sources: The arguments: URLs, files and folders.
        options: The options by parameter name.

    Raises:
        UsageError: The options can't be combined.
        LocalFileError: A source is neither a file nor a URL; the settings of the tree can't be read.
    """

    def __init__(self, console: Console, settings: Settings, sources: tuple[str, ...], options: dict[str, Any]) -> None:
        if options["state"] is None and (options["resume"] or options["max_age"]):
            raise UsageError("--resume and --max-age are about a --state FILE.")
        if not options["recursive"] and (options["depth"] is not None or options["sitemap"]):
            raise UsageError("--depth and --sitemap are about --recursive.")
        _check_engine(options)
        self._console = console
        self._settings = settings
        self._options = options
        self._code = exits.OK
        self._undecided: Counter[str] = Counter()
        self._links: Collector | None = None
        self._urls, self._paths = told_apart(console, sources)
        if options["recursive"] and not self._urls:
            raise UsageError("--recursive follows the links of a URL; folders are always read recursively.")
        self._tree = self._tree_settings()
        self._base = None if options["base"] is None else to_url(console, options["base"])
        self._sites = self._sites_of()
        self._known = self._tree.known | self._baseline()
        work = sorted((key, value) for key, value in options.items() if key not in _NOT_WORK)
        self._work = mask(repr((sources, work, settings.allow_private, self._tree.work())))  # it is stored in the state

    def _tree_settings(self) -> TreeSettings:
        from anyurl.batch.check.paths import tree_of
        from anyurl.batch.check.tree_settings import NO_SETTINGS, read_tree_settings

        first = next((path for path in self._paths if path != "-"), None)
        if self._options["no_config"] or first is None:
            return NO_SETTINGS
        return read_tree_settings(tree_of(first), first)

    def _sites_of(self) -> Sites:
        from anyurl.batch.check.paths import path_of
        from anyurl.batch.check.sites import Sites

        options, base = self._options, self._base
        more = (path_of(base),) if base is not None and base.scheme == "file" and not base.host else ()
        return Sites(
            (*self._paths, *more), root=options["root"], sites=options["sites"], index=options["index"],
            suffixes=options["suffixes"], reader="options",
        )  # fmt: skip

    def _baseline(self) -> frozenset[str]:
        from anyurl.batch.check.tree_settings import read_baseline

        path = self._options["baseline"]
        return frozenset() if path is None else read_baseline(path, os.path.dirname(os.path.abspath(path)))

    def run(self) -> int:
        """Check everything; returns the exit code."""
        from anyurl.batch.check import CheckState
        from anyurl.batch.check.crawl import Crawl
        from anyurl.files.output import probe

        options = self._options
        for report in map(options.get, WRITTEN):
            if report is not None:  # otherwise hours of checking could be lost at the end
                probe(report)
        self._settings.be_patient(PATIENCE_SECONDS)
        self._settings.transfer_at_once(options["parallel"])
        logins = self._logins()
        state = CheckState(
            options["state"], self._work, resume=options["resume"], now=time.time(), max_age=options["max_age"],
            reader="options",
        )  # fmt: skip
        try:
            if options["resume"] and not state.goes_on:
                shown = escape(options["state"])
                self._console.say(f"{shown} has no interrupted check: this one starts from the beginning.")
            collector = self._links = self._collector(state, logins)
            depth = (MOST if options["depth"] is None else options["depth"]) if options["recursive"] else 0
            crawl = Crawl(
                state, self._urls, collector.add, depth=depth, private=self._settings.allow_private,
                fragments=options["fragments"], gives=self._sites.gives,
            )  # fmt: skip
            self._undecided = crawl.undecided
            self._collect(state, collector)
            with self._client(logins, state) as client:
                if options["recursive"]:
                    crawl.prepare(client, sitemap=options["sitemap"])
                try:
                    self._show(client, state, self._run(client, state, crawl))
                except KeyboardInterrupt:
                    self._tell(state)
                    self._console.say(GOES_ON if options["state"] is not None else GOES_NOT_ON)
                    raise
            state.finish()
            return self._sum_up(state)
        finally:
            state.close()

    def _run(self, client: Client, state: CheckState, crawl: Crawl) -> Run:
        options, tree = self._options, self._tree
        more: dict[str, Any] = {
            "limit": _least(options["parallel"], tree.parallel) or 1, "look": crawl.look,
            "retries": self._settings.retries,
            "max_per_host": _least(options["max_per_host"], tree.max_per_host),
            "accept": (*options["accept"], *tree.accept), "refusal": lambda item: self._refusal(crawl, item),
        }  # fmt: skip
        if options["engine"] == "ray":
            from anyurl.access import Client
            from anyurl.batch.check.cluster import ClusterRun

            # The client is made in other processes: it gets no login and asks no questions.
            make = functools.partial(Client, **{**self._settings.arguments(), "auth": None, **self._manners()})
            return ClusterRun(client, state, address=options["address"], make=make, workers=options["workers"], **more)
        from anyurl.batch.check import Run

        return Run(client, state, **more)

    def _refusal(self, crawl: Crawl, item: CheckItem) -> Finding | None:
        """The finding for a URL that needs no request."""
        found = None if item.origin.own else self._sites.judge(item.url)
        return crawl.refusal(item) if found is None and self._options["recursive"] else found

    def _manners(self) -> dict[str, Any]:
        return {
            "per_host": _least(self._options["per_host"], self._tree.per_host),
            "delay": max(self._options["delay"] or 0.0, self._tree.delay),
        }

    def _client(self, logins: dict[str, Login], state: CheckState) -> Client:
        from anyurl.batch.check.rests import StoredRests

        more = {**self._manners(), "rests": StoredRests(state)}
        if logins:
            more["auth"] = logins
        return self._settings.client(self._console, **more)

    def _logins(self) -> dict[str, Login]:
        from anyurl.client.secrets import SecretFile, SecretVariable
        from anyurl.dialogue import Secret
        from anyurl.dialogue.logins import Login

        found = {}
        for origin, place in self._options["tokens"].items():
            secret = SecretVariable(place[1:]) if place.startswith("$") else SecretFile(place)
            found[origin] = Login.bearer(Secret(secret.reveal()))
        return found

    # --- selection ---------------------------------------------------------------------------------------------------

    def _collector(self, state: CheckState, logins: dict[str, Login]) -> Collector:
        from anyurl.batch.check.collector import Collector

        options, tree = self._options, self._tree
        return Collector(
            state, include=options["include"], narrower=tree.include, exclude=(*options["exclude"], *tree.exclude),
            trusted=logins, fragments=options["fragments"],
        )  # fmt: skip

    def _collect(self, state: CheckState, collector: Collector) -> None:
        from anyurl.batch.check.paths import tree_of
        from anyurl.batch.check.sources import Sources

        for url in self._urls:
            collector.root(url, self._settings.origin)
        if state.is_read:
            return
        options = self._options
        changed, gone = None, frozenset[str]()
        if options["changed"] is not None:
            from anyurl.batch.check.changes import changed_files

            changed, gone = changed_files(options["changed"], tree_of(next(iter(self._paths), ".")))
            if options["fragments"]:
                gone |= changed  # they may have lost a heading that other files name
        sources = Sources(
            self._paths, stdin=self._console.input, private=self._settings.allow_private,
            exclude=(*options["exclude_files"], *self._tree.exclude_files),
            base=self._base,
            sites=self._sites, format=options["form"], emails=options["emails"], changed=changed, gone=gone,
            ignores=not options["no_ignore"], complain=self._complain,
        )  # fmt: skip
        names = (*map(options.get, (*WRITTEN, "baseline")), self._tree.baseline)
        own = {os.path.realpath(name) for name in names if name is not None}
        for file, mentions in groupby(sources, lambda found: found.place.file):
            # A baseline that a person wrote names what was broken then, as a report does.
            if not (own and file) or os.path.realpath(file) not in own:
                for found in mentions:
                    collector.add(found.url, found.origin, found.place)
        state.read_to_end()
        for line in not_read(sources.left):
            self._console.say(line)
        if sources.switched_off:
            told = f"{sources.switched_off:,} link{'' if sources.switched_off == 1 else 's'}"
            self._console.say(f"{told} left out by a comment (anyurl: ignore).")

    def _complain(self, sentence: str) -> None:
        self._console.say(sentence)
        self._code = exits.LOCAL_FILE

    # --- output ----------------------------------------------------------------------------------------------------

    def _show(self, client: Client, state: CheckState, run: Run) -> None:
        board = Board(run.pace, state.count)
        with Watch(self._console, client, board.lines, board.event) as watch:
            for checked in run:
                board.add(checked.finding.outcome)
                watch.tick()
                if self._console.json and self._console.is_terminal:
                    watch.pause()
                self._take(state, checked)

    def _take(self, state: CheckState, checked: Checked) -> None:
        """Take the result for one URL."""
        from anyurl.batch.check.outcome import FAULTS

        is_fault = checked.finding.outcome in FAULTS or bool(checked.missing)
        if checked.finding.error == LocalFileError.__name__ and not is_fault:  # nothing was learnt of the URL
            self._code = exits.LOCAL_FILE
        if self._console.json:
            self._console.record(record(checked, state.places(checked.number), self._is_known(checked, is_fault)))

    def _is_known(self, checked: Checked, is_fault: bool) -> bool:
        url = str(checked.url)
        parts = {f"{url}#{each}" for each in checked.missing}
        return is_fault and (url in self._known or (bool(parts) and parts <= self._known))

    def _tell(self, state: CheckState) -> Lines:
        """Write the results in the order of files and lines."""
        from anyurl.batch.check.outcome import FAULTS
        from anyurl.batch.check.told import told

        options = self._options
        lines = Lines(
            self._known, shows_all=options["shows_all"], annotates=options["github"], fail_on=options["fail_on"]
        )
        is_plain = not self._console.json or options["fail_on"]
        for each in told(state, lines.outcomes if is_plain else FAULTS):
            for line in lines.of(each):
                if not self._console.json:
                    self._console.line(line)
        for line in () if self._console.json else (*lines.rest(), *left_out(self._undecided)):
            self._console.line(line)
        return lines

    def _sum_up(self, state: CheckState) -> int:
        from anyurl.files.output import write_text

        options, counts = self._options, state.counts()
        lines = self._tell(state)
        if options["junit"] is not None:
            from anyurl.batch.check.junit import junit

            write_text(junit(state, self._known, options["fail_on"]), options["junit"])
        if options["html"] is not None:
            from anyurl.batch.check.page import page

            paths = (os.path.basename(os.getcwd()) if path == "." else path for path in self._paths)
            title = ", ".join((*(url.masked for url in self._urls), *paths))
            when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
            write_text(page(state, title=title, when=when, known=self._known), options["html"])
        if options["write_baseline"] is not None:
            from anyurl.batch.check.tree_settings import baseline_of

            path = options["write_baseline"]
            write_text(baseline_of(state, os.path.dirname(os.path.abspath(path))), path)
        if options["fix"]:
            from anyurl.cli.mending import mend

            mend(self._console, state, options["form"])
        total, lacking = sum(counts.values()), state.count_lacking()
        told = ", ".join(f"{count:,} {name.replace('-', ' ')}" for name, count in counts.items() if count)
        parts = f"; {lacking:,} part{'' if lacking == 1 else 's'} of pages missing" if lacking else ""
        parts += f"; {lines.known:,} known" if lines.known else ""
        left, unseen = (0, 0) if self._links is None else (self._links.left_out, self._links.parts)
        parts += f"; {unseen:,} part{'' if unseen == 1 else 's'} of pages not checked (--fragments)" if unseen else ""
        parts += f"; {left:,} link{'' if left == 1 else 's'} left out by --include or --exclude" if left else ""
        if not self._console.json:
            self._advise(lines, is_whole=not left and options["changed"] is None)
            told = f"{total:,} URL{'' if total == 1 else 's'}: {told}{parts}."
            self._console.tell(told if total else f"No URL was found{parts}.")
        return exits.FAULTS if lines.faults and self._code == exits.OK else self._code

    def _advise(self, lines: Lines, *, is_whole: bool) -> None:
        """Say what the person may do about refusals, and about a baseline that has become too long."""
        if lines.refused and not self._settings.allow_private:
            self._console.say("note: --allow-private also checks links to private addresses and to this machine")
        decided = (each for each in self._known - lines.used if self._options["fragments"] or "#" not in each)
        unused = sum(1 for _ in decided)
        if unused and is_whole:
            told = "1 line of the baseline names" if unused == 1 else f"{unused:,} lines of the baseline name"
            self._console.say(f"note: {told} nothing that is broken here; --write-baseline writes it anew")


def _check_engine(options: dict[str, Any]) -> None:
    """Check the options of --engine. Raises UsageError."""
    if options["engine"] != "ray":
        if options["address"] or options["workers"]:
            raise UsageError("--address and --workers are about --engine ray.")
    elif options["address"] is None:
        raise UsageError("--engine ray needs the --address of a cluster; auto is this machine's.")
    elif options["tokens"]:
        raise UsageError("A token stays on this machine: it is not sent to others (--engine).")


def _least(*counts: int | None) -> int | None:
    """The smallest of the given numbers; None if there are none."""
    return min((count for count in counts if count is not None), default=None)
