"""Gopher+: replies with a length, attributes, and electronic forms (Gopher+ of July 1993; RFC 1738 3.4.3 to 3.4.9).

Rule: a reply begins with one line, ``+`` or ``-`` and a length: a number of octets, -1 for text that ends with a lone
dot, -2 for everything until the server closes. Answered forms are the only requests of more than one line.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence

from anyurl.errors import LocalProtocolError, RemoteProtocolError, sample
from anyurl.schemes.kit.lines import CR, NUL, LineReader
from anyurl.schemes.kit.unparsed import UnparsedLines
from anyurl.values import Value

MAX_HEADER_BYTES = 1024
"""Octets of the first line of a reply; the longest valid ones have 20."""

MAX_BLOCK_LINE_BYTES = 4 * 1024
"""Octets of one line of an attribute, as in menus: +INFO contains a menu line."""

MAX_ATTRIBUTES_BYTES = 1024 * 1024
"""Octets of the attributes of one item: an abstract has some lines, the longest forms have a few hundred."""

MAX_BLOCKS = 500
"""Attributes of one item: the specification has eight, and servers add a few. Attack: each block costs more memory than
its octets, and 1 MiB could hold a quarter of a million."""

MAX_ERROR_BYTES = 4 * 1024
"""Octets of a refusal: a code, the name of the server's keeper, a sentence."""

DOTTED, UNTIL_CLOSE = -1, -2
_SIGNED_NUMBER = re.compile(rb"[+-]-?[0-9]+")
_LONGEST = 2**63 - 1

ITEM_GONE, TRY_LATER, ITEM_MOVED = 1, 2, 3
"""The codes of a refusal (Gopher+ 2.3)."""


class ReplyHeader(Value):
    """The first line of a reply.

    Attributes:
        good: Whether the requested item follows, not a refusal.
        length: The number of octets that follow; `DOTTED` or `UNTIL_CLOSE`.
    """

    good: bool
    length: int


def is_header(line: bytes) -> bool:
    """Whether a line is a Gopher+ header: texts of a server without Gopher+ may also begin with a plus or minus."""
    return _SIGNED_NUMBER.fullmatch(line.strip()) is not None


def read_header(line: bytes) -> ReplyHeader:
    """Read a header: ``+5``, ``+-1``, ``--2`` ...

    Raises:
        RemoteProtocolError: It is malformed.
    """
    digits = line[1:].strip()
    known = digits in (b"-1", b"-2") or (digits.isdigit() and len(digits) < 20 and int(digits) <= _LONGEST)
    if line[:1] not in (b"+", b"-") or not known:
        raise RemoteProtocolError(
            f"A Gopher+ reply begins with '+' or '-' and a length (-1, -2, or up to 2^63 - 1), not {sample(line[:60])}",
            sample=sample(line),
        )
    return ReplyHeader(line[:1] == b"+", int(digits))


def read_refusal(text: bytes) -> tuple[int, bytes, bytes]:
    """The code (0 if there is none), the keeper of the server, and the text of a refusal (Gopher+ 2.3)."""
    first, _, rest = text.partition(b"\n")
    code, _, admin = first.strip().partition(b" ")
    lines = [line.rstrip(b"\r") for line in rest.split(b"\n")]
    if not (code.isdigit() and len(code) < 4):
        code, admin, lines = b"0", b"", [first.strip(), *lines]
    words = b" ".join(line for line in lines if line and line != b".")
    # Many servers send the text in place of the keeper, who has an address.
    return (int(code), admin.strip(), words) if words or b"@" in admin else (int(code), b"", admin.strip())


# --- attributes ----------------------------------------------------------------------------------------------------


class Block(Value):
    """One attribute: ``+NAME: value``, and the lines below it without their leading space.

    Attributes:
        name: In capitals, without the plus: ``ADMIN``.
        value: The text after the colon.
        lines: The lines below.
    """

    name: str
    value: bytes = b""
    lines: tuple[bytes, ...] = ()

    @property
    def text(self) -> bytes:
        """Value and lines, joined."""
        return b"\n".join([*([self.value] if self.value else []), *self.lines])


