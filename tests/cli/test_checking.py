"""``anyurl check`` as a whole: pages, changes, reports, what the tree says, tokens, and a terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pexpect
import pytest

import anyurl
from anyurl.cli import exits
from tests.architecture.source import ROOT
from tests.batch.check.site import Site, page
from tests.cli.runner import CLEAN, PROGRAM, records, run
from tests.servers import WAIT_SECONDS, reply


def test_a_page_its_links_and_its_fragments() -> None:
    pages = {"/": page('<a href="a"><a href="a#x"><a href="a#y">'), "/a": page("<p id=x>"), "/robots.txt": reply(b"")}
    with Site(pages) as site:
        done = run("check", f"{site.root}/")
        assert (done.exit_code, done.stderr) == (
            exits.OK, "2 URLs: 2 ok; 2 parts of pages not checked (--fragments).\n",
        )  # fmt: skip
        done = run("check", f"{site.root}/", "--fragments", "--recursive")
        assert (done.exit_code, done.stderr) == (exits.FAULTS, "2 URLs: 2 ok; 1 part of pages missing.\n")
        assert (
            done.stdout == f"{site.root}/:1:36: broken: a#y ({site.root}/a): The page has nothing that is called #y.\n"
        )


def test_a_recursive_check_obeys_the_robots_txt_and_reads_the_sitemap_that_it_names() -> None:
    pages = {"/": page('<a href="no">'), "/no": page('<a href="gone">'), "/more": page('<a href="gone">')}
    with Site(pages) as site:
        site.pages["/robots.txt"] = reply(f"User-agent: *\nDisallow: /no\nSitemap: {site.root}/s.xml".encode())
        site.pages["/s.xml"] = reply(f"<urlset><url><loc>{site.root}/more</loc></url></urlset>".encode())
        done = run("check", f"{site.root}/", "--recursive")
        assert "GET /no" not in site.asked
        assert (done.exit_code, done.stderr) == (exits.OK, "2 URLs: 1 ok, 1 not checkable.\n")
        done = run("check", f"{site.root}/", "--recursive", "--sitemap", "--all")
        assert f"{site.root}/more" in done.stdout


def test_what_was_left_out_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that was not looked at looks like nothing that was found."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("[b](b.md) https://h.example/ https://i.example/")
    (tmp_path / "b.md").write_text("[a](a.md)")
    done = run("check", "a.md", "--exclude", "https:*", "--exclude", "file:*")
    assert (done.exit_code, done.stderr) == (0, "No URL was found; 3 links left out by --include or --exclude.\n")
    done = run("check", ".", "--exclude", "https:*", "--exclude-files", "b.md")
    assert "1 file or folder named by --exclude-files was not read" in done.stderr
    assert done.stderr.endswith("1 URL: 1 ok; 2 links left out by --include or --exclude.\n")


def test_reports(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[b](b.md)")
    junit, html = tmp_path / "r.xml", tmp_path / "r.html"
    done = run("check", str(tmp_path / "a.md"), "--junit", str(junit), "--html", str(html))
    assert done.exit_code == exits.FAULTS
    assert ElementTree.parse(junit).getroot().get("failures") == "1"
    assert f"Links of {tmp_path}/a.md" in html.read_text()
    assert run("check", str(tmp_path / "a.md"), "--html", str(tmp_path / "none" / "x")).exit_code == exits.LOCAL_FILE


def test_what_an_earlier_check_wrote_is_read_only_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("[d](data:;base64,A)")
    names = ("r.html", "r.xml", "known.txt")
    first = run("check", ".", "--html", names[0], "--junit", names[1], "--write-baseline", names[2])
    assert f"<h1>Links of {tmp_path.name}<" in (tmp_path / "r.html").read_text()
    again = run("check", ".")
    assert (again.stdout, again.stderr) == (first.stdout, "1 URL: 1 broken.\n")
    for name in names:
        assert run("check", name).stdout.startswith(f"{name}:")


def test_the_tree_narrows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Site({"/": reply(status="403 No")}) as site:
        (tmp_path / "a.md").write_text(f"{site.root}/ {site.root}/gone {site.root}/out")
        (tmp_path / "b.md").write_text(f"{site.root}/b")
        (tmp_path / "known.txt").write_text(f"{site.root}/gone")
        (tmp_path / "anyurl.toml").write_text(
            '[check]\naccept = [403]\nexclude = ["*/out"]\nexclude-files = ["b.md", "*.t*"]\nbaseline = "known.txt"\n'
        )
        done = run("check", ".", "--allow-private")
        assert (done.exit_code, done.stdout) == (exits.OK, "")
        assert done.stderr == (
            "anyurl: 3 files or folders named by --exclude-files were not read; an argument of its own "
            "would include them.\n2 URLs: 1 ok, 1 broken; 1 known; 1 link left out by --include or --exclude.\n"
        )
        known = {each["url"]: each["known"] for each in records(run("check", ".", "--allow-private", "--json"))}
        assert known == {f"{site.root}/": False, f"{site.root}/gone": True}
        bare = run("check", "a.md", "b.md", "--allow-private", "--no-config")
        assert (bare.exit_code, bare.stderr) == (exits.FAULTS, "4 URLs: 4 broken.\n")
        options = ["--no-config", "--accept", "403", "--exclude", "*/out", "--baseline", "known.txt"]
        assert run("check", "a.md", "--allow-private", *options).exit_code == exits.OK


def test_a_baseline_is_no_document_and_what_it_names_in_vain_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# A\n\n[b](b.md) [a](#no) [c](c.md) [d](data:;base64,A)")
    first = run("check", ".", "--fragments", "--write-baseline", "known.txt", "--html", "r.html")
    assert "Known: " not in (tmp_path / "r.html").read_text()
    known = (tmp_path / "known.txt").read_text().partition("\n")[2]
    (tmp_path / "known.txt").write_text(known)  # without its mark: as a person writes it
    done = run("check", ".", "--fragments", "--baseline", "known.txt", "--html", "r.html")
    assert (done.exit_code, done.stdout) == (exits.OK, "")
    assert done.stderr == f"{first.stderr.removesuffix(chr(10)).removesuffix('.')}; 4 known.\n"
    assert (tmp_path / "r.html").read_text().count("Known: ") == 4
    (tmp_path / "a.md").write_text("# A\n\n[d](data:;base64,A)")
    said = "anyurl: note: {} nothing that is broken here; --write-baseline writes it anew\n"
    for options, told in (
        (("--baseline", "known.txt", "--fragments"), said.format("3 lines of the baseline name")),
        (("--baseline", "known.txt"), said.format("2 lines of the baseline name")),  # no heading was looked for
        (("--baseline", "known.txt", "--exclude", "data:*"), ""),
    ):
        assert run("check", ".", *options).stderr.startswith(told or "No URL was found")
    (tmp_path / "anyurl.toml").write_text('[check]\nbaseline = "known.txt"\n')
    told = f"{said.format('3 lines of the baseline name')}1 URL: 1 broken; 1 known.\n"
    assert run("check", ".", "--fragments").stderr == told


def test_a_private_address_names_its_option(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("http://127.0.0.1:1/")
    note = "note: --allow-private also checks links to private addresses and to this machine"
    assert note in run("check", str(tmp_path)).stderr
    assert note not in run("check", str(tmp_path), "--allow-private").stderr


def test_the_tree_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("http://127.0.0.1/")
    (tmp_path / "anyurl.toml").write_text("[check]\nallow-private = true\n")
    done = run("check", str(tmp_path))
    assert done.exit_code == exits.LOCAL_FILE
    assert "a tree can't set 'allow-private'; it can only narrow its check" in done.stderr


@pytest.mark.needs("git")
def test_only_what_has_changed(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.example", "-C", str(tmp_path)]
    (tmp_path / "a.md").write_text("[none](none.md)")
    for args in (["init"], ["add", "."], ["commit", "-m", "x"]):
        subprocess.run([*git, *args], check=True, capture_output=True)
    (tmp_path / "b.md").write_text("[a](a.md)")
    done = run("check", str(tmp_path), "--changed", "HEAD")
    assert (done.exit_code, done.stderr) == (exits.OK, "1 URL: 1 ok.\n")
    assert run("check", str(tmp_path)).exit_code == exits.FAULTS
    assert run("check", str(tmp_path), "--changed", "none").exit_code == exits.LOCAL_FILE


@pytest.mark.needs("git")
def test_a_heading_that_was_changed_is_looked_for_in_the_links_of_all_files(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.example", "-C", str(tmp_path)]
    (tmp_path / "a.md").write_text("[there](b.md#one) [none](none.md)")
    (tmp_path / "b.md").write_text("# One\n")
    for args in (["init"], ["add", "."], ["commit", "-m", "x"]):
        subprocess.run([*git, *args], check=True, capture_output=True)
    (tmp_path / "b.md").write_text("# Two\n")
    assert run("check", str(tmp_path), "--changed", "HEAD").stderr == "No URL was found.\n"
    done = run("check", str(tmp_path), "--changed", "HEAD", "--fragments")
    assert (done.exit_code, done.stdout.partition(": ")[2]) == (
        exits.FAULTS, "broken: b.md#one: The page has nothing that is called #one.\n",
    )  # fmt: skip


def test_a_token_goes_to_its_server_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[bytes] = []

    class Told(Site):
        """A site that keeps the heads of what it was asked."""

        def _serve(self, connection: object) -> None:
            head = connection.head()  # type: ignore[attr-defined]
            heads.append(head)
            connection.send(reply(b"", "Connection: close").split(b"\r\n\r\n")[0] + b"\r\n\r\n")  # type: ignore[attr-defined]

    token = tmp_path / "token"
    token.write_text("hush")
    token.chmod(0o600)
    monkeypatch.setenv("A_TOKEN", "hush")
    with Told({}) as mine, Told({}) as other:
        (tmp_path / "a.md").write_text(f"{mine.root}/x {other.root}/x")
        for place in (str(token), "$A_TOKEN"):
            heads.clear()
            done = run("check", str(tmp_path / "a.md"), "--allow-private", "--token", f"{mine.root}={place}", "--json")
            told = {head.split(b"Host: ")[1].split(b"\r\n")[0].decode(): b"Bearer hush" in head for head in heads}
            assert told == {mine.authority: True, other.authority: False}
            assert "hush" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--token", "h=x"], "'h=x' is not a token; https://api.github.com=FILE"),
        (["--token", "https://h/path=x"], "is not a token"),
        (["--depth", "1"], "--depth and --sitemap are about --recursive."),
        (["--recursive"], "--recursive follows the links of a URL"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_wrong(args: list[str], said: str) -> None:
    done = run("check", *args, input=b"")
    assert done.exit_code == exits.USAGE
    assert said in done.stderr


def test_a_part_of_an_earlier_run_counts(tmp_path: Path) -> None:
    """What broke off had found a fault; what is left is well."""
    with Site({"/good": page("x")}) as site:
        (tmp_path / "a.md").write_text(f"{site.root}/gone {site.root}/good")
        args = ["check", str(tmp_path / "a.md"), "--allow-private", "--state", str(tmp_path / "s"), "--parallel", "1"]
        site.pages["/good"] = stop
        with subprocess.Popen([*PROGRAM, *args], env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as first:
            stops.append(first)
            first.communicate(timeout=30)
        assert first.returncode == -9
        site.pages["/good"] = page("x")
        del site.asked[:]
        done = run(*args, "--resume")
    assert site.asked in (["HEAD /good"], ["HEAD /gone", "HEAD /good", "GET /gone"])
    assert (done.exit_code, done.stderr) == (exits.FAULTS, "2 URLs: 1 ok, 1 broken.\n")


stops: list[subprocess.Popen[bytes]] = []


def stop(_connection: object) -> bytes:
    """Kill who asks."""
    stops.pop().kill()
    return reply()


@pytest.mark.needs("terminal")
def test_a_terminal_sees_the_board(tmp_path: Path) -> None:
    def slow(connection: object) -> bytes:
        waits.append(1)
        if len(waits) > 3:
            connection.sock.settimeout(0.4)  # type: ignore[attr-defined]
            try:
                connection.sock.recv(1)  # type: ignore[attr-defined]
            except TimeoutError:
                connection.sock.settimeout(10)  # type: ignore[attr-defined]
        return reply()

    waits: list[int] = []
    with Site(dict.fromkeys([f"/{number}" for number in range(8)], slow)) as site:
        (tmp_path / "a.md").write_text(" ".join(f"{site.root}/{number}" for number in range(8)))
        args = [*PROGRAM[1:], "check", str(tmp_path / "a.md"), "--allow-private", "--parallel", "1"]
        child = pexpect.spawn(
            sys.executable, args, env={**CLEAN, "TERM": "xterm"}, dimensions=(24, 100), timeout=WAIT_SECONDS
        )
        child.expect(r"\d of 8 \(\d+%\)")
        child.expect("8 URLs: 8 ok")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == exits.OK


def test_the_keys_of_a_record_that_is_read_by_others(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("mailto:a@b.example")
    done = run("check", str(tmp_path / "a.md"), "--json")
    assert json.loads(done.stdout)["known"] is False


@pytest.mark.needs("bash")
def test_the_hook_and_the_action_call_the_command(tmp_path: Path) -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert re.findall(r"entry: (.*)", hook) == ["anyurl check"]
    script = (ROOT / "action.yml").read_text().rpartition("run: |\n")[2]
    assert "${{" not in script  # what a workflow says is a word for the command, and never one of the shell's
    source = Path(anyurl.__file__).parent.parent
    (tmp_path / "anyurl").write_text(f'#!/bin/sh\nPYTHONPATH={source} exec {sys.executable} -m anyurl "$@"\n')
    (tmp_path / "anyurl").chmod(0o755)
    (tmp_path / "a.md").write_text("[b](b.md)")
    environment = {**CLEAN, "PATH": f"{tmp_path}:{CLEAN['PATH']}", "ARGUMENTS": "--json $(touch x) a.md"}
    for token, code in (("", exits.LOCAL_FILE), ("hush", exits.LOCAL_FILE)):
        done = subprocess.run(
            ["bash", "-e", "-c", script], cwd=tmp_path, env={**environment, "ANYURL_GITHUB_TOKEN": token},
            capture_output=True, text=True, timeout=30,
        )  # fmt: skip
        assert (done.returncode, done.stderr.splitlines()[0]) == (
            code, "anyurl: There is no file or folder $(touch, and it is not a URL.",
        )  # fmt: skip
        done = subprocess.run(
            ["bash", "-e", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=30,
            env={**environment, "ANYURL_GITHUB_TOKEN": token, "ARGUMENTS": "a.md --json"},
        )  # fmt: skip
        assert done.returncode == exits.FAULTS
        assert json.loads(done.stdout)["outcome"] == "broken"
    assert not (tmp_path / "x").exists()


@pytest.mark.needs("bash")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("one.md two.md", ["one.md", "two.md"]),
        ("one.md\ntwo.md\n", ["one.md", "two.md"]),
        ("--exclude '*gone*'\n# a remark\n  \"a b.md\"\n", ["--exclude", "*gone*", "a b.md"]),
        ("--exclude=*x* \\*", ["--exclude=*x*", "*"]),
    ],
)
def test_the_action_takes_lines_and_quotation_marks(tmp_path: Path, arguments: str, words: list[str]) -> None:
    script = (ROOT / "action.yml").read_text().rpartition("run: |\n")[2]
    (tmp_path / "anyurl").write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    (tmp_path / "anyurl").chmod(0o755)
    environment = {**CLEAN, "PATH": f"{tmp_path}:{CLEAN['PATH']}", "ARGUMENTS": arguments, "ANYURL_GITHUB_TOKEN": ""}
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.stdout.splitlines() == ["check", "--github", *words]
