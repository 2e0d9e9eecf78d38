"""HTTP request options of the command line: method, header fields, query, content, named as in curl.

Rule: files named by ``@FILE`` are read before any connection is made. Credentials are removed from the process list.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anyurl.cli.arguments import Parameter, UsageError
from anyurl.errors import AnyURLError

if TYPE_CHECKING:
    from anyurl.access import Client, Resource
    from anyurl.cli.terminal.console import Console
    from anyurl.client.options import RequestOptions
    from anyurl.client.source import File
    from anyurl.dialogue import Resume
    from anyurl.dialogue.http import HttpOptions
    from anyurl.url import URL
    from anyurl.values import Provenance

_FIELDS = (
    Parameter(
        "-H", "--header", "headers", metavar="NAME:VALUE", multiple=True,
        help="For http: send this header field; @FILE reads one per line. Repeatable.",
    ),
    Parameter(
        "--query", "--url-query", "query", metavar="NAME=VALUE", multiple=True,
        help="For http: add this to the query part of the URL. Repeatable.",
    ),
)  # fmt: skip

_CONTENT = (
    Parameter(
        "-X", "--method", "--request", "method", metavar="METHOD",
        help="For http: the request method; the default is GET, or POST with data.",
    ),
    Parameter(
        "-d", "--data", metavar="TEXT", multiple=True,
        help="For http: send TEXT, or the octets of @FILE (@- is stdin). Repeatable: `&` joins them.",
    ),
    Parameter("--json-data", metavar="JSON", help="For http: send this as application/json; @FILE as in --data."),
    Parameter(
        "-F", "--form", metavar="NAME=VALUE", multiple=True,
        help="For http: send this field of a form, as multipart/form-data; NAME=<FILE takes the text of a file, "
             "NAME=@FILE sends a file (append ;type=TYPE;filename=NAME to describe it). Repeatable.",
    ),
)  # fmt: skip


class RequestWords:
    """The request options of a command line.

    Attributes:
        fields: Header fields and query, as arguments of a client's verbs.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        """Raises UsageError for an invalid field, and LocalFileError for a file that can't be read."""
        self.fields: RequestOptions = {}
        self._method: str | None = values.get("method")
        self._data: Sequence[str] = values.get("data") or ()
        self._json: str | None = values.get("json_data")
        self._form: Sequence[str] = values.get("form") or ()
        self._headers: Sequence[str] = values["headers"]
        if values["query"]:
            self.fields["query"] = [_pair(text, "--query") for text in values["query"]]

    @property
    def is_said(self) -> bool:
        """Whether any option is given."""
        return self.is_request or bool(self._headers) or "query" in self.fields

    def url(self, url: URL) -> URL:
        """The URL with the given additions to its query."""
        from anyurl.client.requests import add_query

        return add_query(url, self.fields) if "query" in self.fields else url

    @property
    def is_request(self) -> bool:
        """Whether it needs more than a plain get: a method or content is given."""
        return self._method is not None or self._sends

    @property
    def _sends(self) -> bool:
        return bool(self._data or self._form) or self._json is not None

    def read(self, console: Console) -> RequestOptions:
        """The arguments for a client's verb, with the contents of files. Raises UsageError and LocalFileError."""
        pairs: list[tuple[str, str]] = []
        for text in self._headers:
            lines = _text(console, text[1:]).splitlines() if text.startswith("@") else [text]
            pairs += [_field(line) for line in lines if line.strip()]
        if pairs:
            from anyurl.cli.argv import hide
            from anyurl.dialogue.http import is_credential

            hide(value for name, value in pairs if is_credential(name))
            self.fields["headers"] = pairs
        return self.fields

    def open(self, console: Console, client: Client, url: URL, came_from: Provenance) -> Resource:
        """Make the request. Raises AnyURLError."""
        fields = self.read(console)
        type = None if _is_typed(fields) else self._type
        if self._form:
            form, files = self._fields_of_form(console)
            return client.request(self.method, url, form=form, files=files, came_from=came_from, **fields)
        content = self._octets(console)
        return client.request(self.method, url, content=content, type=type, came_from=came_from, **fields)

    @property
    def method(self) -> str:
        """The given method, or the one that follows from the content."""
        return self._method or ("POST" if self._sends else "GET")

    @property
    def _type(self) -> str | None:
        if self._json is not None:
            return "application/json"
        return "application/x-www-form-urlencoded" if self._data else None  # as curl sends it

    def _octets(self, console: Console) -> bytes | None:
        if bool(self._data) + (self._json is not None) + bool(self._form) > 1:
            raise UsageError("Only one of --data, --json-data and --form can be sent.")
        given = self._data if self._json is None else (self._json,)
        if not given:
            return None
        data = b"&".join(
            _content(console, text[1:]) if text.startswith("@") else text.encode("utf-8", "surrogateescape")
            for text in given
        )
        if self._json is not None:
            _check_json(data)
        return data

    def _fields_of_form(self, console: Console) -> tuple[list[tuple[str, str]], list[tuple[str, File]]]:
        """The texts and the files of a form, which is multipart/form-data even without a file, as in curl."""
        self._octets(console)
        texts: list[tuple[str, str]] = []
        files: list[tuple[str, File]] = []
        for name, value in (_pair(text, "--form") for text in self._form):
            if value.startswith("@"):
                files.append((name, _file(console, value[1:])))
            elif value.startswith("<"):
                texts.append((name, _text(console, value[1:])))
            elif ";type=" in value:  # curl would take it out of the value
                raise UsageError(f"In --form {name}=..., ';type=' can only describe a file, NAME=@FILE;type=TYPE.")
            else:
                texts.append((name, value))
        return texts, files

    def http(self, console: Console) -> HttpOptions | None:
        """The request as a dialogue's options, for a dry run; None if no option is given."""
        from anyurl.client.requests import http_options
        from anyurl.dialogue.http import check_method

        fields = self.read(console)
        if not (fields or self.is_request):
            return None
        return http_options(check_method(self.method), fields, content=self.method != "GET")