class AttributeReader:
    """Octets in, attributes out: those of one item, or (``$``) of all items of a directory, each beginning with INFO.

    Args:
        dotted: Whether they end with a lone dot (the length was -1).

    Attributes:
        ended: Whether the lone dot has come.
        odd: The lines that were left out: with NUL or a bare CR, or of no attribute.
    """

    __slots__ = ("ended", "odd", "_dotted", "_lines", "_open", "_skips")

    def __init__(self, *, dotted: bool) -> None:
        what = "a line of a Gopher+ block"
        self.ended = False
        self.odd = UnparsedLines()
        self._dotted = dotted
        self._lines = LineReader(MAX_BLOCK_LINE_BYTES, limit="MAX_BLOCK_LINE_BYTES", what=what, strict=False)
        self._open: tuple[str, bytes, list[bytes]] | None = None
        self._skips = b""

    def feed(self, data: bytes) -> list[Block]:
        """The blocks that these octets complete.

        Raises:
            LimitError: A line is longer than `MAX_BLOCK_LINE_BYTES`.
        """
        if not self.ended:
            self._lines.feed(data)
        blocks: list[Block] = []
        while not self.ended and (line := self._lines.next_line()) is not None:  # data after the dot is ignored
            blocks += self._read(line)
        return blocks

    def finish(self) -> list[Block]:
        """The last block. Raises as `feed`."""
        blocks: list[Block] = []
        line = None if self.ended else self._lines.finish()
        if line is not None:
            blocks += self._read(line)
        return blocks + self._begin(None)

    def _is_skipped(self, line: bytes) -> bool:
        """Whether the line is odd, or belongs to an item or an attribute whose first line is."""
        begins = next((mark for mark in (b"+INFO", b"+") if line.startswith(mark)), b"")
        if NUL in line or CR in line:
            self.odd.add(line)
            self._skips = self._skips if self._skips == b"+INFO" else begins or self._skips
            return True
        if begins.startswith(self._skips):
            self._skips = b""
        return self._skips != b""

    def _read(self, line: bytes) -> list[Block]:
        if self._dotted and line == b".":
            self.ended = True
            return []
        if self._is_skipped(line):
            return []
        if line.startswith(b"+"):
            name, colon, value = line[1:].partition(b":")
            if colon and name.strip():
                return self._begin((name.strip().decode("ascii", "replace").upper(), value.strip(), []))
        if not line.strip():
            return []
        if self._open is None:
            self.odd.add(line)
            return []
        self._open[2].append(line.removeprefix(b" "))
        return []

    def _begin(self, block: tuple[str, bytes, list[bytes]] | None) -> list[Block]:
        done, self._open = self._open, block
        return [] if done is None else [Block(done[0], done[1], tuple(done[2]))]


class View(Value):
    """One representation of an item (RFC 1738 3.4.8).

    Attributes:
        type: Its media type, as the server writes it.
        language: ``De_DE``, or None.
        size: As the server writes it, for example ``10k``, or None.
    """

    type: str
    language: str | None = None
    size: str | None = None

    @property
    def name(self) -> str:
        """The text that requests this view, after a ``+``."""
        return self.type if self.language is None else f"{self.type} {self.language}"


def read_view(line: str) -> View:
    """Read a line such as ``application/postscript De_DE: <82k>`` (Gopher+ 2.6)."""
    head, _, tail = line.partition(":")
    type, _, language = head.strip().partition(" ")
    size = tail.strip().removeprefix("<").removesuffix(">")
    return View(type, language.strip() or None, size or None)


def read_mod_date(line: str) -> float | None:
    """The seconds since the epoch of ``Wed Jul 28 17:02:01 1993 <19930728170201>``, which is read as UTC."""
    digits = line.rpartition("<")[2].partition(">")[0].strip()
    if len(digits) != 14 or not (digits.isascii() and digits.isdecimal()):
        return None
    year, rest = int(digits[:4]), [int(digits[i : i + 2]) for i in range(4, 14, 2)]
    if year < 1 or not (1 <= rest[0] <= 12 and 1 <= rest[1] <= 31 and rest[2] < 24 and rest[3] < 60 and rest[4] < 61):
        return None
    return float(calendar.timegm((year, *rest, 0, 0, 0)))


# --- electronic forms ----------------------------------------------------------------------------------------------

ASK, SECRET, LONG, CHOOSE, SELECT, NOTE = "Ask", "AskP", "AskL", "Choose", "Select", "Note"
_FILES = ("AskF", "ChooseF")
KINDS = (ASK, SECRET, LONG, CHOOSE, SELECT, NOTE, *_FILES)


class Question(Value):
    """One question of an electronic form: one line of it (Gopher+ 2.8).

    Attributes:
        kind: ``Ask`` for a line; ``AskP`` a password; ``AskL`` a text of many lines; ``Choose`` one of the choices;
            ``Select`` yes (``1``) or no (``0``); ``Note`` nothing, it is only shown; ``AskF`` and ``ChooseF`` a file.
        prompt: The text of the question. From the server: hostile.
        default: The suggested answer.
        choices: The allowed answers; empty if any answer is allowed.
    """

    kind: str
    prompt: str
    default: str = ""
    choices: tuple[str, ...] = ()

    @property
    def wants_answer(self) -> bool:
        """Whether it needs an answer (a ``Note`` does not)."""
        return self.kind != NOTE

    @property
    def is_secret(self) -> bool:
        """Whether the answer must not be shown while it is typed."""
        return self.kind == SECRET

    def as_dict(self) -> dict[str, object]:
        """The question as JSON values."""
        return {"kind": self.kind, "prompt": self.prompt, "default": self.default, "choices": list(self.choices)}


