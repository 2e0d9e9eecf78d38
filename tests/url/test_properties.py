"""What holds for all URLs and for all texts: read, written, built, resolved, compared."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import assume, example, given
from hypothesis import strategies as st

from anyurl import parse
from anyurl.errors import AnyURLError, URLSyntaxError
from anyurl.url import URL, syntax
from tests.url.invariants import check_invariants
from tests.url.strategies import NAMES, REFERENCES, WILD, url_texts

GRAMMARS = ("current", "rfc1738", "rfc1738-draft07", "browser")


@given(url_texts())
def test_what_the_syntax_makes_is_a_url_and_stays_as_written(text: str) -> None:
    url = URL(text)
    assert (str(url), str(URL(str(url)))) == (text, text)
    assert URL(text.encode()) == url
    check_invariants(url)


@given(WILD)
def test_a_text_is_a_url_or_the_error_says_where_it_is_none(text: str) -> None:
    try:
        url = URL(text)
    except URLSyntaxError as error:
        (diagnostic,) = error.diagnostics
        assert error.text == text
        assert 0 <= diagnostic.span[0] <= diagnostic.span[1] <= len(text)
        assert str(error).startswith(diagnostic.message)
    else:
        check_invariants(url)
        assert not text.isascii() or str(url) == text


@given(st.binary(max_size=24) | WILD.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_octets_are_a_url_or_an_error(octets: bytes) -> None:
    try:
        check_invariants(URL(b"http://h/" + octets))
    except URLSyntaxError as error:
        assert error.diagnostics[0].span[0] >= len("http://h/")


@given(
    st.text(st.sampled_from("pw:/@?#[] %\\é\ud800x"), min_size=4, max_size=12),
    st.sampled_from(["h/", "h:99999/", "h y/"]),
)
def test_no_message_holds_a_password(password: str, rest: str) -> None:
    secret = "s3cret" + password
    for text in (f"http://user:{secret}@{rest}", f"ftp://u:{secret}@ {rest}", f"http:/u:{secret}@{rest}"):
        try:
            url = URL(text)
        except URLSyntaxError as error:
            assert "s3cret" not in str(error)
            assert "s3cret" not in "".join(diagnostic.message for diagnostic in error.diagnostics)
        else:
            assert "s3cret" not in repr(url) or url.password is None


@example("ftp://h/%2E%2E/x", "current", "browser")
@example("gopher://h/%2e%2e", "current", "browser")
@given(url_texts(), st.sampled_from(GRAMMARS), st.sampled_from(GRAMMARS))
def test_a_normal_form_leads_where_the_url_does_and_is_its_own(text: str, own: str, other: str) -> None:
    """In every grammar: a browser would remove the dots of ``ftp://h/../x`` and ``gopher://h/%2E%2E``."""
    try:
        url = parse(text, own)
        normal = url.normalize(other)
    except URLSyntaxError:
        return
    assert normal.normalize(other) == normal
    if not syntax.row(url.scheme).dots:
        with suppress(AnyURLError):
            assert normal.parts == url.parts


@given(url_texts())
def test_a_url_is_built_from_its_components(text: str) -> None:
    url = URL(text)
    assume(not (url.raw_host or "").startswith("[v"))  # without its brackets it reads as a name
    built = URL.build(
        scheme=url.scheme, user=url.user, password=url.password, host=url.host, port=url.explicit_port, path=url.path,
        query=url.query, fragment=url.fragment,
    )  # fmt: skip
    assert URL(str(built)) == built
    names = ("scheme", "user", "password", "host", "explicit_port", "port", "path", "query", "fragment")
    assert [getattr(built, name) for name in names] == [getattr(url, name) for name in names]


@given(
    st.text(st.characters(codec="utf-8"), max_size=6),
    st.text(st.characters(codec="utf-8"), max_size=6),
    st.binary(max_size=6),
)
def test_any_user_and_password_survive(user: str, password: str, octets: bytes) -> None:
    raw = octets.decode("utf-8", "surrogateescape")
    for name, secret in ((user, password), (raw, raw)):
        url = URL.build(scheme="ftp", user=name, password=secret, host="h", path="/")
        assert (url.user, url.password, url.host) == (name, secret, "h")
        check_invariants(url)


@given(st.text(st.characters(codec="ascii"), max_size=12), st.sampled_from(["http", "ftp", "gopher", "mailto", "foo"]))
def test_no_path_or_query_becomes_another_component(text: str, scheme: str) -> None:
    host = None if scheme == "mailto" else "h"
    for component in ("path", "query", "fragment"):
        try:
            url = URL.build(scheme=scheme, host=host, **{component: text})  # type: ignore[arg-type]
        except URLSyntaxError:
            continue
        given_back = getattr(url, component)
        assert (url.scheme, url.host, url.user, url.explicit_port) == (scheme, host, None, None)
        others = {"path": "", "query": None, "fragment": None}
        assert {name: getattr(url, name) for name in others if name != component} == {
            name: value for name, value in others.items() if name != component
        }
        assert given_back is not None


@given(url_texts(st.sampled_from(["http", "ftp", "file", "foo", "nntp", "gopher"])), REFERENCES)
def test_a_joined_url_is_found_again(text: str, reference: str) -> None:
    base = URL(text)
    result = base.join(reference)
    check_invariants(result)
    assert base.join(result.relative_to(base)) == result


@given(url_texts(), url_texts(), st.booleans())
def test_relative_to_is_the_inverse_of_join(one: str, other: str, same: bool) -> None:
    base, url = URL(one), URL(other)
    if same and base.authority is not None:
        url = (
            base.join(url.path)
            if url.path.startswith("/") and not url.path.startswith("//") and syntax.row(base.scheme).hierarchical
            else base
        )
    joined = base.join(url.relative_to(base))
    # A URL with dot segments is another reference to the one without them (RFC 3986 5.2.2).
    assert joined == (base.join(str(url)) if joined != url else url)
    assert joined.is_equivalent(url)


@given(NAMES, WILD)
def test_the_cut_is_each_scheme_s_own(name: str, tail: str) -> None:
    row = syntax.row(name)
    try:
        url = URL(f"{name}:{tail}")
    except URLSyntaxError:
        return
    assert (url.authority is None) >= (row.authority == "forbidden")
    assert row.query or url.query is None
