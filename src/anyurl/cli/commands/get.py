"""``anyurl get``: download the resource of a URL (RFC 1738 2: access)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anyurl.cli import content, exits, foreign
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.numbers import follow, number_option, refuse_with_numbers
from anyurl.cli.options import charset_option, rate_option, several_urls_argument
from anyurl.cli.request import RequestWords, open_one, request_options
from anyurl.cli.settings import Settings, access_options
from anyurl.cli.terminal.console import Console
from anyurl.cli.terminal.questions import answer

if TYPE_CHECKING:
    from anyurl.access import Client, Resource
    from anyurl.cli.several import Saving
    from anyurl.client.form import Form
    from anyurl.dialogue import Resume
    from anyurl.url import URL
    from anyurl.values import Provenance

STANDARD_OUTPUT = "-"

SAVED_AT_ONCE = 8
"""Parallel transfers of files, as of a mirror."""


@as_command("get")
@several_urls_argument
@Parameter(
    "--from",
    "source",
    metavar="FILE",
    help="Download every URL in FILE: one per line, or the output of ls, search and find --json. `-` is standard "
    "input.",
)
@Parameter("-o", "--output", "target", metavar="FILE", help="Write it to FILE; `-` is standard output.")
@Parameter(
    "-O", "--remote-name", "named", is_flag=True, help="Write it to a file named after the last segment of the URL."
)
@Parameter(
    "--output-dir", "folder", metavar="FOLDER", help="Write files there, named after the last segments of the URLs."
)
@Parameter(
    "-J",
    "--remote-header-name",
    "by_server",
    is_flag=True,
    help="With -O or --output-dir: take the name that the server gives the content, made safe, where it gives one.",
)
@Parameter("--create-dirs", is_flag=True, help="Make the folders of -o FILE.")
@Parameter(
    "--checksum",
    metavar="ALGORITHM:HEX",
    help="Save FILE only if it has this checksum: sha256:... A digest that the server tells is always compared.",
)
@rate_option
@Parameter(
    "--parallel",
    between=(1, 1000),
    metavar="COUNT",
    help="Download this many URLs at the same time; the default is 8 for files, and 1 for the output.",
)
@Parameter("--force", is_flag=True, help="Replace FILE if there is one.")
@Parameter("--continue", "go_on", is_flag=True, help="Resume a partial download, if the resource has not changed.")
@Parameter("--no-times", is_flag=True, help="Give FILE the current time, not that of the resource's last change.")
@Parameter(
    "--view",
    metavar="TYPE",
    help="Select this representation: a media type, optionally followed by a space and a language.",
)
@Parameter("--answer", "answers", metavar="TEXT", multiple=True, help="Answer the next question of a form. Repeatable.")
@Parameter(
    "--program",
    metavar="COMMAND",
    help="Pass a URL of an unsupported scheme (tn3270, nfs, z39.50r ...) to a program: 'x3270 {host}:{port}'.",
)
@number_option
@request_options
@charset_option
@access_options
def command(
    console: Console,
    settings: Settings,
    wanted: RequestWords,
    urls: tuple[URL, ...],
    source: str | None,
    target: str | None,
    named: bool,
    folder: str | None,
    parallel: int | None,
    by_server: bool,
    create_dirs: bool,
    checksum: str | None,
    rate: int | None,
    force: bool,
    go_on: bool,
    no_times: bool,
    view: str | None,
    answers: tuple[str, ...],
    program: str | None,
    numbers: tuple[int, ...],
) -> int:
    """Download the resource of each URL.

    Without -o, text is shown on a terminal with control characters escaped, and a pipe gets the octets unchanged; a
    listing is a table on a terminal and one URL per line in a pipe. With -o FILE it is saved as FILE, which gets its
    name only when it is complete; a device or a pipe is written to directly. Prompts for the fields of a form on the
    terminal, unless --answer provides them. A telnet URL opens a session on the terminal, which ^] leaves. With --from
    FILE every URL in it is downloaded. With -O or --output-dir each URL is saved in its own file.
    """
    saves = named or folder is not None
    _refuse_mixed(saves, target, by_server, rate)
    if source is None and len(urls) == 1 and not by_server:
        if rate is not None:
            from anyurl.saving.pieces import RateLimit

            console.pace = RateLimit(rate)

        def target_of(url: URL) -> str | None:
            name = _file_in(url, folder) if saves else target
            if create_dirs and name is not None:
                _make_folder_of(name)
            return name

        how = {
            "force": force, "go_on": go_on, "times": not no_times, "checksum": checksum, "archives": settings.archives,
        }  # fmt: skip
        return _get(console, settings, wanted, urls[0], numbers, target_of, how, view, answers, program)
    alone = bool(target or view or answers or program or checksum or numbers or settings.explain)
    _refuse_for_several(source, urls, alone or (not saves and (force or go_on or no_times)), go_on and by_server)
    if not saves:
        return _write_several(console, settings, source, urls, wanted, parallel or 1)
    from anyurl.cli.several import Saving

    several = Saving(folder, by_server, force, go_on, not no_times, parallel or SAVED_AT_ONCE, rate)
    return _save_several(console, settings, source, urls, wanted, several)


def _file_in(url: URL, folder: str | None) -> str:
    """The file that is named after a URL, in a folder that is made."""
    from anyurl.cli import several

    if folder is not None:
        several.make_folder(folder)
    return several.file_of(url, folder)


def _make_folder_of(target: str) -> None:
    from anyurl.cli import several

    several.make_folder(os.path.dirname(target) or ".")


def _refuse_for_several(source: str | None, urls: tuple[URL, ...], alone: bool, late: bool) -> None:
    """Raises UsageError: There is no URL; or an option is for a single one, or can't be combined with -J."""
    if source is None and not urls:
        raise UsageError("Missing argument 'URL'.")
    if source is not None and (urls or alone):
        raise UsageError(
            "--from takes the URLs from a file: it can't be combined with a URL or an option for a single one."
        )
    if alone:
        raise UsageError(
            "-o, --view, --answer, --program, --checksum, -n and --explain are about one URL, and not for -J; --force, "
            "--continue and --no-times are about files: several need -O or --output-dir FOLDER."
        )
    if late:
        raise UsageError("--continue needs the names of the files beforehand, and with -J the server gives them.")


