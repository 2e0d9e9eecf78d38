from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import anyurl.schemes
from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Connect, Describe, Dialogue, Options, Receive, Send, Verb
from anyurl.errors import (
    ConnectionLost,
    RefusedError,
    SchemeError,
    UnknownSchemeError,
    UnsupportedError,
    URLSyntaxError,
)
from anyurl.schemes import registry
from anyurl.schemes.kit.scheme import VERBS, Parts, Scheme
from anyurl.schemes.known import MEANINGS
from anyurl.url import URL, syntax
from anyurl.url.syntax import Row

RFC_1738 = ("file", "ftp", "gopher", "http", "mailto", "news", "nntp", "prospero", "telnet", "wais")


class ThingParts(Parts):
    name: str

    def url_path(self) -> str:
        return self.name


def read(url: URL) -> ThingParts:
    return ThingParts(url.url_path)


def get(url: URL, options: Options) -> Dialogue:
    yield from Describe("document")
    return None


def thing(name: str, **changes: Any) -> Scheme:
    facts = {"reference": "here", "summary": "A thing.", "read": read, "verbs": {"get": get}, **changes}
    return Scheme(name, **facts)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    rows, loaded = dict(syntax.ROWS), dict(registry._loaded)
    yield
    syntax.ROWS.clear()
    syntax.ROWS.update(rows)
    registry._loaded.clear()
    registry._loaded.update(loaded)
    registry._registered.clear()


def test_the_schemes_of_rfc_1738_and_https_are_spoken() -> None:
    assert {*RFC_1738, "https", "ftps"} <= set(registry.spoken())


def test_rows_and_modules_agree() -> None:
    """A row is a fact, a Scheme is what keeps it: one name each, one folder each, one document each."""
    for name in registry.spoken():
        row, scheme = syntax.ROWS[name], registry.find_scheme(name)
        assert (scheme.name, scheme.reference.startswith(row.reference)) == (row.name, True)
        assert registry.find_scheme(name.upper()) is scheme
    modules = {row.module for row in syntax.ROWS.values() if row.module is not None}
    for module in modules:
        spoken = import_module(f"anyurl.schemes.{module}.verbs").SCHEMES
        assert {scheme.name for scheme in spoken} == {row.name for row in syntax.ROWS.values() if row.module == module}


def test_every_folder_of_a_scheme_has_a_row() -> None:
    """A scheme is a folder; beside the folders stand the registry, and the kit that they share."""
    home = Path(anyurl.schemes.__file__).parent
    folders = {path.name for path in home.iterdir() if (path / "__init__.py").exists()}
    assert folders - {"kit"} == {row.module for row in syntax.ROWS.values() if row.module is not None}
    assert {path.stem for path in home.glob("*.py")} == {"__init__", "iana", "registry", "known"}


@pytest.mark.parametrize(
    ("name", "suggestions", "message"),
    [
        ("htp", ("http",), "The scheme 'htp' is not known; did you mean http"),
        ("gofer", ("gopher",), "The scheme 'gofer' is not known; did you mean gopher"),
        ("prosper", ("prospero",), "The scheme 'prosper' is not known; did you mean prospero, "),
        ("maito", ("mailto",), "The scheme 'maito' is not known; did you mean mailto?"),
        ("url", (), "'URL:' is not a scheme; it introduces a URL in a text (RFC 1738 appendix): leave it out"),
        ("qqqqq", (), "The scheme 'qqqqq' is not known; `anyurl schemes` lists those that are"),
        (
            "x-qqqqq",
            (),
            "The scheme 'x-qqqqq', an experiment's name, is not known here: a package that brings it would make it",
        ),
    ],
)
def test_an_unknown_scheme_is_met_with_near_matches(name: str, suggestions: tuple[str, ...], message: str) -> None:
    with pytest.raises(UnknownSchemeError) as caught:
        registry.find_scheme(name)
    assert caught.value.scheme == name
    assert caught.value.suggestions[: len(suggestions)] == suggestions
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("unspoken", "RFC 9999"),
        ("afs", "Andrew File System global file names; reserved by RFC 1738 4"),
        ("mid", "message identifiers for electronic mail; reserved by RFC 1738 4, defined by RFC 2392"),
        ("z39.50", "access to ANSI Z39.50 services; reserved by RFC 1738 4"),
    ],
)
def test_a_known_scheme_that_nobody_speaks_says_what_it_is(name: str, what: str) -> None:
    syntax.ROWS["unspoken"] = Row("unspoken", "RFC 9999")
    with pytest.raises(UnsupportedError) as caught:
        registry.find_scheme(name)
    assert str(caught.value) == (
        f"{name!r} is a known scheme ({what}), but anyurl can only parse its URLs, not access them. "
        f"A gateway would reach it by http (gateways={{'{name}': 'https://gateway.example/{{url}}'}}), and a plug-in "
        "(anyurl.load_plugins()) could support it."
    )
    assert caught.value.scheme == name
    assert name in registry.known_schemes()
    assert name not in registry.spoken()


