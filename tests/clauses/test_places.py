"""RFC 1738 3.9 to 3.11: WAIS, files and Prospero."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl import URL, get, parse
from anyurl.errors import RefusedError, UnsupportedError, URLSyntaxError
from anyurl.schemes.file.verbs import FileParts
from anyurl.schemes.prospero.parts import ProsperoParts
from anyurl.schemes.wais.parts import WaisParts
from tests.clauses.kit import errors, is_url, sent


@pytest.mark.clause("3.9-1")
def test_the_three_forms_of_wais() -> None:
    assert URL("wais://h/db").parts == WaisParts("db")
    assert URL("wais://h/db?words").parts == WaisParts("db", "words")
    assert URL("wais://h/db/TEXT/id").parts == WaisParts("db", None, "TEXT", "id")
    assert errors("wais://h/db/TEXT") == [("wpath-missing", "")]
    assert not is_url("wais://h")
    for pieces in (("words", "TEXT", "id"), (None, "TEXT", None), (None, None, "id")):
        with pytest.raises(URLSyntaxError):
            WaisParts("db", *pieces)


@pytest.mark.clause("3.9-2")
def test_the_port_of_wais() -> None:
    assert URL("wais://h/db").port == 210


@pytest.mark.clause("3.9-4")
def test_a_search_is_sent_with_its_words() -> None:
    assert URL("wais://h/db?two%20words").parts == WaisParts("db", "two words")
    assert URL("wais://h/db?two%20words").parts.search == "two words"
    (line,) = sent("wais://h/db?two%20words")
    assert line.startswith("Search, type 3: words 'two words' in database 'db'")


@pytest.mark.clause("3.9-5", "3.9-6")
def test_a_document_is_asked_for_by_its_id_and_its_type() -> None:
    (line,) = sent("wais://h/db/TEXT/a%00b%20c")
    assert "of document 'a\\x00b c' as 'TEXT', database 'db'" in line
    assert URL("wais://h/db/TEXT/%01%02%FF").parts.document_id == b"\x01\x02\xff"
    assert URL("wais://h/db/TEXT/%00%20a%20%0A%00").parts.document_id == b"\0 a \n\0"
    assert URL("wais://h/db/T/a%2Fb").parts == WaisParts("db", None, "T", "a/b")
    assert [WaisParts("db", None, types, "x").first_type for types in ("TEXT", "TEXT,GIF")] == ["TEXT", "TEXT"]


@pytest.mark.clause("3.9-9")
def test_a_plus_is_a_plus_in_the_url() -> None:
    """The parts have it as it is written; that a form would mean a blank is the search's own business."""
    assert URL("wais://h/db?a+b").parts == WaisParts("db", "a+b")
    assert URL("wais://h/db?a%2Bb").parts == WaisParts("db", "a+b")
    (typed,) = sent("wais://h/db?red+blue%2Bgreen")
    assert "words 'red blue+green'" in typed


@pytest.mark.clause("3.9-10")
def test_the_name_of_a_database_is_decoded() -> None:
    assert URL("wais://h/a%2Fb%20c?x").parts == WaisParts("a/b c", "x")
    assert "in database 'a/b c'" in sent("wais://h/a%2Fb%20c?x")[0]
    for name in ("a@b", "a%40b"):  # freeWAIS would ask the server b
        with pytest.raises(RefusedError):
            sent(f"wais://h/{name}?x")


# --- 3.10 ------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("3.10-1", "3.10-5")
def test_a_host_and_a_path_of_directories() -> None:
    url = parse("file://host.dom/a/b/c", "rfc1738")
    assert (url.host, url.url_path) == ("host.dom", "a/b/c")
    assert URL("file://host.dom/a/d/b%20c").parts == FileParts(("a", "d", "b c"))
    assert errors("file://u@h/x") == [("userinfo", "u@")]
    assert errors("file://h:80/x") == [("port-forbidden", ":80")]


@pytest.mark.clause("3.10-2", "3.10-7")
def test_a_file_of_another_machine_has_no_access_method() -> None:
    for host in ("other.host.example", "127.0.0.2", "127.0.0.1", "0.0.0.0", "localhost.example", "xlocalhost"):
        with pytest.raises(UnsupportedError, match=r"RFC 1738 3\.10 gives no access method"):
            sent(f"file://{host}/etc/motd")


