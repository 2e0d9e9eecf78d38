"""A program with a proxy of its own: its variables, exit code and signals, what is told at its end; what `--confine`
leaves of the network to programs that ignore every variable."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from anyurl.proxy.child import SCHEMES, variables
from tests.servers import WAIT_SECONDS, Connection, Server, answers, reply

PYTHON = sys.executable


def around(*words: str, input: str = "", **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a program so; the words are those of `anyurl proxy`."""
    command = [PYTHON, "-m", "anyurl", "proxy", *words]
    return subprocess.run(
        command, input=input, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False, **more
    )


@pytest.mark.parametrize(("address", "token"), [("127.0.0.1:8", "secret"), ("[::1]:8", None)])
def test_the_variables_have_both_cases_and_leave_nothing_out(address: str, token: str | None) -> None:
    found = variables(address, token, confined=False)
    login = "" if token is None else "anyurl:secret@"
    for scheme in SCHEMES:
        assert found[f"{scheme}_proxy"] == found[f"{scheme}_PROXY".upper()] == f"http://{login}{address}"
    assert found["no_proxy"] == found["NO_PROXY"] == ""
    assert variables(address, token, confined=True)["no_proxy"] == "localhost,127.0.0.1,::1"


def test_what_the_user_has_set_gives_way() -> None:
    words = 'echo "$http_proxy|$NO_PROXY|$no_proxy"'
    done = around(
        "--", "sh", "-c", words,
        env={**os.environ, "http_proxy": "http://other:1", "NO_PROXY": "*", "no_proxy": "10.0.0.0/8"},
    )  # fmt: skip
    assert done.stdout.startswith("http://anyurl:")
    assert done.stdout.endswith("|" + "|" + "\n")


@pytest.mark.needs("curl")
def test_the_example_of_the_page_says_what_comes() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "around.md").read_text(encoding="utf-8")
    command, _, shown = page.partition("```console\n$ anyurl proxy ")[2].partition("```")[0].partition("\n")
    done = around(*shlex.split(command))
    assert done.stdout + done.stderr == shown


@pytest.mark.needs("curl")
def test_a_program_reaches_what_is_allowed_and_hears_why_it_does_not_reach_the_rest(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with Server(answers(reply(b"inside"))) as server:
        script = f"curl -s http://localhost:{server.port}/; curl -s http://10.0.0.1/; curl -sS https://h.example/"
        options = ("--policy", "default", "--allow-host", "localhost", "--log", str(log))
        done = around(*options, "--", "sh", "-c", f"{script}; exit 7")
    assert done.returncode == 7
    assert done.stdout.startswith("inside")
    assert '"code": "host-not-allowed"' in done.stdout
    assert done.stderr.splitlines()[-3:] == [
        "anyurl: 2 requests were refused:",
        "  GET http://10.0.0.1/: host-not-allowed",
        "  CONNECT h.example:443: host-not-allowed",
    ]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["role"], line["decision"], line["address"]) for line in lines] == [
        ("program", "allowed", "127.0.0.1"), ("program", "refused", None), ("program", "refused", None),
    ]  # fmt: skip


@pytest.mark.needs("curl")
def test_the_token_is_the_programs_alone() -> None:
    """Others of this machine find the port, and get nothing."""
    script = 'curl -s -o /dev/null -w "%{http_code} " -x "http://${http_proxy#*@}" http://10.0.0.1/; '
    done = around("--", "sh", "-c", script + 'curl -s -o /dev/null -w "%{http_code}" http://10.0.0.1/')
    assert done.stdout == "407 403"


@pytest.mark.needs("curl")
def test_what_was_refused_is_json_for_programs() -> None:
    script = "curl -s -o /dev/null http://10.0.0.1/; curl -s -o /dev/null http://10.0.0.1/"
    done = around("--json", "--", "sh", "-c", script)
    (line,) = done.stderr.splitlines()
    wanted = {"method": "GET", "url": "http://10.0.0.1/", "code": "address-private", "count": 2, "refused": True}
    assert json.loads(line) == wanted


