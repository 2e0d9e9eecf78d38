"""Every scheme that speaks keeps the contract of `anyurl.testing`."""

from __future__ import annotations

from anyurl.dialogue import Options
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


class TestGopher(SchemeContract):
    scheme = registry.find_scheme("gopher")
    urls = (
        "gopher://h/0a%20b",
        "gopher://h",
        "gopher://h/9a%FF",
        "gopher://h:7070/1a?b",
        "gopher://h/7s",
        "gopher://h/7s%09words",
        "gopher://h/7s%09words%09+",
        "gopher://h/0s%09%09+",
        "gopher://h/0s%09%09+application/postscript%20Es_ES",
        "gopher://h/1s%09%09+",
        "gopher://h/0s%09%09!",
        "gopher://h/0s%09%09!+ABSTRACT%20+ADMIN",
        "gopher://h/1s%09%09$",
        "gopher://h/0s%09%09?",
        "gopher://h/0s%09%09+%091%0D%0A+-1%0D%0Aa1%0D%0Aa2%0D%0Aa3%0D%0A.%0D%0A",
        "gopher://h/8login",
    )


class TestGophers(SchemeContract):
    scheme = registry.find_scheme("gophers")
    urls = ("gophers://h/0a", "gophers://h/1")
    options = Options(words="two words", view="text/plain De_DE")


class TestGopherForm(SchemeContract):
    scheme = registry.find_scheme("gopher")
    urls = ("gopher://h/0s%09%09?",)
    options = Options(answers=("one", "two"))


class TestFile(SchemeContract):
    scheme = registry.find_scheme("file")
    urls = ("file:///etc/motd", "file://localhost/etc/", "file:///%FF")
