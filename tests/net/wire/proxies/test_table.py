"""Which proxy a connection goes through: by scheme, by place, from the environment; and what is none."""

from __future__ import annotations

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.net.wire.proxies.table import Exceptions, Proxies, Proxy, read_proxies, read_proxy
from tests.rows import each_row

P, Q = "http://p.test:3128", "socks5://q.test"


@each_row(
    ("text", "shown", "login"),
    [
        ("http://p.test:3128", "http://p.test:3128", None),
        ("http://p.test/", "http://p.test:80", None),
        ("https://p.test", "https://p.test:443", None),
        ("socks5://[::1]:1081", "socks5://[::1]:1081", None),
        ("socks5h://p.test", "socks5h://p.test:1080", None),
        pytest.param("http://u:p%40x@p.test:1", "http://p.test:1", ("u", "p@x"), id="decoded"),
        pytest.param(
            f"socks5://{'u' * 255}:{'p' * 255}@p.test", "socks5://p.test:1080", ("u" * 255, "p" * 255), id="the longest"
        ),
        pytest.param("socks5://u@p.test", "socks5://p.test:1080", ("u", ""), id="a user alone"),
    ],
)
def test_a_proxy_is_read(text: str, shown: str, login: tuple[str, str] | None) -> None:
    proxy = read_proxy(text)
    assert (str(proxy), repr(proxy)) == (shown, f"Proxy({shown!r})")
    assert (None if proxy.secret is None else (proxy.user, proxy.secret.reveal())) == login


