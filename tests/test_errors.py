"""The tree of errors: its shape, what each carries, and that nothing a peer wrote reaches a person as it is."""

from __future__ import annotations

import builtins
import copy
import pickle
import re
import traceback
import unicodedata
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anyurl
from anyurl import errors
from anyurl.errors import (
    SAMPLE_LIMIT,
    AccessError,
    AnyURLError,
    ConnectError,
    Diagnostic,
    LimitError,
    LocalFileError,
    MissingExtraError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    SchemeError,
    TransferTimeout,
    Truncated,
    UnavailableError,
    UnknownSchemeError,
    UnsupportedError,
    URLSyntaxError,
    Verdict,
    escape,
    quoted,
    sample,
    without_frames,
)
from tests.rows import each_row


def classes() -> list[type[AnyURLError]]:
    found = [getattr(errors, name) for name in errors.__all__]
    return [one for one in found if isinstance(one, type) and issubclass(one, AnyURLError)]


def drawn() -> dict[str, tuple[str | None, str]]:
    """The drawing at the top of the module: for each class the one that it stands below, and its builtin parent."""
    found: dict[str, tuple[str | None, str]] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        row = re.match(r"    ([│├└─ ]*)(\w+)(?: \((\w+)\))?", line)
        if row is None:
            continue
        depth = len(row[1])
        while above and above[-1][0] >= depth:
            above.pop()
        found[row[2]] = (above[-1][1] if above else None, row[3] or "")
        above.append((depth, row[2]))
    return found


def test_the_drawing_is_the_tree() -> None:
    tree = drawn()
    assert set(tree) == {one.__name__ for one in classes()}
    for one in classes():
        parent, builtin = tree[one.__name__]
        assert one.__bases__[0].__name__ == (parent or "Exception")
        others = one.__bases__[1:]
        assert [other.__name__ for other in others] == ([builtin] if builtin else [])
        assert all(hasattr(builtins, other.__name__) for other in others)


def test_every_class_of_the_module_is_public() -> None:
    made = {
        name for name, one in vars(errors).items()
        if isinstance(one, type) and issubclass(one, BaseException) and one.__module__ == errors.__name__
    }  # fmt: skip
    assert made | {"Diagnostic"} == set(errors.__all__)
    assert len(set(errors.__all__)) == len(errors.__all__)


FAULT = Diagnostic("port-large", "error", (7, 12), "port", "RFC 1738 3.1", "a port is at most 65535", "80")
MADE: dict[str, tuple[Any, ...]] = {"URLSyntaxError": ("http://a:99999", (FAULT,))}
"""What a class is made of that is not made of a sentence."""


@each_row("one", classes(), ids=lambda one: one.__name__)
def test_an_error_says_its_sentence_and_survives_a_copy(one: type[AnyURLError]) -> None:
    error = one(*MADE.get(one.__name__, ("It did not work.",)))
    said = str(error)
    assert said == ("a port is at most 65535 (RFC 1738 3.1, at character 8)" if one is URLSyntaxError
                    else "It did not work.")  # fmt: skip
    error.__dict__["extra_word"] = 7  # what was attached later
    if isinstance(error, OSError):
        error.errno = 5  # OSError keeps it outside of its dictionary
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is one
        assert (str(again), again.args) == (said, error.args)
        assert getattr(again, "errno", None) == getattr(error, "errno", None)
        if one is not URLSyntaxError:
            assert again.__dict__ == error.__dict__


def test_a_syntax_error_is_of_its_first_fault_and_keeps_all() -> None:
    other = Diagnostic("unsafe", "error", (0, 1), "xchar", "RFC 1738 2.2", "another")
    error = URLSyntaxError("http://a:99999", (FAULT, other))
    assert str(error) == "a port is at most 65535 (RFC 1738 3.1, at character 8)"
    assert (error.text, error.diagnostics) == ("http://a:99999", (FAULT, other))
    again = pickle.loads(pickle.dumps(error))
    assert (again.text, again.diagnostics, str(again)) == (error.text, error.diagnostics, str(error))
    assert "http://a" not in str(error), "the text may hold a password"


def test_what_each_error_carries() -> None:
    unknown = UnknownSchemeError("No.", scheme="htp", suggestions=("http",), fix="http://a/")
    assert (unknown.scheme, unknown.suggestions, unknown.fix) == ("htp", ("http",), "http://a/")
    unknown = UnknownSchemeError("No.")
    assert (unknown.scheme, unknown.suggestions, unknown.fix) == ("", (), None)
    unsupported = UnsupportedError("No.", scheme="http", verb="append")
    assert (unsupported.scheme, unsupported.verb) == ("http", "append")
    assert (UnsupportedError("No.").scheme, UnsupportedError("No.").verb) == ("", "")
    assert RefusedError("No.").verdict == Verdict(False, "refused", "No", "")
    assert RefusedError("No.", code="octets", subject="a\n").verdict == Verdict(False, "octets", "No", "a\\x0a")
    verdict = anyurl.Policy.untrusted().check("http://127.0.0.1/")
    assert RefusedError("No.", verdict=verdict).verdict is verdict
    assert (LimitError("No.").limit, LimitError("No.", limit="MAX_URL").limit) == ("", "MAX_URL")
    short = Truncated("No.", received=3, expected=7, stage="listing")
    assert (short.received, short.expected, short.stage) == (3, 7, "listing")
    assert (Truncated("No.").received, Truncated("No.").expected, Truncated("No.").stage) == (0, None, "transfer")
    late = TransferTimeout("No.", clock="total", stage="login")
    assert (late.clock, late.stage) == ("total", "login")
    assert TransferTimeout("No.").clock == "idle"
    broke = RemoteProtocolError("No.", sample="220", stage="login")
    assert (broke.sample, broke.stage, RemoteProtocolError("No.").sample) == ("220", "login", "")
    reply = ReplyError("No.", code=550, text="gone", stage="request", meaning="not-found")
    assert (reply.code, reply.text, reply.stage, reply.meaning) == (550, "gone", "request", "not-found")
    reply = ReplyError("No.")
    assert (reply.code, reply.text, reply.stage, reply.meaning) == (0, "", "reply", "other")
    assert UnavailableError("No.").retry_after is None
    assert (MissingExtraError("No.").extra, MissingExtraError("No.", extra="batch").extra) == ("", "batch")


