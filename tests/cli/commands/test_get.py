"""``anyurl get``: octets for pipes, objects for scripts, and nothing lost on the way."""

from __future__ import annotations

import hashlib

import pytest

from anyurl.world import World, tree
from tests.cli.conftest import Says
from tests.cli.runner import call, records, run

RESOURCE = ["url", "kind", "type", "size", "modified", "charset", "etag", "attributes", "history", "saved"]


@pytest.mark.parametrize("scheme", ["file", "http", "ftp"])
def test_a_pipe_gets_the_octets_unchanged(world: World, scheme: str) -> None:
    done = call("get", f"{world.roots[scheme]}pub/picture.png")
    assert (done.returncode, done.stderr) == (0, b"")
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(tree.picture()).digest()


@pytest.mark.parametrize("octets", [bytes(range(256)), b"", b"\r\n\r", b"\x1b[31mred"])
def test_no_octet_is_changed_whatever_it_is_called(says: Says, octets: bytes) -> None:
    url = says(octets, "Content-Type: text/plain; charset=iso-8859-1")
    assert run("get", url).stdout_bytes == octets
    assert run("get", "-o", "-", url).stdout_bytes == octets


def test_the_demo_text_by_ftp_has_its_line_ends_converted(world: World) -> None:
    assert run("get", str(world.urls["ftp"])).stdout_bytes == tree.NOTES.encode()


@pytest.mark.parametrize("scheme", ["file", "ftp"])
def test_a_listing_in_a_pipe_is_one_url_a_line(world: World, scheme: str) -> None:
    root = f"{world.roots[scheme]}pub/"
    lines = run("get", root).stdout_bytes.decode().split("\r\n")
    assert sorted(lines) == ["", f"{root}names/", f"{root}notes.txt", f"{root}picture.png"]


def test_json_is_one_object_with_the_keys_of_the_contract(world: World) -> None:
    url = f"{world.roots['http']}hops/2"
    (record,) = records(run("get", "--json", url))
    assert list(record) == RESOURCE
    expected = {
        "url": f"{world.roots['http']}motd.txt", "kind": "document", "type": "text/plain", "size": len(tree.MOTD),
        "modified": "1994-12-20T00:00:00Z", "charset": "utf-8", "saved": None,
    }  # fmt: skip
    assert {key: record[key] for key in expected} == expected
    assert [hop["url"] for hop in record["history"]] == [url, f"{world.roots['http']}hops/1"]


def test_json_counts_what_was_not_announced(world: World) -> None:
    (record,) = records(run("get", "--json", f"{world.roots['http']}chunked/motd.txt"))
    assert record["size"] == len(tree.MOTD)


@pytest.mark.parametrize(
    ("target", "code"),
    [("nothing", 8), ("private/motd.txt", 8), ("loop", 7), ("status/503", 8)],
)
def test_what_the_server_refuses(world: World, target: str, code: int) -> None:
    result = run("get", f"{world.roots['http']}{target}")
    assert result.exit_code == code, result.output
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)


def test_a_reply_error_has_the_servers_number(world: World) -> None:
    (record,) = records(run("get", "--json", f"{world.roots['http']}nothing"))
    assert (record["error"], record["code"], record["stage"]) == ("NotFoundError", 404, "reply")
    assert record["url"] == f"{world.roots['http']}nothing"


def test_a_refusal_has_the_policys_reason() -> None:
    (record,) = records(run("get", "--json", "--policy", "untrusted", "http://127.0.0.1/"))
    assert (record["error"], record["code"], record["url"]) == ("RefusedError", "address-private", "http://127.0.0.1/")


def test_a_login_in_the_url_is_used_and_shown_to_nobody(world: World) -> None:
    root = str(world.roots["http"]).replace("http://", f"http://{tree.USER}:{tree.PASSWORD}@")
    result = run("get", f"{root}private/motd.txt")
    assert (result.exit_code, result.stdout) == (0, tree.MOTD)
    for args in (["--json"], ["--explain"]):
        assert tree.PASSWORD not in run("get", *args, f"{root}private/motd.txt").output.replace(tree.MOTD, "")
    result = run("get", f"{root}nothing")
    assert result.exit_code == 8
    assert tree.PASSWORD not in result.output


def test_a_body_that_is_cut_short_is_no_success(says: Says) -> None:
    result = run("get", says(b"half", length=8))
    assert (result.exit_code, result.stdout) == (7, "half")
    assert result.stderr.startswith("anyurl: ")


def test_max_bytes_is_a_limit(world: World) -> None:
    assert run("get", "--max-bytes", "1k", f"{world.roots['http']}pub/picture.png").exit_code == 7
    assert run("get", "--max-bytes", "16k", f"{world.roots['http']}pub/picture.png").exit_code == 0


def test_nobody_listening_is_no_connection() -> None:
    result = run("get", "http://127.0.0.1:9/")
    assert result.exit_code in (5, 6)  # 9 is the port of discard: another service's
    assert run("get", "--allow-port", "9", "http://127.0.0.1:9/").exit_code == 6


def test_explain_connects_to_nobody() -> None:
    result = run("get", "--explain", "ftp://user@192.0.2.7/%2Fetc/a%2Fb/motd;type=i")
    assert result.exit_code == 0
    sent = [line for line in result.stdout.splitlines() if line.startswith("> ")]
    for command in ("> USER user", "> CWD /etc", "> CWD a/b", "> TYPE I", "> RETR motd"):
        assert command in sent


def test_explain_says_what_it_says_as_objects_too() -> None:
    steps = [record["step"] for record in records(run("get", "--json", "--explain", "http://192.0.2.7/x"))]
    assert "> GET /x HTTP/1.1" in steps


@pytest.mark.parametrize("verb", ["ls", "stat", "put", "append"])
def test_explain_is_there_for_every_verb(verb: str) -> None:
    file = ["/no/such/file"] if verb in ("put", "append") else []
    result = run(verb, "--explain", "ftp://192.0.2.7/pub/x", *file)
    assert result.exit_code == 0
    assert "> CWD pub" in result.stdout.splitlines()


def test_explain_refuses_what_the_policy_refuses() -> None:
    assert run("get", "--explain", "--policy", "untrusted", "file:///etc/passwd").exit_code == 5
    assert run("get", "--explain", "http://127.0.0.1:25/").exit_code == 5


def test_the_identity_is_the_anonymous_password() -> None:
    for args, env in ((["--identity", "me@example.org"], None), ([], {"ANYURL_IDENTITY": "me@example.org"})):
        assert "> PASS me@example.org" in run("get", *args, "--explain", "ftp://192.0.2.7/x", env=env).stdout