def _write_several(
    console: Console,
    settings: Settings,
    source: str | None,
    urls: tuple[URL, ...],
    wanted: RequestWords,
    parallel: int,
) -> int:
    from anyurl.cli import from_file, several

    if source is None:
        return several.write(console, settings, urls, wanted, parallel)
    if wanted.is_said:
        raise UsageError("--from FILE with options of a request needs -O or --output-dir FOLDER.")
    return from_file.get(console, settings, source)


def _save_several(
    console: Console,
    settings: Settings,
    source: str | None,
    urls: tuple[URL, ...],
    wanted: RequestWords,
    how: Saving,
) -> int:
    from anyurl.cli import from_file, several
    from anyurl.saving.several import SaveItem
    from anyurl.values import USER

    if source is None:
        return several.save(console, settings, (SaveItem(url, USER) for url in urls), len(urls), wanted, how)
    if wanted.is_request:
        raise UsageError("--from FILE is for GET: it can't be combined with another method or a body.")
    return from_file.save(console, settings, source, wanted, how)


def _refuse_mixed(saves: bool, target: str | None, by_server: bool, rate: int | None) -> None:
    """Raises UsageError: The name of the file is given twice, or not at all."""
    if saves and target is not None:
        raise UsageError(
            "-o FILE names the file; it can't be combined with -O and --output-dir, which take the name from the URL."
        )
    if by_server and not saves:
        raise UsageError("With -J the server names the file: it needs -O or --output-dir FOLDER.")
    if rate is not None and not saves and target in (None, STANDARD_OUTPUT):
        raise UsageError("A rate is limited by --limit-rate for files: it needs -o FILE, -O or --output-dir FOLDER.")