def _is_typed(fields: RequestOptions) -> bool:
    headers: Any = fields.get("headers", ())
    return any(name.lower() == "content-type" for name, _ in headers)


def _check_json(data: bytes) -> None:
    import json

    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        raise UsageError(f"--json-data is not JSON from character {error.pos + 1} on.") from None
    except (ValueError, RecursionError):
        raise UsageError("--json-data can't be read as JSON: it is not UTF-8, or nested too deep.") from None


def _field(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise UsageError(f"'{name}' is not a header field; 'Accept: text/plain' would be.")
    return name.strip(), value.strip()


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"{option} takes NAME=VALUE, not {text!r}.")
    return name, value


def _file(console: Console, text: str) -> File:
    """A file from ``PATH``, with optional ``;type=TYPE`` and ``;filename=NAME`` as in curl. Raises LocalFileError."""
    said: dict[str, str] = {}
    while True:
        path, _, last = text.rpartition(";")
        word, equals, value = last.strip().partition("=")
        if not (path and equals and word in ("type", "filename")):
            break
        text = path
        said.setdefault(word, value)
    name, content = said.get("filename") or os.path.basename(text), _content(console, text)
    return (name, content, said["type"]) if "type" in said else (name, content)


def _content(console: Console, name: str) -> bytes:
    """Read a file. Raises LocalFileError."""
    from anyurl.cli import upload

    with upload.opened(console, name) as file:
        return file.read()


def _text(console: Console, name: str) -> str:
    return _content(console, name).decode("utf-8", "surrogateescape")


def _with(parameters: Sequence[Parameter]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_request(console: Console, **values: Any) -> Any:
            wanted = RequestWords({each.dest: values.pop(each.dest) for each in parameters})
            return command(console, wanted=wanted, **values)

        wrapped: Callable[..., Any] = with_request
        for parameter in reversed(parameters):
            wrapped = parameter(wrapped)
        return wrapped

    return decorate


field_options = _with(_FIELDS)
"""Adds the options of a command that fetches (header fields, query), which it gets as `wanted`."""

request_options = _with((*_CONTENT, *_FIELDS))
"""The same with those for a method and content."""


def open_each(
    console: Console, client: Client, urls: Sequence[URL], wanted: RequestWords, came_from: Provenance, parallel: int
) -> Iterator[tuple[URL, Resource | None, AnyURLError | None]]:
    """Open several URLs; an error of one does not affect the others."""
    if not wanted.is_request:
        fields = wanted.read(console)
        for result in client.map(urls, parallel, came_from=came_from, **fields):
            assert not isinstance(result.url, str)
            yield result.url, result.resource, result.error  # type: ignore[misc]
        return
    for url in urls:
        try:
            yield url, wanted.open(console, client, url, came_from), None
        except AnyURLError as error:
            yield url, None, error


def open_one(
    console: Console, client: Client, url: URL, wanted: RequestWords, came_from: Provenance, **how: Any
) -> Resource:
    """Open one URL; `how` are arguments of `Client.get`. Raises AnyURLError."""
    if wanted.is_request:
        resume: Resume | None = how.get("resume")
        if resume is not None and resume.start:
            raise UsageError("--continue is for GET: it can't be combined with another method or a body.")
        return wanted.open(console, client, url, came_from)
    return client.get(url, came_from=came_from, **how, **wanted.read(console))