@each_row(
    ("text", "why"),
    [
        ("p.test:3128", "no proxy has the scheme p.test"),
        ("p test", "it is not a URL"),
        ("socks4://p.test", "no proxy has the scheme socks4"),
        ("http://p.test/path", "it must have a host, and may have only a user and a port besides"),
        ("http://p.test?x", "it must have a host, and may have only a user and a port besides"),
        ("http:///", "it is not a URL"),
        ("http://u:a%0D%0Ab@p.test", "its user or password can't be sent"),
        ("http://a%3Ab:c@p.test", "its user or password can't be sent"),
        ("socks5://u:" + "p" * 256 + "@p.test", "its user or password can't be sent"),
    ],
)
def test_what_is_no_proxy(text: str, why: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        read_proxy(text)
    message = str(caught.value)
    assert f"is not a proxy ({why}); http://host:3128 or socks5://host:1080 would be" in message
    assert "ppp" not in message
    assert "@" not in message


def chosen(table: Proxies | None, scheme: str, host: str = "h.test", port: int = 80) -> str | None:
    proxy = None if table is None else table.proxy_for(scheme, host, port)
    return None if proxy is None else str(proxy)


class TestByScheme:
    def test_one_for_all(self) -> None:
        table = read_proxies(P, (), {})
        assert [chosen(table, scheme) for scheme in ("http", "ftp", "gopher")] == [P] * 3

    def test_one_for_each(self) -> None:
        table = read_proxies({"http": P, "ftp": "", "*": Q}, (), {})
        assert [chosen(table, scheme) for scheme in ("http", "ftp", "gopher")] == [P, None, f"{Q}:1080"]
        assert chosen(read_proxies({"http": P}, (), {}), "gopher") is None

    @pytest.mark.parametrize("given", [None, {}, {"http": ""}, "env"])
    def test_none_at_all_is_no_table(self, given: str | dict[str, str] | None) -> None:
        assert read_proxies(given, (), {}) is None

    def test_another_type_is_refused(self) -> None:
        with pytest.raises(TypeError, match="a proxy is a URL"):
            read_proxies(3128, (), {})  # type: ignore[arg-type]


@each_row(
    ("environment", "http", "https", "gopher"),
    [
        ({"http_proxy": P}, P, None, None),
        pytest.param({"HTTP_PROXY": P}, None, None, None, id="a request's field in a CGI script (CVE-2016-5385)"),
        ({"HTTPS_PROXY": P}, None, P, None),
        pytest.param({"HTTPS_PROXY": P, "https_proxy": f"{Q}:1080"}, None, f"{Q}:1080", None, id="lower case wins"),
        ({"all_proxy": P, "http_proxy": ""}, P, P, P),
        ({"ALL_PROXY": P, "https_proxy": f"{Q}:1"}, P, f"{Q}:1", P),
        pytest.param({"http_proxy": "p.test:3128"}, P, None, None, id="without a scheme"),
        ({"http_proxy": P, "no_proxy": "h.test"}, None, None, None),
        ({"http_proxy": P, "NO_PROXY": "other.test, .test"}, None, None, None),
        ({"http_proxy": P, "no_proxy": "other.test"}, P, None, None),
    ],
)
def test_the_environment(environment: dict[str, str], http: str | None, https: str | None, gopher: str | None) -> None:
    table = read_proxies("env", (), environment)
    assert [chosen(table, scheme) for scheme in ("http", "https", "gopher")] == [http, https, gopher]
    assert chosen(read_proxies(P, (), {"no_proxy": "h.test"}), "http") == P  # it is not asked unasked
    assert chosen(read_proxies({"*": "env", "http": Q}, (), environment), "http") in (f"{Q}:1080", None)


@each_row(
    ("entry", "host", "held"),
    [
        ("h.test", "h.test", True),
        ("h.test", "H.TEST.", True),
        ("H.Test.", "h.test", True),
        ("h.test", "a.h.test", True),
        (".h.test", "h.test", True),
        (".h.test", "a.h.test", True),
        ("*.h.test", "a.h.test", True),
        pytest.param("*.h.test", "h.test", False, id="only what is below it"),
        pytest.param("h.test", "evilh.test", False, id="not by its letters alone"),
        ("*", "anything.example", True),
        ("h.test:80", "h.test", True),
        ("h.test:81", "h.test", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("10.1.2.3:80", "10.1.2.3", True),
        ("10.1.2.3:81", "10.1.2.3", False),
        ("fd00::/8", "fd00::1", True),
        ("[fd00::1]:80", "fd00::1", True),
        ("[fd00::1]:81", "fd00::1", False),
        ("::1", "0:0:0:0:0:0:0:1", True),
        pytest.param("a.test b.test,h.test", "h.test", True, id="several, by commas and blanks"),
        ("", "h.test", False),
    ],
)
def test_places_that_need_no_proxy(entry: str, host: str, held: bool) -> None:
    assert Exceptions([entry]).hold(host, 80) is held


def test_a_name_is_in_a_network_when_all_of_its_addresses_are() -> None:
    """Of the others some connection would go round the proxy."""
    places = Exceptions(["10.0.0.0/8", "fd00::/8"])
    assert places.hold("h.test", 80, ["10.0.0.1", "fd00::1"])
    assert not places.hold("h.test", 80, ["10.0.0.1", "93.184.216.34"])
    assert not places.hold("h.test", 80)


@each_row(
    "entry",
    ["10.0.0.1/8", "10.0.0.0/33", "h test/", "http://h.test", "h.test:0", "h.test:x", "h.test:0000800000", "a..b"],
)
def test_what_is_no_place(entry: str) -> None:
    with pytest.raises(ValueError, match=r"is not a network|is not a place"):
        Exceptions([entry.replace(" ", "\u00a0")])


def test_what_two_proxies_must_share() -> None:
    base = ("http", "p.test", 80, "u")
    urls = [
        "http://u:p@p.test", "https://u:p@p.test:80", "http://u:p@q.test", "http://u:p@p.test:81", "http://v:p@p.test",
        "http://u:q@p.test", "http://p.test",
    ]  # fmt: skip
    proxies = [read_proxy(url) for url in urls]
    assert len({proxy.key for proxy in proxies}) == len(urls)
    assert read_proxy(urls[0]).key == Proxy(*base, proxies[0].secret).key


@pytest.mark.parametrize("odd", ["<local>", "http://host", "10.0.0.0/33", "a..b"])
def test_an_odd_exception_of_the_environment_is_a_warning(odd: str, caplog: pytest.LogCaptureFixture) -> None:
    table = read_proxies("env", (), {"http_proxy": P, "no_proxy": f"localhost;{odd}, 192.168.*"})
    assert table is not None
    assert table.proxy_for("http", "localhost", 80) is None
    assert table.proxy_for("http", "192.168.7.1", 80) is None
    assert str(table.proxy_for("http", "192.169.7.1", 80)) == P
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "in NO_PROXY is not a host or network, and is ignored" in caplog.text
    with pytest.raises(ValueError, match=r"is not a place to reach without a proxy|network"):
        read_proxies("env", (odd,), {})
