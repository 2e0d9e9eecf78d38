"""What is read more widely than the standards say: who has it, why it is safe, and which test holds it.

Rule: what a peer could abuse (framing, lengths, hosts, credentials) is read strictly, and has no row.
"""

from __future__ import annotations

from typing import NamedTuple


class Tolerance(NamedTuple):
    """A row of the table.

    Attributes:
        what: What is tolerated.
        peers: Servers that need it, and clients that have it.
        safe: Why nobody profits.
        test: The test that holds it, as pytest names it.
    """

    what: str
    peers: str
    safe: str
    test: str


TOLERANCES = (
    Tolerance(
        "http: a `Content-Encoding` that no registry knows (`utf-8`, `none`, `aws-chunked`, `zip`) is ignored",
        "object stores, pages of PHP; curl, wget, httpx",
        "a note says so, and nothing is decoded; a registered coding that was not requested is an error",
        "tests/net/http/test_coding.py::test_a_name_that_is_no_coding_changes_nothing",
    ),
    Tolerance(
        "http: `Content-Range: bytes=5-9/10`, `bytes: 5-9/10`, `5-9/10`; a part that begins earlier",
        "block caches; curl, wget, aria2",
        "the octets are joined only if validator, length and place agree",
        "tests/schemes/http/test_resuming.py::test_no_answer_loses_octets_mixes_documents_or_never_ends",
    ),
    Tolerance(
        "http: a malformed value in a challenge (`Basic realm=my realm`) is read to the comma",
        "Sandstorm, Couper; curl, wget",
        "known parameters only, and not if it may hide a challenge; what stays unread forbids a password in clear",
        "tests/dialogue/test_challenges.py::test_a_malformed_value_hides_no_stronger_challenge",
    ),
    Tolerance(
        "http: any number of interim replies", "servers that work long (102); curl, httpx",
        "all of them together have the limit `header_bytes`",
        "tests/net/http/test_head.py::test_interim_blocks",
    ),
    Tolerance(
        "netrc: unknown words, any octets, a macro at its end", "what Heroku's and others' tools write; curl, wget",
        "a keyword is never a value; an entry that is not understood is not used, and no other host gets it",
        "tests/client/test_netrc.py::test_no_host_gets_what_stands_behind_another",
    ),
    Tolerance(
        "NO_PROXY: entries that are no hosts", "curl, requests",
        "each is a warning, and such a host goes through the proxy",
        "tests/net/wire/proxies/test_table.py::test_an_odd_exception_of_the_environment_is_a_warning",
    ),
    Tolerance(
        "ftp: PASV after an EPSV whose port leads to no connection", "firewalls and NATs; curl, lftp, wget",
        "the port is at the address of the control connection, and the policy judges it as any other",
        "tests/schemes/ftp/test_transfer.py::test_a_firewall_that_knows_pasv_only_is_passed",
    ),
    Tolerance(
        "ftp: 227 as the reply to EPSV; ports in any line of a reply", "FileZilla's peers, aioftp; curl",
        "of the reply only the port is used, whatever host it names",
        "tests/peers/test_tolerances.py::test_no_reply_leads_a_data_connection_to_another_host",
    ),
    Tolerance(
        "ftp: a file that grows while it is fetched", "logs on any server; curl, wget, lftp",
        "the server's 226 must confirm the end; fewer octets than announced stay an error",
        "tests/schemes/ftp/test_verbs.py::test_a_file_that_grows_while_it_is_read_is_fetched",
    ),
    Tolerance(
        "ftp: lines of a listing that are not understood: the names are asked for (NLST)",
        "months of other languages, old systems; lftp",
        "a name is an entry of its own directory only; what stays unknown is counted in a note",
        "tests/schemes/ftp/test_listing.py::test_the_names_in_lines_that_are_not_understood_are_asked_for",
    ),
    Tolerance(
        "gopher, news, dict, gemini: one odd line in a reply", "old archives; lynx, w3m, slrn",
        "it is left out and counted; no line is joined with another, and none becomes a command",
        "tests/schemes/test_unparsed_lines.py",
    ),
    Tolerance(
        "wais: silence is tried for today's Z39.50", "yaz",
        "the octets of the trial are the same for every server, to the endpoint that was judged",
        "tests/peers/test_z3950.py::test_a_target_of_z3950_is_told_from_a_wais_server_that_is_silent",
    ),
)  # fmt: skip


def section() -> list[str]:
    """The section of docs/peers.md."""
    lines = [
        "## What is read widely",
        "",
        "Faults of servers and files that harm nobody do not stop a transfer. What a peer could abuse (framing,",
        "lengths, hosts, credentials) is read strictly.",
        "",
        "| tolerance | who has it | why it is safe | test |",
        "|---|---|---|---|",
    ]
    for row in TOLERANCES:
        file, _, name = row.test.rpartition("/")[2].partition("::")
        lines.append(f"| {row.what} | {row.peers} | {row.safe} | {file}{f': `{name}`' if name else ''} |")
    return [*lines, ""]
