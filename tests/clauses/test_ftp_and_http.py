"""RFC 1738 3.2 and 3.3: the commands that an ftp URL stands for, and the request of an http URL."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl import URL, Client, parse
from anyurl.cli.run import run
from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options
from anyurl.errors import URLSyntaxError
from anyurl.schemes.ftp.parts import FtpParts
from anyurl.schemes.ftp.session import NOBODY
from anyurl.schemes.registry import find_scheme
from tests.clauses.kit import connects, errors, is_url, sent
from tests.rows import each_row
from tests.schemes.ftp.ftp_script import Rehearsed

LOGIN = ["USER anonymous", "PASS anonymous@"]


def commands(text: str) -> list[str]:
    """Those of the RFC: without the ones that ask for size, time, features and data ports."""
    extra = ("SIZE", "MDTM", "EPSV", "FEAT", "SYST", "MLSD", "MLST", "OPTS")
    return [line for line in sent(text) if not line.startswith(extra)]


def login(text: str, secret: str | None = None, **options: str) -> list[str]:
    """The first two commands, against a server that asks for a password."""
    done = Rehearsed(find_scheme("ftp").verbs["get"](URL(text), Options(**options)), secret=secret)  # type: ignore[arg-type]
    assert done.error is None
    return done.commands[:2]


# --- 3.2 -------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("3.2-1")
def test_files_and_directories() -> None:
    assert commands("ftp://h/a/b") == [*LOGIN, "CWD a", "TYPE I", "RETR b"]
    assert "MLSD" in sent("ftp://h/a/")


@pytest.mark.clause("3.2-2")
def test_the_port_of_ftp() -> None:
    assert (URL("ftp://h/").port, URL("ftp://h:2121/").port) == (21, 2121)
    assert connects("ftp://h/x")[0] == "connect to h port 21"
    assert connects("ftp://h:2121/x")[0] == "connect to h port 2121"


@pytest.mark.clause("3.2.1-1")
def test_user_and_password_are_said_first() -> None:
    assert login("ftp://joe:pw@h/x") == ["USER joe", "PASS pw"]


@pytest.mark.clause("3.2.1-2")
def test_they_are_decoded() -> None:
    assert login("ftp://j%6Fe%40x:p%2F%3A@h/x") == ["USER joe@x", "PASS p/:"]


@pytest.mark.clause("3.2.1-3")
def test_without_a_user_it_is_anonymous() -> None:
    assert login("ftp://h/x") == ["USER anonymous", "PASS anonymous@"]


@pytest.mark.clause("3.2.1-4", "3.2.1-5")
def test_the_password_is_then_the_address_that_the_user_has_configured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An address is given away only where it was configured: none is made up of a user's name and a host's."""
    assert login("ftp://h/x", identity="me@example.org") == ["USER anonymous", "PASS me@example.org"]
    assert NOBODY == "anonymous@"
    assert run(["get", "--explain", "--identity", "you@example.org", "ftp://h/x"]) == 0
    assert "> PASS you@example.org\n" in capsys.readouterr().out
    monkeypatch.setenv("ANYURL_IDENTITY", "she@example.org")
    assert run(["get", "--explain", "ftp://h/x"]) == 0
    assert "> PASS she@example.org\n" in capsys.readouterr().out


@pytest.mark.clause("3.2.1-6")
def test_a_user_without_a_password_is_asked_for_it() -> None:
    assert login("ftp://joe@h/x", secret="asked") == ["USER joe", "PASS asked"]


@pytest.mark.clause("3.2.1-7")
def test_an_empty_user_is_said_as_one() -> None:
    assert login("ftp://@h/x") == ["USER ", "PASS "]


@pytest.mark.clause("3.2.1-8")
@pytest.mark.parametrize("text", ["ftp://joe@h/x", "ftp://joe:pw@h/x", "ftp://h/x"])
def test_no_password_is_said_where_none_is_asked_for(text: str) -> None:
    done = Rehearsed(find_scheme("ftp").verbs["get"](URL(text), Options()), {"USER": b"230 in\r\n"})
    assert done.error is None
    assert not any(line.startswith("PASS") for line in done.commands)


@pytest.mark.clause("3.2.2-1", "3.2.2-6", "3.2.2-9")
def test_directories_a_name_and_a_typecode() -> None:
    assert commands("ftp://h/a/b/c;type=a") == [*LOGIN, "CWD a", "CWD b", "TYPE A", "RETR c"]
    assert commands("ftp://h/a/b/c;type=i") == [*LOGIN, "CWD a", "CWD b", "TYPE I", "RETR c"]
    assert str(URL.build(scheme="ftp", host="h", parts=FtpParts(["a", "b"], "c", "A"))) == "ftp://h/a/b/c;type=a"


