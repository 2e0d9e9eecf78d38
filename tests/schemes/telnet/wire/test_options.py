"""The Q method (RFC 1143 7): every state, every message, and what may never happen."""

from __future__ import annotations

import itertools

from anyurl.schemes.telnet.wire.options import (
    BINARY,
    DO,
    DONT,
    ECHO,
    SUPPRESS_GO_AHEAD,
    TERMINAL_TYPE,
    TIMING_MARK,
    WILL,
    WINDOW_SIZE,
    WONT,
    Side,
    TelnetOptions,
)
from tests.rows import each_row

NAMES = {"WILL": WILL, "WONT": WONT, "DO": DO, "DONT": DONT}


def side(state: str, opposite: bool, agrees: bool = True) -> Side:
    side = Side(agrees)
    side.state, side.opposite = state, opposite  # type: ignore[assignment]
    return side


@each_row(
    ("state", "opposite", "agrees", "on", "answer", "then"),
    [
        # RFC 1143 7, "upon receipt of WILL", in its order
        ("no", False, True, True, True, ("yes", False)),
        ("no", False, False, True, False, ("no", False)),
        ("yes", False, True, True, None, ("yes", False)),
        ("want-no", False, True, True, None, ("no", False)),  # DONT answered by WILL: an error of the peer's
        ("want-no", True, True, True, None, ("yes", False)),
        ("want-yes", False, True, True, None, ("yes", False)),
        ("want-yes", True, True, True, False, ("want-no", False)),
        # "upon receipt of WONT"
        ("no", False, True, False, None, ("no", False)),
        ("yes", False, True, False, False, ("no", False)),
        ("want-no", False, True, False, None, ("no", False)),
        ("want-no", True, True, False, True, ("want-yes", False)),
        ("want-yes", False, True, False, None, ("no", False)),
        ("want-yes", True, True, False, None, ("no", False)),
    ],
)
def test_what_is_heard(
    state: str, opposite: bool, agrees: bool, on: bool, answer: bool | None, then: tuple[str, bool]
) -> None:
    one = side(state, opposite, agrees)
    assert one.heard(on) is answer
    assert (one.state, one.opposite) == then


@each_row(
    ("state", "opposite", "on", "said", "then"),
    [
        # RFC 1143 7, "if we decide to ask him to enable" and "to disable"
        ("no", False, True, True, ("want-yes", False)),
        ("yes", False, True, None, ("yes", False)),
        ("want-no", False, True, None, ("want-no", True)),
        ("want-no", True, True, None, ("want-no", True)),
        ("want-yes", False, True, None, ("want-yes", False)),
        ("want-yes", True, True, None, ("want-yes", False)),
        ("no", False, False, None, ("no", False)),
        ("yes", False, False, False, ("want-no", False)),
        ("want-no", False, False, None, ("want-no", False)),
        ("want-no", True, False, None, ("want-no", False)),
        ("want-yes", False, False, None, ("want-yes", True)),
        ("want-yes", True, False, None, ("want-yes", True)),
    ],
)
def test_what_is_wanted(state: str, opposite: bool, on: bool, said: bool | None, then: tuple[str, bool]) -> None:
    one = side(state, opposite)
    assert one.ask(on) is said
    assert (one.state, one.opposite) == then


def test_two_sides_that_want_anything_come_to_an_end_and_agree() -> None:
    """RFC 1143 1: without queues two programs answered each other for ever."""
    for wishes in itertools.product((None, True, False), repeat=6):
        ours, theirs = Side(agrees=True), Side(agrees=True)
        to_them: list[bool] = []
        to_us: list[bool] = []
        for number, wish in enumerate(wishes):
            if wish is not None:
                said = (ours if number % 2 else theirs).ask(wish)
                if said is not None:
                    (to_them if number % 2 else to_us).append(said)
        for _ in range(50):
            if to_them and (answer := theirs.heard(to_them.pop(0))) is not None:
                to_us.append(answer)
            if to_us and (answer := ours.heard(to_us.pop(0))) is not None:
                to_them.append(answer)
        assert (to_us, to_them) == ([], []), wishes
        assert ours.is_on == theirs.is_on, wishes
        assert ours.state in ("yes", "no"), wishes


@each_row(
    ("verb", "option", "answer"),
    [
        ("WILL", ECHO, "DO"),
        ("WILL", SUPPRESS_GO_AHEAD, "DO"),
        ("WILL", BINARY, "DO"),
        ("DO", BINARY, "WILL"),
        ("DO", SUPPRESS_GO_AHEAD, "WILL"),
        ("DO", TERMINAL_TYPE, "WILL"),
        ("DO", WINDOW_SIZE, "WILL"),
        ("DO", ECHO, "WONT"),  # two sides that echo each other never end (RFC 857 4)
        ("WILL", TERMINAL_TYPE, "DONT"),
        ("DO", 39, "WONT"),  # RFC 1572: the environment is nobody's business
        ("DO", 36, "WONT"),
        ("DO", 35, "WONT"),  # X display
        ("DO", 37, "WONT"),  # authentication
        ("WILL", 34, "DONT"),  # line mode
        ("DO", 255, "WONT"),
        ("WONT", ECHO, None),
        ("DONT", 39, None),
    ],
)
def test_what_is_agreed_to(verb: str, option: int, answer: str | None) -> None:
    wanted = b"" if answer is None else bytes((255, NAMES[answer], option))
    assert TelnetOptions().heard(NAMES[verb], option) == wanted


def test_a_refusal_is_said_once() -> None:
    options = TelnetOptions()
    assert [options.heard(DO, 39) for _ in range(3)] == [b"\xff\xfc\x27", b"", b""]
    assert [options.heard(WILL, 39) for _ in range(3)] == [b"\xff\xfe\x27", b"", b""]


def test_each_timing_mark_is_answered() -> None:
    options = TelnetOptions()
    assert [options.heard(DO, TIMING_MARK) for _ in range(2)] == [b"\xff\xfc\x06"] * 2


def test_what_is_asked_for_is_asked_once() -> None:
    options = TelnetOptions()
    assert options.ask(False, WINDOW_SIZE) == b"\xff\xfb\x1f"
    assert options.ask(False, WINDOW_SIZE) == b""
    assert options.heard(DO, WINDOW_SIZE) == b""  # the answer is not answered
    assert options.is_on(False, WINDOW_SIZE)
    assert not options.is_on(True, WINDOW_SIZE)
    assert options.ask(False, WINDOW_SIZE, on=False) == b"\xff\xfc\x1f"
