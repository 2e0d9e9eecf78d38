"""The automaton of a production: what it accepts, where it stops, and that its time is linear."""

from __future__ import annotations

import time

from anyurl.grammar.matcher import matcher
from tests.rows import each_row

STOPS = [
    ("rfc1738", "host", "host.dom", 8, True, "a name"),
    ("rfc1738", "host", "1.2.3.4", 7, True, "an address"),
    ("rfc1738", "host", "1.2.3", 5, False, "three groups: nothing wrong yet, and not done"),
    ("rfc1738", "host", "a.1x", 4, False, "the rightmost label starts with a digit; a dot could still follow"),
    ("rfc1738", "host", "a_b", 1, False, "an underscore is in no label"),
    ("rfc1738", "host", "-a", 0, False, "a label does not start with a hyphen"),
    ("rfc1738", "httpurl", "HTTP://h", 8, True, "the name of a scheme in any case"),
    ("rfc1738", "httpurl", "http://u@h", 8, False, "an http URL has no user"),
    ("rfc1738", "ftpurl", "ftp://h/a;TYPE=a", 10, False, "other literals as they are written"),
    ("rfc1738", "scheme", "Z39.50", 6, True, "letters of a scheme in any case"),
    ("rfc1738", "escape", "%4g", 2, False, "the second digit is none"),
    ("rfc1738", "ftptype", "é", 0, False, "no production has a character beyond ASCII"),
    ("rfc1738", "newsurl", "news:", 5, False, "something must follow"),
    ("rfc1738-draft07", "host", "a_b%20", 6, True, "the draft's host name is a letter and any uchar"),
]


@each_row(("grammar", "production", "text", "stop", "accepted", "reason"), STOPS, ids=[row[5] for row in STOPS])
def test_where_a_matcher_stops(
    grammar: str, production: str, text: str, stop: int, accepted: bool, reason: str
) -> None:
    automaton = matcher(grammar, production)
    assert (automaton.stop(text), automaton.accepts(text)) == (stop, accepted)


def test_what_could_follow() -> None:
    automaton = matcher("rfc1738", "ftpurl")
    assert automaton.expected("ftp://h") >= {"/", ":", "."}
    assert automaton.expected("ftp://h/;") == {"t"}
    assert automaton.expected("ftp://h/;type=a") == set()
    assert automaton.expected("nothing of that") == set()


def test_the_time_is_linear_in_the_text() -> None:
    """Twenty times the text, about twenty times the time: a search with ways back would take four hundred."""
    automaton = matcher("rfc1738", "gopherurl")

    def seconds(count: int) -> float:
        text = "gopher://h/0" + "%09" * count
        start = time.process_time()
        assert automaton.accepts(text)
        return time.process_time() - start

    seconds(100)
    small = min(seconds(2_000) for _ in range(5))
    large = min(seconds(40_000) for _ in range(3))
    assert large < 100 * small


def test_one_matcher_for_each_production() -> None:
    assert matcher("rfc1738", "host") is matcher("rfc1738", "host")
    assert matcher("rfc1738", "host") is not matcher("rfc1738-draft07", "host")


def test_only_an_alphabet_with_an_end_is_remembered() -> None:
    """Attack: texts of ever other characters would fill the memory."""
    made = matcher("rfc1738", "httpurl")
    for text in ("http://host/a", *(f"http://host/{chr(code)}" for code in range(0x4E00, 0x4E20))):
        made.accepts(text)
    remembered = {char for state in made._states.values() for char in state.moves}
    assert "h" in remembered
    assert [char for char in remembered if not char.isascii()] == []