def test_where_an_access_failed() -> None:
    assert (AccessError("No.").stage, AccessError("No.").url) == ("transfer", None)
    assert (ConnectError("No.").stage, ConnectError("No.", stage="tls").stage) == ("connect", "tls")
    assert ConnectError.stage == "connect", "an error that has a stage of its own changes no other"


@pytest.mark.parametrize("one", [SchemeError, LocalFileError])
def test_an_error_of_nothing_says_nothing(one: type[AnyURLError]) -> None:
    assert str(one()) == ""
    assert str(one("It's here.", "and there")) == "It's here.", "OSError would say [Errno It's here.] and there"


def test_a_diagnostic_is_a_value() -> None:
    same = Diagnostic("port-large", "error", (7, 12), "port", "RFC 1738 3.1", "a port is at most 65535", "80")
    assert same == FAULT
    assert hash(same) == hash(FAULT)
    assert FAULT != "port-large"
    assert FAULT == mock.ANY, "whether it equals something else, that says"
    assert Diagnostic("a", "remark", (0, 0), "r", "s", "m").fix is None
    assert str(FAULT) == "RFC 1738 3.1: a port is at most 65535"
    assert repr(FAULT) == "Diagnostic('port-large', 'error', (7, 12), 'RFC 1738 3.1', 'a port is at most 65535')"
    match FAULT:
        case Diagnostic(code, severity, span, rule, section, message, fix):
            found = (code, severity, span, rule, section, message, fix)
    values = ("port-large", "error", (7, 12), "port", "RFC 1738 3.1", "a port is at most 65535", "80")
    assert found == values
    for place in range(7):
        others = list(values)
        others[place] = "other"
        assert Diagnostic(*others) != FAULT  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        FAULT.extra = 1  # type: ignore[attr-defined]


@each_row(
    ("text", "shown"),
    [
        ("", ""),
        ("plain é 東 😀", "plain é 東 😀"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb\0", "a\\x0d\\x0ab\\x00"),
        ("\x7f\x80\x9b\xa0\xad", "\\x7f\\x80\\x9b\\xa0\\xad"),
        ("exe.\u202egpj", "exe.\\u202egpj"),
        ("\u2028\u200b\ufeff\uffff", "\\u2028\\u200b\\ufeff\\uffff"),
        ("\U000e0001\U0010ffff", "\\U000e0001\\U0010ffff"),
        ("\udc80\udcff", "\\x80\\xff"),  # octets that were not UTF-8
        ("\udc7f\udd00\ud800", "\\udc7f\\udd00\\ud800"),  # others
    ],
)
def test_what_a_terminal_obeys_is_escaped(text: str, shown: str) -> None:
    assert escape(text) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_an_escaped_text_holds_nothing_that_is_obeyed(text: str) -> None:
    shown = escape(text)
    assert all(unicodedata.category(char)[0] not in "C" and char not in "\u2028\u2029" for char in shown)
    assert escape(shown) == shown
    if all(unicodedata.category(char)[0] in "LNPSM" or char == " " for char in text):
        assert shown == text


def test_a_sample_is_cut_before_it_is_escaped() -> None:
    assert SAMPLE_LIMIT == 200
    assert sample(b"") == ""
    assert sample(b"a" * 200) == "a" * 200
    assert sample(b"a" * 201) == "a" * 200 + "..."
    assert sample(b"\x00" * 300) == "\\x00" * 200 + "..."
    assert sample(b"\xff\xc3\xa9\r\n") == "\\xffé\\x0d\\x0a"
    assert sample(b"a" * 199 + "é".encode()) == "a" * 199 + "\\xc3..."


def test_a_quoted_text_is_cut_before_it_is_quoted() -> None:
    assert quoted("") == "''"
    assert quoted("it's") == '"it\'s"'
    assert quoted("a\x1b\u202e") == "'a\\x1b\\u202e'"
    assert quoted("é" * 200) == "'" + "é" * 200 + "'"
    assert quoted("é" * 201) == "'" + "é" * 200 + "'..."


def fail_with(password: str) -> None:
    try:
        try:
            raise KeyError("first")
        except KeyError as error:
            raise ValueError("second") from error
    except ValueError:
        raise ConnectError(f"third, without {len(password)} letters")  # noqa: B904


def test_an_error_without_frames_holds_no_password() -> None:
    with pytest.raises(ConnectError) as caught:
        fail_with("secret-word")
    error = caught.value
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    assert "secret-word" in "".join(shown.format())
    assert without_frames(error) is error
    assert isinstance(error.__context__, ValueError)
    assert isinstance(error.__context__.__cause__, KeyError)
    assert error.__traceback__ is error.__context__.__traceback__ is error.__context__.__cause__.__traceback__ is None
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    assert "secret-word" not in "".join(shown.format())


def test_errors_that_cause_each_other_are_no_endless_loop() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert without_frames(one) is one


def test_the_classes_are_those_of_the_package() -> None:
    for one in classes():
        assert getattr(anyurl, one.__name__, one) is one