def read_question(line: str) -> Question:
    """Read a question: ``Ask: prompt<tab>default``, ``Choose: prompt<tab>choice<tab>choice``, ``Select: prompt:1`` ...

    Raises:
        RemoteProtocolError: The kind of question is unknown.
    """
    word, _, rest = line.partition(":")
    kind = next((kind for kind in KINDS if kind.lower() == word.strip().lower()), None)
    if kind is None:
        shown = sample(line.encode("utf-8", "surrogateescape"))
        raise RemoteProtocolError(f"The form has a question of an unknown kind: {shown}", sample=shown)
    prompt, *fields = rest.strip().split("\t")
    if kind == CHOOSE:
        return Question(kind, prompt, fields[0] if fields else "", tuple(fields))
    if kind == SELECT:
        # "Select: Prompt:0" in the specification, with a tab in practice
        before, colon, after = prompt.rpartition(":")
        if not fields and colon and after.strip() in ("0", "1"):
            prompt, fields = before, [after]
        return Question(kind, prompt.strip(), "1" if fields and fields[0].strip() == "1" else "0", ("0", "1"))
    return Question(kind, prompt, fields[0] if fields else "")


def asked(questions: Sequence[Question]) -> list[Question]:
    """The questions that need an answer."""
    return [question for question in questions if question.wants_answer]


def answer_lines(questions: Sequence[Question], answers: Sequence[str]) -> list[bytes]:
    """The lines that answer a form: one for each question; for a long text the number of its lines, then the lines.

    Args:
        answers: One for each question that needs one, in order.

    Raises:
        LocalProtocolError: There are more or fewer answers than questions, or an answer is invalid.
    """
    wanted = asked(questions)
    for question in wanted:
        refuse_file(question.kind, question.prompt)
    if len(answers) != len(wanted):
        raise LocalProtocolError(
            f"The form asks {len(wanted)} question{'' if len(wanted) == 1 else 's'}, and {len(answers)} "
            f"answer{' is' if len(answers) == 1 else 's are'} given: one for each is needed."
        )
    lines: list[bytes] = []
    for question, answer in zip(wanted, answers, strict=True):
        lines += _lines_of(question, answer)
    return lines


def refuse_file(kind: str, prompt: str) -> None:
    """Refuse to answer a question that asks for a file of this machine.

    Raises:
        LocalProtocolError: The question asks for a file.
    """
    if kind in _FILES:
        raise LocalProtocolError(f"The form wants a file of this machine ({prompt!r}): it is never sent.")


def _lines_of(question: Question, answer: str) -> list[bytes]:
    if question.choices and answer not in question.choices:
        raise LocalProtocolError(
            f"{answer!r} is not an answer to {question.prompt!r}: {', '.join(map(repr, question.choices))} would be."
        )
    data = answer.encode("utf-8", "surrogateescape")
    if question.kind != LONG:
        return [data]
    lines = data.split(b"\n")
    return [b"%d" % len(lines), *lines]


def check_lines(questions: Sequence[Question], lines: Sequence[bytes]) -> None:
    """Refuse lines that are not exactly the answers to these questions.

    Raises:
        LocalProtocolError: There are too many or too few, or a question asks for a file of this machine.
    """
    # Attack: answers are arbitrary lines, which could be commands to a server of another protocol.
    for question in questions:
        refuse_file(question.kind, question.prompt)
    at = 0
    for question in asked(questions):
        line = lines[at] if at < len(lines) else None
        at += 1
        if line is not None and question.kind == LONG:
            count = int(line) if line.isdigit() and len(line) < 6 else -1
            line = line if 0 <= count <= len(lines) - at else None
            at += max(count, 0)
        if line is None:
            raise LocalProtocolError(f"An answer to {question.prompt!r} is missing, or not one of its choices.")
    if at < len(lines):
        raise LocalProtocolError(
            f"The form asks {len(asked(questions))} questions, and {len(lines) - at} of the lines answer none of them."
        )


def form_request(selector: bytes, lines: Sequence[bytes]) -> bytes:
    """An answered form, octet for octet as in RFC 1738 3.4.9; the only place that builds one.

    Raises:
        LocalProtocolError: A line contains a line end or a forbidden octet, or would end the form.
    """
    for line in (selector, *lines):
        if any(octet in line for octet in b"\r\n\t\0"):
            raise LocalProtocolError(f"A line of a form holds CR, LF, TAB or NUL: {sample(line)}")
    if b"." in lines:
        # Attack: the server would read the text after the dot as the next request.
        raise LocalProtocolError("A lone dot can't be an answer: it would end the form.")
    return selector + b"\t+\t1\r\n+-1\r\n" + b"".join(line + b"\r\n" for line in lines) + b".\r\n"
