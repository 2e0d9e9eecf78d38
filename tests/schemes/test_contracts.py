"""Every scheme that speaks keeps the contract of `anyurl.testing`."""

from __future__ import annotations

from anyurl.dialogue import Options
from anyurl.schemes import registry
from anyurl.testing import SchemeContract
from anyurl.url import URL


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


class TestMailto(SchemeContract):
    scheme = registry.find_scheme("mailto")
    urls = (
        "mailto:a@b.example",
        "mailto:a%25b@c.example,%22d%2Ce%22@f.example",
        "mailto:%C3%BC@b%C3%BCcher.example",
        "mailto:?to=a@b.example&cc=c@d.example&subject=x&body=one%0D%0Atwo",
        "mailto:a@b.example?bcc=c@d.example&subject=%E9",
        "mailto:",
    )
    options = Options(mail_server="me@mail.example", mail_from="me@example.org")


class TestMailtoUnconfigured(SchemeContract):
    scheme = registry.find_scheme("mailto")
    urls = ("mailto:a@b.example",)


class TestWais(SchemeContract):
    scheme = registry.find_scheme("wais")
    urls = (
        "wais://h/db",
        "wais://h",
        "wais://h:8210/a%2Fb?two+words",
        "wais://h/db?",
        "wais://h/db/TEXT/25000/1=h%3A210;2=db;3=0%2025000%20a.txt;7=%00;",
        "wais://h/db/TEXT,GIF/1=x;",
        "wais://h/db/WSRC/207/1=x;",
        "wais://h/db/GIF/%FF%00",
        "wais://h/db/PS/2000000/1=x;",
    )


class TestWaisSearch(SchemeContract):
    scheme = registry.find_scheme("wais")
    urls = ("wais://h/db",)
    options = Options(words="two words", like=[URL("wais://h/db/TEXT/5/1=x;#line=0,2")], limit=5, wais_form="rfc")


class TestData(SchemeContract):
    scheme = registry.find_scheme("data")
    urls = (
        "data:,A%20brief%20note",
        "data:text/html;charset=utf-8;x=a%2Cb,%FF%00?a#f",
        "data:image/gif;base64,R0lGODdh",
        "data:;base64,",
    )


class TestDict(SchemeContract):
    scheme = registry.find_scheme("dict")
    urls = (
        "dict://h/d:word", "dict://h/d:two%20words:db:1", "dict://h/d:%C3%BC%3A:*", "dict://h/m:w", "dict://h/m:w:db:re",
        "dict://h/m:w:::1", "dict://h", "dict://h:2629/d::db", "dict://h/d:", "dict://u:p@h/d:w", "dict://u;auth@h/d:w",
        "dict://h/d:%FF",
    )  # fmt: skip
    options = Options(words='two "words"', limit=5, match="prefix")


class TestGemini(SchemeContract):
    scheme = registry.find_scheme("gemini")
    urls = (
        "gemini://h", "gemini://h/", "gemini://h:1966/a/b.gmi", "gemini://h/a%2Fb%FF", "gemini://h/find?two%20words",
        "gemini://[::1]/?", "gemini://h/~a;b=c",
    )  # fmt: skip
    options = Options(words="two words")


class TestFile(SchemeContract):
    scheme = registry.find_scheme("file")
    urls = ("file:///etc/motd", "file://localhost/etc/", "file:///%FF")


class TestNews(SchemeContract):
    scheme = registry.find_scheme("news")
    urls = (
        "news:a.b",
        "news:*",
        "news:a.*,!a.b",
        "news:x@h",
        "news://h:1119/x@h",
        "news://h/",
        "news://h/a.b",
        "news:a%2Fb",
    )
    options = Options(news_server="news.example.org:1119", words="two words")


class TestNewsWithoutServer(SchemeContract):
    scheme = registry.find_scheme("news")
    urls = ("news:a.b", "news:x@h")


class TestNewsSince(SchemeContract):
    scheme = registry.find_scheme("snews")
    urls = ("snews:a.b", "snews://h/*", "snews://h/")
    options = Options(news_server="news.example.org", words="since:1994-12-01")


class TestNntp(SchemeContract):
    scheme = registry.find_scheme("nntp")
    urls = ("nntp://h/a.b/12", "nntp://h/a.b", "nntp://h:1119/a.b/1-20", "nntp://[::1]/a%FF")
    options = Options(words="ideal", identity="me@example.org")


class TestNntps(SchemeContract):
    scheme = registry.find_scheme("nntps")
    urls = ("nntps://h/a.b/1", "nntps://h:119/a.b")
    options = Options(view="text")


class TestProspero(SchemeContract):
    scheme = registry.find_scheme("prospero")
    urls = (
        "prospero://h/AFTP/pub/x.txt",
        "prospero://h//pfs/demo",
        "prospero://h:1600/it's;OBJECT-VERSION=3;X=y%20z",
        "prospero://h/%FF",
        "prospero://h",
        "prospero://h/ARCHIE/MATCH(95,95,95,0,=)/prospero",
        "prospero://h/ARCHIE/MATCH(95,95,95,0,=)",
        "prospero://h/GOPHER-GW/g.example(70)/1/",
    )
    options = Options(words="two words")


class TestTelnet(SchemeContract):
    scheme = registry.find_scheme("telnet")
    urls = ("telnet://h/", "telnet://h", "telnet://u:p@h:2323/")
