"""What holds for every URL, in one function that all tests of URLs call."""

from __future__ import annotations

import pickle

from anyurl.url import URL, syntax
from anyurl.url.cut import decode_text


def check_invariants(url: URL) -> None:
    """Fail if anything is not as it must be."""
    text = str(url)
    row = syntax.row(url.scheme)
    assert text.isascii()
    assert text.isprintable()
    assert " " not in text
    assert (URL(text), hash(URL(text)), pickle.loads(pickle.dumps(url))) == (url, hash(url), url)
    assert text[: len(url.scheme)].lower() == url.scheme

    # The components are the text (RFC 3986 5.3).
    parts = [text[: len(url.scheme)], ":"]
    parts += [] if url.authority is None else ["//", url.authority]
    parts += [url.path]
    parts += [] if url.query is None else ["?", url.query]
    parts += [] if url.fragment is None else ["#", url.fragment]
    assert "".join(parts) == text

    _check_authority(url, row)
    _check_path(url, row)
    assert "***" in url.masked or not url.raw_password
    assert url.masked == text or (":" in url.authority if url.raw_password else "@" in text)
    assert repr(url) == f"URL({url.masked!r})"
    assert url.without_fragment().fragment is None
    assert str(url.without_fragment()) == text.partition("#")[0]
    assert url.is_equivalent(url)
    normal = url.normalize()
    assert normal.normalize() == normal
    assert normal.is_equivalent(url)


def _check_authority(url: URL, row: syntax.Row) -> None:
    if url.authority is None:
        assert row.authority != "required"
        names = ("user", "password", "raw_user", "raw_password", "host", "raw_host", "port", "explicit_port", "origin")
        assert {name: getattr(url, name) for name in names} == dict.fromkeys(names)
        return
    assert row.authority != "forbidden"
    assert url.raw_host is not None
    assert url.host is not None
    assert url.host == url.raw_host.strip("[]").lower()
    assert not set(url.host) & set("/?#@\\ []" + "%" * row.dns)
    assert url.raw_host.startswith("[") or ":" not in url.host
    assert url.host or row.empty_host
    userinfo, at, hostport = url.authority.rpartition("@")
    assert bool(at) == (url.raw_user is not None)
    if at:
        assert row.userinfo
        assert "@" not in userinfo
        password = "" if url.raw_password is None else ":" + url.raw_password
        assert f"{url.raw_user}{password}" == userinfo
        assert ":" not in (url.raw_user or "")
    else:
        assert url.raw_password is None
    assert (url.user is None, url.password is None) == (url.raw_user is None, url.raw_password is None)
    assert url.user == (None if url.raw_user is None else decode_text(url.raw_user))
    assert hostport.startswith(url.raw_host)
    port = hostport[len(url.raw_host) :]
    assert port in ("", ":") or int(port[1:]) == url.explicit_port
    assert (url.explicit_port is None) == (port in ("", ":"))
    assert url.port == (row.port if url.explicit_port is None else url.explicit_port)
    assert url.path == "" or url.path.startswith("/")


def _check_path(url: URL, row: syntax.Row) -> None:
    rest = url.path + ("" if url.query is None else "?" + url.query)
    assert url.url_path == (rest.removeprefix("/") if url.authority is not None else rest)
    assert row.query or url.query is None
    assert not row.query or "?" not in url.path
    assert url.authority is not None or not url.path.startswith("//")
