"""ftp and ftps against vsftpd: the table of RFC 1738 3.2.2 asserted from its log, and what a person gets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.client.client import Client
from anyurl.dialogue import Resume
from anyurl.errors import ConnectError, DeniedError, NotFoundError, ReplyError
from anyurl.guard.policy import Policy
from anyurl.net.wire.connector import Network
from anyurl.url import URL
from tests.peers.ftp_servers import HOST, TREE, Certificates, Vsftpd, running

LOGIN = ["USER anonymous", "PASS <password>"]
MODIFIED = 786_240_000.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Vsftpd]:
    server = Vsftpd(tmp_path)
    with running(server):
        yield server


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def url(server: Vsftpd, path: str, scheme: str = "ftp") -> str:
    return f"{scheme}://{HOST}:{server.port}/{path}"


def absolute(path: Path) -> str:
    """A path as one segment: its first ``%2F`` leads to the root."""
    return str(path).replace("/", "%2F")


TABLE: list[tuple[str, str, bytes, list[str]]] = [
    ("a directory and a name", "pub/x.bin", b"pub/x.bin",
     ["CWD pub", "TYPE I", "SIZE x.bin", "MDTM x.bin", "EPSV", "RETR x.bin"]),
    ("typecode a", "pub/x.txt;type=a", b"pub/x.txt", ["CWD pub", "TYPE A", "MDTM x.txt", "EPSV", "RETR x.txt"]),
    ("typecode i", "pub/x.txt;type=i", b"pub/x.txt",
     ["CWD pub", "TYPE I", "SIZE x.txt", "MDTM x.txt", "EPSV", "RETR x.txt"]),
    ("an encoded slash", "pub%2Fsub/deeper%2Fx", b"pub/sub/deeper/x",
     ["CWD pub/sub", "TYPE I", "SIZE deeper/x", "MDTM deeper/x", "EPSV", "RETR deeper/x"]),
    ("a .. segment", "pub/sub/../x.bin", b"pub/x.bin",
     ["CWD pub", "CWD sub", "CWD ..", "TYPE I", "SIZE x.bin", "MDTM x.bin", "EPSV", "RETR x.bin"]),
    ("an encoded semicolon", "pub/a%3Btype=a", b"pub/a;type=a",
     ["CWD pub", "TYPE I", "SIZE a;type=a", "MDTM a;type=a", "EPSV", "RETR a;type=a"]),
    ("a question mark", "pub/what?", b"pub/what?",
     ["CWD pub", "TYPE I", "SIZE what?", "MDTM what?", "EPSV", "RETR what?"]),
    ("a per cent sign", "pub/100%2541", b"pub/100%41",
     ["CWD pub", "TYPE I", "SIZE 100%41", "MDTM 100%41", "EPSV", "RETR 100%41"]),
    ("spaces", "pub/with%20%20spaces", b"pub/with  spaces",
     ["CWD pub", "TYPE I", "SIZE with  spaces", "MDTM with  spaces", "EPSV", "RETR with  spaces"]),
    ("an empty file", "pub/sub/empty.bin", b"pub/sub/empty.bin",
     ["CWD pub", "CWD sub", "TYPE I", "SIZE empty.bin", "MDTM empty.bin", "EPSV", "RETR empty.bin"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "name", "commands"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_vsftpd_logs(server: Vsftpd, client: Client, path: str, name: bytes, commands: list[str]) -> None:
    with client.open(url(server, path)) as resource:
        assert resource.read() == TREE[name]
        assert (resource.kind, resource.modified) == ("document", MODIFIED)
        assert resource.size == (None if path.endswith(";type=a") else len(TREE[name]))
    assert server.commands() == LOGIN + commands


def test_an_encoded_slash_at_the_beginning_is_the_root(server: Vsftpd, client: Client) -> None:
    assert client.open(url(server, f"{absolute(server.root)}/motd")).read() == TREE[b"motd"]
    assert server.commands()[2] == f"CWD {server.root}"


def test_an_empty_segment_is_an_empty_cwd_which_vsftpd_refuses(server: Vsftpd, client: Client) -> None:
    with pytest.raises(NotFoundError, match=r"CWD with an empty argument.*lenient=True"):
        client.open(url(server, "/pub/x.bin"))
    assert [line for line in server.commands() if line != "QUIT"] == [*LOGIN, "CWD"]
    with Client(Policy.open(), lenient=True) as lenient:
        assert lenient.open(url(server, "/pub/x.bin")).read() == TREE[b"pub/x.bin"]


def test_octets_that_are_not_ascii(server: Vsftpd, client: Client) -> None:
    assert client.open(url(server, "pub/%C3%BC.bin")).read() == b"utf-8"
    (server.root / "caf\udce9").write_bytes(b"latin-1")
    assert client.open(url(server, "caf%E9")).read() == b"latin-1"


def test_0xff_goes_out_as_vsftpd_reads_it(server: Vsftpd, client: Client) -> None:
    """RFC 959 2.3 and RFC 854 have it doubled, and vsftpd would take that for two. In Windows-1251 it is a letter."""
    (server.root / "caf\udcff").write_bytes(b"once")
    (server.root / "caf\udcff\udcff").write_bytes(b"twice")
    assert client.open(url(server, "caf%FF")).read() == b"once"
    assert client.open(url(server, "caf%FF%FF")).read() == b"twice"


LISTINGS: list[tuple[str, str, list[str]]] = [
    ("the top", "", ["FEAT", "EPSV", "LIST"]),
    ("a directory", "pub/", ["CWD pub", "FEAT", "EPSV", "LIST"]),
    ("names", "pub/sub;type=d", ["CWD pub", "EPSV", "NLST sub"]),
    ("names without a name", "pub/;type=d", ["CWD pub", "EPSV", "NLST"]),
]
NAMES = {"": {"motd", "pub"}, "pub/sub;type=d": {"empty.bin", "deeper"}}
PUB = {"x.bin", "x.txt", "a;type=a", "what?", "100%41", "with  spaces", "ü.bin", "sub"}


@pytest.mark.parametrize(("path", "commands"), [row[1:] for row in LISTINGS], ids=[row[0] for row in LISTINGS])
def test_vsftpd_lists(server: Vsftpd, client: Client, path: str, commands: list[str]) -> None:
    with client.open(url(server, path)) as resource:
        entries = list(resource.entries())
    assert {entry.name for entry in entries} == NAMES.get(path, PUB)
    assert server.commands() == LOGIN + commands


def test_every_entry_leads_to_what_it_names(server: Vsftpd, client: Client) -> None:
    for entry in client.list(url(server, "pub/")).entries():
        assert entry.url is not None
        if entry.kind == "listing":
            assert {child.name for child in client.open(entry.url).entries()} == {"empty.bin", "deeper"}
            continue
        content = client.open(entry.url).read()
        assert content == TREE[b"pub/" + entry.name.encode()]
        assert (entry.size, entry.modified) == (len(content), MODIFIED)


def test_ls_of_a_name(server: Vsftpd, client: Client) -> None:
    (entry,) = client.list(url(server, "pub/x.bin")).entries()
    assert (entry.name, entry.size, str(entry.url)) == ("x.bin", len(TREE[b"pub/x.bin"]), url(server, "pub/x.bin"))
    assert {entry.name for entry in client.list(url(server, "pub")).entries()} == PUB
    with pytest.raises(NotFoundError):
        client.list(url(server, "pub/nothing"))


def test_stat(server: Vsftpd, client: Client) -> None:
    found = client.stat(url(server, "pub/x.bin"))
    assert (found.kind, found.size, found.modified) == ("document", len(TREE[b"pub/x.bin"]), MODIFIED)
    assert client.stat(url(server, "pub")).kind == "listing"
    assert client.stat(url(server, "pub/")).kind == "listing"
    with pytest.raises(NotFoundError):
        client.stat(url(server, "pub/nothing"))


def test_what_is_not_there(server: Vsftpd, client: Client) -> None:
    with pytest.raises(NotFoundError, match="'nothing'"):
        client.open(url(server, "pub/nothing"))
    with pytest.raises(NotFoundError, match="'nowhere'"):
        client.open(url(server, "nowhere/x"))
    with pytest.raises(ReplyError, match="is a directory"):
        client.open(url(server, "pub"))


CONTENT = b"a\nb\r\nc\rd\0\xff" * 30_000
TEXT = b"one\n\ntwo\rthree\0\xff\n" * 30_000


@pytest.mark.parametrize(
    ("name", "content"),
    [("new.bin", CONTENT), ("new.txt", CONTENT), ("new.txt;type=i", CONTENT), ("new.txt;type=a", TEXT)],
)
def test_what_is_put_is_what_is_there(server: Vsftpd, client: Client, name: str, content: bytes) -> None:
    resource = client.put(url(server, f"pub/{name}"), content)
    assert resource.size == len(content)
    assert (server.root / "pub" / name.partition(";")[0]).read_bytes() == content


def test_the_line_ends_of_text_are_converted_where_that_is_wanted(server: Vsftpd, client: Client) -> None:
    (server.root / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    assert client.open(url(server, "dos.txt")).read() == b"one\r\ntwo\r\n"
    assert client.open(url(server, "dos.txt;type=a")).read() == b"one\ntwo\n"
    with Client(Policy.open(), ftp_text=True) as texts:
        assert texts.open(url(server, "dos.txt")).read() == b"one\ntwo\n"


def test_append(server: Vsftpd, client: Client) -> None:
    client.put(url(server, "new"), b"one")
    client.append(url(server, "new"), b" two")
    assert (server.root / "new").read_bytes() == b"one two"
    assert server.commands()[-3:] == ["TYPE I", "EPSV", "APPE new"] or server.commands()[-2:] == ["EPSV", "APPE new"]


def test_a_put_that_is_not_allowed(tmp_path: Path, client: Client) -> None:
    server = Vsftpd(tmp_path, write_enable="NO")
    with running(server), pytest.raises(DeniedError, match="does not store 'new'"):
        client.put(url(server, "new"), b"x")


def test_a_transfer_goes_on_where_it_broke_off(server: Vsftpd, client: Client) -> None:
    whole = TREE[b"pub/x.bin"]
    resume = Resume(100, size=len(whole), modified=MODIFIED)
    with client.get(url(server, "pub/x.bin"), resume=resume) as resource:
        assert (resource.start, resource.size, resource.read()) == (100, len(whole), whole[100:])
    assert server.commands()[-2:] == ["REST 100", "RETR x.bin"]
    (server.root / "pub" / "x.bin").write_bytes(whole)  # now it is of today
    with client.get(url(server, "pub/x.bin"), resume=resume) as resource:
        assert (resource.start, resource.read()) == (0, whole)
        assert [remark for remark in resource.notes if "has changed" in remark]


def test_connections_are_used_again(server: Vsftpd, client: Client) -> None:
    for name in ("x.bin", "with%20%20spaces", "what?"):
        client.open(url(server, f"pub/{name}")).read()
    assert server.connections == 1
    client.open(url(server, "motd")).read()
    assert server.connections == 2


def test_two_connections_are_enough_for_all_directories(server: Vsftpd, client: Client) -> None:
    """The way back is asked for once; every file is read from the directory that its URL names."""
    for path in ("pub/x.bin", "motd", "pub/sub/deeper/x", "pub/x.txt", "pub/sub/empty.bin", "motd", "pub/x.bin"):
        assert client.get(url(server, path)).read() == TREE[path.encode()]
    assert server.connections == 2
    assert server.commands().count("PWD") == 1


def test_a_server_that_knows_no_epsv(tmp_path: Path, client: Client) -> None:
    server = Vsftpd(tmp_path, cmds_denied="EPSV")
    with running(server):
        assert client.open(url(server, "pub/x.bin")).read() == TREE[b"pub/x.bin"]
        assert server.commands()[-3:] == ["EPSV", "PASV", "RETR x.bin"]


def test_an_early_close_leaves_nothing_behind(server: Vsftpd, client: Client) -> None:
    (server.root / "large.bin").write_bytes(bytes(8 << 20))
    with client.open(url(server, "large.bin")) as resource:
        assert len(next(resource.iter_bytes())) > 0
    assert client.open(url(server, "motd")).read() == TREE[b"motd"]


# --- TLS --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


def test_auth_tls_with_a_server_that_requires_the_session_of_the_control_connection(
    tmp_path: Path, certificates: Certificates
) -> None:
    server = Vsftpd(tmp_path, certificates.certificate)
    with running(server), Client(Policy.open(), ca_file=certificates.authority) as client:
        assert client.open(url(server, "pub/x.bin", "ftps")).read() == TREE[b"pub/x.bin"]
        assert {entry.name for entry in client.list(url(server, "pub/", "ftps")).entries()} == PUB
        client.put(url(server, "pub/new", "ftps"), CONTENT)
        assert (server.root / "pub" / "new").read_bytes() == CONTENT
        commands = server.commands()
    assert commands[:5] == ["AUTH TLS", *LOGIN, "PBSZ 0", "PROT P"]
    assert server.connections == 1


def test_port_990_begins_with_tls(tmp_path: Path, certificates: Certificates) -> None:
    server = Vsftpd(tmp_path, certificates.certificate, implicit_ssl="YES")
    network = Network(translate=lambda endpoint: (HOST, server.port) if endpoint[1] == 990 else endpoint)
    with running(server), Client(Policy.open(), ca_file=certificates.authority, network=network) as client:
        assert client.open(f"ftps://{HOST}/pub/x.bin").read() == TREE[b"pub/x.bin"]
        commands = server.commands()
    assert commands[:4] == [*LOGIN, "PBSZ 0", "PROT P"]


def test_a13_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path, certificates: Certificates) -> None:
    server = Vsftpd(tmp_path, certificates.certificate)
    with running(server), Client(Policy.open()) as client, pytest.raises(ConnectError, match="certificate"):
        client.open(url(server, "pub/x.bin", "ftps"))
    assert server.commands() == ["AUTH TLS"]


def test_a_server_without_tls_gets_no_login(server: Vsftpd, client: Client) -> None:
    with pytest.raises(ConnectError, match="AUTH TLS"):
        client.open(url(server, "pub/x.bin", "ftps"))
    assert server.commands() == ["AUTH TLS"]


def test_urls_of_entries_are_urls(server: Vsftpd, client: Client) -> None:
    with client.open(url(server, "")) as resource:
        lines = resource.read().decode().splitlines()
    assert sorted(lines) == [url(server, "motd"), url(server, "pub/")]
    assert all(URL(line).parts is not None for line in lines)


def test_questions_that_go_out_at_once_have_the_same_order_and_answers(server: Vsftpd, client: Client) -> None:
    for _ in range(2):  # the second on the kept connection
        with client.get(url(server, "pub/x.bin")) as resource:
            assert resource.read() == TREE[b"pub/x.bin"]
            assert (resource.size, resource.modified) == (len(TREE[b"pub/x.bin"]), MODIFIED)
    with pytest.raises(NotFoundError):
        client.get(url(server, "pub/none.bin"))
    asked = ["MDTM x.bin", "EPSV", "RETR x.bin"]
    lost = ["MDTM none.bin", "EPSV", "RETR none.bin"]
    assert [line for line in server.commands() if line.split()[0] in ("TYPE", "SIZE", "MDTM", "EPSV", "RETR")] == [
        "TYPE I", "SIZE x.bin", *asked, *asked, *lost  # vsftpd announces each size
    ]  # fmt: skip
