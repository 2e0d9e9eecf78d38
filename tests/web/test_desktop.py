"""The desktop: what it opens with this program, and how its browser is told the link."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.web.desktop import NAME, SCHEMES, install, open_browser, uninstall

OTHERS = "[Added Associations]\ntext/plain=editor.desktop\n[Default Applications]\nx-scheme-handler/ftp=lftp.desktop\n"


def test_install_and_uninstall_leave_what_was_there(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    entry, defaults = tmp_path / ".local/share/applications" / NAME, tmp_path / ".config/mimeapps.list"
    defaults.parent.mkdir()
    defaults.write_text(OTHERS)
    told = install(home)
    assert [line.partition(":")[0] for line in told] == ["written", "written", "left as it was"]
    # -P: a file named anyurl.py in the folder where the desktop happens to be is not run.
    assert " -P -m anyurl web --open --handle %u\n" in entry.read_text()
    text = defaults.read_text()
    assert text.count(f"={NAME}") == len(SCHEMES) - 1
    assert text.startswith("[Added Associations]\ntext/plain=editor.desktop\n[Default Applications]\n")
    assert "x-scheme-handler/ftp=lftp.desktop" in text
    assert install(home) == told
    assert defaults.read_text() == text
    assert len(uninstall(home)) == 2
    assert (defaults.read_text(), entry.exists()) == (OTHERS, False)
    assert uninstall(home) == ["there was nothing to remove"]


def test_install_where_nothing_is(tmp_path: Path) -> None:
    home = {"HOME": "/nonexistent", "XDG_CONFIG_HOME": str(tmp_path / "c"), "XDG_DATA_HOME": str(tmp_path / "d")}
    install(home)
    lines = (tmp_path / "c/mimeapps.list").read_text().splitlines()
    assert lines[0] == "[Default Applications]"
    assert lines[1:] == [f"x-scheme-handler/{name}={NAME}" for name in sorted(SCHEMES)]


def test_the_link_is_on_no_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser is a program of ours, which notes what it is told."""
    program, noted = tmp_path / "browser", tmp_path / "noted"
    program.write_text(f'#!/bin/sh\nprintf %s "$*" >{noted}\n')
    program.chmod(0o755)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    webbrowser.register("anyurl-test", None, webbrowser.GenericBrowser(str(program)), preferred=True)
    try:
        assert open_browser("http://127.0.0.1:1/x/?token=t0ken")
    finally:
        webbrowser._browsers.pop("anyurl-test")  # type: ignore[attr-defined]
        webbrowser._tryorder.remove("anyurl-test")  # type: ignore[attr-defined]
    told = noted.read_text()
    file = Path(told.removeprefix("file://"))
    assert "t0ken" not in told
    assert "url=http://127.0.0.1:1/x/?token=t0ken" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_file_with_the_link_goes_with_the_program(tmp_path: Path) -> None:
    """Each that was left would have told its reader the link of a gateway."""
    program = "import sys; from anyurl.web.desktop import open_browser; sys.exit(not open_browser('http://there/'))"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "BROWSER": "echo %s"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, list(tmp_path.iterdir())) == (0, []), done.stderr


@pytest.mark.parametrize(
    ("python", "written"),
    [
        ("/usr/bin/python3.11", "/usr/bin/python3.11"),
        ("/home/joe's files/python", '"/home/joe\'s files/python"'),  # a single quote is a character as any other
        (
            '/a"b/100%/$x\\`/python',
            '"/a\\\\"b/100%%/\\\\$x\\\\\\\\\\\\`/python"',
        ),  # escaped twice: as an argument, as a value
    ],
)
def test_the_command_is_quoted_as_a_desktop_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str, written: str
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    install({"HOME": str(tmp_path)})
    entry = (tmp_path / ".local/share/applications" / NAME).read_text()
    assert f"\nExec={written} -P -m anyurl web --open --handle %u\n" in entry


@pytest.mark.parametrize(
    ("there", "sentence"),
    [
        ("data", r"Making .*/data/applications: .*"),  # a file stands where a folder has to be
        ("c/mimeapps.list/", r"Reading .*/c/mimeapps.list: .*"),  # a folder stands where the file has to be
        ("d/applications/anyurl-web.desktop/", r".*/anyurl-web.desktop can't be written: .*"),
    ],
)
def test_what_can_not_be_written_is_told(tmp_path: Path, there: str, sentence: str) -> None:
    place = tmp_path / there
    if there.endswith("/"):
        place.mkdir(parents=True)
    else:
        place.touch()
    data = tmp_path / ("data" if there == "data" else "d")
    with pytest.raises(LocalFileError, match=sentence):
        install({"HOME": str(tmp_path), "XDG_DATA_HOME": str(data), "XDG_CONFIG_HOME": str(tmp_path / "c")})


def test_a_list_that_is_a_link_stays_one(tmp_path: Path) -> None:
    """As those have it who keep their settings elsewhere."""
    elsewhere, defaults = tmp_path / "settings", tmp_path / ".config/mimeapps.list"
    elsewhere.write_text(OTHERS)
    defaults.parent.mkdir()
    defaults.symlink_to(elsewhere)
    install({"HOME": str(tmp_path)})
    assert defaults.is_symlink()
    assert NAME in elsewhere.read_text()