@pytest.mark.parametrize("name", ["tel", "javascript", "about", "sips"])
def test_what_is_nowhere_is_not_told_to_be_reached_otherwise(name: str) -> None:
    with pytest.raises(UnsupportedError, match=r"not access them\.$"):
        registry.find_scheme(name)


def test_the_names_that_rfc_1738_keeps_for_later_are_known() -> None:
    kept = {"afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"}
    assert kept == registry.RESERVED <= MEANINGS.keys()
    assert kept <= set(registry.known_schemes())
    assert MEANINGS.keys() & set(registry.spoken()) == set()


@pytest.mark.parametrize(
    ("url", "verb", "message"),
    [
        ("http://h/", "append", "http has no 'append'; it has get, list, stat, put."),
        ("http://h/", "search", "http has no 'search'; it has get, list, stat, put."),
        ("telnet://h", "put", "telnet has no 'put'; it has get, stat."),
        ("mailto:a@b", "put", "mailto has no 'put'; it has get, stat, append."),
    ],
)
def test_a_verb_that_a_scheme_has_not(url: str, verb: Any, message: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        registry.verb(URL(url), verb)
    assert str(caught.value) == message
    assert (caught.value.scheme, caught.value.verb) == (URL(url).scheme, verb)


def test_forbidden_octets_are_refused_before_anything_else() -> None:
    with pytest.raises(RefusedError, match=r"holds CR \(%0D\)"):
        registry.verb(URL("gopher://h/1a%0D%0Ab"), "get")


@pytest.mark.parametrize("scheme", ["https", "ftps", "gophers", "nntps", "snews"])
def test_a_url_without_the_host_that_its_scheme_must_have_is_refused(scheme: str) -> None:
    """RFC 1738 does not define these schemes: to its grammar what is no generic URL is one opaque text."""
    url = anyurl.parse(f"{scheme}://bob:word@127.1/x", "rfc1738")
    assert url.host is None
    with pytest.raises(UnsupportedError, match="has no host by the grammar rfc1738, which read it") as caught:
        registry.verb(url, "get")
    assert "word" not in str(caught.value)


def test_the_dialogue_of_a_verb_is_found() -> None:
    assert registry.verb(URL("http://h/"), "get") is registry.find_scheme("http").verbs["get"]


def test_the_table_is_generated() -> None:
    table = registry.verb_table()
    assert tuple(table) == registry.spoken()
    assert table["http"] == table["https"] == ("get", "list", "stat", "put")
    for name, verbs in table.items():
        assert set(verbs) == set(registry.find_scheme(name).verbs)
        assert [VERBS.index(verb) for verb in verbs] == sorted(VERBS.index(verb) for verb in verbs)


class TestRegister:
    @pytest.mark.clause("4-1")
    def test_an_experiment_is_read_built_and_spoken(self) -> None:
        anyurl.register(thing("x-thing"), Row("x-thing", "here", query=False, port=99, empty_host=True))
        url = URL("x-thing://h/a?b")
        assert (url.port, url.query, url.parts) == (99, None, ThingParts("a?b"))
        assert [type(ask) for ask in registry.verb(url, "get")(url, Options())] == [Describe]
        assert registry.verb_table()["x-thing"] == ("get",)
        assert "x-thing" in anyurl.known_schemes()

    def test_what_it_would_send_is_shown_as_far_as_it_is_known(self) -> None:
        """Without a fake server nobody knows what is answered; that it is silent is no fault of the scheme."""

        def ask(url: URL, options: Options) -> Dialogue:
            channel = yield from Connect(url.host or "", 99)
            yield from Send(channel, b"thing\r\n")
            reply = yield from Receive(channel)
            raise ConnectionLost(f"The server said {len(reply)} octets.")

        def refuse(url: URL, options: Options) -> Dialogue:
            yield from Connect(url.host or "", 99)
            raise UnsupportedError("Nothing is sent.", scheme="x-thing", verb="stat")

        anyurl.register(thing("x-thing", verbs={"get": ask, "stat": refuse}))
        assert list(dry_run("x-thing://h/")) == [
            "connect to h port 99", "> thing", "(the rest depends on the answer: x-thing has no fake server)",
        ]  # fmt: skip
        with pytest.raises(UnsupportedError, match="Nothing is sent"):
            list(dry_run("x-thing://h/", "stat"))

    def test_without_a_row_the_generic_syntax_holds(self) -> None:
        anyurl.register(thing("x-thing"))
        assert (URL("x-thing://h/a?b").query, URL("x-thing:a").parts) == ("b", ThingParts("a"))

    def test_a_name_that_is_known_but_not_spoken_may_be_given_a_voice(self) -> None:
        syntax.ROWS["unspoken"] = Row("unspoken", "RFC 9999", port=7)
        anyurl.register(thing("unspoken"))
        assert (URL("unspoken://h/a").port, URL("unspoken://h/a").parts) == (7, ThingParts("a"))

    @pytest.mark.clause("4-2")
    @pytest.mark.parametrize("name", ["ftp", "http", "gopher"])
    def test_a_taken_name_is_an_error(self, name: str) -> None:
        with pytest.raises(SchemeError) as caught:
            anyurl.register(thing(name))
        assert str(caught.value) == (
            f"The scheme name {name!r} is taken; an experiment may use 'x-{name}' (RFC 1738 4)."
        )

    def test_a_name_is_registered_once(self) -> None:
        anyurl.register(thing("x-thing"))
        with pytest.raises(SchemeError, match="The scheme name 'x-thing' is taken"):
            anyurl.register(thing("x-thing"))

    @pytest.mark.parametrize(
        "url",
        ["x-thing://h/a%0D%0Ab", "x-thing://h/?q=%0a", "x-thing://u%0Ax@h/", "x-thing://u:p%0dx@h/", "x-thing:a%0Ab"],
    )
    @pytest.mark.parametrize("verb", ["get", "put"])
    def test_its_forbidden_octets_are_refused_before_its_own_code_runs(self, url: str, verb: Verb) -> None:
        def untouched(*_arguments: object) -> Any:
            raise AssertionError("The scheme saw the URL")

        scheme = Scheme(
            "x-thing", reference="here", summary="a thing", read=untouched, verbs={"get": untouched, "put": untouched},
            check=untouched,
        )  # fmt: skip
        anyurl.register(scheme, Row("x-thing", "here", port=99, forbidden=b"\r\n\0"))
        with pytest.raises(RefusedError, match="would end or split a command of x-thing"):
            registry.verb(URL(url), verb)

    @pytest.mark.parametrize(
        "given",
        [{"words": "a\r\nQUIT"}, {"view": "a\0"}, {"match": "\n"}, {"upload_type": "a\nb"}, {"answers": ("a", "b\rc")}],
    )
    def test_nor_do_words_that_are_given_beside_the_url_break_its_protocol(self, given: dict[str, Any]) -> None:
        def untouched(*_arguments: object) -> Any:
            raise AssertionError("The scheme saw the words")

        scheme = Scheme("x-thing", reference="here", summary="a thing", read=read, verbs={"search": untouched})
        anyurl.register(scheme, Row("x-thing", "here", port=99, forbidden=b"\r\n\0"))
        url = URL("x-thing://h/a")
        with pytest.raises(RefusedError, match="would end or split a command of x-thing"):
            registry.verb(url, "search")(url, Options(**given))

    def test_what_its_row_does_not_forbid_is_its_own_business(self) -> None:
        anyurl.register(thing("x-thing"), Row("x-thing", "here", forbidden=b"\0"))
        url = URL("x-thing://h/a%0Ab")
        assert [type(ask) for ask in registry.verb(url, "get")(url, Options(words="a\n"))] == [Describe]

    def test_a_row_of_another_scheme_is_an_error(self) -> None:
        with pytest.raises(SchemeError, match="The row is that of 'x-other', not of 'x-thing'"):
            anyurl.register(thing("x-thing"), Row("x-other", "here"))

    def test_what_is_no_scheme_is_an_error(self) -> None:
        with pytest.raises(TypeError, match="str is not a Scheme"):
            anyurl.register("x-thing")  # type: ignore[arg-type]


class TestPlugins:
    """Real distributions in a folder of their own: what `pip install` would have written."""

    @staticmethod
    def run(folder: Path, entry: str, code: str, program: str) -> str:
        info = folder / "plug-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[anyurl.schemes]\nthing = {entry}\n", encoding="utf-8")
        (folder / "plug.py").write_text(code, encoding="utf-8")
        source = Path(anyurl.__file__).parent.parent
        script = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(source)!r}]\n{program}"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert done.stderr == ""
        return done.stdout

    def test_are_named_one_by_one(self, tmp_path: Path) -> None:
        program = (
            "import anyurl; print(anyurl.load_plugins('thing'), anyurl.load_plugins('plug'))\n"
            "try:\n    anyurl.load_plugins('thing', 'other')\n"
            "except anyurl.errors.SchemeError as error:\n    print(error)"
        )
        assert self.run(tmp_path, "plug:thing", self.CODE, program) == (
            "('x-plug',) ()\nThe scheme plug-in 'other' is not installed; there is thing.\n"
        )

    def test_an_installed_one_is_named_where_its_scheme_is_not_supported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is not loaded for that: a URL loads no code. Nor are all packages looked at for each URL."""
        looked: list[EntryPoint] = []

        def installed() -> tuple[EntryPoint, ...]:
            looked.append(EntryPoint("finger", "f:F", registry.PLUGIN_GROUP))
            return tuple(looked)

        monkeypatch.setattr(registry, "installed_plugins", installed)
        monkeypatch.setattr(registry, "installed_names", cache(registry.installed_names.__wrapped__))
        for _ in range(3):
            with pytest.raises(UnsupportedError, match=r"once it is named \(anyurl\.load_plugins\('finger'\)\)\.$"):
                registry.find_scheme("finger")
            with pytest.raises(UnsupportedError, match="once it is named"):
                _ = anyurl.URL("finger://h/").parts
        assert len(looked) == 1

    def test_without_any_it_is_told_what_one_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(registry, "installed_plugins", tuple)
        with pytest.raises(SchemeError) as caught:
            registry.load_plugins("finger")
        assert str(caught.value) == (
            "The scheme plug-in 'finger' is not installed; there is none. A plug-in is an installed package with an "
            "entry point in the group 'anyurl.schemes'."
        )

    CODE = """
