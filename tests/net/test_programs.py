"""Programs that are handed a URL: the address is the approved one, and nothing of the URL is a word of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anyurl import URL, Client, Policy
from anyurl.errors import ConnectError, LocalFileError, RefusedError
from anyurl.net.programs import Program, run
from anyurl.testing import SmallNetwork
from tests.rows import each_row

NAMES = {"host.example": ["93.184.216.34"], "inside.example": ["93.184.216.34", "10.0.0.7"], "-x": ["93.184.216.34"]}


def line(program: str, url: str, address: str = "93.184.216.34") -> list[str]:
    return Program(program.split()).arguments(URL(url), address)


@each_row(
    ("program", "url", "wanted"),
    [
        ("x3270 {host}:{port}", "tn3270://h/", ["x3270", "93.184.216.34:23"]),
        (
            "rlogin -l {user} -p {port} {host}",
            "rlogin://joe@h:5513/",
            ["rlogin", "-l", "joe", "-p", "5513", "93.184.216.34"],
        ),
        ("p {host} {user}", "rlogin://%7Bhost%7D@h/", ["p", "93.184.216.34", "{host}"]),  # a value is no field
        ("p {host} {user}", "rlogin://%24(x)%3B@h/", ["p", "93.184.216.34", "$(x);"]),  # and no shell reads it
        ("p {host}", "rlogin://joe:secret@h/", ["p", "93.184.216.34"]),
        ("p {host} {other}", "rlogin://h/", ["p", "93.184.216.34", "{other}"]),
        ("p nfs://{host}/{path}", "nfs://h//a%20b/-c", ["p", "nfs://93.184.216.34//a%20b/-c"]),
        ("p {host}/{path} -x", "nfs://h/-a", ["p", "93.184.216.34/-a", "-x"]),  # the option is the user's own
    ],
)
def test_the_command_line(program: str, url: str, wanted: list[str]) -> None:
    assert line(program, url) == wanted


def test_an_ipv6_address_stands_in_brackets_in_front_of_a_port() -> None:
    assert line("p {host}:{port} {host}", "tn3270://h/", "2001:db8::1") == ["p", "[2001:db8::1]:23", "2001:db8::1"]


@pytest.mark.parametrize("user", ["-oProxyCommand=x", "a%20b", "a%0Ab", "a%00b", "a%09b"])
def test_users_that_would_be_something_else(user: str) -> None:
    with pytest.raises(RefusedError, match="would be an option to a program, or several words: no program is run"):
        line("p -l {user} {host}", f"rlogin://{user}@h/")


def test_a_path_that_would_be_an_option() -> None:
    with pytest.raises(RefusedError, match="would be an option to a program"):
        line("p {host} {path}", "nfs://h/-x")


@pytest.mark.parametrize("program", ["", "p", "p -x", "{host}"])
def test_what_is_no_program(program: str) -> None:
    with pytest.raises(ValueError, match="host"):
        Program(program.split())


def test_it_is_run_with_the_approved_address(tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = "import sys; open(sys.argv[1], 'w').write(repr(sys.argv[2:])); sys.exit(3)"
    program = Program([sys.executable, "-c", code, str(told), "{host}", "{port}"])
    with Client(Policy.default(), network=SmallNetwork(NAMES)) as client:
        assert run(client._scheduler(), URL("tn3270://joe:secret@host.example/"), program) == 3
    assert told.read_text() == "['93.184.216.34', '23']"


@pytest.mark.parametrize(
    ("url", "policy", "error"),
    [
        ("tn3270://host.example/", Policy.untrusted(), RefusedError),
        ("tn3270://inside.example/", Policy.untrusted().replace(services=True), RefusedError),  # one of two is private
        ("tn3270://host.example:25/", Policy.default(), RefusedError),
        ("tn3270://nowhere.example/", Policy.default(), ConnectError),
    ],
)
def test_it_is_judged_before_anything_is_run(tmp_path: Path, url: str, policy: Policy, error: type[Exception]) -> None:
    told = tmp_path / "told"
    program = Program(["/bin/sh", "-c", f"touch {told}", "{host}"])
    with Client(policy, network=SmallNetwork(NAMES)) as client, pytest.raises(error):
        run(client._scheduler(), URL(url), program)
    assert not told.exists()


def test_a_program_that_is_not_there() -> None:
    with Client(Policy.default(), network=SmallNetwork(NAMES)) as client:
        with pytest.raises(LocalFileError, match=r"The program '/no/such' can't be run: no such file or directory\."):
            run(client._scheduler(), URL("tn3270://host.example/"), Program(["/no/such", "{host}"]))
