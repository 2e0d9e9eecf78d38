"""The questions of a form, asked on a terminal one after the other.

Rule: the server's texts are shown escaped; Enter alone accepts the proposed answer; secrets are not echoed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from anyurl.errors import escape

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.client.form import Question
    from anyurl.url import URL

MAX_QUESTIONS = 10
"""Most successive prompts of a server: longer games are played in `anyurl web`."""

END_OF_TEXT = "."
"""The line that ends a text of several lines, as in mail and ed."""


def ask(questions: Sequence[Question], tell: Callable[[str], None]) -> list[str]:
    """The answers, in order.

    Args:
        tell: Writes a line for the person.

    Raises:
        EOFError: The input ends.
        LocalProtocolError: The form asks for a file on this machine; raised before the first question.
    """
    from anyurl.schemes.gopher.wire.plus import refuse_file

    for question in questions:
        refuse_file(question.kind, question.prompt)
    answers: list[str] = []
    for question in questions:
        if not question.wants_answer:
            tell(question.prompt)
        elif question.choices:
            answers.append(_chosen(question, tell))
        elif question.kind == "AskL":
            answers.append(_text(question, tell))
        elif question.is_secret:
            answers.append(ask_hidden(f"{escape(question.prompt)}: "))
        else:
            answers.append(_line(question) or question.default)
    return answers


def answer(
    ask_words: Callable[[str, str], str | None], resource: Resource, again: Callable[[URL, Resource], Resource]
) -> Resource:
    """The server's response to the user's answers; without an answer the resource itself.

    Args:
        ask_words: Asks for the words of a URL by a server's prompt (`Console.ask_words`).
        again: Opens the URL with the answer, which the resource asked for.
    """
    from anyurl.schemes.kit.scheme import encode

    for _ in range(MAX_QUESTIONS):
        prompt = resource.attributes.get("prompt")
        if resource.kind != "index" or not isinstance(prompt, str):
            break
        words = ask_words(resource.url.masked, prompt)
        if not words:
            break
        with resource:
            resource = again(resource.url.replace(query=encode(words)), resource)
    return resource


def ask_yes(question: str, tell: Callable[[str], None]) -> bool:
    """Ask for consent; the end of the input, and every other answer than yes, is a no.

    Args:
        question: One or more lines, the last of which is the prompt.
        tell: Writes a line for the person.
    """
    *lines, last = question.split("\n")  # other line ends are escaped
    for line in lines:
        tell(line)
    try:
        return _typed(f"{escape(last)} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def ask_line(prompt: str) -> str:
    """Read a line after a prompt. Raises EOFError if the input ends."""
    return _typed(prompt)


def ask_hidden(prompt: str) -> str:
    """Read a line after a prompt without echo. Raises EOFError if the input ends."""
    import getpass

    with ExitStack() as stops:
        if sys.stdin is not None and sys.stdin.isatty():
            from anyurl.cli.terminal.stops import restored_when_stopped

            stops.enter_context(restored_when_stopped(sys.stdin.fileno()))
        return getpass.getpass(prompt)


def _line(question: Question) -> str:
    return _typed(f"{escape(question.prompt)}{_proposed(question)}: ")


def _proposed(question: Question) -> str:
    return f" [{escape(question.default)}]" if question.default else ""


def _typed(prompt: str) -> str:
    # Not input(): it writes its prompt to standard output, which may be the file for the results.
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


def _chosen(question: Question, tell: Callable[[str], None]) -> str:
    tell(f"{question.prompt}: one of {', '.join(map(repr, question.choices))}")
    while (answer := _line(question) or question.default) not in question.choices:
        tell(f"{answer!r} is not one of them")
    return answer


def _text(question: Question, tell: Callable[[str], None]) -> str:
    tell(f"{question.prompt}{_proposed(question)} (a line with {END_OF_TEXT!r} alone ends it):")
    lines: list[str] = []
    while (line := _typed("> ")) != END_OF_TEXT:
        lines.append(line)
    return "\n".join(lines) if lines else question.default
