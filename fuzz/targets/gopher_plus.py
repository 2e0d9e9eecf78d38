"""Gopher+ headers, blocks, views, dates and forms: cut anywhere, the same; answers stay inside their lines."""

from __future__ import annotations

from anyurl.schemes.gopher.wire import plus as gopherplus
from anyurl.schemes.gopher.wire.plus import Block
from fuzz import kit


def fuzz(data: bytes) -> None:
    """A reply of a Gopher+ server: its first line, then its blocks."""
    line, _, rest = data.partition(b"\n")
    header, _ = kit.outcome(lambda: gopherplus.read_header(line))
    if header is not None:
        kit.same(-2 <= header.length < 2**63, True, f"no such length: {header.length}")
    gopherplus.read_refusal(rest)
    for dotted in (True, False):
        blocks = kit.whole_and_in_pieces(rest, lambda pieces, dotted=dotted: _blocks(pieces, dotted))  # type: ignore[misc]
        for block in blocks or []:
            _check_lines(block)


def _blocks(pieces: list[bytes], dotted: bool) -> list[Block]:
    reader = gopherplus.AttributeReader(dotted=dotted)
    blocks = [block for piece in pieces for block in reader.feed(piece)]
    return blocks + reader.finish()


def _check_lines(block: Block) -> None:
    questions = []
    for raw in block.lines:
        text = raw.decode("utf-8", "surrogateescape")
        gopherplus.read_view(text)
        gopherplus.read_mod_date(text)
        question, _ = kit.outcome(lambda text=text: gopherplus.read_question(text))  # type: ignore[misc]
        if question is not None:
            questions.append(question)
    answers = [question.default for question in gopherplus.asked(questions)]
    lines, _ = kit.outcome(lambda: gopherplus.answer_lines(questions, answers))
    if lines is not None:
        gopherplus.check_lines(questions, lines)
        written, _ = kit.outcome(lambda: gopherplus.form_request(b"sel", lines))
        if written is not None:
            kit.same(written.count(b"\r\n.\r\n"), 1, "a form ends once")