@pytest.mark.clause("3.2.2-2")
def test_the_typecodes() -> None:
    assert [URL(f"ftp://h/x;type={code}").parts.typecode for code in "aidAID"] == ["a", "i", "d", "a", "i", "d"]
    assert [code for code in "aidAID" if not is_url(f"ftp://h/x;type={code}")] == []
    assert errors("ftp://h/x;type=x") == [("typecode", "x")]
    with pytest.raises(URLSyntaxError):
        URL("ftp://h/x;type=x").parts  # noqa: B018


@pytest.mark.clause("3.2.2-3")
def test_type_is_written_as_the_production_has_it() -> None:
    """Where both cases are meant, the productions name both (``ftptype``, ``hex``): a literal is what it says."""
    assert errors("ftp://h/x;TYPE=a") == [("typecode-case", ";TYPE=")]
    assert URL("ftp://h/x;TYPE=a").parts.name == "x;TYPE=a"


@pytest.mark.clause("3.2.2-4")
def test_typecode_and_parts_may_be_empty() -> None:
    assert URL("ftp://h/x").parts.typecode is None
    for url in ("ftp://h//x", "ftp://h//%78"):
        assert URL(url).parts.directories == ("",)
    assert URL("ftp://h/a/").parts.name == ""
    assert is_url("ftp://h//")


@pytest.mark.clause("3.2.2-5")
def test_the_whole_path_may_be_left_out() -> None:
    assert is_url("ftp://h")
    assert commands("ftp://h") == commands("ftp://h/") == LOGIN


@pytest.mark.clause("3.2.2-7", "3.2.2-8")
def test_typecode_d_is_a_listing_of_names() -> None:
    assert commands("ftp://h/pub/x;type=d") == [*LOGIN, "CWD pub", "NLST x"]
    done = Rehearsed(find_scheme("ftp").verbs["list"](URL("ftp://h/pub/x;type=d"), Options()), data=[[b"a\r\nb\r\n"]])
    assert [entry.name for entry in done.entries] == ["a", "b"]


@pytest.mark.clause("3.2.2-10")
def test_slash_and_semicolon_are_encoded_in_a_name() -> None:
    assert errors("ftp://h/a;b") == [("reserved", ";")]
    parts = URL("ftp://h/a%2Fb%3Bc").parts
    assert parts.name == "a/b;c"
    assert parts.url_path() == "a%2Fb%3Bc"


@pytest.mark.clause("3.2.2-11")
def test_the_components_are_decoded() -> None:
    assert commands("ftp://h/a%20b/c%64")[2:] == ["CWD a b", "TYPE I", "RETR cd"]


@pytest.mark.clause("3.2.2-12")
def test_an_encoded_slash() -> None:
    assert commands("ftp://h/%2Fetc/motd")[2:] == ["CWD /etc", "TYPE I", "RETR motd"]


@pytest.mark.clause("3.2.2-13")
def test_a_plain_path() -> None:
    assert commands("ftp://h/etc/motd")[2:] == ["CWD etc", "TYPE I", "RETR motd"]


@pytest.mark.clause("3.2.2-14")
def test_an_empty_argument() -> None:
    for url in ("ftp://h//etc/motd", "ftp://h//%65tc/motd"):  # what is not encoded is read in a shorter way
        assert commands(url)[2:] == ["CWD ", "CWD etc", "TYPE I", "RETR motd"]


@pytest.mark.clause("2-5", "2-6", "3.2.2-15")
def test_a_file_is_replaced_and_updated(tmp_path: Path) -> None:
    """What a scheme's protocol cannot do, its verbs say: gopher, wais, prospero and telnet only give."""
    file = tmp_path / "x"
    with Client() as client:
        for content in (b"one\n", b"two\n"):
            client.put(f"file://{file}", content)
            assert file.read_bytes() == content
        client.append(f"file://{file}", b"three\n")
    assert file.read_bytes() == b"two\nthree\n"
    assert sent("ftp://h/a/x", "put")[-1] == "STOR x"
    assert sent("ftp://h/a/x", "append")[-1] == "APPE x"
    assert sent("http://h/a/x", "put")[0] == "PUT /a/x HTTP/1.1"
    for group in ("news://h/a.b", "nntp://h/a.b"):  # what is put into a newsgroup is posted, as a reader posts
        assert next(line for line in sent(group, "append") if line != "CAPABILITIES") == "POST"
    letter = dry_run("mailto:joe@h.dom", "append", Options(mail_server="mail.example", mail_from="me@h.dom"))
    assert "> RCPT TO:<joe@h.dom>" in letter
    ten = ("file", "ftp", "gopher", "http", "mailto", "news", "nntp", "prospero", "telnet", "wais")
    assert {name for name in ten if "put" in find_scheme(name).verbs} == {"file", "ftp", "http"}
    assert {name for name in ten if "append" in find_scheme(name).verbs} == {"file", "ftp", "mailto", "news", "nntp"}


@pytest.mark.clause("2-7", "3.2.2-16")
def test_attributes_are_found_by_listings() -> None:
    assert sent("ftp://h/a/x", "stat")[-1] == "MLST x"
    lines = b"-rw-r--r-- 1 u g 12 Jan 01 2001 x\r\n"
    done = Rehearsed(find_scheme("ftp").verbs["list"](URL("ftp://h/a/"), Options()), data=[[lines]], features=())
    assert [(entry.name, entry.size) for entry in done.entries] == [("x", 12)]


