"""What ``--explain`` shows of each scheme and each of its verbs: the conversation with its ideal server, as lines.

``python -m tests.schemes.explained`` writes ``tests/data/schemes/explained`` anew. Whoever changes a dialogue reads the
difference: each line of it is something that a server is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options
from anyurl.errors import AnyURLError
from anyurl.schemes.registry import verb_table

FOLDER = Path(__file__).resolve().parent.parent / "data" / "schemes" / "explained"
REST = {
    "data": ("data:,a%20b", "data:text/html;base64,PGI+", "data:;base64,x"),
    "dict": ("//h/", "//h/d:word", "//h/d:word:!:2", "//h/m:word:wn:prefix", "//u;a@h:1/d:x"),
    "file": ("///etc/motd", "///pub/", "//host/x", "///%E9"),
    "ftp": (
        "//h", "//h/", "//h/a/", "//h/etc/motd", "//h/%2Fetc/motd", "//h//etc/motd", "//h/a;type=a", "//h/a;type=d",
        "//u@h/x", "//u:s3cr3t@h/%C3%BC", "//h:2121/x.txt", "//h/a%0D%0Ab",
    ),
    "gemini": ("//h", "//h/a?b%20c", "//h:1966/", "//h/#f"),
    "gopher": (
        "//h", "//h/1/menu", "//h/0/text", "//h/7/find%09a%20b", "//h/9bin", "//h/1x%09%09+", "//h:71/8user",
        "//h/0a%0Db",
    ),
    "http": ("//h", "//h/a?b#c", "//u:s3cr3t@h/", "//h:8080/%7Ex", "//[::1]/"),
    "mailto": ("a@b.example", "a@b.example,c@d.example?subject=s&body=one%0D%0Atwo", "?to=a@b.example"),
    "news": ("comp.infosystems.gopher", "1234@h.example", "*", "alt.*"),
    "nntp": ("//h/", "//h/comp.lang", "//h/comp.lang/12", "//h:1119/a.b/1-3"),
    "prospero": ("//h/name", "//h:1525/a%2Fb;field=value", "//h/"),
    "telnet": ("//h", "//u:s3cr3t@h:23/", "//h:8023/"),
    "wais": ("//h/db", "//h/db?a%20b", "//h/db/TEXT/1=h%3A210;2=db;3=x;", "//h:8001/db"),
}  # fmt: skip
"""What follows the scheme, for it and those that are spoken as it is (`LIKE`): its forms, and one that is refused."""

OPTIONS = Options(
    words="a b", upload_size=8, upload_type="text/plain", identity="me@h.example", news_server="news.example",
    mail_server="smtp.example", mail_from="me@h.example",
)  # fmt: skip
"""What the verbs need beside the URL; each takes its own."""

LIKE = {
    "ftps": "ftp", "gophers": "gopher", "https": "http", "nntps": "nntp", "snews": "news", "telnets": "telnet",
}  # fmt: skip


def urls(scheme: str) -> tuple[str, ...]:
    """Those of a scheme."""
    named = REST[LIKE.get(scheme, scheme)]
    return tuple(rest if scheme == "data" else f"{scheme}:{rest}" for rest in named)


def told(scheme: str) -> Iterator[str]:
    """The lines of a scheme: each verb with each URL, and what it would do, or why it would not."""
    for verb in verb_table()[scheme]:
        for url in urls(scheme):
            yield f"{verb} {url}"
            try:
                for line in dry_run(url, verb, OPTIONS):
                    yield f"    {line}"
            except AnyURLError as error:
                yield f"    {type(error).__name__}: {error}"


def text(scheme: str) -> bytes:
    """The file of a scheme."""
    return "".join(f"{line}\n" for line in told(scheme)).encode("utf-8", "backslashreplace")


def main() -> None:
    """Write them."""
    FOLDER.mkdir(exist_ok=True)
    for scheme in verb_table():
        (FOLDER / f"{scheme}.txt").write_bytes(text(scheme))


if __name__ == "__main__":
    main()
