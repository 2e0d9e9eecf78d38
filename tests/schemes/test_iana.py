"""IANA's registry as data: its file of record, what anyurl knows of the names, and the script that tells its age."""

from __future__ import annotations

import datetime
import json
import re

import pytest

from anyurl.cli.run import run
from anyurl.schemes.iana import registrations
from anyurl.url import syntax
from tests.architecture.test_documents import script

REGISTRY = script("registry")

OTHER_DOCUMENTS = {
    "smtp": "registered by a draft; the protocol is RFC 5321's",
    "ldaps": "registered by its template; the form is RFC 4516's",
}
UNREGISTERED = {"mqtt", "javascript"}
"""Known from use; IANA's list was looked through for them, and has none as of the file."""


@pytest.mark.clause("4-3")
def test_the_ten_schemes_of_rfc_1738_and_its_reserved_names_are_registered() -> None:
    found = registrations()
    status = {name: one.status for name, one in found.items()}
    assert {status[name] for name in ("ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "file")} == {
        "permanent"
    }
    assert {status[name] for name in ("wais", "prospero", "z39.50", "mailserver")} == {"historical"}
    assert (found["afs"].status, found["afs"].reference) == ("provisional", "RFC 1738")
    assert found["thismessage"].template == "https://www.iana.org/assignments/uri-schemes/perm/thismessage"


def test_each_name_has_a_status_and_a_document_or_a_template() -> None:
    found = registrations()
    assert list(found) == sorted(found)
    assert len(found) == 364
    for name, one in found.items():
        assert re.fullmatch(r"[a-z][a-z0-9+.-]*", name)
        assert one.status in ("permanent", "provisional", "historical")
        assert one.reference or one.template, name


def test_what_anyurl_cites_of_a_scheme_is_what_registered_it() -> None:
    """Or a later document of the same protocol, which is then listed here."""
    found = registrations()
    for name, row in syntax.ROWS.items():
        document = re.match(r"RFC \d+", row.reference)
        if document is not None and name in found and name not in OTHER_DOCUMENTS:
            registered = found[name].reference
            assert document[0] in registered.split(", "), (
                f"{name}: its row cites {document[0]}, and IANA's registry {registered or 'no document'}; "
                "a later document of the protocol needs its reason in OTHER_DOCUMENTS"
            )
    assert {
        name for name, row in syntax.ROWS.items() if row.reference == syntax.IANA and name not in found
    } == UNREGISTERED


def test_the_command_lists_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schemes", "--registry", "--json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert records[0] == {
        "scheme": "aaa", "status": "permanent", "template": None, "reference": "RFC 6733", "updated": "2022-11-18",
    }  # fmt: skip
    assert [one["scheme"] for one in records] == list(registrations())
    assert run(["schemes", "--registry"]) == 0
    shown = capsys.readouterr()
    assert re.search(r"^wais +historical +RFC 4156$", shown.out, re.MULTILINE)
    assert "as of 2022-11-18" in shown.err


CSV = """\
URI Scheme,Template,Description,Status,Well-Known URI Support,Reference,Notes
http,,Hypertext,Permanent,[RFC8615],"[RFC9110, Section 4.2.1]",
acd,prov/acd,acd,Provisional,-,[Some_Body],
shttp (OBSOLETE),,Secure,Permanent,-,[RFC2660][status-change-http],
pack,historic/pack,pack,Historical,-,[draft-shur-pack-uri-scheme],
"""


def test_the_file_is_made_of_ianas_own_and_names_no_person() -> None:
    text = REGISTRY.converted(CSV, "2026-01-02")
    assert text.splitlines()[1:] == [
        "# updated\t2026-01-02", "name\tstatus\ttemplate\treference", "acd\tprovisional\tprov/acd\t",
        "http\tpermanent\t\tRFC 9110", "pack\thistorical\thistoric/pack\tdraft-shur-pack-uri-scheme",
        "shttp\tpermanent\t\tRFC 2660",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("year", "said", "is_old"),
    [
        (2026, "4 names as of 2026-01-02, 31 days ago.", False),
        (2027, "4 names as of 2026-01-02, 396 days ago. Older than a year: make it anew from ", True),
    ],
)
def test_the_script_tells_the_age_of_the_file(year: int, said: str, is_old: bool) -> None:
    told, old = REGISTRY.told(REGISTRY.converted(CSV, "2026-01-02"), datetime.date(year, 2, 2))
    assert (told.partition("IANA")[0], old) == (said, is_old)