from anyurl.schemes.kit.scheme import Scheme
from anyurl.url.syntax import Row
thing = Scheme("x-plug", reference="here", summary="A thing.", read=str, read_only=True)
rowed = (thing, Row("x-plug", "here", port=5))
taken = Scheme("ftp", reference="here", summary="A thing.", read=str, read_only=True)
"""

    def test_are_loaded_only_when_asked_for(self, tmp_path: Path) -> None:
        program = (
            "import anyurl; anyurl.URL('http://h/').parts;"
            "print('x-plug' in anyurl.known_schemes(), 'plug' in sys.modules);"
            "print(anyurl.load_plugins(), 'x-plug' in anyurl.known_schemes(), anyurl.load_plugins())"
        )
        assert self.run(tmp_path, "plug:thing", self.CODE, program) == "False False\n('x-plug',) True ()\n"

    def test_may_bring_a_row(self, tmp_path: Path) -> None:
        program = "import anyurl; anyurl.load_plugins(); print(anyurl.URL('x-plug://h/').port)"
        assert self.run(tmp_path, "plug:rowed", self.CODE, program) == "5\n"

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ("plug:missing", "The scheme plug-in 'thing' (plug:missing) can't be loaded: "),
            ("plug:Row", "type is not a Scheme"),
            ("plug:taken", "The scheme name 'ftp' is taken"),
        ],
    )
    def test_that_are_broken_are_errors_of_the_tree(self, tmp_path: Path, entry: str, message: str) -> None:
        program = (
            "import anyurl\ntry:\n    anyurl.load_plugins()\n"
            "except anyurl.errors.SchemeError as error:\n    print(error)"
        )
        assert self.run(tmp_path, entry, self.CODE, program).startswith(message)


def test_the_parts_of_an_unknown_scheme_are_an_error_of_the_tree() -> None:
    with pytest.raises(UnknownSchemeError):
        URL("qqqqq:x").parts  # noqa: B018


def test_faulty_parts_are_reported_when_they_are_read() -> None:
    url = URL("nntp://h/group/12a")
    with pytest.raises(URLSyntaxError, match="an article number has 1 to 16 digits"):
        url.parts  # noqa: B018


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("wais://h/a/b", (9, 12)),  # the whole path
        ("nntp://h/", (9, 9)),  # what is missing has a place, and no length
        ("nntp://h/h/x#f", (11, 12)),  # one of its components, before the fragment
        ("nntp://x/gx/x", (12, 13)),  # not where the same letter is a host, or a piece of a name
        ("mailto:joe", (7, 10)),  # without a host the path begins at the colon
        ("mailto:%C3%B6", (7, 13)),  # it is told decoded, and stands there encoded
        ("gopher://h/%09#f", (11, 14)),
        ("telnet://u:***@h/x", (17, 18)),
    ],
)
def test_what_is_wrong_with_a_part_is_told_of_the_whole_url(text: str, span: tuple[int, int]) -> None:
    url = URL(text.replace("***", "s3cr3t"))
    for read in (lambda: url.parts, lambda: registry.verb(url, "get")):
        with pytest.raises(URLSyntaxError) as caught:
            read()
        assert (caught.value.text, [one.span for one in caught.value.diagnostics]) == (text, [span])
