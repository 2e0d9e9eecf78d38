"""``anyurl get``: download what a URL designates (RFC 1738 2: access)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.cli import content, exits, foreign
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import several_urls_argument
from anyurl.cli.request import RequestWords, open_one, request_options
from anyurl.cli.settings import Settings, access_options
from anyurl.cli.terminal.console import Console
from anyurl.cli.terminal.questions import answer

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.client.form import Form
    from anyurl.dialogue import Resume
    from anyurl.url import URL

STANDARD_OUTPUT = "-"


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
    "--parallel", between=(1, 1000), metavar="COUNT", default="1", help="Download this many URLs at the same time."
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
@request_options
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
    parallel: int,
    force: bool,
    go_on: bool,
    no_times: bool,
    view: str | None,
    answers: tuple[str, ...],
    program: str | None,
) -> int:
    """Download what each URL points at.

    Without -o, text is shown on a terminal with control characters escaped, and a pipe gets the octets unchanged; a
    listing is a table on a terminal and one URL per line in a pipe. With -o FILE it is saved as FILE, which gets its
    name only when it is complete; a device or a pipe is written to directly. The questions of a form are asked on the
    terminal, unless --answer provides the answers. A telnet URL opens a session on the terminal, which ^] leaves. With
    --from FILE every URL in it is downloaded. With -O or --output-dir each URL is saved in its own file.
    """
    alone = (target, go_on, no_times, view, answers, program)
    if source is not None or not urls:
        return _get_many(console, settings, source, (urls, force, named, folder, wanted.is_said, *alone))
    saves = named or folder is not None
    if saves and target is not None:
        raise UsageError(
            "-o FILE names the file; it can't be combined with -O and --output-dir, which take the name from the URL."
        )
    if len(urls) > 1:
        if any(alone) or settings.explain or (force and not saves):
            raise UsageError("-o, --continue, --no-times, --view, --answer, --program and --explain are about one URL.")
        from anyurl.cli import several

        settings.transfer_at_once(parallel)
        if folder is not None:
            several.make_folder(folder)
        return several.get(console, settings, urls, wanted, saves=saves, folder=folder, force=force, parallel=parallel)
    url = next(iter(urls))
    if saves:
        from anyurl.cli import several

        if folder is not None:
            several.make_folder(folder)
        target = several.file_of(url, folder)
    return _get(console, settings, wanted, url, target, force, go_on, no_times, view, answers, program)


def _get(
    console: Console,
    settings: Settings,
    wanted: RequestWords,
    url: URL,
    target: str | None,
    force: bool,
    go_on: bool,
    no_times: bool,
    view: str | None,
    answers: tuple[str, ...],
    program: str | None,
) -> int:
    """Download what one URL designates."""
    saves = _saves(console, target, about_a_file=force or go_on or no_times)
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
    with settings.client(console, yes=True) as client:  # typing the answers to a form is the consent to send them

        def again(there: URL, asked: Resource) -> Resource:
            return client.get(there, came_from=settings.origin if asked.url == url else asked, view=view)

        def open_it(resume: Resume | None = None) -> Resource:
            resource = open_one(
                console, client, url, wanted, settings.origin, resume=resume, view=view, answers=answers
            )
            resource = answer(console.ask_words, resource, again)
            if resource.kind == "service" and target is not None:
                from anyurl.cli.terminal import service

                raise service.no_document(resource)
            if resource.form is None or console.json:
                return resource
            if console.has_audience:
                client.policy.judge_form(resource.url).check()  # before the user fills it in, in vain
            asked = _answers(console, resource, resource.form)
            return client.get(url, answers=asked, came_from=settings.origin)

        if target is not None and saves:
            from anyurl.cli import save

            retries = 0 if wanted.is_request else settings.retries
            save.get(console, open_it, url, target, force=force, go_on=go_on, times=not no_times, retries=retries)
        else:
            with open_it() as resource:
                if resource.kind == "service":
                    from anyurl.cli.terminal import service

                    service.attend(console, client, resource)
                else:
                    content.hand_over(console, resource, octets=target == STANDARD_OUTPUT)
    return exits.OK


def _saves(console: Console, target: str | None, *, about_a_file: bool) -> bool:
    """Whether the content goes to a file. Raises UsageError: It does not, and another option needs one."""
    if console.json and target == STANDARD_OUTPUT:
        raise UsageError("--json and -o - would both write to standard output; -o FILE keeps them apart.")
    saves = target not in (None, STANDARD_OUTPUT)
    if about_a_file and not saves:
        raise UsageError("--force, --continue and --no-times are about a file: they need -o FILE.")
    return saves


def _get_many(console: Console, settings: Settings, source: str | None, alone: tuple[object, ...]) -> int:
    """Get the URLs of a file.

    Args:
        alone: The options for a single URL.

    Raises:
        UsageError: Such an option is given, or neither a URL nor a file.
    """
    if source is None:
        raise UsageError("Missing argument 'URL'.")
    if any(alone) or settings.explain:
        raise UsageError(
            "--from takes the URLs from a file: it can't be combined with a URL or an option for a single one."
        )
    from anyurl.cli import from_file

    return from_file.get(console, settings, source)


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