@pytest.mark.clause("3.2.3-1")
def test_the_mode_is_guessed() -> None:
    records = {"SYST": b"215 MVS\r\n"}
    for name, mode in (("x.txt", "TYPE A"), ("x.gz", "TYPE I"), ("x", "TYPE I")):
        done = Rehearsed(find_scheme("ftp").verbs["get"](URL(f"ftp://h/{name}"), Options()), records)  # type: ignore[arg-type]
        assert mode in done.commands, name


@pytest.mark.clause("3.2.3-2")
@each_row("system", [b"215 UNIX Type: L8\r\n", b"215 MVS\r\n"])
@each_row("name", ["x.txt", "x.zip", "x.txt.gz", "x"])
def test_the_same_mode_is_guessed_for_what_is_written(system: bytes, name: str) -> None:
    modes = []
    for verb in ("get", "put"):
        dialogue = find_scheme("ftp").verbs[verb](URL(f"ftp://h/{name}"), Options())  # type: ignore[index]
        done = Rehearsed(dialogue, {"SYST": system}, source=[b"a\n"])
        modes.append([line for line in done.commands if line.startswith("TYPE")])
    assert modes[0] == modes[1]
    assert (modes[0] == ["TYPE A"]) is (name == "x.txt" and b"MVS" in system)


@pytest.mark.clause("3.2.3-3")
def test_line_ends_of_a_text_are_converted() -> None:
    done = Rehearsed(find_scheme("ftp").verbs["get"](URL("ftp://h/x;type=a"), Options()), data=[[b"a\r\nb\r\n"]])
    assert done.content == b"a\nb\n"


@pytest.mark.clause("3.2.4-1")
def test_a_name_need_not_be_a_path_of_unix() -> None:
    assert commands("ftp://h/DISK$USER:%5BMY%5D/NOTE.TXT%3B1")[2:3] == ["CWD DISK$USER:[MY]"]
    for url in ("ftp://h/a/../b", "ftp://h/%61/../b"):
        assert commands(url)[2:] == ["CWD a", "CWD ..", "TYPE I", "RETR b"]


@pytest.mark.clause("3.3-1", "3.3-6")
def test_an_http_url() -> None:
    url = URL("http://h:8080/a/b?c%20d")
    assert (url.host, url.port, url.url_path, url.query) == ("h", 8080, "a/b?c%20d", "c%20d")
    assert sent("http://h:8080/a%7Eb/%2f?c%20d")[0] == "GET /a%7Eb/%2f?c%20d HTTP/1.1"
    assert sent("http://h/%41/./%2e%2e//b?%41+%2B")[0] == "GET /%41/./%2e%2e//b?%41+%2B HTTP/1.1"


@pytest.mark.clause("3.3-2")
def test_the_port_of_http() -> None:
    assert URL("http://h/").port == 80


@pytest.mark.clause("3.3-3")
def test_an_http_url_has_no_user_and_no_password() -> None:
    assert errors("http://u:p@h/") == [("userinfo", "u:p@")]
    with pytest.raises(URLSyntaxError):
        parse("http://u@h/", "rfc1738")


@pytest.mark.clause("3.3-4")
def test_path_and_search_may_be_left_out() -> None:
    assert all(is_url(text) for text in ("http://h", "http://h/", "http://h/a", "http://h/?q", "http://h/?"))
    assert errors("http://h?q") == [("slash-missing", "")]
    assert [sent(text)[0] for text in ("http://h", "http://h/", "http://h/?", "http://h/?q", "http://h/a?")] == [
        "GET / HTTP/1.1", "GET / HTTP/1.1", "GET /? HTTP/1.1", "GET /?q HTTP/1.1", "GET /a? HTTP/1.1",
    ]  # fmt: skip


@pytest.mark.clause("3.3-5")
@pytest.mark.parametrize("char", "/;?")
def test_what_http_reserves_is_another_url_when_it_is_encoded(char: str) -> None:
    encoded = f"%{ord(char):02X}"
    assert not URL(f"http://h/a{char}b").is_equivalent(URL(f"http://h/a{encoded}b"))
    assert not URL(f"http://h/?a{char}b").is_equivalent(URL(f"http://h/?a{encoded}b"))
    assert str(URL(f"http://h/a{encoded}b").normalize("rfc1738")) == f"http://h/a{encoded}b"


@pytest.mark.clause("3.3-7")
def test_the_search_part_is_a_query() -> None:
    """A search of http is its URL: no protocol says which resource can be searched, so there is no verb for it."""
    assert URL("http://h/idx?a+b").query == "a+b"
    assert sent(str(URL("http://h/idx").with_query({"q": "a b"})))[0] == "GET /idx?q=a%20b HTTP/1.1"
    assert "search" not in find_scheme("http").verbs
