"""Paths as file URLs and back, for POSIX and Windows: properties both ways, and pathlib beside it."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl import URL, get, parse
from anyurl.errors import URLSyntaxError
from tests.rows import each_row

NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), max_size=8)
OCTETS = st.binary(max_size=8).map(lambda octets: os.fsdecode(octets.replace(b"/", b"").replace(b"\0", b"")))
"""Names of POSIX as a folder of another charset has them."""

WINDOWS_NAMES = st.text(st.characters(min_codepoint=32, exclude_characters='<>:"/\\|?*', exclude_categories=["Cs"]))
HEADS = st.sampled_from(["C:\\", "z:\\", "\\\\server\\share\\", "\\\\10.0.0.1\\c$\\", "\\\\a-b.example\\x\\"])


@given(st.lists(NAMES | OCTETS | st.sampled_from([".", "..", "%41", "a:b", "~"]), max_size=5))
def test_a_path_of_posix_comes_back(names: list[str]) -> None:
    path = "/" + "/".join(names)
    url = URL.from_path(path, system="posix")
    assert url.to_path(system="posix") == path
    assert unquote_to_bytes(urlsplit(str(url)).path) == os.fsencode(path)  # as a reader of today's library has it
    assert parse(str(url), "rfc1738" if "~" not in str(url) else "current").to_path(system="posix") == path


@given(HEADS, st.lists(WINDOWS_NAMES, max_size=4))
def test_a_path_of_windows_comes_back(head: str, names: list[str]) -> None:
    path = head + "\\".join(names)
    url = URL.from_path(path, system="windows")
    assert url.to_path(system="windows") == path
    assert url.host == ("" if head[1] == ":" else head.split("\\")[2])


@given(st.from_regex(r"\Afile://(?:localhost)?(?:/(?:[a-z.:@]|%[2-7][0-9A-E]){0,6}){1,4}\Z"))
def test_a_url_comes_back_as_an_equivalent_one(text: str) -> None:
    url = URL(text)
    try:
        path = url.to_path(system="posix")
    except URLSyntaxError:
        assert "%2F" in text
        return
    again = URL.from_path(path, system="posix")
    assert again.is_equivalent(url)
    assert again.to_path(system="posix") == path


WINDOWS = [
    (r"C:\Docs\a b.txt", "file:///C:/Docs/a%20b.txt"),
    (r"c:/docs/x", "file:///c:/docs/x"),
    ("C:\\", "file:///C:/"),
    (r"\\server\share\x#y", "file://server/share/x%23y"),
    ("\\\\server\\share\\", "file://server/share/"),
    (r"\\?\C:\long\x", "file:///C:/long/x"),
    (r"\\?\UNC\server\share\x", "file://server/share/x"),
    (r"C:\50%;a", "file:///C:/50%25%3Ba"),
    (r"C:\grün", "file:///C:/gr%C3%BCn"),
]


@pytest.mark.filterwarnings("ignore:pathlib.PurePath.as_uri:DeprecationWarning")  # 3.14 wants a Path of this system
@pytest.mark.parametrize(("path", "url"), WINDOWS)
def test_the_url_of_a_path_of_windows(path: str, url: str) -> None:
    assert str(URL.from_path(path, system="windows")) == url
    assert str(URL.from_path(PureWindowsPath(path))) == str(URL.from_path(str(PureWindowsPath(path)), system="windows"))
    if not path.startswith("\\\\?"):  # which pathlib leaves as a host with a question mark
        assert URL(PureWindowsPath(path).as_uri()).is_equivalent(URL(url))


@pytest.mark.filterwarnings("ignore:pathlib.PurePath.as_uri:DeprecationWarning")  # 3.14 wants a Path of this system
@pytest.mark.parametrize("path", ["/", "/etc/motd", "/a b/%41", "/\udcff", "/50%;?#", "/grün/~"])
def test_the_url_of_a_path_of_posix_is_that_of_pathlib(path: str) -> None:
    assert URL(PurePosixPath(path).as_uri()).is_equivalent(URL.from_path(PurePosixPath(path)))


@each_row(
    ("path", "system", "reason"),
    [
        ("a/b", "posix", "begins with '/'"),
        ("", "posix", "begins with '/'"),
        ("~/x", "posix", "begins with '/'"),
        ("/a\0b", "posix", "no NUL"),
        ("/\ud800", "posix", "lone surrogate"),
        (r"C:x", "windows", "with its drive"),
        (r"\x", "windows", "with its drive"),
        ("x", "windows", "with its drive"),
        ("/etc", "windows", "with its drive"),
        (r"\\server", "windows", "device"),
        ("\\\\server\\", "windows", "share is written as"),
        (r"\\.\COM1", "windows", "device"),
        (r"\\?\Volume{1}\x", "windows", "device"),
        (r"\\a b\c", "windows", "share is written as"),
        (r"C:\a?b", "windows", "none of"),
        (r"C:\a:stream", "windows", "none of"),
        (r"\\?\C:\a/b", "windows", "none of"),
        ("C:\\a\nb", "windows", "no control character"),
    ],
)
def test_a_path_that_has_no_url(path: str, system: Any, reason: str) -> None:
    with pytest.raises(URLSyntaxError, match=reason) as caught:
        URL.from_path(path, system=system)
    assert caught.value.text == path


PATHS = [
    ("file:/etc/motd", "posix", "/etc/motd"),
    ("file://LOCALHOST/x", "posix", "/x"),
    ("file:////a", "posix", "//a"),
    ("file:///a/%2E./b", "posix", "/a/../b"),
    ("file:///a?b", "posix", "/a?b"),
    ("file:///x#y", "posix", "/x"),
    ("file:///C:", "windows", "C:\\"),
    ("file:c:/a", "windows", None),
    ("file://server/share", "windows", r"\\server\share"),
]


@each_row(("text", "system", "path"), PATHS)
def test_the_path_of_a_url(text: str, system: Any, path: str | None) -> None:
    if path is None:
        with pytest.raises(URLSyntaxError):
            URL(text)
    else:
        assert URL(text).to_path(system=system) == path


@each_row(
    ("text", "system", "reason"),
    [
        ("http://h/x", "posix", "only a file URL"),
        ("file://other.dom/x", "posix", "other.dom is another one"),
        ("file:///a%2Fb", "posix", "holds '/' or NUL"),
        ("file:///a%00b", "posix", "holds '/' or NUL"),
        ("file:///a/b", "windows", "has a drive"),
        ("file://server/", "windows", "name of a share"),
        ("file:///C:/a%5Cb", "windows", "holds a control character or one of"),
        ("file:///C:/a:b", "windows", "holds a control character or one of"),
        ("file://server/..%5Cx", "windows", "holds a control character or one of"),
    ],
)
def test_a_url_that_has_no_path(text: str, system: Any, reason: str) -> None:
    with pytest.raises(URLSyntaxError, match=reason):
        URL(text).to_path(system=system)


def test_a_file_is_read_by_the_url_of_its_path(tmp_path: Path) -> None:
    file = tmp_path / "a #%3F?;b\udcff"
    file.write_bytes(b"here")
    url = URL.from_path(file)
    assert get(url).read() == b"here"
    assert Path(url.to_path()) == file


def test_what_is_no_path_or_no_system_is_told() -> None:
    with pytest.raises(TypeError, match="a path of str, not bytes"):
        URL.from_path(Bytes())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a system is 'posix' or 'windows', not 'vms'"):
        URL.from_path("/", system="vms")  # type: ignore[arg-type]


class Bytes:
    """A path of octets."""

    def __fspath__(self) -> bytes:
        return b"/"
