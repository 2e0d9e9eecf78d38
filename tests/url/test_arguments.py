"""What entrances take; each of them is tried in `tests/test_entrances.py` and `tests/test_public_entrances.py`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import pytest

from anyurl import URL, Client, Policy
from anyurl.client.options import OPTIONS
from anyurl.grammar.anatomy import draw_text
from anyurl.url.arguments import check_fields, check_of, check_value, checked, several_of
from anyurl.values import Value
from tests.architecture.source import Function, modules
from tests.rows import each_row


@checked
def search(
    text: str, names: Iterable[str] = (), *, deep: bool = False, size: int | None = None, more: object = 0
) -> str:
    """Look."""
    return f"{text} {names} {deep} {size} {more}"


@pytest.mark.parametrize(
    ("values", "given", "words"),
    [
        ((None,), {}, "text is a str, not NoneType"),
        (("a", "b"), {}, "names is a list of str, not str"),
        (("a",), {"deep": 1}, "deep is True or False, not int"),
        (("a",), {"size": True}, "size is an int, not bool"),
    ],
)
def test_the_sentence_names_the_argument_and_what_it_takes(
    values: tuple[Any, ...], given: dict[str, Any], words: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        search(*values, **given)


def test_what_is_taken_goes_in_as_it_is() -> None:
    assert search("a", ["b"], deep=True, size=None, more=b"c") == "a ['b'] True None b'c'"
    assert (search.__name__, search.__doc__) == ("search", "Look.")


class Size(Value):
    octets: int
    name: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)


def test_a_value_has_the_fields_that_its_class_says() -> None:
    assert Size(5).name is None
    with pytest.raises(TypeError, match="octets is an int, not str"):
        Size("5")


@pytest.mark.parametrize("values", ["ab", 5, ["a", 5]])
def test_several_are_each_of_their_kind(values: Any) -> None:
    with pytest.raises(TypeError, match="names is a list of str, not"):
        several_of(values, "names", str)
    assert several_of(iter("ab"), "names", str) == ["a", "b"]


@each_row(
    ("name", "value", "annotation", "words"),
    [
        ("answers", "x", "Sequence[str]", "answers is a list of str, not str"),  # its letters would be taken for them
        ("answers", [5, "x"], "Sequence[str]", "answers is a list of str, not list of int, str"),
        ("trust", [5], "Iterable[str]", "trust is a list of str, not list of int"),
        ("limit", True, "int | None", "limit is an int, not bool"),
        ("words", None, "str", "words is a str, not NoneType"),
        ("timeout", "5", "float | None", "timeout is a number, not str"),
        ("gateways", {"doi": 5}, "Mapping[str, str] | None", "gateways is a dict of str to str, not dict"),
        ("network", "socks5://p", "Network | None", "network is a Network, not str"),
        ("url", None, "URL", "url is a URL, not NoneType"),
        ("trace", 5, "Callable[[str], None] | None", "trace is a function, not int"),
    ],
)
def test_a_value_of_another_type_is_named_with_what_is_allowed(
    name: str, value: Any, annotation: str, words: str
) -> None:
    with pytest.raises(TypeError) as caught:
        check_value(name, value, annotation)
    assert str(caught.value) == words


def test_an_annotation_may_name_a_class_of_the_module() -> None:
    with pytest.raises(TypeError, match="policy is a Policy, not str"):
        Client("untrusted")
    with pytest.raises(TypeError, match="explanation is an Explanation, not str"):
        draw_text("http://h/")
    with pytest.raises(TypeError, match="came_from is a Provenance, not NoneType"):
        Policy.default().judge_url(URL("http://h/"), None)


def test_a_checked_function_keeps_its_name_and_its_help() -> None:
    assert Policy.judge_url.__name__ == "judge_url"
    assert "nothing is opened" in (Policy.judge_url.__doc__ or "")
    assert Policy.default().judge_endpoint("gopher", "h", port=None).allowed


def test_every_question_of_a_policy_is_checked() -> None:
    asked = [name for name in vars(Policy) if name.startswith("judge_")]
    assert [name for name in asked if not hasattr(getattr(Policy, name), "__wrapped__")] == []


def test_every_annotation_of_an_option_has_its_check() -> None:
    namespace = vars(import_module("anyurl.client.base"))
    plain = {option.type.removesuffix(" | None") for option in OPTIONS}
    assert {kind for kind in plain if check_of(kind, namespace) is None} == {"Mapping[str, Login]"}


def unchecked() -> set[str]:
    """The annotations of checked functions that allow anything."""
    found = set()
    for module in modules():
        for node in module.nodes:
            decorators = getattr(node, "decorator_list", ())
            if isinstance(node, Function) and "checked" in {getattr(each, "id", None) for each in decorators}:
                namespace = vars(import_module("anyurl." + module.path.removesuffix(".py").replace("/", ".")))
                for argument in (*node.args.args, *node.args.kwonlyargs):
                    if argument.annotation is not None:
                        plain = ast.unparse(argument.annotation).removesuffix(" | None")
                        found |= {plain} if check_of(plain, namespace) is None else set()
    return found


def test_what_is_not_checked_has_a_reader_of_its_own() -> None:
    assert unchecked() == {
        "Any", "CameFrom", "Collection[int]", "Iterable[SocketOption]", "Mapping[str, Login]", "Provenance | Fetched",
        "RequestOptions", "Sequence[URL | str] | URL | str", "Source", "Target", "URL | str", "tuple[str, int]",
    }  # fmt: skip
