"""Of an installation with tools that look at packages beside it: each sees what is public, as the source says it.

Run by `.ci/full` with the Python of a new environment, in an empty folder: ``introspection.py [TOOL]...``, all by
default. Ends with what went wrong. The kernel is compiled: of C less can be seen than of Python.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import anyurl

SIGNATURE = "text: str | bytes | URL"
"""Of the constructor of URL."""


def run(*words: str) -> str:
    """What a program of this environment writes; it has to end well, and to complain of nothing."""
    command = [str(Path(sys.executable).parent / words[0]), *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, ""), f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def griffe() -> None:
    """What mkdocstrings shows: of the source, and of what runs."""
    from griffe import load

    for is_run in (False, True):
        package = load("anyurl", force_inspection=is_run, resolve_aliases=True)
        kind = package["url.url.URL"]
        assert kind.docstring.value.startswith("A Uniform Resource Locator"), kind.docstring
        assert {"join", "parent", "with_query"} <= set(kind.members), sorted(kind.members)
        assert package["guard.policy.Policy"]["check"].docstring is not None
    assert [one.name for one in load("anyurl")["url.url.URL"]["__init__"].parameters] == ["self", "text"]


def sphinx() -> None:
    """A page of autodoc with all that `anyurl` has; a warning is an error."""
    pages = Path("pages")
    pages.mkdir()
    extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
    (pages / "conf.py").write_text(f"extensions = {extensions!r}\ndefault_role = 'code'\n", "utf-8")
    names = [name for name in anyurl.__all__ if inspect.isclass(getattr(anyurl, name))]
    text = "".join(f".. autoclass:: anyurl.{name}\n   :members:\n\n" for name in names)
    functions = [name for name in anyurl.__all__ if inspect.isroutine(getattr(anyurl, name))]
    text += "".join(f".. autofunction:: anyurl.{name}\n\n" for name in functions)
    (pages / "index.rst").write_text(f"anyurl\n======\n\n{text}", "utf-8")
    run("sphinx-build", "-W", "-q", "-b", "text", "pages", "built")
    built = " ".join(Path("built/index.txt").read_text("utf-8").split())
    assert f"class anyurl.URL({SIGNATURE})" in built, built[:2000]
    taking = [name for name in (*names, *functions) if str(inspect.signature(getattr(anyurl, name))) != "()"]
    assert [name for name in taking if f"anyurl.{name}(" not in built] == []


def pydantic() -> None:
    """A field of a model, and its schema."""
    from pydantic import BaseModel, ValidationError

    class Hook(BaseModel):
        url: anyurl.URL

    assert Hook.model_validate_json('{"url": "gopher://h/1"}').url == anyurl.URL("gopher://h/1")
    assert Hook.model_json_schema()["properties"]["url"]["type"] == "string"
    try:
        Hook(url="http://h:65536/")  # type: ignore[arg-type]
    except ValidationError as error:
        assert error.errors()[0]["type"] == "url_parsing"
    else:
        raise AssertionError("65536 is no port")


def fastapi() -> None:
    """A parameter of a query, and what is documented of it."""
    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    app = FastAPI()

    @app.get("/")
    def host(url: anyurl.URL) -> dict[str, str | None]:
        return {"host": url.host}

    client = TestClient(app)
    assert client.get("/", params={"url": "ftp://h.example/a"}).json() == {"host": "h.example"}
    assert client.get("/", params={"url": "http://h:65536/"}).json()["detail"][0]["type"] == "url_parsing"
    assert client.get("/openapi.json").json()["paths"]["/"]["get"]["parameters"][0]["schema"]["type"] == "string"


class Fetcher:
    """What a container makes: its arguments are found by their types."""

    def __init__(self, client: anyurl.Client, policy: anyurl.Policy) -> None:
        self.client, self.policy = client, policy


def containers() -> None:
    """Two containers that inject what the hints of constructors say."""
    import punq
    from dependency_injector import containers, providers

    container = punq.Container()
    container.register(anyurl.Policy, factory=anyurl.Policy.untrusted)
    container.register(anyurl.Client, factory=lambda: anyurl.Client(policy=anyurl.Policy.untrusted()))
    container.register(Fetcher)
    assert container.resolve(Fetcher).policy.name == "untrusted"

    class Container(containers.DeclarativeContainer):
        policy = providers.Singleton(anyurl.Policy.untrusted)
        client = providers.Singleton(anyurl.Client, policy=policy)
        fetcher = providers.Factory(Fetcher, client=client, policy=policy)

    made = Container().fetcher()
    assert made.client.policy == made.policy == anyurl.Policy.untrusted()


def ipython() -> None:
    """What Tab, ? and the echo of a cell show."""
    from IPython.core.completer import provisionalcompleter
    from IPython.core.interactiveshell import InteractiveShell

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a history that this machine keeps for nobody
        shell = InteractiveShell.instance(cache_size=0)
    shell.history_manager.enabled = False  # type: ignore[union-attr]
    shell.run_cell("import anyurl; url = anyurl.URL('ftp://joe:s3cret@h/a'); client = anyurl.Client()")
    with provisionalcompleter():
        for text, name in (("url.jo", "join"), ("client.mir", "mirror"), ("anyurl.Policy.untr", "untrusted")):
            found = [one.text for one in shell.Completer.completions(text, len(text))]  # type: ignore[union-attr]
            assert name in found, (text, found)
    shown = shell.object_inspect("anyurl.URL")
    assert shown["init_definition"] == "anyurl.URL(text: 'str | bytes | URL')", shown
    assert shown["docstring"].startswith("A Uniform Resource Locator"), shown
    echo = shell.display_formatter.format(shell.user_ns["url"])[0]["text/plain"]  # type: ignore[union-attr]
    assert "h/a" in echo and "s3cret" not in echo, echo  # noqa: PT018 - of one text


PROGRAM = """
import inspect
import anyurl
print(anyurl.diagnose("http://h:99999/")[0].code)
print(next(iter(anyurl.find("see gopher://h/0a"))).url)
print(anyurl.Policy.untrusted().check("http://10.0.0.1/").code)
print("prospero" in anyurl.known_schemes(), anyurl.URL("ftp://h/a;type=i").parts.typecode)
print(anyurl.get("data:,hello").text())
try:
    print(inspect.signature(anyurl.URL))
except ValueError:
    print("no source, no signature")
"""


def pyinstaller() -> None:
    """A program without Python beside it, made with no option: the entry point says what belongs to it."""
    Path("program.py").write_text(PROGRAM, "utf-8")
    run("pyinstaller", "--noconfirm", "--log-level", "ERROR", "program.py")
    done = subprocess.run(["dist/program/program"], capture_output=True, text=True, timeout=60, check=False)
    told = "port-too-large\ngopher://h/0a\naddress-private\nTrue i\nhello\nno source, no signature\n"
    assert (done.stdout, done.stderr) == (told, ""), done


TOOLS: dict[str, Callable[[], None]] = {
    tool.__name__: tool for tool in (griffe, sphinx, pydantic, fastapi, containers, ipython, pyinstaller)
}


def main(names: list[str]) -> str | None:
    """What is wrong, by tool."""
    from anyurl.url.url import COMPILED

    faults = [] if COMPILED else ["the kernel is not compiled"]
    for name in names or TOOLS:
        try:
            TOOLS[name]()
        except Exception as error:
            faults.append(f"{name}: {error!r}")
    return "\n".join(faults) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
