"""LaTeX: escapes inside and outside of its macros for URLs."""

from __future__ import annotations

import pytest

from anyurl.text.readers.latex import LatexDecoder
from anyurl.text.runs import Runs
from tests.text.readers.contract import Contract


class TestLatex(Contract):
    format = "latex"
    samples = [
        (
            rb"\url{http://h/a\_b\%20} \href{http://i/\~{}x?a\&b\#c}{t}",
            [
                ("http://h/a_b%20", r"http://h/a\_b\%20", "bare"),
                ("http://i/~x?a&b#c", r"http://i/\~{}x?a\&b\#c", "bare"),
            ],
        ),
        (
            rb"see http://h/a\_b{}. {\tt http://i/}{} http://j/{}x",
            [
                ("http://h/a_b", r"http://h/a\_b", "bare"),
                ("http://i/", "http://i/", "bare"),
                ("http://j/x", "http://j/{}x", "bare"),
            ],
        ),
        (
            rb"http://h/\textasciitilde x/\string~y",
            [("http://h/~x/~y", r"http://h/\textasciitilde x/\string~y", "bare")],
        ),
        (
            rb"http://h/a\slash b \textbf{http://i/}\\",
            [("http://h/a/", r"http://h/a\slash", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (
            rb"\url{http://h/%7Ea} \\_http://i/",
            [("http://h/%7Ea", "http://h/%7Ea", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (  # parameters of a macro are to be filled in; behind a letter it is a fragment
            rb"\url{http://h/x/#1#2} \href{https://i/?a=#1}{#1} \url{http://h/p#1} \url{http://h/\#1}",
            [("http://h/p#1", "http://h/p#1", "bare"), ("http://h/#1", r"http://h/\#1", "bare")],
        ),
        (rb"http://h/$\sim$a $\sim$ b", [("http://h/~a", r"http://h/$\sim$a", "bare")]),
        (  # a character alone in a group, as programs write BibTeX
            rb"http://h/a{\_}b, {\%} http://h/{\textasciitilde}c",
            [
                ("http://h/a_b", r"http://h/a{\_}b", "bare"),
                ("http://h/~c", r"http://h/{\textasciitilde}c", "bare"),
            ],
        ),
        (  # between two marks nothing is an escape
            rb"\verb+http://h/a+, \lstinline!http://h/b! \url|http://h/c_d| \verb+e http://h/f",
            [
                ("http://h/a", "http://h/a", "bare"),
                ("http://h/b", "http://h/b", "bare"),
                ("http://h/c_d", "http://h/c_d", "bare"),
                ("http://h/f", "http://h/f", "bare"),
            ],
        ),
        (  # a blank is swallowed behind the letters of a macro, not behind a mark
            rb"\url{http://h/{\_ }a} \url{http://i/{\textunderscore }a{\textasciitilde{}}b}",
            [("http://i/_a~b", r"http://i/{\textunderscore }a{\textasciitilde{}}b", "bare")],
        ),
        (  # in a package @ and : may be letters of a macro's name, and #1 is its argument
            rb"\def\url@a{}\href{http://h/a\_b}{me@h.x} \url:x http://i/a\_b: \def\url#1{\href{http://j/a\_b}{#1}}",
            [
                ("http://h/a_b", r"http://h/a\_b", "bare"),
                ("http://i/a_b", r"http://i/a\_b", "bare"),
                ("http://j/a_b", r"http://j/a\_b", "bare"),
            ],
        ),
    ]
    pieces = (
        b"$\\sim$",
        b"#1",
        b"\\",
        b"\\_",
        b"\\%",
        b"{",
        b"}",
        b"\\url{",
        b"\\~{}",
        b"\\string",
        b"{\\_}",
        b"\\verb+",
        b"+",
        b"\\textasciitilde",
        b"\\slash",
        b" ",
        b"~",
        b"\n",
    )
    hostile = (b"\\", b"\\_", b"\\url{http://h/", b"\\textasciitilde")


@pytest.mark.parametrize(
    ("data", "final", "read"),
    [
        (b"a line\nand the next", False, 7),  # a parameter may follow
        (b"one\ntwo\n", False, 8),
        (b"no end", False, 0),
        (b"no end", True, 6),
        (b"a line\nand the last", True, 19),
    ],
)
def test_whole_lines_are_read(data: bytes, final: bool, read: int) -> None:
    assert LatexDecoder().decode(data, final, Runs()) == read
