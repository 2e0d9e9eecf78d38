"""Set-Cookie fields: what is read is bounded, begins no other field, and is read again as the same."""

from __future__ import annotations

from anyurl import URL, CookieJar
from anyurl.client.cookies import MAX_SENT
from anyurl.schemes.http.wire.cookies import MAX_PAIR, read_set_cookie
from fuzz import kit

HOME = URL("https://a.shop.example/x/y")
OTHERS = [URL(text) for text in ("https://b.example/x/y", "https://example/x/y", "https://bshop.example/x/y")]


def fuzz(data: bytes) -> None:
    """A field's value a line."""
    fields = data.decode("utf-8", "surrogateescape").split("\n")
    jar = CookieJar(clock=lambda: 1_000_000_000.0)
    jar.store(HOME, fields)
    for text in fields:
        said = read_set_cookie(text)
        if said is None:
            continue
        pair = f"{said.name}={said.value}"
        kit.same(len(pair.encode("utf-8", "surrogateescape")) <= MAX_PAIR + 1, True, "longer than the limit allows")
        kit.same(any(char < " " and char != "\t" for char in pair), False, "a control character in a cookie")
        kit.same(";" in pair, False, "two cookies in one")
        again = read_set_cookie(pair)
        kit.same(
            again is not None and (again.name, again.value), (said.name, said.value), "another reading of a cookie"
        )
    header = jar.header(HOME)
    kit.same(
        header is None or len(header.reveal().encode("utf-8", "surrogateescape")) <= MAX_SENT, True, "too much is sent"
    )
    for other in OTHERS:
        kit.same(jar.header(other), None, "a cookie goes elsewhere")
