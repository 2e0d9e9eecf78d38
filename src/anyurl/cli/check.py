"""``anyurl check``: whether the URLs in files, folders and pages lead anywhere."""

from __future__ import annotations

import re
from typing import Any

from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.console import Console
from anyurl.cli.options import emails_option, format_option, to_seconds
from anyurl.cli.settings import MOST, Settings, access_options

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def _to_age(console: Console, value: str | None) -> float:
    """Seconds: ``90s``, ``30m``, ``12h``, ``7d``. Raises UsageError."""
    if value is None:
        return 0.0
    number = value[:-1]
    if value[-1:] not in UNITS or not (number.isascii() and number.isdigit()):
        raise UsageError(f"{value!r} is no age; 30m, 12h or 7d would be.")
    return int(number) * UNITS[value[-1]]


def _to_tokens(console: Console, values: tuple[str, ...]) -> dict[str, str]:
    """Where the token of each origin is kept: those of the file of settings, then those of the command line."""
    from anyurl.cli.config import TOKENS

    found: dict[str, str] = dict(console.settings.get(TOKENS, {}))
    for text in values:
        origin, equals, place = text.partition("=")
        if not (equals and place and re.fullmatch(r"https?://[^/?#@]+", origin)):
            raise UsageError(
                f"{text!r} is no token; https://api.github.com=FILE or https://api.github.com=$NAME would be."
            )
        found[origin] = place
    return found


@as_command("check")
@Parameter("sources", many=True, metavar="[FILE|FOLDER|URL]...")
@Parameter("--recursive", "-r", is_flag=True, help="Follow links on below each URL; robots.txt is obeyed.")
@Parameter("--depth", metavar="STEPS", between=(0, MOST), help="Steps from each URL, at most (--recursive).")
@Parameter("--sitemap", is_flag=True, help="Also what the sitemaps of each URL's site name below it (--recursive).")
@Parameter("--fragments", is_flag=True, help="Look up what stands behind a # in the HTML that it leads to.")
@Parameter("--changed", metavar="REV", help="Only what differs from this revision of the git repository.")
@Parameter("--include", metavar="PATTERN", multiple=True, help="Only URLs that fit (*, ?). Repeatable.")
@Parameter("--exclude", metavar="PATTERN", multiple=True, help="Leave out URLs that fit. Repeatable.")
@Parameter("--exclude-files", metavar="PATTERN", multiple=True, help="Pass over files and folders. Repeatable.")
@Parameter("--accept", metavar="STATUS", between=(1, 999), multiple=True, help="This reply is no fault. Repeatable.")
@Parameter("--baseline", metavar="FILE", help="The URLs in FILE, one a line, are known to be broken.")
@Parameter("--no-config", is_flag=True, help="Don't read the settings that the tree brings.")
@format_option
@Parameter("--base", metavar="URL", help="What relative links in files are relative to.")
@emails_option
@Parameter("--parallel", metavar="COUNT", between=(1, MOST), default="64", help="URLs asked for at once.")
@Parameter(
    "--per-host", metavar="COUNT", between=(1, MOST), help="Of one host at once; as many as it takes if not said."
)
@Parameter(
    "--delay",
    metavar="SECONDS",
    convert=to_seconds,
    help="Let so much lie between two questions to one host, at least.",
)
@Parameter("--max-per-host", metavar="COUNT", between=(1, MOST), help="Ask for so many URLs of one host, at most.")
@Parameter(
    "--token", "tokens", metavar="ORIGIN=FILE", multiple=True, convert=_to_tokens,
    help="Send the token in FILE, or in $NAME of the environment, to this server. Repeatable.",
)  # fmt: skip
@Parameter(
    "--engine", choices=("own", "ray"), default="own", help="What asks: this process, or a cluster of Ray (--address)."
)
@Parameter("--address", metavar="ADDRESS", help="The cluster: HOST:PORT, or auto for this machine's (--engine ray).")
@Parameter(
    "--workers",
    metavar="COUNT",
    between=(1, MOST),
    help="Processes that ask; one a processor if not said.",
)
@Parameter("--state", metavar="FILE", help="Keep what is known in FILE: a check that breaks off can go on.")
@Parameter("--resume", is_flag=True, help="Go on with the check of --state that broke off.")
@Parameter(
    "--max-age", metavar="AGE", convert=_to_age,
    help="Don't ask again for what was well so lately, as in 12h or 7d (--state).",
)  # fmt: skip
@Parameter("--all", "shows_all", is_flag=True, help="Show what is well, too.")
@Parameter("--junit", metavar="FILE", help="Also write a report as JUnit's XML.")
@Parameter("--html", metavar="FILE", help="Also write a report as one page of HTML.")
@access_options
def command(console: Console, settings: Settings, sources: tuple[str, ...], **options: Any) -> int:
    """Check whether the URLs in files and pages lead anywhere.

    Folders and standard input are looked through, too. Each different URL is asked for once, in its scheme's cheapest
    honest way; nothing is sent that would change anything. Told is what is broken, where it stands and why. Of a URL
    that is given, the links on its page are checked, too. Ends with 1 if something is broken or timed out. A URL that
    stands in a file leads to no private address, unless --allow-private says so.
    """
    from anyurl.cli.checking import Checking

    return Checking(console, settings, sources or ("-",), options).run()
