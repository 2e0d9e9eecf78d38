"""``anyurl check``: whether the URLs in files, folders and pages lead anywhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import emails_option, format_option, to_seconds
from anyurl.cli.settings import MOST, Settings, access_options
from anyurl.cli.terminal.console import Console

if TYPE_CHECKING:
    from anyurl.batch.check.sites import SiteFolder

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def _to_age(console: Console, value: str | None) -> float:
    """An age in seconds: ``90s``, ``30m``, ``12h``, ``7d``. Raises UsageError."""
    if value is None:
        return 0.0
    number = value[:-1]
    if value[-1:] not in UNITS or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError(f"{value!r} is not an age; 30m, 12h or 7d would be.")
    return int(number) * UNITS[value[-1]]


def _to_tokens(console: Console, values: tuple[str, ...]) -> dict[str, str]:
    """The place of the token of each origin: from the settings file, overridden by the command line."""
    from anyurl.cli.config import TOKENS

    found: dict[str, str] = dict(console.settings.get(TOKENS, {}))
    for text in values:
        origin, equals, place = text.partition("=")
        if not (equals and place and re.fullmatch(r"https?://[^/?#@]+", origin)):
            raise UsageError(
                f"{text!r} is not a token; https://api.github.com=FILE or https://api.github.com=$NAME would be."
            )
        found[origin] = place
    return found


def _to_statuses(console: Console, values: tuple[str, ...]) -> tuple[int, ...]:
    """Status codes and ranges of them. Raises UsageError."""
    from anyurl.batch.check.outcome import statuses

    found: list[int] = []
    for text in (each for value in values for each in value.split(",")):
        some = statuses(text.strip())
        if some is None:
            raise UsageError(f"{text!r} is not a status; 403 or 200-299 would be.")
        found.extend(some)
    return tuple(found)


FAILING = ("permanent", "redirected", "refused", "deferred", "not-checkable")
"""Values of --fail-on: ``broken`` and ``timed-out`` always fail."""


def _to_outcomes(console: Console, values: tuple[str, ...]) -> tuple[str, ...]:
    """Outcomes. Raises UsageError."""
    for text in values:
        if text not in FAILING:
            raise UsageError(f"{text!r} is not an outcome to fail on; there are {', '.join(FAILING)}.")
    return values


def _to_folder(console: Console, value: str | None) -> str | None:
    """A folder. Raises UsageError."""
    import os

    if value is not None and not os.path.isdir(value):
        raise UsageError(f"{value!r} is not a folder.")
    return value


def _to_sites(console: Console, values: tuple[str, ...]) -> tuple[SiteFolder, ...]:
    """Folders, and the URLs that they have on the web. Raises UsageError."""
    import os

    from anyurl.batch.check.sites import SiteFolder
    from anyurl.cli.options import to_url

    found = []
    for text in values:
        name, equals, folder = text.rpartition("=")
        if not (equals and re.match(r"(?i)https?://[^/]", name)):
            raise UsageError(f"{text!r} is not a site; https://docs.example.org/=build/html would be.")
        _to_folder(console, folder)
        url = to_url(console, name if name.endswith("/") else f"{name}/").normalize()
        found.append(SiteFolder(str(url).partition(":")[2], os.path.realpath(folder), url.scheme))
    return tuple(found)


@as_command("check")
@Parameter("sources", many=True, metavar="[FILE|FOLDER|URL]...")
@Parameter("--recursive", "-r", is_flag=True, help="Also follow links to pages below each URL; robots.txt is obeyed.")
@Parameter(
    "--depth", metavar="STEPS", between=(0, MOST), help="The maximum number of steps from each URL (--recursive)."
)
@Parameter("--sitemap", is_flag=True, help="Also check the URLs below it in the sitemaps of its site (--recursive).")
@Parameter("--fragments", is_flag=True, help="Also check the part after # in the HTML page that it leads to.")
@Parameter("--changed", metavar="REV", help="Only the changes since this revision of the git repository.")
@Parameter("--include", metavar="PATTERN", multiple=True, help="Only URLs that match (*, ?). Repeatable.")
@Parameter("--exclude", metavar="PATTERN", multiple=True, help="Leave out URLs that match. Repeatable.")
@Parameter("--exclude-files", metavar="PATTERN", multiple=True, help="Skip these files and folders. Repeatable.")
@Parameter(
    "--accept", metavar="STATUS", multiple=True, convert=_to_statuses,
    help="Count this status, or a range such as 200-299, as ok. Repeatable.",
)  # fmt: skip
@Parameter(
    "--fail-on", metavar="OUTCOME", multiple=True, convert=_to_outcomes,
    help="Also fail on this outcome: permanent (redirects), redirected, refused, deferred, not-checkable. Repeatable.",
)  # fmt: skip
@Parameter("--baseline", metavar="FILE", help="A file of URLs that are known to be broken, one per line.")
@Parameter("--write-baseline", metavar="FILE", help="Write the broken URLs to FILE, as a baseline.")
@Parameter("--no-ignore", is_flag=True, help="Also read files that .gitignore excludes.")
@Parameter("--no-config", is_flag=True, help="Ignore the settings files in the checked tree.")
@format_option
@Parameter("--base", metavar="URL", help="The base URL for relative links in files.")
@Parameter("--root", metavar="FOLDER", convert=_to_folder, help="The target of / in files; nothing outside is checked.")
@Parameter(
    "--site", "sites", metavar="URL=FOLDER", multiple=True, convert=_to_sites,
    help="FOLDER has this URL on the web: links to it are looked up in FOLDER. Repeatable.",
)  # fmt: skip
@Parameter("--index", metavar="NAME", multiple=True, help="The page that each linked folder must have. Repeatable.")
@Parameter(
    "--try-suffix", "suffixes", metavar="SUFFIX", multiple=True,
    help="Also look for names with this suffix, such as .html. Repeatable.",
)  # fmt: skip
@emails_option
@Parameter("--parallel", metavar="COUNT", between=(1, MOST), default="64", help="The number of parallel requests.")
@Parameter(
    "--per-host",
    metavar="COUNT",
    between=(1, MOST),
    help="The maximum number of parallel requests to one host; by default as many as it accepts.",
)
@Parameter(
    "--delay",
    metavar="SECONDS",
    convert=to_seconds,
    help="The minimum time between two requests to one host.",
)
@Parameter(
    "--max-per-host", metavar="COUNT", between=(1, MOST), help="The maximum number of URLs to check on one host."
)
@Parameter(
    "--token", "tokens", metavar="ORIGIN=FILE", multiple=True, convert=_to_tokens,
    help="Send the token in FILE, or in the environment variable $NAME, to this server. Repeatable.",
)  # fmt: skip
@Parameter(
    "--engine",
    choices=("own", "ray"),
    default="own",
    help="Where requests are sent from: this process, or a Ray cluster (--address).",
)
@Parameter("--address", metavar="ADDRESS", help="The cluster: HOST:PORT, or auto for this machine's (--engine ray).")
@Parameter(
    "--workers",
    metavar="COUNT",
    between=(1, MOST),
    help="The number of worker processes; the default is one per processor.",
)
@Parameter("--state", metavar="FILE", help="Record results in FILE, so that an interrupted check can be resumed.")
@Parameter("--resume", is_flag=True, help="Resume the interrupted check of --state.")
@Parameter(
    "--max-age", metavar="AGE", convert=_to_age,
    help="Skip URLs that were ok this recently, for example 12h or 7d (--state).",
)  # fmt: skip
@Parameter("--all", "shows_all", is_flag=True, help="Also show the URLs that are ok.")
@Parameter(
    "--fix",
    is_flag=True,
    help="Write the targets of permanent redirects into the files; fragments are kept. Shows what changes, and asks.",
)
@Parameter("--github", is_flag=True, help="Also write each fault as an annotation of GitHub Actions.")
@Parameter("--junit", metavar="FILE", help="Also write a report as JUnit XML.")
@Parameter("--html", metavar="FILE", help="Also write a report as one HTML page.")
@access_options
def command(console: Console, settings: Settings, sources: tuple[str, ...], **options: Any) -> int:
    """Check whether the URLs in files and pages work.

    Also searches folders and standard input. Each distinct URL is requested once, with the cheapest reliable request of
    its scheme; nothing is sent that could change anything. Broken URLs are reported with their places and the reason.
    For a URL argument, the links on its page are also checked. Exits with 1 if any URL is broken or timed out. A URL in
    a file may not lead to a private address unless --allow-private is given.
    """
    from anyurl.cli.checking import Checking

    return Checking(console, settings, sources or ("-",), options).run()
