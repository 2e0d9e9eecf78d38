"""Every public entrance takes what its signature says; anything else is a TypeError that names what it takes."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anyurl
from anyurl import URL, AsyncClient, Client, Policy
from anyurl.client.dry_run import dry_run
from anyurl.errors import AnyURLError
from anyurl.grammar import draw_text, parse, repair
from anyurl.guard import scope, why
from anyurl.guard.limits import Limits
from anyurl.saving.save import safe_name
from anyurl.text import unwrap, wrap
from anyurl.values import USER
from tests.rows import each_row

GOOD = URL("http://h/a")
REFUSED = URL("gopher://127.0.0.1/7a")
"""For whom the policy refuses the place before anything is sent."""
SURROGATE, LONG = "http://h/\ud800", "http://h/" + "a" * 1_000_000


def asked(call: Callable[[AsyncClient], Any]) -> Any:
    """What an AsyncClient answers."""

    async def ask() -> Any:
        async with AsyncClient() as client:
            answer = call(client)
            return [one async for one in answer] if hasattr(answer, "__aiter__") else await answer

    return asyncio.run(ask())


def with_client(call: Callable[[Client], Any]) -> Any:
    """What a Client answers."""
    with Client(Policy.untrusted()) as client:
        return call(client)


def requested(**given: Any) -> Any:
    """What a request is answered."""
    return with_client(lambda client: client.request("POST", REFUSED, **given))


URL_OR_TEXT = {
    "Client.open": lambda v: with_client(lambda c: c.open(v)),
    "Client.get": lambda v: with_client(lambda c: c.get(v)),
    "Client.list": lambda v: with_client(lambda c: c.list(v)),
    "Client.stat": lambda v: with_client(lambda c: c.stat(v)),
    "Client.search": lambda v: with_client(lambda c: c.search(v, "x")),
    "Client.search like": lambda v: with_client(lambda c: c.search(REFUSED, "x", like=[v])),
    "Client.put": lambda v: with_client(lambda c: c.put(v, b"")),
    "Client.append": lambda v: with_client(lambda c: c.append(v, b"")),
    "Client.session": lambda v: with_client(lambda c: c.session(v)),
    "Client.map": lambda v: with_client(lambda c: [one.error for one in c.map([v])]),
    "AsyncClient.get": lambda v: asked(lambda c: c.get(v)),
    "AsyncClient.map": lambda v: asked(lambda c: c.map([v])),
    "anyurl.open": anyurl.open,
    "anyurl.get": anyurl.get,
    "anyurl.list": anyurl.list,
    "anyurl.stat": anyurl.stat,
    "anyurl.search": lambda v: anyurl.search(v, "x"),
    "anyurl.put": lambda v: anyurl.put(v, b""),
    "anyurl.append": lambda v: anyurl.append(v, b""),
    "dry run": lambda v: list(dry_run(v)),
}
"""What takes a URL or a text."""

TEXT_OR_OCTETS = {
    "URL": URL,
    "anyurl.parse": anyurl.parse,
    **{f"parse {name}": lambda v, name=name: parse(v, name) for name in ("rfc1738", "rfc1738-draft07", "browser")},
    **{f"diagnose {name}": lambda v, name=name: anyurl.diagnose(v, name) for name in ("current", "rfc1738", "browser")},
}

TEXT = {
    "fix": anyurl.fix,
    "repair": repair,
    "explain": anyurl.explain,
    "join": GOOD.join,
    "build scheme": lambda v: URL.build(scheme=v),
    "build path": lambda v: URL.build(scheme="http", host="h", path=v),
    "build grammar": lambda v: URL.build(scheme="http", host="h", grammar=v),
    "replace scheme": lambda v: GOOD.replace(scheme=v),
    "replace path": lambda v: GOOD.replace(path=v),
    "parse grammar": lambda v: anyurl.parse("http://h/", v),
    "find grammar": lambda v: list(anyurl.find("http://h/", grammar=v)),
    "search words": lambda v: with_client(lambda c: c.search(REFUSED, v)),
    "find a scheme": lambda v: anyurl.find("x", schemes=[v]),
    "unwrap": unwrap,
    "safe_name": safe_name,
    "scope": scope,
    "why": why,
}

TEXT_OR_NONE = {
    **{f"build {name}": lambda v, name=name: URL.build(scheme="http", **{"host": "h", name: v})
       for name in ("user", "password", "host", "query", "fragment")},
    **{f"replace {name}": lambda v, name=name: GOOD.replace(**{name: v})
       for name in ("user", "password", "host", "query", "fragment")},
    "normalize": GOOD.normalize,
    "find base": lambda v: list(anyurl.find("http://h/", base=v)),
}  # fmt: skip

PARTS: dict[str, tuple[type, dict[str, str]]] = {
    kind.__name__: (kind, {name: each.annotation for name, each in inspect.signature(kind).parameters.items()})
    for kind in (
        anyurl.FileParts, anyurl.FtpParts, anyurl.GopherParts, anyurl.HttpParts, anyurl.MailtoParts, anyurl.NewsParts,
        anyurl.NntpParts, anyurl.ProsperoParts, anyurl.WaisParts,
    )
}  # fmt: skip
"""Each class of parts, and what its arguments are."""

NEEDED: dict[type, dict[str, str]] = {anyurl.NntpParts: {"group": "a.b"}}
"""What stands beside the argument that is tried."""

OF_PARTS: dict[str, tuple[Any, ...]] = {
    "Sequence[str]": (None, b"x", 5, [5], [None], [b"x"]),
    "Iterable[str]": (None, "x", b"x", 5, [5], [b"x"]),
    "Iterable[tuple[str, str]]": (None, "x", 5, ["x"], [("a", None)], [("a", b"x")], [(5, "x")]),
    "str": (None, b"x", 5, ["x"]),
    "int": (None, "5", 5.5, True),
}
"""For each annotation in them what it does not take; None is added where it may not be None."""


def of_parts(kind: type, argument: str, value: Any) -> Any:
    """Parts with this one value."""
    return kind(**{**NEEDED.get(kind, {}), argument: value})


A_URL = {
    "relative_to": GOOD.relative_to,
    "is_equivalent": GOOD.is_equivalent,
    "judge_url": Policy.default().judge_url,
}

OTHERS: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "build port": (lambda v: URL.build(scheme="http", host="h", port=v), ("80", b"80", 80.0, True, [80])),
    "replace port": (lambda v: GOOD.replace(port=v), ("80", b"80", 80.0, True, [80])),
    "build parts": (lambda v: URL.build(scheme="http", host="h", parts=v), ("a", b"a", 1, ["a"])),
    "find encoding": (lambda v: anyurl.find("x", encoding=v), (None, b"x", 5)),
    "wrap indent": (lambda v: wrap("http://h/", indent=v), (None, b"x", 5)),
    "wrap": (wrap, (None, b"x", 5)),
    "wrap width": (lambda v: wrap("http://h/", width=v), (None, "5", 5.5)),
    "find schemes": (lambda v: anyurl.find("x", schemes=v), ("http", b"x", 5, [5])),
    "draw_text": (draw_text, (None, "x", GOOD)),
    **{
        f"{name} {argument}": (
            functools.partial(of_parts, kind, argument),
            tuple(v for v in OF_PARTS[taken.removesuffix(" | None")] if v is not None or "None" not in taken),
        )
        for name, (kind, arguments) in PARTS.items()
        for argument, taken in arguments.items()
    },
    "register": (anyurl.register, (None, "x", b"x", 1, [])),
    "Client.put source": (lambda v: with_client(lambda c: c.put(REFUSED, v)), (None, "text", 1)),
    "Client.map urls": (lambda v: with_client(lambda c: list(c.map(v))), (None, "http://h/", b"", GOOD, 1)),
    "find": (lambda v: list(anyurl.find(v)), (None, 1)),
    **{
        f"Policy {name}": (lambda v, name=name: Policy.default().replace(**{name: v}), ("no", 0, None))
        for name in (
            "allow_private",
            "allow_link",
            "allow_inward",
            "allow_downgrade",
            "allow_disguise",
            "allow_forms",
            "allow_delivery",
            "files",
            "services",
            "netrc",
        )
    },
    **{
        f"Policy {name}": (lambda v, name=name: Policy.default().replace(**{name: v}), (b"a", 1, {"a": 1}))
        for name in ("allow_schemes", "deny_schemes", "allow_hosts", "deny_hosts", "allow_nets", "deny_nets")
    },
    "Policy a host": (lambda v: Policy.default().replace(deny_hosts=[v]), (None, b"a", 1)),
    "Policy allow_ports": (lambda v: Policy.default().replace(allow_ports=v), ("80", b"80", 80)),
    "Policy a port": (lambda v: Policy.default().replace(allow_ports=[v]), ("80", 80.0, True)),
    "Policy limits": (lambda v: Policy.default().replace(limits=v), (60, "60")),
    **{
        f"Limits {name}": (lambda v, name=name: Limits(**{name: v}), ("5", b"5", [5], True, *more))
        for name, more in {
            **dict.fromkeys(Limits.__annotations__, (5.5, None)),
            **dict.fromkeys(("connect", "idle", "lowest_rate"), (None,)),
            **dict.fromkeys(("max_bytes", "max_read"), (5.5,)),
            "total": (),
        }.items()
    },
    "request headers": (lambda v: requested(headers=v), ("x", 5, [5], {"a": 5}, {5: "a"})),
    "request query": (lambda v: requested(query=v), (5, b"x", [5], {"a": None}, {"a": b"x"})),
    "request etag": (lambda v: requested(etag=v), (5, b"x")),
    "request modified": (lambda v: requested(modified=v), ("x", b"x", True)),
    "request check": (lambda v: requested(check=v), ("no", None, 0)),
}

NO_URL: tuple[Any, ...] = (None, b"http://h/", 1, Path("/a"), ["http://h/"])
NO_TEXT: tuple[Any, ...] = (None, b"http", 1, Path("/a"), ["http"])

TABLE: list[tuple[str, Callable[[Any], Any], Any]] = [
    *[(name, call, value) for name, call in URL_OR_TEXT.items() for value in NO_URL],
    *[(name, call, value) for name, call in TEXT_OR_OCTETS.items() for value in NO_URL if not isinstance(value, bytes)],
    *[(name, call, value) for name, call in TEXT.items() for value in NO_TEXT],
    *[(name, call, value) for name, call in TEXT_OR_NONE.items() for value in NO_TEXT if value is not None],
    *[(name, call, value) for name, call in A_URL.items() for value in (*NO_URL, "http://h/")],
    *[(name, call, value) for name, (call, values) in OTHERS.items() for value in values],
]


TAKEN = (
    "str",
    "URL",
    "int",
    "bytes",
    "parts",
    "Scheme",
    "text",
    "True or False",
    "list",
    "Limits",
    "a number",
    "pairs",
    "Explanation",
)
"""One of these is named."""


def label(value: object) -> str:
    """What stands in a test's name: the same in each process, which the place of a function in memory is not."""
    return "" if callable(value) else str(value)[:24]


