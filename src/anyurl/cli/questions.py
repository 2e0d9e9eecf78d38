"""The questions of a form, asked on a terminal one after the other.

Rule: the server's texts are shown escaped; Enter alone accepts the proposed answer; secrets are not echoed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from anyurl._typing import TYPE_CHECKING
from anyurl.errors import escape

if TYPE_CHECKING:
    from anyurl.access.form import Question

END_OF_TEXT = "."
"""The line that ends a text of many lines, as in mail and ed."""


def ask(questions: Sequence[Question], tell: Callable[[str], None]) -> list[str]:
    """The answers, in order.

    Args:
        tell: Writes a line for the person.

    Raises:
        EOFError: The person goes away.
        LocalProtocolError: The form asks for a file of this machine; this is raised before any question is put.
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


def ask_yes(question: str, tell: Callable[[str], None]) -> bool:
    """Whether a person says yes; the end of the input, and everything but yes, is no.

    Args:
        question: Of many lines, the last of which asks.
        tell: Writes a line for the person.
    """
    *lines, last = question.split("\n")  # nothing else ends a line: what looks so is escaped
    for line in lines:
        tell(line)
    try:
        return _typed(f"{escape(last)} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def ask_line(prompt: str) -> str:
    """A line that a person types behind the prompt. Raises EOFError when the person goes away."""
    return _typed(prompt)


def ask_hidden(prompt: str) -> str:
    """A line that is not shown while a person types it. Raises EOFError when the person goes away."""
    import getpass

    with ExitStack() as stops:
        if sys.stdin is not None and sys.stdin.isatty():
            from anyurl.cli.stops import restored_when_stopped

            stops.enter_context(restored_when_stopped(sys.stdin.fileno()))
        return getpass.getpass(prompt)


def _line(question: Question) -> str:
    return _typed(f"{escape(question.prompt)}{_proposed(question)}: ")


def _proposed(question: Question) -> str:
    return f" [{escape(question.default)}]" if question.default else ""


def _typed(prompt: str) -> str:
    # Not input(): it writes its prompt to standard output, which may be a file that the answer belongs to.
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


def _chosen(question: Question, tell: Callable[[str], None]) -> str:
    tell(f"{question.prompt}: one of {', '.join(map(repr, question.choices))}")
    while (answer := _line(question) or question.default) not in question.choices:
        tell(f"{answer!r} is none of them")
    return answer


def _text(question: Question, tell: Callable[[str], None]) -> str:
    tell(f"{question.prompt}{_proposed(question)} (a line with {END_OF_TEXT!r} alone ends it):")
    lines: list[str] = []
    while (line := _typed("> ")) != END_OF_TEXT:
        lines.append(line)
    return "\n".join(lines) if lines else question.default