def test_nothing_is_said_where_nothing_was_refused() -> None:
    done = around("--", "cat", input="as it is")
    assert (done.returncode, done.stdout, done.stderr) == (0, "as it is", "")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("no-such-program",), 127, "The program 'no-such-program' can't be run: no such file or directory."),
        (("/",), 126, "The program '/' can't be run: permission denied."),
        (("sh", "-c", "kill -KILL $$"), 137, None),
        (("sh", "-c", "kill -TERM $$"), 143, None),
        (("sh", "-c", "exit 255"), 255, None),
    ],
)
def test_its_exit_code(words: tuple[str, ...], code: int, sentence: str | None) -> None:
    done = around("--", *words)
    assert (done.returncode, done.stderr) == (code, "" if sentence is None else f"anyurl: {sentence}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--confine",), "--confine confines a program: it needs a COMMAND after --."),
        (
            ("--roles", "r", "--", "true"),
            "One program has one policy and no figures: COMMAND excludes --roles and --metrics.",
        ),
        (("--log-required", "--", "true"), "--log-required needs a --log FILE."),
    ],
)  # fmt: skip
def test_what_is_no_way_to_run_one(words: tuple[str, ...], sentence: str) -> None:
    done = around(*words)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"anyurl: {sentence}")


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A program that says "ready" when it is."""
    command = [PYTHON, "-m", "anyurl", "proxy", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"])
def test_a_signal_is_passed_on_once(name: str) -> None:
    """The program decides what comes of it."""
    script = f'trap "echo {name}; n=1" {name}; echo ready; while [ -z "$n" ]; do sleep 0.02; done; exit 5'
    with started("--", "sh", "-c", script) as process:
        process.send_signal(getattr(signal, f"SIG{name}"))
        out, _ = process.communicate(timeout=WAIT_SECONDS)
    assert (out, process.returncode) == (f"{name}\n", 5)


@pytest.mark.needs("terminal")
def test_what_the_terminal_sends_to_both_comes_once() -> None:
    """Ctrl-C goes to the whole foreground group; passed on as well it would come twice, which means more to many."""
    pexpect = pytest.importorskip("pexpect", reason="pexpect is not installed")
    script = 'n=0; trap "n=\\$((n+1)); echo got-\\$n" INT; echo ready; while [ ! -e "$1" ]; do sleep 0.05; done'
    mark = Path(f"/tmp/anyurl-test-{os.getpid()}-end")
    process = pexpect.spawn(
        PYTHON, ["-m", "anyurl", "proxy", "--", "sh", "-c", script, "sh", str(mark)], timeout=WAIT_SECONDS
    )
    try:
        process.expect("ready")
        process.sendintr()
        process.expect("got-1")
        process.sendintr()
        process.expect("got-2")
        mark.touch()
        process.expect(pexpect.EOF)
        assert b"got-3" not in process.before
        process.close()
        assert process.exitstatus == 0
    finally:
        mark.unlink(missing_ok=True)
        process.close(force=True)


def test_it_inherits_the_standard_streams_alone(tmp_path: Path) -> None:
    """A socket that was left open would lead out of its network."""
    script = "import os; print(sorted(int(one) for one in os.listdir('/proc/self/fd'))[:-1])"
    with socket.socket() as left, open(tmp_path / "f", "w") as file:
        done = around("--", PYTHON, "-c", script, pass_fds=(left.fileno(), file.fileno()))
    assert done.stdout == "[0, 1, 2]\n"


def test_signals_are_as_they_were_before() -> None:
    """Python ignores SIGPIPE, and this process waits for others: a program would inherit both."""
    done = around("--", "sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status")
    own = Path("/proc/self/status").read_text().splitlines()
    blocked = next(line for line in own if line.startswith("SigBlk"))
    assert done.stdout.splitlines()[0] == blocked
    assert int(done.stdout.splitlines()[1].split()[1], 16) & 1 << signal.SIGPIPE - 1 == 0


# ------------------------------------------------------------------------------------------------------ confined

DIRECT = {
    "curl": "curl -s -m 5 --noproxy '*' http://{at}/",
    "wget": "wget -q -T 5 -t 1 --no-proxy -O - http://{at}/",
    "bash": "bash -c 'exec 3<>/dev/tcp/{host}/{port} && echo hello >&3'",
    "nc": "echo hello | nc -w 2 {host} {port}",
    "perl": "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(PeerAddr => \"{at}\") or die; '",
    "node": 'node -e \'require("net").connect({port}, "{host}").on("error", () => 0).setTimeout(2000).end("x")\'',
    "git": "timeout 5 git ls-remote git://{at}/x",
    "dig": "dig +tcp +time=2 +tries=1 @{host} -p {port} h.example",
    "openssl": "echo x | timeout 5 openssl s_client -connect {at}",
    "telnet": "echo x | timeout 2 telnet {host} {port}",
    "python3": "python3 -c 'import socket; socket.create_connection((\"{host}\", {port}), 5)'",
}
"""Programs, and how each ignores every proxy variable."""


def take(connection: Connection) -> None:
    """Answer whatever comes, and end."""
    connection.sock.settimeout(5)
    connection.sock.recv(65_536)
    connection.send(reply(b"x"))


@pytest.mark.needs("namespace", *DIRECT)
@pytest.mark.promise("confined-programs")
def test_programs_that_ignore_the_proxy_reach_no_address() -> None:
    """The same script twice, first as they are: each reaches its server, so that the second run proves something."""

    def run(*options: str) -> set[str]:
        with ExitStack() as held:
            servers = {name: held.enter_context(Server(take)) for name in DIRECT}
            lines = [
                f"({line.format(at=server.authority, host='127.0.0.1', port=server.port)}) </dev/null >/dev/null 2>&1 &"
                for (name, line), server in zip(DIRECT.items(), servers.values(), strict=True)
            ]
            done = around(
                *options, "--", "sh", "-c", "\n".join([*lines, "wait"]), env={**os.environ, "HOME": "/nonexistent"}
            )
            assert done.returncode == 0, done.stderr
            return {name for name, server in servers.items() if server.received}

    assert run() == set(DIRECT)
    assert run("--confine") == set()


SOCKETS = textwrap.dedent(
    """
    import errno, json, socket, sys
    told = {}
    for place in json.loads(sys.argv[1]):
        family = socket.AF_INET6 if ":" in place[0] else socket.AF_INET
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            with socket.socket(family, kind) as sock:
                sock.settimeout(5)
                try:
                    sock.connect(tuple(place))
                    sock.send(b"x")
                    told[f"{place[0]} {kind}"] = "sent"
                except OSError as error:
                    told[f"{place[0]} {kind}"] = errno.errorcode.get(error.errno, str(error))
    with socket.socket(socket.AF_UNIX) as sock:
        told["abstract"] = sock.connect_ex(sys.argv[2].replace("@", chr(0)))
    print(json.dumps(told))
    """
)


@pytest.mark.needs("namespace")
@pytest.mark.promise("confined-programs")
def test_no_address_no_datagram_and_no_name_of_a_socket_leads_out() -> None:
    """Streams and datagrams, old and new addresses, metadata, and Unix sockets in the abstract namespace."""
    name = f"@anyurl-test-{os.getpid()}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as near, socket.socket(socket.AF_UNIX) as abstract:
        near.bind(("127.0.0.1", 0))
        near.setblocking(False)
        abstract.bind(name.replace("@", "\0"))
        abstract.listen()
        places = [
            ("127.0.0.1", near.getsockname()[1]), ("192.0.2.1", 80), ("10.0.0.1", 80), ("169.254.169.254", 80),
            ("255.255.255.255", 80), ("::1", 80), ("2001:db8::1", 80), ("fe80::1", 80),
        ]  # fmt: skip
        done = around("--confine", "--", PYTHON, "-c", SOCKETS, json.dumps(places), name)
        assert done.returncode == 0, done.stderr
        with pytest.raises(BlockingIOError):
            near.recv(1)
    told = json.loads(done.stdout)
    assert told.pop("abstract") != 0
    for place, outcome in told.items():  # a datagram to its own loopback is sent, and nobody is there
        own = place.startswith(("127.0.0.1 ", "::1 "))
        assert outcome in (("ECONNREFUSED", "sent") if own else ("ENETUNREACH", "EACCES", "EINVAL")), place


@pytest.mark.needs("namespace", "curl")
def test_a_confined_program_reaches_what_is_allowed_through_the_proxy() -> None:
    with Server(answers(reply(b"outside"))) as server:
        script = f"curl -s --noproxy '' http://localhost:{server.port}/; curl -sS --noproxy '' http://10.0.0.1/"
        options = ("--confine", "--policy", "default", "--allow-host", "localhost")
        done = around(*options, "--", "sh", "-c", script)
    assert done.stdout.startswith("outside")
    assert done.stderr.splitlines()[-1] == "  GET http://10.0.0.1/: host-not-allowed"


ORDINARY = """
import ctypes, os, sys
from anyurl.cli.run import run
assert run(["proxy", "--confine", "--", "true"]) == 0  # what it loads may not be readable later
"h".encode("idna")
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    ctypes.CDLL(None).prctl(4, 1)  # PR_SET_DUMPABLE, which setuid(2) takes away and the next exec would give back
sys.exit(run(["proxy", "--confine", "--", "sh", "-c", sys.argv[1]]))
"""


@pytest.mark.needs("namespace")
def test_an_ordinary_user_can_confine_and_gains_nothing() -> None:
    words = "id -u; grep -E 'Cap(Prm|Eff)' /proc/self/status; tail -n +3 /proc/net/dev | cut -d: -f1"
    done = subprocess.run([PYTHON, "-c", ORDINARY, words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    user, permitted, effective, *interfaces = done.stdout.split("\n")[:-1]
    assert user == str(os.getuid() or 65534)
    assert {int(line.split()[1], 16) for line in (permitted, effective)} == {0}
    assert [name.strip() for name in interfaces] == ["lo"]
