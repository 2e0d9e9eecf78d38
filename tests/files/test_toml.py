"""TOML from anybody: what a key may be, and that all else is as Python's library reads it."""

from __future__ import annotations

import tomllib
from unittest import mock

import pytest

from anyurl.files.toml import MAX_DOTS, read_toml
from tests.rows import each_row

DOTS = "." * 99
FLOATS = "[" + "1.5, " * 99 + "]"


@each_row(
    "text",
    [
        f"a = '{DOTS}'", f'a = "{DOTS}"', f"a = 1 # {DOTS}", f"a = {FLOATS}", f"a = \'\'\'\n{DOTS}\n\'\'\'",
        f"'{DOTS}' = 1",
        f'a = """\n\\"""{DOTS}\n"" {DOTS}"""\nb = 1', f'a = "\\"{DOTS}"', f"a = ['{DOTS}', \"{DOTS}\"]",
        "a.b.c = 1", "[" + "a." * MAX_DOTS + "a]", "x = 1979-05-27T00:32:00.999999",
    ],
)  # fmt: skip
def test_dots_that_part_no_key_are_as_many_as_they_like(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


@each_row(
    "text",
    [
        "a." * 40_000 + "a = 1", "x = 1\n[" + "'a' . " * 99 + "a]", "a = {" + '"".' * 99 + "b = 1}",
        'a = "#"\n' + "a\t.\t" * 99 + "a = 1", 'a = """\n# """\n' + "a." * 99 + "a = 1",
        "a = '''''' \n" + "a." * 99 + "a = 1",
        'a = """"x"""" \n' + "a." * 99 + "a = 1", "a = '\\'\n" + "a." * 99 + "a = '\\'",
    ],
)  # fmt: skip
def test_a_key_without_end_is_not_read(text: str) -> None:
    with mock.patch.object(tomllib, "loads", side_effect=AssertionError("it was read")):
        with pytest.raises(ValueError, match=r"line \d has a key of more than 16 dots"):
            read_toml(text)


@pytest.mark.parametrize(
    "text", ["a", "'" * 100_000, '"""' * 50_000, "[" * 100_000, '"\\' * 50_000, "a = " + "9" * 9_999]
)
def test_what_is_none_is_an_error(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        read_toml(text)
