"""``anyurl check``: what is told, where it stands, the codes, and the state."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from anyurl.cli import exits, findings
from tests.batch.check.site import Site, moved, page
from tests.cli.runner import records, run
from tests.servers import reply


def written(folder: Path, text: str, name: str = "a.md") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_fault_is_a_line_with_its_place(tmp_path: Path) -> None:
    with Site({"/good": page("x"), "/old": moved("/good")}) as site:
        name = written(tmp_path, f"{site.root}/good\n{site.root}/old [b](b.md)\n\n  {site.root}/none {site.root}/none")
        done = run("check", name, "--allow-private")
    missing = f"There is no {tmp_path}/b.md."
    message = f"The server answered 404 for {site.root}/none: there is no such document."
    assert done.stdout.splitlines() == [
        f"{name}:2:1: redirected: {site.root}/old: It has moved for ever to {site.root}/good.",
        f"{name}:2:{len(site.root) + 10}: broken: b.md: {missing}",
        f"{name}:4:3: broken: {site.root}/none: {message}",
        f"{name}:4:{len(site.root) + 9}: broken: {site.root}/none: {message}",
    ]
    assert done.stderr == "4 URLs: 1 ok, 1 redirected, 2 broken.\n"
    assert done.exit_code == exits.FAULTS
    assert site.asked.count("HEAD /none") == 1


def test_what_is_missing_here_breaks_no_link(tmp_path: Path) -> None:
    with Site({"/good": page("x")}) as site:
        name = written(tmp_path, f"{site.root}/good https://{site.root.removeprefix('http://')}/good")
        done = run("check", name, "--allow-private", "--ca-file", f"{tmp_path}/none.pem")
    assert "not checkable: https://" in done.stdout
    assert "none.pem: no such file or directory" in done.stdout
    assert (done.stderr, done.exit_code) == ("2 URLs: 1 ok, 1 not checkable.\n", exits.LOCAL_FILE)


def test_a_delay_lies_between_two_questions_to_one_host(tmp_path: Path) -> None:
    with Site({f"/{number}": page("x") for number in range(5)}) as site:
        name = written(tmp_path, " ".join(f"{site.root}/{number}" for number in range(5)))
        began = time.monotonic()
        done = run("check", name, "--allow-private", "--delay", "0.05")
        assert time.monotonic() - began >= 4 * 0.05
        (tmp_path / "anyurl.toml").write_text("[check]\ndelay = 0.1")
        began = time.monotonic()
        run("check", name, "--allow-private", "--delay", "0.05")
        assert time.monotonic() - began >= 4 * 0.1
    assert (done.stderr, done.exit_code) == ("5 URLs: 5 ok.\n", exits.OK)


def test_all_is_well(tmp_path: Path) -> None:
    with Site({"/": page("x")}) as site:
        name = written(tmp_path, f"{site.root}/ mailto:a@b.example")
        done = run("check", name, "--allow-private")
        shown = run("check", name, "--allow-private", "--all")
    assert (done.stdout, done.stderr, done.exit_code) == ("", "2 URLs: 2 ok.\n", exits.OK)
    assert sorted(line.split(": ", 1)[1] for line in shown.stdout.splitlines()) == [
        f"ok: {site.root}/",
        "ok: mailto:a@b.example",
    ]


def test_one_object_a_line(tmp_path: Path) -> None:
    with Site({"/old": moved("/good"), "/good": page("x")}) as site:
        name = written(tmp_path, f"{site.root}/old#part {site.root}/old")
        done = run("check", name, "--allow-private", "--json")
    (record,) = records(done)
    assert tuple(record) == findings.CHECKED
    assert record == {
        "url": f"{site.root}/old", "outcome": "redirected", "status": 301, "target": f"{site.root}/good",
        "permanent": True, "error": None, "message": f"It has moved for ever to {site.root}/good.", "missing": [],
        "known": False,
        "places": [
            {"file": name, "line": 1, "column": 1, "fragment": "part", "text": f"{site.root}/old#part"},
            {"file": name, "line": 1, "column": len(site.root) + 11, "fragment": None, "text": f"{site.root}/old"},
        ],
    }  # fmt: skip
    assert done.stderr == ""


def test_private_places_want_to_be_allowed(tmp_path: Path) -> None:
    with Site({"/": page("x")}) as site:
        done = run("check", written(tmp_path, f"{site.root}/"))
        typed = run("check", f"{site.root}/")
    assert (records_outcome(done.stdout), done.exit_code) == ("refused", exits.OK)
    assert typed.exit_code == exits.OK
    assert typed.stderr == "1 URL: 1 ok.\n"
    assert site.asked == ["GET /"]


def records_outcome(text: str) -> str:
    return text.split(": ")[1]


def test_standard_input_and_a_status_that_is_no_fault() -> None:
    with Site({"/": reply(status="403 No")}) as site:
        text = f"{site.root}/".encode()
        assert run("check", "--allow-private", input=text).exit_code == exits.FAULTS
        assert run("check", "-", "--allow-private", "--accept", "403", input=text).exit_code == exits.OK


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["none.md"], exits.LOCAL_FILE, "There is no file or folder none.md, and it is not a URL."),
        (["http://[/"], exits.NOT_A_URL, "["),
        (["--resume"], exits.USAGE, "--resume and --max-age are about a --state FILE."),
        (["--max-age", "2w"], exits.USAGE, "'2w' is not an age; 30m, 12h or 7d would be."),
        (["--accept", "ok"], exits.USAGE, "ok"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_wrong(args: list[str], code: int, said: str) -> None:
    done = run("check", *args, input=b"")
    assert done.exit_code == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_there_is_none_of_is_not_resumed_in_silence(tmp_path: Path) -> None:
    """With a wrong name after --state everything was asked again, and nobody was told why it took so long."""
    name, state = written(tmp_path, "mailto:a@b.example"), str(tmp_path / "s")
    told = f"anyurl: {state} has no interrupted check: this one starts from the beginning.\n"
    for _ in ("there is no file", "it is that of a check that ended"):
        done = run("check", name, "--state", state, "--resume")
        assert (done.exit_code, done.stderr) == (exits.OK, f"{told}1 URL: 1 ok.\n")
    assert run("check", name, "--state", state).stderr == "1 URL: 1 ok.\n"


@pytest.mark.parametrize("option", ["--junit", "--html"])
@pytest.mark.parametrize(("place", "why"), [("none/r", "no such file or directory"), (".", "is a directory")])
def test_a_report_that_can_not_be_written_is_told_before_anything_is_asked(
    tmp_path: Path, option: str, place: str, why: str
) -> None:
    """Its place was looked at when all was asked: what a check of hours had found was lost."""
    with Site({"/": page("x")}) as site:
        name = written(tmp_path, f"{site.root}/")
        done = run("check", name, "--allow-private", option, str(tmp_path / place))
    assert done.exit_code == exits.LOCAL_FILE
    assert done.stderr.endswith(f"can't be written: {why}.\n")
    assert site.asked == []


@pytest.mark.parametrize("option", ["--junit", "--html"])
def test_the_report_of_the_last_run_is_no_source_of_this_one(tmp_path: Path, option: str) -> None:
    """It names what was broken then: checked in the folder that it lies in, each run found more than the one before."""
    written(tmp_path, "[b](gone.md)")
    report = str(tmp_path / "report.html")
    first, second = (run("check", str(tmp_path), option, report) for _ in range(2))
    assert first.stdout == second.stdout
    assert first.stdout.count("gone.md") == 2  # the link, and what is not there


def test_nothing_to_check() -> None:
    done = run("check", input=b"no URL in here")
    assert (done.exit_code, done.stdout, done.stderr) == (exits.OK, "", "No URL was found.\n")


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8bnothing of the kind")
    written(tmp_path, "[b](b.md)")
    done = run("check", str(tmp_path))
    assert done.exit_code == exits.LOCAL_FILE
    assert "broken: b.md" in done.stdout
    assert f"anyurl: {tmp_path}/a.gz can't be read: " in done.stderr


def test_what_was_well_lately_is_not_asked_again(tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "state"), "--allow-private")
    with Site({"/": page("x")}) as site:
        name = written(tmp_path, f"{site.root}/ {site.root}/none")
        for more in ([], ["--max-age", "1h"], []):
            done = run("check", name, *state, *more)
            assert (done.exit_code, done.stderr) == (exits.FAULTS, "2 URLs: 1 ok, 1 broken.\n")
    assert [line for line in site.asked if line == "HEAD /"] == ["HEAD /"] * 2
    assert len(site.asked) == 8  # what is not there is requested twice


def test_no_password_stands_in_the_state(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with Site({"/": page("x")}) as site:
        url = f"{site.root}/".replace("://", "://user:geheim@")
        done = run("check", url, "--base", url, "--exclude", f"{url}none", "--state", str(state))
    assert done.stderr == "1 URL: 1 ok.\n"
    assert b"://user" in state.read_bytes()
    assert b"geheim" not in state.read_bytes()


def test_the_state_of_another_check_is_left_as_it_is(tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert run("check", "--state", str(state), written(tmp_path, "mailto:a@b.example")).exit_code == exits.OK
    before = state.read_bytes()
    done = run("check", "--state", str(state), written(tmp_path, "mailto:a@b.example", "b.md"))
    assert done.exit_code == exits.LOCAL_FILE
    assert "belongs to another check; use another file for this one." in done.stderr
    assert state.read_bytes() == before


def test_a_password_reaches_no_output(tmp_path: Path) -> None:
    with Site({}) as site:
        url = site.root.replace("http://", "http://me:hush@")
        name = written(tmp_path, f"{url}/x")
        for args in ([name], [name, "--json"], [f"{url}/y"], [f"{url}/y", "--json"]):
            done = run("check", *args, "--allow-private", "--all")
            assert "/" in done.stdout
            assert "hush" not in done.stdout + done.stderr
            assert json.dumps(site.asked)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--address", "auto"], "--address and --workers are about --engine ray."),
        (["--workers", "2"], "--address and --workers are about --engine ray."),
        (["--engine", "ray"], "--engine ray needs the --address of a cluster"),
        (["--engine", "ray", "--address", "auto", "--token", "https://h=/dev/null"], "A token stays on this machine"),
    ],
)  # fmt: skip
def test_a_cluster_gets_no_secret(tmp_path: Path, options: list[str], said: str) -> None:
    done = run("check", written(tmp_path, "mailto:a@b.example"), *options)
    assert said in done.stderr
    assert done.exit_code == exits.USAGE


def test_links_of_gemtext_are_relative_to_their_page(tmp_path: Path) -> None:
    (tmp_path / "b.gmi").touch()
    name = written(tmp_path, "=> b.gmi There\n=> c.gmi Gone\n```\n=> d.gmi\n```\n", "a.gmi")
    done = run("check", name)
    assert done.stdout.startswith(f"{name}:2:4: broken: c.gmi: There is no {tmp_path}/c.gmi.")
    assert done.stderr == "2 URLs: 1 ok, 1 broken.\n"


def test_a_baseline_that_is_written_is_known_on_another_machine(tmp_path: Path) -> None:
    """It holds files relative to itself, and parts by themselves: a new one on a known page is a fault."""
    for place in ("here", "there"):
        (tmp_path / place / "docs").mkdir(parents=True)
        written(tmp_path / place / "docs", "[a](../gone%20x.md) [b](p.html#no) [c](none/)\n", "a.md")
        (tmp_path / place / "docs/p.html").write_text("<p id=yes>")
    here, there = tmp_path / "here", tmp_path / "there"
    done = run("check", str(here), "--fragments", "--write-baseline", str(here / "known.txt"))
    assert done.exit_code == exits.FAULTS
    lines = (here / "known.txt").read_text().splitlines()
    assert lines[1:] == ["docs/none/", "docs/p.html#no", "gone%20x.md"]
    (here / "known.txt").rename(there / "known.txt")
    done = run("check", str(there), "--fragments", "--baseline", str(there / "known.txt"))
    assert (done.exit_code, done.stdout) == (exits.OK, "")
    assert done.stderr.endswith("; 3 known.\n")
    written(there / "docs", "[b](p.html#new)\n", "b.md")
    done = run("check", str(there), "--fragments", "--baseline", str(there / "known.txt"))
    assert (done.exit_code, len(done.stdout.splitlines())) == (exits.FAULTS, 1)


def test_what_may_fail_besides(tmp_path: Path) -> None:
    pages = {"/old": moved("/good"), "/new": moved("/good", "302 Found"), "/good": page("x")}
    with Site(pages) as site:
        name = written(tmp_path, f"{site.root}/old {site.root}/new tel:1")
        for also, code in (
            ([], exits.OK), (["permanent"], exits.FAULTS), (["redirected"], exits.FAULTS), (["refused"], exits.OK),
            (["not-checkable"], exits.FAULTS),
        ):  # fmt: skip
            options = [word for each in also for word in ("--fail-on", each)]
            assert run("check", name, "--allow-private", *options).exit_code == code, also
            assert run("check", name, "--allow-private", *options, "--json").exit_code == code, also
    done = run("check", name, "--fail-on", "everything")
    assert done.exit_code == exits.USAGE
    assert "permanent, redirected" in done.stderr


def test_statuses_come_as_ranges_too(tmp_path: Path) -> None:
    with Site({"/": reply(status="403 No")}) as site:
        name = written(tmp_path, f"{site.root}/")
        assert run("check", name, "--allow-private", "--accept", "400-403,500").exit_code == exits.OK
        assert run("check", name, "--allow-private", "--accept", "500-599").exit_code == exits.FAULTS
        (tmp_path / "anyurl.toml").write_text('[check]\naccept = ["400-499"]')
        assert run("check", name, "--allow-private").exit_code == exits.OK
        (tmp_path / "anyurl.toml").write_text('[check]\naccept = ["4xx"]')
        assert "anyurl.toml:2: accept must be a list" in run("check", name, "--allow-private").stderr


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / "build").mkdir()
    written(tmp_path / "build", "[a](gone)\n")
    written(tmp_path, "[b](gone) <!-- anyurl: ignore -->\n")
    done = run("check", str(tmp_path))
    assert done.exit_code == exits.OK
    assert "1 file or folder named by .gitignore was not read; --no-ignore would include it." in done.stderr
    assert "1 link left out by a comment" in done.stderr
    assert run("check", str(tmp_path), "--no-ignore").exit_code == exits.FAULTS


def test_files_that_examples_name_are_one_line(tmp_path: Path) -> None:
    name = written(tmp_path, "file:///etc/passwd and file:///etc/hosts\n")
    done = run("check", name)
    assert (
        done.stdout == "refused: 2 file: URLs outside of the checked tree, which were not checked; --all shows them\n"
    )
    assert len(run("check", name, "--all").stdout.splitlines()) == 2


@pytest.mark.needs("git")
def test_a_link_to_what_was_removed_is_checked_in_unchanged_files(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *words], check=True, capture_output=True)

    written(tmp_path, "[b](b.html?raw=1) [c](c) [d](gone-before.md)\n")
    for name in ("b.html", "c.html", "d.md"):
        (tmp_path / name).touch()
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    git("mv", "b.html", "e.html")
    git("rm", "-q", "c.html")
    done = run("check", str(tmp_path), "--changed", "HEAD", "--try-suffix", ".html")
    assert done.exit_code == exits.FAULTS
    assert [line.split(": ")[2] for line in done.stdout.splitlines()] == ["b.html?raw=1", "c"]