def _get(
    console: Console,
    settings: Settings,
    wanted: RequestWords,
    url: URL,
    numbers: tuple[int, ...],
    target_of: Callable[[URL], str | None],
    how: dict[str, Any],
    view: str | None,
    answers: tuple[str, ...],
    program: str | None,
) -> int:
    """Download the resource of one URL, or an entry below it.

    Args:
        target_of: The file that the content goes to; None for none.
        how: How it is saved: the arguments of `anyurl.cli.save.get`.
    """
    about_a_file = how["force"] or how["go_on"] or not how["times"] or how["checksum"] is not None
    target = None
    if numbers:
        refuse_with_numbers(settings.explain, program)
    else:
        target = target_of(url)
        _check_target(console, target, about_a_file=about_a_file)
        instead = _instead(console, settings, wanted, url, view, answers, program)
        if instead is not None:
            return instead
    with settings.client(console, yes=True) as client:  # typing the answers to a form is the consent to send them
        origin = settings.origin
        if numbers:
            url, origin = follow(client, url, settings.origin, numbers)
            target = target_of(url)
            _check_target(console, target, about_a_file=about_a_file)
        _get_one(console, settings, client, wanted, url, origin, target, how, view, answers)
    return exits.OK


def _get_one(
    console: Console,
    settings: Settings,
    client: Client,
    wanted: RequestWords,
    url: URL,
    origin: Provenance,
    target: str | None,
    how: dict[str, Any],
    view: str | None,
    answers: tuple[str, ...],
) -> None:
    """Download the resource of a URL to a file, or show it or write it to standard output."""

    def again(there: URL, asked: Resource) -> Resource:
        return client.get(there, came_from=origin if asked.url == url else asked, view=view)

    def open_it(resume: Resume | None = None) -> Resource:
        resource = open_one(console, client, url, wanted, origin, resume=resume, view=view, answers=answers)
        resource = answer(console.ask_words, resource, again)
        if resource.kind == "service" and target is not None:
            from anyurl.cli.terminal import service

            raise service.no_document(resource)
        if resource.form is None or console.json:
            return resource
        if console.has_audience:
            client.policy.judge_form(resource.url).check()  # before the user fills it in, in vain
        asked = _answers(console, resource, resource.form)
        return client.get(url, answers=asked, came_from=origin)

    if target is not None and target != STANDARD_OUTPUT:
        from anyurl.cli import save

        retries = 0 if wanted.is_request else settings.retries
        save.get(console, open_it, url, target, retries=retries, **how)
    else:
        with open_it() as resource:
            if resource.kind == "service":
                from anyurl.cli.terminal import service

                service.attend(console, client, resource)
            else:
                content.hand_over(console, resource, octets=target == STANDARD_OUTPUT)


def _instead(
    console: Console,
    settings: Settings,
    wanted: RequestWords,
    url: URL,
    view: str | None,
    answers: tuple[str, ...],
    program: str | None,
) -> int | None:
    """Hand the URL to a program, or explain the requests; the exit code, or None if neither is wanted."""
    line = foreign.program_for(console, settings, url, program)
    if line is not None:
        return foreign.get(console, settings, url, line)
    if program is not None:
        raise UsageError(f"--program is for a scheme with a host that anyurl does not support, not for {url.scheme}.")
    if settings.explain:
        content.show_plan(
            console, settings, wanted.url(url), "get", view=view, answers=answers, http=wanted.http(console)
        )
        return exits.OK
    return None


def _check_target(console: Console, target: str | None, *, about_a_file: bool) -> None:
    """Raises UsageError: The content does not go to a file, and an option needs one."""
    if console.json and target == STANDARD_OUTPUT:
        raise UsageError("--json and -o - would both write to standard output; -o FILE keeps them apart.")
    if about_a_file and target in (None, STANDARD_OUTPUT):
        raise UsageError("--force, --continue, --no-times and --checksum are about a file: they need -o FILE.")


def _answers(console: Console, resource: Resource, form: Form) -> list[str]:
    """Ask the person at the terminal the questions of a form.

    Raises:
        UsageError: There is no terminal.
    """
    answers = console.ask_questions(resource.url.masked, form.questions)
    if answers is None:
        asked = ", ".join(repr(question.prompt) for question in form.asked)
        raise UsageError(
            f"This is a form, and there is no terminal to answer it; use --answer, in this order: {asked}."
        )
    return answers
