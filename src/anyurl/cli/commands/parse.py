"""``anyurl parse``: show the components of URLs, or the faults of texts that are not URLs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.options import grammar_option, json_option, plugin_option, texts_of
from anyurl.cli.terminal.console import MASK, Console
from anyurl.errors import Diagnostic, SchemeError, URLSyntaxError

if TYPE_CHECKING:
    from anyurl.url import URL

COMPONENTS = ("scheme", "user", "password", "host", "port", "path", "query", "fragment")


@as_command("parse")
@Parameter("texts", many=True, required=True, metavar="URL...")
@Parameter("--reveal", is_flag=True, help="Show passwords.")
@grammar_option
@plugin_option
@json_option
def command(console: Console, texts: tuple[str, ...], reveal: bool, grammar: str) -> int:
    """Show the components of URLs.

    For text that is not a URL, shows where it is wrong and by which rule. A URL of - reads one text per line from
    standard input.

    Exits with 1 if any of them is not a URL.
    """
    code = exits.OK
    for number, text in enumerate(texts_of(console, texts)):
        url, parts, diagnostics = _read(text, grammar)
        if any(diagnostic.severity == "error" for diagnostic in diagnostics):
            code = exits.FAULTS
        if console.json:
            from anyurl.cli import records

            console.record(records.parse_record(text, url, parts, diagnostics, reveal=reveal))
            continue
        if number:
            console.line()
        _show(console, text, url, parts, diagnostics, reveal=reveal)
    return code


def _read(text: str, grammar: str) -> tuple[URL | None, Any, tuple[Diagnostic, ...]]:
    """The URL, its parts, and the faults: a well-formed URL may be invalid for its scheme."""
    from anyurl.url import parse

    try:
        url = parse(text, grammar)
    except URLSyntaxError as error:
        from anyurl.cli.terminal import caret

        return None, None, caret.judged(error) if grammar == "current" else error.diagnostics
    try:
        return url, url.parts, ()
    except URLSyntaxError as error:
        return url, None, _placed(text, error)
    except SchemeError:  # an unsupported scheme: its URLs have the generic syntax only
        return url, None, _meant_otherwise(text) if grammar == "current" else ()


def _meant_otherwise(text: str) -> tuple[Diagnostic, ...]:
    """The remark on a Windows drive, or on a host and a port, that the grammar reads as a scheme."""
    from anyurl.grammar import diagnose
    from anyurl.grammar.remedies import SUPPLIED

    return tuple(one for one in diagnose(text) if one.code in SUPPLIED)


def _placed(text: str, error: URLSyntaxError) -> tuple[Diagnostic, ...]:
    """The faults of an error at their places in the text, in which an unmasked password may precede them."""
    if error.text == text:
        return error.diagnostics
    start = max(0, len(text) - len(error.text))
    return tuple(
        Diagnostic(d.code, d.severity, (start + d.span[0], start + d.span[1]), d.rule, d.section, d.message, d.fix)
        for d in error.diagnostics
    )


def _show(
    console: Console, text: str, url: URL | None, parts: Any, diagnostics: tuple[Diagnostic, ...], *, reveal: bool
) -> None:
    if diagnostics:
        from anyurl.cli.terminal import caret
        from anyurl.cli.terminal.palette import BY_SEVERITY

        for line, severity in caret.point_out(text, diagnostics, console.columns()):
            console.line(line, *BY_SEVERITY[severity])
    elif url is not None:
        from anyurl.cli.terminal import caret

        console.line(str(url) if reveal else caret.masked(url.masked))
    if url is not None:
        console.fields(_rows(text, url, parts, reveal=reveal), indent="  ")


def _rows(text: str, url: URL, parts: Any, *, reveal: bool) -> Iterator[tuple[str, str]]:
    from anyurl.cli.terminal import caret

    torn = None
    if url.password is None and not reveal:
        torn = caret.Torn(text, (url.user, url.path, url.query, url.fragment))
    for name in COMPONENTS:
        value = getattr(url, name)
        if value is None:
            continue
        if name == "password" and value and not reveal:
            value = MASK
        if torn is not None and name not in ("scheme", "host"):
            value = torn.shown(value)
        if name == "port" and url.explicit_port is None:
            value = f"{value} (of {url.scheme})"
        yield name, str(value) or "(empty)"
    label = "parts"
    as_dict = getattr(parts, "as_dict", dict)  # a plug-in's parts may lack it: then only --json shows them
    facts = as_dict() if torn is None else torn.shown(as_dict())
    for name, value in facts.items():
        if value is not None:
            yield label, f"{name} = {_shown(value)}"
            label = ""


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return f"'{value}'" if isinstance(value, str) else str(value)
