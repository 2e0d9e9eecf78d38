"""The command as a whole: its help, its usage errors, how each way of ending becomes a code, and no traceback ever."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import anyurl
from anyurl import errors
from anyurl.cli import app as app_module
from anyurl.cli import main
from anyurl.cli import run as run_module
from anyurl.cli.app import COMMANDS, app
from anyurl.cli.commands import parse as parse_module
from anyurl.cli.terminal import console as console_module
from tests.cli.runner import CLEAN, PROGRAM, call, records, run
from tests.rows import each_row


def test_version_is_the_packages() -> None:
    from anyurl import __version__

    done = call("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"anyurl {__version__}\n".encode(), b"")
    assert run("--version").stdout == f"anyurl {__version__}\n"  # through click, beside another option


@each_row("name", COMMANDS)
def test_every_command_has_help_and_json(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: anyurl {name} ")
    assert ("--json" in result.stdout) == (name != "completions")  # what it writes is for a shell
    for option in app.get_command(None, name).params:  # type: ignore[arg-type, union-attr]
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.name}"
    assert [line for line in result.stdout.splitlines() if len(line) > 80] == []


def test_help_lists_every_command_in_order() -> None:
    text = run("--help").stdout
    places = [text.index(f"\n  {name} ") for name in COMMANDS]
    assert places == sorted(places)


def test_without_a_command_the_help_is_shown_and_usage_is_wrong() -> None:
    result = run()
    assert result.exit_code == 2
    assert result.stdout.startswith("Usage: anyurl ")


@each_row(
    ("args", "said"),
    [
        (["gte", "http://h/"], "anyurl: There is no command 'gte'; did you mean 'get'?"),
        (["http://h/"], "anyurl: There is no command 'http://h/'; `anyurl get URL` downloads what a URL designates"),
        (
            ["ftp://u:pw@h/"],
            "anyurl: There is no command 'ftp://u:***@h/'; `anyurl get URL` downloads what a URL designates",
        ),
        (["zzz"], f"anyurl: There is no command 'zzz'; there are {', '.join(COMMANDS)}"),
        (["get"], "anyurl: Missing argument 'URL'."),
        (["stat", "ftp://h/", "ftp://u:pw@h/"], "anyurl: Got unexpected extra argument (ftp://u:***@h/)"),
        (["get", "--nope", "ftp://h/"], "anyurl: There is no option '--nope'.\n"),
        (["get", "--continu", "ftp://h/"], "anyurl: There is no option '--continu'; did you mean '--continue'?\n"),
        (["get", "--jsn", "x:y"], "anyurl: There is no option '--jsn'; did you mean '--json'?\n"),
        (["get", "--timeout", "0", "ftp://h/"], "anyurl: Invalid value for '--timeout': '0' is not a time to wait; "),
        (
            ["get", "--timeout", "nan", "ftp://h/"],
            "anyurl: Invalid value for '--timeout': 'nan' is not a time to wait; ",
        ),
        (
            ["get", "--max-bytes", "1x", "ftp://h/"],
            "anyurl: Invalid value for '--max-bytes': '1x' is not a number of b",
        ),
        (
            ["get", "--allow-port", "0", "ftp://h/"],
            "anyurl: Invalid value for '--allow-port': '0' is not a number from 1",
        ),
        (
            ["get", "--allow-net", "x/99", "--explain", "ftp://h/"],
            "anyurl: 'x/99' is not a network or a host: 10.0.0.0/8, 10.0.0.42, fd00::/8 or host.internal would be.\n",
        ),
        (["get", "--policy", "none", "ftp://h/"], "anyurl: Invalid value for '--policy': 'none' is not one of"),
        (
            ["get", "--force", "ftp://h/"],
            "anyurl: --force, --continue, --no-times and --checksum are about a file: they need -o FILE.",
        ),
        (["get", "--json", "-o", "-", "ftp://h/"], "anyurl: --json and -o - would both write to standard output"),
    ],
)
def test_usage_errors(args: list[str], said: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert [record["error"] for record in records(result)] == ["UsageError"] * ("--json" in args)
    assert result.stderr.startswith(said), result.stderr
    assert "\nTry 'anyurl" in result.stderr


@each_row(
    ("args", "code"),
    [
        (["get", "--exact", "http://example.com/a b"], 3),
        (["get", "one two"], 3),
        (["ls", "foo://h/"], 4),
        (["get", "afs://h/x"], 4),
        (["append", "http://127.0.0.1/", os.devnull], 4),
        (["get", "--policy", "untrusted", "http://127.0.0.1/"], 5),
        (["get", "http://127.0.0.1:25/"], 5),
        (["get", "ftp://h/a%0D%0AB"], 5),
        (["get", "file:///no/such/file"], 9),
        (["put", "ftp://h/x", "/no/such/file"], 9),
    ],
    ids=lambda value: value if isinstance(value, int) else " ".join(value),
)
def test_errors_are_a_sentence_and_a_code(args: list[str], code: int) -> None:
    result = run(*args)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("anyurl: ")
    json = run(args[0], "--json", *args[1:])
    assert json.exit_code == code
    (record,) = records(json)
    assert list(record) == ["error", "message", "url", "stage", "code", "fix"]
    assert json.stderr == result.stderr


def test_a_url_that_is_none_is_shown_with_a_caret() -> None:
    result = run("get", "--exact", "http://example.com/a b")
    first, second = result.stderr.splitlines()
    assert first == "anyurl: http://example.com/a b"
    assert second.startswith(" " * 28 + "^ RFC 3986 2: ")


def test_an_unknown_scheme_gets_its_near_matches() -> None:
    result = run("get", "--exact", "gohper://h/")
    assert (result.exit_code, result.stderr) == (
        4,
        "anyurl: The scheme 'gohper' is not known; was gopher://h/ meant?\n",
    )
    (record,) = records(run("get", "--exact", "--json", "gohper://h/"))
    assert record["fix"] == "gopher://h/"
    assert "did you mean" in run("get", "ghoper2://h/").stderr


class Unforeseen:
    """Something that fails in a way nobody foresaw."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *args: object) -> None:
        raise self.error


