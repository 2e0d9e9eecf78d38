"""Sites: what links in the files of a tree lead to, and what is known of them without a request."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from anyurl.batch.check.links import MalformedLink
from anyurl.batch.check.sites import SiteFolder, Sites
from anyurl.url import URL


def made(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).mkdir() if name.endswith("/") else (folder / name).touch()
    return folder


def led(sites: Sites, file: Path, reference: str) -> str:
    """Where a reference in a file leads to, without the folder of the test."""
    link = sites.locate(sites.base(str(file)).join(reference), str(file))
    return str(link)


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("b.css?v=5ecbeea2", "docs/b.css"),
        ("b.css?", "docs/b.css"),
        ("b.css?#iefix", "docs/b.css"),
        ("b.css?x=/../../y", "docs/b.css"),
        ("c%3Fd", "docs/c%3Fd"),
        ("?q", "docs/a.html"),
        ("#f", "docs/a.html"),
        ("../top.md?raw=1", "top.md"),
        ("/top.md", "top.md"),
        ("/docs/b.css?v", "docs/b.css"),
        ("/b.css", "docs/b.css"),  # the root may be any folder above the file
        ("/GONE.md", "GONE.md"),
        ("../GONE.md", "GONE.md"),
        ("sub", "docs/sub/index.html"),
        ("sub/", "docs/sub/index.html"),
        ("empty", "docs/empty/"),
        ("page", "docs/page"),
        ("..", ""),
    ],
)
def test_a_reference_is_resolved_as_a_browser_does(tmp_path: Path, reference: str, path: str) -> None:
    made(tmp_path, ".git/", "docs/a.html", "docs/b.css", "docs/c?d", "top.md", "docs/sub/index.html", "docs/empty/")
    made(tmp_path, "docs/page.html")
    sites = Sites((str(tmp_path / "docs"),))
    url = URL(led(sites, tmp_path / "docs/a.html", reference))
    assert str(url.without_fragment()) == f"file://{tmp_path}/{path}"


def test_suffixes_index_pages_and_the_root_are_those_of_the_caller(tmp_path: Path) -> None:
    made(tmp_path, "a.md", "g.md", "page.html", "sub/home.html", "empty/", "x.rst")
    file = tmp_path / "sub/a.md"
    sites = Sites((str(tmp_path),), index=("home.html",), suffixes=(".html", ".md", ".rst"), root=str(tmp_path / "sub"))
    assert led(sites, file, "../page") == f"file://{tmp_path}/page.html"
    assert led(sites, file, "../g/") == f"file://{tmp_path}/g.md"
    assert led(sites, file, "../page/") == f"file://{tmp_path}/page/"  # no server has it
    assert led(sites, file, "../x.html") == f"file://{tmp_path}/x.rst"
    assert led(sites, file, "../sub") == led(sites, file, "/") == f"file://{tmp_path}/sub/home.html"
    assert led(sites, file, "/a.md") == f"file://{tmp_path}/sub/a.md"
    inside = Sites((str(tmp_path),), index=("home.html",))
    found = inside.judge(URL(led(inside, file, "../empty")))
    assert found is not None
    assert found.outcome == "broken"
    assert "no home.html" in found.message
    assert inside.judge(URL(led(inside, file, "home.html"))) is None


def test_a_site_is_looked_up_in_its_folder_wherever_it_is_linked(tmp_path: Path) -> None:
    made(tmp_path, "site/index.html", "site/g/index.html", "site/a.css", "README.md")
    site = SiteFolder("//docs.example/x/", str(tmp_path / "site"), "https")
    sites = Sites((str(tmp_path),), sites=(site,))
    page, readme = tmp_path / "site/g/index.html", tmp_path / "README.md"
    for file in (page, readme):
        assert led(sites, file, "https://docs.example/x/a.css?v") == f"file://{tmp_path}/site/a.css"
        assert led(sites, file, "http://docs.example/x/g/") == f"file://{tmp_path}/site/g/index.html"
        assert led(sites, file, "https://docs.example/x") == f"file://{tmp_path}/site/index.html"
        assert led(sites, file, "https://docs.example/x/gone") == f"file://{tmp_path}/site/gone"
        assert led(sites, file, "https://docs.example/xy") == "https://docs.example/xy"
    assert led(sites, page, "/x/a.css") == f"file://{tmp_path}/site/a.css"
    assert led(sites, page, "/a.css") == "https://docs.example/a.css"
    assert led(sites, page, "../../y/") == "https://docs.example/y/"
    assert led(sites, page, "//cdn.example/x.js") == "https://cdn.example/x.js"
    assert led(sites, readme, "site/a.css") == f"file://{tmp_path}/site/a.css"


def test_the_site_map_of_a_built_site_tells_where_its_root_is(tmp_path: Path) -> None:
    made(tmp_path, "site/index.html", "site/404.html", "site/a.css")
    (tmp_path / "site/sitemap.xml").write_text(
        "<urlset><url><loc>https://docs.example/x/posts/b/</loc></url><url><loc> https://docs.example/x/</loc></url></urlset>"
    )
    sites = Sites((str(tmp_path),))
    assert led(sites, tmp_path / "site/404.html", "/x/a.css") == f"file://{tmp_path}/site/a.css"
    assert led(sites, tmp_path / "site/404.html", "/x/") == f"file://{tmp_path}/site/index.html"
    assert led(sites, tmp_path / "site/404.html", "/x/gone") == f"file://{tmp_path}/x/gone"


@pytest.mark.parametrize(
    ("page", "reference", "led_to"),
    [
        ("<link href='/base/a.css'><a href=/base/>h</a> <img src=/gone.png>", "/base/a.css", "a.css"),
        ("<link href='/base/a.css'><a href=/base/>h</a> <img src=/gone.png>", "/base/", "index.html"),
        ("<link href='/base/a.css'><a href=/base/>h</a> <img src=/gone.png>", "/base/b.css", None),  # it is missing
        ("<link href='/base/a.css'><a href=/base/>h</a> <img src=/gone.png>", "/other/a.css", None),
        ("<a href='/x/y/'>h</a><link href='/x/y/a.css?v'>", "/x/y/p/", "p/index.html"),
        ("<a href='/p/'>h</a><link href='/p/gone.css'>", "/p/a.css", None),  # a folder of the site is no prefix of it
        ("<a href='/base/a.css'>1</a><a href='/b/'>2</a><a href='/c/'>3</a>", "/base/a.css", None),  # one of three
        ("<a href='/base/gone/'>1</a>", "/base/a.css", None),  # nothing is there with or without it
    ],
)
def test_without_a_site_map_the_first_page_tells_it(
    tmp_path: Path, page: str, reference: str, led_to: str | None
) -> None:
    """GitHub serves the site of a project below its name, and Jekyll writes no site map."""
    made(tmp_path, "site/404.html", "site/a.css", "site/p/index.html")
    (tmp_path / "site/index.html").write_text(f"<!doctype html>{page}")
    sites = Sites((str(tmp_path),))
    path = reference if led_to is None else f"/site/{led_to}"
    assert led(sites, tmp_path / "site/404.html", reference) == f"file://{tmp_path}{path}"


def test_a_name_in_another_case_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, "a.md", "sub/guide.md")
    monkeypatch.chdir(tmp_path)
    for reference, said in (
        ("sub/Guide.md", "There is no sub/Guide.md, but there is sub/guide.md."),
        ("sub/guides.md", "There is no sub/guides.md."),
        ("Sub/guide.md", "There is no Sub/guide.md."),
    ):
        found = (sites := Sites((".",))).judge(URL(led(sites, tmp_path / "a.md", reference)))
        assert found is not None
        assert found.message == said


@pytest.mark.parametrize(
    ("reference", "other", "option"),
    [
        ("g.html#x", "g.md", "--try-suffix .md"), ("g/", "g.md", "--try-suffix .md"),
        ("g", "g.md", "--try-suffix .md"),
        ("sub/", None, None), ("sub/index.html", "sub/README.md", "--try-suffix .md"),
        ("x.html", "x.rst", "--try-suffix .rst"),
        ("old.md", "old.md.gz", "--try-suffix .gz"), ("page", "page.html", "--try-suffix .html"),
        ("gone.html", None, None),
    ],
)  # fmt: skip
def test_what_a_missing_page_may_be_made_of_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str, other: str | None, option: str | None
) -> None:
    made(tmp_path, "a.md", "g.md", "x.rst", "old.md.gz", "page.html", "sub/README.md")
    monkeypatch.chdir(tmp_path)
    sites, wider = (Sites((".",), reader="options", suffixes=each) for each in ((), (".md", ".rst", ".gz", ".html")))
    found = sites.judge(URL(led(sites, tmp_path / "a.md", reference)).without_fragment())
    if reference == "sub/":
        assert found is None  # a folder
        return
    assert found is not None
    assert found.outcome == "broken"
    assert found.message.endswith("." if other is None else f", but there is {other} ({option} finds it).")
    assert (wider.judge(URL(led(wider, tmp_path / "a.md", reference)).without_fragment()) is None) == (
        other is not None
    )


@pytest.mark.parametrize(
    ("reference", "outcome"),
    [
        ("some-target", "not-checkable"), ("pkg.module.Class", "not-checkable"), ("given", "ok"), ("gone.md", "broken"),
        ("gone.png", "broken"), ("gone.html", "broken"), ("gone/", "broken"), ("p.*", None), ("sub/p.*", "broken"),
    ],
)  # fmt: skip
def test_the_sources_of_sphinx_name_targets_and_pictures_of_any_format(
    tmp_path: Path, reference: str, outcome: str | None
) -> None:
    """The documents of attrs and structlog are full of them (MyST), and those of pytest and Sphinx of ``x.*``."""
    made(tmp_path, "doc/conf.py", "doc/sub/a.md", "doc/sub/p.svg", "doc/sub/p.png", "a.md")
    (tmp_path / "doc/b.rst").write_text(".. _Given:\n")
    sites = Sites((str(tmp_path),))
    found = sites.judge(URL(led(sites, tmp_path / "doc/sub/a.md", reference)))
    assert (None if found is None else found.outcome) == outcome
    outside = sites.judge(URL(led(sites, tmp_path / "a.md", "some-target")))
    assert outside is not None
    assert outside.outcome == "broken"


@pytest.mark.parametrize(
    ("fragment", "given"),
    [
        ("label", True), ("Long%20Label", True), ("myst", True), ("figure-1", True), ("pkg.f", True), ("f", True),
        ("genindex", True), ("gone", False), ("pkg.gone", None), ("no-label", False),
    ],
)  # fmt: skip
def test_a_name_that_a_source_of_sphinx_gives_is_there_for_all(
    tmp_path: Path, fragment: str, given: bool | None
) -> None:
    """In MyST ``[x](#label)`` leads to any page of the project."""
    made(tmp_path, "doc/conf.py", "doc/sub/a.md", "a.md", "doc/_build/b.rst")
    (tmp_path / "doc/b.rst").write_text(
        ".. _label:\n\n.. _`Long Label`:\n\nT\n=\n\n.. py:function:: pkg.f(x)\n\nA ``.. _no-label:`` b.\n"
    )
    (tmp_path / "doc/c.md").write_text("(myst)=\n# T\n\n```{figure} x.png\n:name: figure-1\n```\n")
    sites = Sites((str(tmp_path),))
    assert sites.gives(URL(f"file://{tmp_path}/doc/sub/a.md"), fragment) is given
    assert sites.gives(URL(f"file://{tmp_path}/a.md"), fragment) is False


def test_the_root_of_a_source_is_also_what_its_generator_copies(tmp_path: Path) -> None:
    made(tmp_path, "site/static/img/a.png", "site/docs/sub/a.md", "site/docs/a.html", "public/b.png")
    sites = Sites((str(tmp_path),))
    for reference, path in (("/img/a.png", "site/static/img/a.png"), ("/b.png", "public/b.png")):
        assert led(sites, tmp_path / "site/docs/sub/a.md", reference) == f"file://{tmp_path}/{path}"
        assert led(sites, tmp_path / "site/docs/a.html", reference) == f"file://{tmp_path}{reference}"
    named = Sites((str(tmp_path),), root=str(tmp_path))
    assert led(named, tmp_path / "site/docs/sub/a.md", "/b.png") == f"file://{tmp_path}/b.png"


@pytest.mark.parametrize(
    ("file", "reference", "path"),
    [
        ("posts/b.md", "../a/", "posts/a.md"),
        ("posts/b.md", "../../x/", "x.md"),
        ("posts/b.md", "../../GONE/", "posts/../../GONE/"),
        ("posts/index.md", "../a/", "a/"),
        ("posts/b.html", "../a/", "a/"),
    ],
)
def test_a_source_may_name_pages_from_the_folder_of_its_own(
    tmp_path: Path, file: str, reference: str, path: str
) -> None:
    """Hugo and MkDocs make ``b/index.html`` of ``b.md``."""
    made(tmp_path, "top/posts/a.md", "top/posts/b.md", "top/x.md")
    sites = Sites((str(tmp_path),), suffixes=(".md",))
    expected = URL(f"file://{tmp_path}/top/").join(path)
    assert led(sites, tmp_path / "top" / file, reference) == str(expected)


def test_what_is_outside_is_told_with_the_option_that_would_include_it(tmp_path: Path) -> None:
    made(tmp_path, "tree/.git/", "tree/docs/a.md", "b.md", "away/c.md")
    (tmp_path / "tree/way").symlink_to(tmp_path / "away")
    sites = Sites((str(tmp_path / "tree/docs"),))
    file = tmp_path / "tree/docs/a.md"
    for reference, said in (("../../b.md", "outside of the checked tree"), ("../way/c.md", "way is a symbolic link")):
        found = sites.judge(URL(led(sites, file, reference)))
        assert found is not None
        assert found.outcome == "refused"
        assert said in found.message
        assert f"(root='{tmp_path}' would include it" in found.message
    wider = Sites((str(tmp_path / "tree/docs"),), root=str(tmp_path))
    assert wider.judge(URL(led(wider, file, "../way/c.md"))) is None


@pytest.mark.parametrize("reference", ["a%2Fb", "a%00b", "/a%2fb", "x/%00"])
def test_what_no_file_can_be_called_is_broken(tmp_path: Path, reference: str) -> None:
    sites = Sites((str(tmp_path),))
    found = sites.judge(URL(led(sites, tmp_path / "a.md", reference)))
    assert found is not None
    assert found.outcome == "broken"


def test_a_link_without_a_scheme_is_not_a_file_of_another_machine(tmp_path: Path) -> None:
    sites = Sites((str(tmp_path),))
    link = sites.locate(sites.base(f"{tmp_path}/a.html").join("//cdn.example/x.js"), f"{tmp_path}/a.html")
    assert isinstance(link, MalformedLink)
    assert str(link) == "//cdn.example/x.js"
    assert link.finding("arguments").outcome == "not-checkable"
    assert sites.shown(f"{sites.base(str(tmp_path / 'a.md'))}\\b") == f"file://{tmp_path}/a.md\\b"


def test_members_of_an_archive_lead_to_each_other(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.epub", "w") as book:
        for name in ("OEBPS/c1.xhtml", "OEBPS/c2.xhtml", "OEBPS/i/p.png"):
            book.writestr(name, b"x")
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as tar:
        for name in ("OEBPS/c1.xhtml", "OEBPS/c2.xhtml", "OEBPS/i/p.png"):
            tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    for archive in (tmp_path / "b.epub", tmp_path / "b.tar.gz"):
        sites = Sites((str(archive),))
        base = URL(f"{sites.base(str(archive))}!/OEBPS/c1.xhtml")
        expected = {
            "c2.xhtml": "ok", "../OEBPS/i/p.png": "ok", "i/": "ok", "c3.xhtml": "broken", "/OEBPS/c2.xhtml": "ok",
            "/c2.xhtml": "ok", "/c3.xhtml": "broken",
        }  # fmt: skip
        for reference, outcome in expected.items():
            link = sites.locate(base.join(reference), str(archive), "OEBPS/c1.xhtml")
            assert isinstance(link, URL)
            found = sites.judge(link)
            assert found is not None
            assert found.outcome == outcome, reference