@pytest.mark.clause("3.10-3")
@pytest.mark.parametrize("host", ["", "localhost", "LOCALHOST"])
def test_no_host_and_localhost_are_this_machine(tmp_path: Path, host: str) -> None:
    (tmp_path / "x").write_bytes(b"here")
    assert get(f"file://{host}{tmp_path}/x").read() == b"here"
    assert is_url(f"file://{host}/x")


@pytest.mark.clause("3.10-4", "draft-2")
def test_so_the_prose_of_the_draft_has_it() -> None:
    """Its productions have a host that is not empty, and a path that may be left out."""
    assert is_url("file:///x", "rfc1738-draft07")
    assert parse("file:///x", "rfc1738-draft07").host == ""
    assert is_url("file://h", "rfc1738-draft07")
    assert not is_url("file://h")


@pytest.mark.clause("3.10-6")
def test_the_example_of_another_system() -> None:
    """``DISK$USER:[MY.NOTES]NOTE123456.TXT`` of VMS."""
    url = parse("file://vms.host.edu/disk$user/my/notes/note12345.txt", "rfc1738")
    assert (url.host, url.parts) == ("vms.host.edu", FileParts(("disk$user", "my", "notes", "note12345.txt")))
    for path, system, text in (
        ("/my/notes/note 1.txt", "posix", "file:///my/notes/note%201.txt"),
        (r"C:\my\notes\note 1.txt", "windows", "file:///C:/my/notes/note%201.txt"),
        (r"\\vms.host.edu\disk$user\note.txt", "windows", "file://vms.host.edu/disk$user/note.txt"),
    ):
        made = URL.from_path(path, system=system)  # type: ignore[arg-type]
        assert (str(made), made.to_path(system=system)) == (text, path)  # type: ignore[arg-type]


# --- 3.11 ------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("3.11-1")
def test_a_prospero_url() -> None:
    url = parse("prospero://host.dom:1526/x/y;a=b", "rfc1738")
    assert (url.host, url.port) == ("host.dom", 1526)
    assert url.parts == ProsperoParts("x/y", (("a", "b"),))
    assert not is_url("prospero://h")
    for text in ("prospero://h/x;a", "prospero://h/x;a=b;c"):
        with pytest.raises(URLSyntaxError, match="has no '='"):
            URL(text).parts  # noqa: B018


@pytest.mark.clause("3.11-2")
def test_the_port_of_prospero() -> None:
    assert URL("prospero://h/x").port == 1525


@pytest.mark.clause("3.11-3")
def test_it_has_no_user_and_no_password() -> None:
    assert errors("prospero://u:p@h/x") == [("userinfo", "u:p@")]
    with pytest.raises(URLSyntaxError):
        URL("prospero://u@h/x")


@pytest.mark.clause("3.11-4")
def test_the_name_is_opaque_and_a_semicolon_of_it_encoded() -> None:
    assert URL("prospero://h/a%3Bb%20c").parts == ProsperoParts("a;b c")
    assert errors("prospero://h/a;b") == [("field", ";b")]
    assert ProsperoParts("a;b").url_path() == "a%3Bb"


@pytest.mark.clause("3.11-7")
def test_slashes_say_nothing_and_the_first_is_not_part_of_the_name() -> None:
    assert URL("prospero://host.dom//pros/name").parts == ProsperoParts("/pros/name")
    assert URL("prospero://h/a%2Fb").parts == URL("prospero://h/a/b").parts
    assert "GET-OBJECT-INFO #ALL ASCII '/pros/name' 0" in sent("prospero://h//pros/name")
    one, other = URL("prospero://h//a/b"), URL("prospero://h//a%2Fb")
    assert one.is_equivalent(other)
    for base in (one, other):  # a slash is no hierarchy: two names of one object would be two bases
        with pytest.raises(URLSyntaxError, match="have no hierarchy"):
            base.join("c")
        with pytest.raises(URLSyntaxError, match="has no hierarchy"):
            base / "c"


@pytest.mark.clause("3.11-8")
def test_fields_identify_the_target() -> None:
    url = URL("prospero://h/x;OBJECT-VERSION=3;a=b")
    assert url.parts == ProsperoParts("x", (("OBJECT-VERSION", "3"), ("a", "b")))
    assert "GET-OBJECT-INFO #ALL ASCII x 3" in sent(str(url))
    other = URL("prospero://h/x;object-version=3;a=b").parts
    assert (other.version, other.selects) == (3, ((b"a", b"b"),))