@pytest.mark.parametrize(
    "error", [KeyError("s3cret"), RecursionError(), UnicodeDecodeError("utf-8", b"s3cret", 0, 1, "x")]
)
def test_a_fault_of_its_own_is_a_sentence_that_asks_for_a_report(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parse_module, "_read", Unforeseen(error))
    result = run("parse", "--json", "x:")
    assert result.exit_code == 70
    assert result.stderr.startswith(
        f"anyurl: This is a fault of anyurl itself ({type(error).__name__} in cli/commands/parse.py, line "
    )
    assert result.stderr.endswith("Please report it with the command that you typed.\n")
    assert "s3cret" not in result.output
    assert "Traceback" not in result.output
    (record,) = records(result)
    assert (record["error"], record["message"]) == (type(error).__name__, "a fault of anyurl itself")


def test_a_lack_of_memory_is_none_of_its_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_module, "_read", Unforeseen(MemoryError()))
    result = run("parse", "x:")
    assert (result.exit_code, result.output) == (9, "anyurl: There is not enough memory.\n")


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143), (SystemExit(141), 141)]
)
def test_signals_end_quietly(error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_module, "_read", Unforeseen(error))
    result = run("parse", "x:")
    assert (result.exit_code, result.output) == (code, "")


def test_a_second_ctrl_c_is_as_quiet_as_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "run", Unforeseen(KeyboardInterrupt()))
    monkeypatch.setattr(sys, "argv", ["anyurl", "schemes"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def second_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `parse` end with an error at the URL ``x:``; what it has written is not flushed."""
    real = parse_module._read

    def read(text: str, grammar: str) -> object:
        if text == "x:":
            raise errors.RefusedError("no")
        return real(text, grammar)

    monkeypatch.setattr(parse_module, "_read", read)


def test_what_came_before_an_error_is_still_written(monkeypatch: pytest.MonkeyPatch) -> None:
    second_fails(monkeypatch)
    result = run("parse", "mailto:a@b", "x:")
    assert result.exit_code == 5
    assert result.stdout.startswith("mailto:a@b\n")


def test_what_can_not_be_written_is_not_told_beside_the_error_that_ends_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second_fails(monkeypatch)
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run_module.run(["parse", "mailto:a@b", "x:"]) == 5
    # That the file could be closed means that nothing was left in it: Python would tell that as well, as it ends.
    assert capsys.readouterr().err == "anyurl: no\n"


def test_handlers_of_signals_are_put_back() -> None:
    numbers = (*run_module.ENDING, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    own = [signal.SIG_DFL, signal.SIG_IGN, lambda *_: None]
    handlers = [own[index % 3] for index in range(len(numbers))]
    try:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
        run("parse", "x:y")
        assert [signal.getsignal(number) for number in numbers] == handlers
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def test_a_full_standard_output_is_a_local_file_error() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, "parse", "mailto:a@b"], stdout=full, stderr=subprocess.PIPE, timeout=30)
        version = subprocess.run([*PROGRAM, "--version"], stdout=full, stderr=subprocess.PIPE, timeout=30)
        help_ = subprocess.run([*PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, timeout=30)
        of_one = subprocess.run([*PROGRAM, "parse", "--help"], stdout=full, stderr=subprocess.PIPE, timeout=30)
    for process in (done, version, help_, of_one):
        assert process.returncode == 9
        assert process.stderr == b"anyurl: Can't write to the standard output: no space left on device.\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_lines_of_both_streams_stand_in_one_file_in_their_order(tmp_path: Path, unbuffered: str) -> None:
    """What Python buffers of the one would come after the other: `PYTHONUNBUFFERED` decides nothing here."""
    (tmp_path / "a.md").write_text("[a](a.md) [b](b.md)")
    environment = {**CLEAN, "PYTHONUNBUFFERED": unbuffered}
    command = [*PROGRAM, "check", str(tmp_path)]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
    )
    assert re.fullmatch(r"\S*a.md:1:15: broken: .*\n2 URLs: 1 ok, 1 broken.\n", done.stdout), done.stdout


def test_what_an_error_could_not_be_put_behind_is_not_told_instead_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[b](b.md)")
    for full in ("/dev/full", os.devnull):
        with open(full, "wb") as out:
            done = subprocess.run([*PROGRAM, "check", str(tmp_path)], stdout=out, stderr=subprocess.PIPE, timeout=60)
        lines = done.stderr.splitlines()
        assert lines[0] == b"1 URL: 1 broken."
        assert lines[1:] == (
            [b"anyurl: Can't write to the standard output: no space left on device."] * (full == "/dev/full")
        )
        assert done.returncode == (9 if full == "/dev/full" else 1)


def test_the_version_ends_with_the_code_for_ok(capsys: pytest.CaptureFixture[str]) -> None:
    assert (console_module.show_version(), app_module.invoke(["--version"], console_module.Console())) == (0, 0)
    assert capsys.readouterr().out == f"anyurl {anyurl.__version__}\n" * 2


def test_only_what_the_system_says_as_click_writes_is_an_error_of_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    def raised(act: Callable[[], object]) -> Exception:
        with pytest.raises((OSError, ValueError)) as caught:
            act()
        return caught.value

    def elsewhere() -> None:
        raise OSError(28, "full")

    full = open("/dev/full", "w")  # noqa: SIM115 - closed below, by what it raises
    found = run_module._of_the_output(raised(lambda: click.echo("x", file=full)))
    assert str(found) == "Can't write to the standard output: no space left on device."
    raised(full.close)
    assert run_module._of_the_output(raised(lambda: click.echo("x", file=full))) is None  # closed: a ValueError
    assert run_module._of_the_output(raised(elsewhere)) is None
    monkeypatch.delitem(sys.modules, "click")  # a plain command line does without it
    assert run_module._of_the_output(raised(elsewhere)) is None


@pytest.mark.parametrize("args", ["--version", "--help", "parse mailto:a@b", "parse --json mailto:a@b"])
def test_a_closed_standard_output_is_told(args: str) -> None:
    done = subprocess.run(f"exec {' '.join(PROGRAM)} {args} >&-", shell=True, capture_output=True, timeout=30)
    assert done.returncode in (0, 9)  # click itself says nothing of help that nobody can read
    assert b"Traceback" not in done.stderr


def test_a_shell_can_ask_for_completions() -> None:
    env = {app_module.COMPLETION: "bash_complete", "COMP_WORDS": "anyurl pa", "COMP_CWORD": "1"}
    done = call(env=env)
    assert done.returncode == 0
    assert done.stdout == b"plain,parse\n"
