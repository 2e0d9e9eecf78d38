"""What a URL makes of components that need no encoding is what `build`, `compare` and `resolve` make of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from anyurl import URL, URLSyntaxError
from anyurl.url import build, compare, resolve
from tests.rows import each_row
from tests.url.strategies import HOSTS, NAMES, REFERENCES, url_texts

REAL = [URL(text) for text in Path("bench/data/urls.txt").read_text("utf-8").splitlines() if text.isascii()]

TEXTS = st.text("aB0-._~!$&'()*+,;=:@/?#%[]\\ |é\ud800", max_size=6) | st.sampled_from(
    ["%41", "%zz", "/a/../b", "//h/x"]
)
PORTS = st.none() | st.integers(-1, 65_536) | st.sampled_from(["80", True, 80.0])
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "scheme": NAMES | st.sampled_from(["HTTP", "1a", "é", ""]),
        "user": TEXTS | st.none(),
        "password": TEXTS | st.none(),
        "host": HOSTS | TEXTS | st.sampled_from(["::1", "h:80", "bücher.example", "127.1", None]),
        "port": PORTS,
        "path": TEXTS.map(lambda text: f"/{text}") | TEXTS,
        "query": TEXTS | st.none(),
        "fragment": TEXTS | st.none(),
    },
)


def outcome(make: Callable[[], Any]) -> object:
    """The URL with its offsets, or the codes of what is wrong."""
    try:
        return make().__reduce__()[1]
    except URLSyntaxError as error:
        return [each.code for each in error.diagnostics]
    except TypeError as error:
        return str(error)


@given(url_texts(), CHANGES)
@example("http://u:p@h:80/a?b#c", {"user": None})
@example("http://u:p@h/a", {"user": None, "password": "x"})
@example("http://u:p@h/a", {"password": "a:b%"})
@example("http://h/a", {"user": "a%41"})
@example("HTTP://H/a", {"host": "g", "port": True})
@example("http://h/a", {"host": None, "user": "u"})
def test_replace(text: str, changes: Any) -> None:
    url = URL(text)
    assert outcome(lambda: url.replace(**changes)) == outcome(lambda: build.replace(url, changes))


@given(NAMES, CHANGES)
def test_build(name: str, components: dict[str, Any]) -> None:
    whole: Any = {"scheme": name, **components}
    assert outcome(lambda: URL.build(**whole)) == outcome(lambda: build.build(whole))


@given(url_texts())
@example("http://h/..//.//a")
@example("file://localhost/%7e")
@example("x://h%2fx/")
@example("http://[V7.X:Y]:080?")
def test_normalize(text: str) -> None:
    url = URL(text)
    assert outcome(url.normalize) == outcome(lambda: compare.normalize(url, "current"))


@given(url_texts(), REFERENCES | TEXTS | url_texts())
@example("http://h:", "a")
@example("http://h", "?#")
@example("file:/a", ".//b")
@example("ftp://h/a", "?x")
@example("mailto:a@b", "")
@example("http:///", "x")
def test_join(text: str, reference: str) -> None:
    try:
        base = URL(text)
    except URLSyntaxError:
        return
    assert outcome(lambda: base.join(reference)) == outcome(lambda: resolve.join(base, reference))


@each_row("reference", ["../x/y.html", "?q=1", "#f", "", "/a", "//other.dom/a", "a:b", "./a:b"])
def test_real_urls(reference: str) -> None:
    for url in REAL[::20]:
        assert outcome(lambda url=url: url.join(reference)) == outcome(  # type: ignore[misc]
            lambda url=url: resolve.join(url, reference)  # type: ignore[misc]
        )
        assert outcome(url.normalize) == outcome(lambda url=url: compare.normalize(url, "current"))  # type: ignore[misc]