@each_row(("name", "call", "value"), TABLE, ids=label)
def test_what_is_not_taken_is_a_type_error_that_says_what_is(name: str, call: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(TypeError) as caught:
        call(value)
    inside = [*value, *(value.values() if isinstance(value, dict) else ())] if isinstance(value, list | dict) else []
    inside += [each for one in inside if isinstance(one, tuple) for each in one]
    assert any(type(one).__name__ in str(caught.value) for one in (value, *inside)), name
    assert any(word in str(caught.value) for word in TAKEN), name


@each_row("value", [SURROGATE, LONG], ids=["a lone surrogate", "a megabyte"])
@each_row(
    ("name", "call"),
    [*URL_OR_TEXT.items(), *TEXT_OR_OCTETS.items(), *TEXT.items(), *TEXT_OR_NONE.items()],
    ids=label,
)
def test_what_is_no_url_is_an_error_of_the_tree_or_an_answer(name: str, call: Callable[[Any], Any], value: Any) -> None:
    try:
        answer = call(value)
    except AnyURLError as error:
        assert str(error).isprintable(), name
    else:
        assert answer is not None, name


# --- every entrance of clients, policies and functions, by its signature --------------------------------------------

GIVEN: dict[str, Any] = {
    "url": REFUSED, "urls": [REFUSED], "words": "x", "source": b"", "text": "http://h/", "question": "x",
    "scheme": "http", "host": "127.0.0.1", "policy": Policy.untrusted(),
    "address": "192.0.2.1", "port": 80, "came_from": USER, "method": "GET",
    "folder": os.devnull + "/none",
}  # fmt: skip
"""What is given for the other arguments."""

WRONG: dict[str, tuple[Any, ...]] = {
    "bool": (None, 1, "no"),
    "str": (None, b"x", 5, ["x"]),
    "int": (None, "5", 5.5, True),
    "float": ("5", b"5", True, [5]),
    "Target": (None, b"http://h/", 5, ["http://h/"]),
    "URL": (None, "http://h/", 5),
    "Provenance": (None, "user", 5),
    "Policy": ("open", 5, [5]),
    "Sequence[str]": (None, "x", 5, [5], 0),
    "Iterable[str]": (None, "x", 5, [5]),
    "str | Mapping[str, str]": (5, b"x", {"x": 5}),
    "Callable[[str], None]": ("x", 5, True),
    "Callable[[Decision], object]": ("x", 5, True),
    "Mapping[str, Login]": ("x", 5, 0, {"http://h/": 5}, ["x"]),
    "Mapping[str, str]": ("x", 5, 0, {"x": 5}, ["x"]),
    "Resume": ("x", 5),
    "Verb": (None, 5, b"get", ["get"]),
    "WaisForm": (None, 5, "x", ["x"]),
    "AskForConsent": ("yes", 5, True),
    "AskForSecret": ("word", 5),
    "str | os.PathLike[str]": (5, b"x", ["x"]),
    "Network": ("x", 5),
    "Rests": ("x", 5, {}),
    "CookieJar | bool": (None, 1, "jar", {}),
    "Upload": (None, "text", 5),
    "CameFrom": (b"http://h/", 5, ["http://h/"]),
    "Sequence[URL | str] | URL | str": (None, 5, b"http://h/", [5]),
    "Iterable[Target]": (None, "http://h/", 5, b"x"),
    "Iterable[SocketOption]": (None, "x", 5, [5], [(1, 2)], [("x", 1, 1)]),
    "tuple[str, int]": ("h", 5, ("h",), ("h", "80"), ["h", 80]),
    "ssl.SSLContext": (True, "x", 5),
    "object": (b"x", Path("a"), {1, 2}, {"a": b"x"}, {b"a": 1}),
    "Pairs": ("x", b"x", 5, ["x"], [("a", None)], {"a": None}, {"a": b"x"}, {5: "x"}, {"a": Path("a")}),
    "Files": (
        "x",
        b"x",
        5,
        ["x"],
        {"a": "x"},
        {"a": 5},
        {5: b"x"},
        {"a": ()},
        {"a": ("n",)},
        {"a": (5, b"x")},
        {"a": ("n", b"x", 5)},
        {"a": ("n", b"x", "t", 9)},
    ),
}
"""For each annotation what it does not take; None is added where it may not be None."""

ELSEWHERE = {
    "changes": "the tables above", "request": "the tables above",
    "terminal": "tests/client/test_session.py",
}  # fmt: skip
"""Arguments whose values other files try."""


def entrances() -> Iterator[tuple[str, Callable[..., Any], inspect.Parameter]]:
    """Each public function and method of a client or a policy, and each of its arguments."""
    for name in ("append", "connect", "get", "list", "open", "put", "request", "search", "stat"):
        yield from parameters(f"anyurl.{name}", getattr(anyurl, name))
    yield from parameters("anyurl.open_connection", streams, anyurl.open_connection)
    for kind in (Client, AsyncClient):
        yield from parameters(kind.__name__, kind)
        for name, method in inspect.getmembers(kind, inspect.isroutine):
            if not name.startswith("_") and name != "close":
                yield from parameters(f"{kind.__name__}.{name}", functools.partial(on, kind, name), method)
    policy = Policy.default()
    for name, method in inspect.getmembers(Policy, inspect.isroutine):
        if name.startswith("judge_"):
            yield from parameters(f"Policy.{name}", functools.partial(getattr(policy, name)), method)


def streams(**given: Any) -> Any:
    """What `open_connection` gives, or raises."""
    return asyncio.run(anyurl.open_connection(**given))


def on(kind: Any, name: str, **given: Any) -> Any:
    """Call a method of a client of that kind, to its end."""
    if kind is Client:
        end = list if name == "map" else lambda found: found
        return with_client(lambda client: end(getattr(client, name)(**given)))
    return asked(lambda client: getattr(client, name)(**given))


def parameters(
    name: str, call: Callable[..., Any], of: Callable[..., Any] | None = None
) -> Iterator[tuple[str, Callable[..., Any], inspect.Parameter]]:
    signature = inspect.signature(of or call)
    own = [each for each in signature.parameters.values() if each.name != "self"]
    needed = {each.name: GIVEN[each.name] for each in own if each.default is each.empty and each.name in GIVEN}
    for each in own:
        if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL) and each.name not in ELSEWHERE:
            yield name, functools.partial(call, **{k: v for k, v in needed.items() if k != each.name}), each


def wrong_values(annotation: str) -> tuple[Any, ...]:
    plain = annotation.removesuffix(" | None")
    return tuple(value for value in WRONG[plain] if value is not None or plain == annotation)


EACH = [
    (f"{name}({each.name})", functools.partial(lambda c, n, v: c(**{n: v}), call, each.name), values)
    for name, call, each in entrances()
    if (values := wrong_values(str(each.annotation)))
]


@each_row(("name", "call", "values"), EACH, ids=[name for name, _, _ in EACH])
def test_each_argument_of_each_entrance_says_what_it_takes(
    name: str, call: Callable[[Any], Any], values: tuple[Any, ...]
) -> None:
    for value in values:
        with pytest.raises(TypeError, match="not ") as caught:
            call(value)
        assert str(caught.value)[:1] != "'", (value, caught.value)  # Python's own words name no argument
        assert "unexpected keyword" not in str(caught.value), (name, value)
