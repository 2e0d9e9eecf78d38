"""Texts that are URLs, and texts that nearly are, for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from anyurl.url import syntax

NAMES = st.sampled_from([*syntax.ROWS, "x-test", "foo", "a+b.c-1"])
_UNRESERVED = "abcxyzABCXYZ0189-._~"
_DELIMS = "!$&'()*+,;="
_ESCAPES = st.integers(0, 255).map(lambda octet: f"%{octet:02X}") | st.sampled_from(["%2f", "%7e", "%aA"])


def _text(characters: str, size: int = 8) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(characters) | _ESCAPES, max_size=size).map("".join)


def _labels() -> st.SearchStrategy[str]:
    label = st.text("abcz019-_", min_size=1, max_size=6)
    return st.lists(label, min_size=1, max_size=3).map(lambda labels: ".".join([*labels, "dom"]))


HOSTS = st.one_of(
    _labels(),
    st.sampled_from(
        [
            "EXAMPLE.org",
            "h",
            "localhost",
            "127.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[2001:DB8::8:800:200C:417A]",
            "[::ffff:192.0.2.1]",
            "[v7.x:y]",
        ]
    ),
)
PORTS = st.one_of(st.just(""), st.just(":"), st.integers(0, 65535).map(lambda port: f":{port}"), st.just(":0080"))
SEGMENTS = st.sampled_from([".", "..", "", "a", "b;x", "..."]) | _text(_UNRESERVED + _DELIMS + ":@")


@st.composite
def url_texts(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES) -> str:
    """A text that is a URL by the generic syntax and by the facts of its scheme."""
    name = draw(names)
    row = syntax.row(name)
    text = draw(st.sampled_from([name, name.upper(), name.title()])) + ":"
    has_host = row.authority == "required" or (row.authority == "optional" and draw(st.booleans()))
    if has_host:
        text += "//"
        if row.userinfo and draw(st.booleans()):
            text += draw(_text(_UNRESERVED + _DELIMS, 4))
            if draw(st.booleans()):
                text += ":" + draw(_text(_UNRESERVED + _DELIMS + ":", 4))
            text += "@"
        text += draw(HOSTS) + (draw(PORTS) if row.explicit_port else "")
    segments = draw(st.lists(SEGMENTS, max_size=5))
    path = "/".join(segments)
    if segments and (has_host or name == "file" or path.startswith("/") or draw(st.booleans())):
        path = "/" + path.lstrip("/") if not has_host else "/" + path
    if name == "file" and not path:
        path = "/"
    text += path
    if row.query and draw(st.booleans()):
        text += "?" + draw(_text(_UNRESERVED + _DELIMS + ":@/?"))
    if draw(st.booleans()):
        text += "#" + draw(_text(_UNRESERVED + _DELIMS + ":@/?"))
    return text


REFERENCES = st.one_of(
    st.lists(SEGMENTS, max_size=4).map("/".join).map(lambda path: "/" + path.lstrip("/")),
    st.lists(SEGMENTS, max_size=4)
    .map("/".join)
    .filter(lambda path: ":" not in path.partition("/")[0] and path[:2] != "//"),
    _text(_UNRESERVED + "/?").map(lambda query: "?" + query),
    _text(_UNRESERVED + "/?").map(lambda fragment: "#" + fragment),
    st.just(""),
)

WILD = st.text(
    st.sampled_from("ah0:/?#[]@.%\\ \t\n\x00~-_;=&{}<>é／。１\u200d\ud800") | st.characters(codec=None), max_size=24
).map(lambda text: text) | st.builds(
    lambda head, tail: head + tail,
    st.sampled_from(
        ["http://", "http://u:p@", "ftp://h/", "http:", "file:", "mailto:", "foo://", "https://[", "http://h:"]
    ),
    st.text(st.sampled_from("ah0x1f:/?#[]@.%\\ \t\x7f~-_;=&+{}é／。１２\ud800"), max_size=16),
)
"""Texts of which some are URLs and most are not."""
