"""Every scheme that speaks keeps the contract of `anyurl.testing`."""

from __future__ import annotations

from anyurl.schemes import registry
from anyurl.testing import SchemeContract


class TestHttp(SchemeContract):
    scheme = registry.find_scheme("http")
    urls = ("http://h/a/b?c=d", "http://u:p@h:8080/", "http://h")


class TestHttps(SchemeContract):
    scheme = registry.find_scheme("https")
    urls = ("https://h/a%2Fb",)


class TestFtp(SchemeContract):
    scheme = registry.find_scheme("ftp")
    urls = (
        "ftp://h/etc/motd",
        "ftp://h/%2Fetc/motd",
        "ftp://h//etc/motd",
        "ftp://h/a%2Fb/c;type=a",
        "ftp://h/pub/x;type=d",
        "ftp://user@h/x",
        "ftp://user:pw@h/x",
        "ftp://@h/x",
        "ftp://u:@h/x",
        "ftp://h",
        "ftp://h/a/",
        "ftp://h/%FF",
    )


class TestFtps(SchemeContract):
    scheme = registry.find_scheme("ftps")
    urls = ("ftps://h/etc/motd", "ftps://u:pw@h:21/a/")


class TestFile(SchemeContract):
    scheme = registry.find_scheme("file")
    urls = ("file:///etc/motd", "file://localhost/etc/", "file:///%FF")
