"""``anyurl fix``: repair texts that are almost URLs, and report the changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import STDIN, grammar_option, json_option, plugin_option, texts_of
from anyurl.cli.terminal import caret
from anyurl.cli.terminal.console import Console
from anyurl.errors import URLSyntaxError

if TYPE_CHECKING:
    from anyurl.grammar import Change, Repair
    from anyurl.url import URL

FIX = ("text", "url", "changes", "diagnostics")
CHANGE = ("code", "start", "end", "before", "after", "message")


@as_command("fix")
@Parameter("texts", many=True, required=True, metavar="TEXT...")
@Parameter("--guess-scheme", is_flag=True, help="Add the implied scheme to text without one.")
@Parameter("--wrap", metavar="WIDTH", between=(1, 1000), help="Write <URL:...> for mail or print, in lines of WIDTH.")
@Parameter("--defang", is_flag=True, help="Show the URL defanged, as find --refang reads it: hxxp://evil[.]com.")
@Parameter("--reveal", is_flag=True, help="Show passwords.")
@grammar_option
@plugin_option
@json_option
def command(
    console: Console,
    texts: tuple[str, ...],
    guess_scheme: bool,
    wrap: int | None,
    defang: bool,
    reveal: bool,
    grammar: str,
) -> int:
    """Repair texts that are almost URLs.

    Removes wrappers and white space, replaces backslashes with slashes and marks that were misread on paper
    (http;//host), encodes what must be encoded, and reports the changes on standard error. A TEXT of - reads one text
    per line from standard input. Nothing is repaired if programs could read different hosts, users or ports in the
    text: the message names the hosts. Exits with 3 if the only TEXT cannot be repaired, and with 1 if one of several
    cannot.
    """
    from anyurl.grammar import repair

    if wrap is not None and (defang or console.json):
        raise UsageError("--wrap writes lines to be read again: it goes with neither --defang nor --json.")
    code = exits.OK
    is_alone = len(texts) == 1 and STDIN not in texts
    for text in texts_of(console, texts):
        try:
            repaired = repair(text, guess_scheme)
            if repaired.host_changed:
                raise repaired.refusal()
            url = repaired.url if grammar == "current" else repaired.url.normalize(grammar)
        except URLSyntaxError as error:
            code = exits.NOT_A_URL if is_alone else exits.FAULTS
            _refuse(console, error, reveal=reveal)
            continue
        if console.json:
            console.record(_record(repaired, url, reveal=reveal))
        else:
            for change in repaired.changes:
                console.tell(f"At character {change.span[0] + 1}: {change.message}.")
            shown = str(url) if reveal else caret.masked(url.masked)
            if wrap is not None:
                from anyurl.text import wrap as wrapped

                shown = wrapped(url if shown == str(url) else shown, width=wrap)
            if defang:
                from anyurl.text.defang import defanged

                shown = defanged(shown)
            for line in shown.split("\n"):
                console.line(line)
    return code


def _refuse(console: Console, error: URLSyntaxError, *, reveal: bool) -> None:
    if console.json:
        from anyurl.cli.records import diagnostic_record

        secret = None if reveal else caret.secret_span(error.text)
        shown = error.text if reveal else caret.masked(error.text)
        faults = [diagnostic_record(one, secret) for one in error.diagnostics]
        console.record(dict(zip(FIX, (shown, None, [], faults), strict=True)))
    caret.complain(console, error.text, error.diagnostics)


def _record(repaired: Repair, url: URL, *, reveal: bool) -> dict[str, Any]:
    secret = None if reveal else caret.secret_span(repaired.text)
    text = repaired.text if reveal else caret.masked(repaired.text)
    written = str(url) if reveal else caret.masked(url.masked)
    changes = [_change(one, secret) for one in repaired.changes]
    return dict(zip(FIX, (text, written, changes, []), strict=True))


def _change(change: Change, secret: tuple[int, int] | None) -> dict[str, Any]:
    """One change as JSON values; for a change in a password without the text before and after."""
    start, end = change.span
    hidden = secret is not None and start < secret[1] and end > secret[0]
    before, after = (None, None) if hidden else (change.before, change.after)
    return dict(zip(CHANGE, (change.code, start, end, before, after, change.message), strict=True))
