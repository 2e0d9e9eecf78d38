"""What is loaded as a request goes on, and can't be for want of a descriptor, ends in an error of the tree.

Rule: the scheduler translates what a dialogue or a handler runs into. All else that imports in a function says so by
`loads_late`, catches the error itself, or is listed here with the reason why it need not. The lists may only shrink.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.source import modules

ON_THE_WAY = ("access/", "net/")
"""The rooms between a caller and a dialogue."""

IN_A_HANDLER = {
    "access/client.py": "_secret",
    "access/secrets.py": "_read",
    "net/handlers.py": (
        "_load_curl _connect _connect_data _open_file _stat_file _open_folder _list_folder _local_name _as_file"
    ),
    "net/http/request.py": "_set_method",
    "net/libcurl.py": "_load _let_c_stand_in _blake2b",
    "net/pool.py": "_digest",
    "net/request_lines.py": "codings",
    "net/resolver.py": "_names _add_thread _descriptors",
    "net/tls.py": "bundle",
}
"""What the scheduler calls to answer an ask."""

BY_ANOTHER = {
    "access/circles.py": "__init__",  # `mirroring._advance`
    "access/gateways.py": "begin",  # in a dialogue
    "access/mirror.py": "_look_through _follow",  # `mirroring._advance`
    "access/multipart.py": "_media_type",  # `given.request`
    "access/part_file.py": "part_names",  # `save`
    "access/requests.py": "_source",  # `given.request`
    "access/save.py": "_write_facts _read_facts _cut",  # `save` names the file
    "access/tree.py": "_place_in candidates",  # `mirroring._advance`
    "net/attempt.py": "_to_datagrams",  # `_attempt`
    "net/certificates.py": "fingerprint _seconds",  # `Pins.judge`
    "net/channel.py": "begin_tls",  # `attempt._begin_tls`, and a handler
    "net/http/certificates.py": "names_hosts",  # a callback of libcurl, which keeps the error
    "net/http/coding.py": "_layer",  # `body._decoder`
    "net/http/modern_codings.py": "_zstd __init__",  # `body._decoder`
    "net/loop.py": "__init__",  # `Loop.rouse`
    "net/pins.py": "_alone _add _read _date _seconds",  # `Pins.judge`
    "net/room.py": "_limit",  # `Loop.rouse`
    "net/system.py": "socket_pair",  # `Loop.rouse`
    "net/tls.py": "_new_context",  # as `begin_tls`
}
"""What is called by what sees to it, which is named."""

LOADED_BY_THEN = {
    "access/mirroring.py": "_settled_async",  # by the client of asyncio
    "access/resource.py": "_named_charset",  # `re`, by the grammar of URLs
    "net/channel.py": "_tls_want _tls_end _is_end_of_tcp _tls_broke handshake end",  # `ssl`, by `begin_tls`
    "net/http/tunnels.py": "dig",  # by the handlers
    "net/tls.py": "_in_words close_half_made",
}
"""What was loaded before this could be called."""

BEFORE_A_REQUEST = {
    "access/__init__.py": "__getattr__",
    "access/judgement.py": "judge _octets",
    "access/toml.py": "read_toml",
    "net/connect.py": "_is_context open_connection _drive",
    "net/signals.py": "act_on",
}
"""Names of the package, judgements, settings, sockets for others: no request is on its way."""


def late(tree: ast.AST, around: tuple[ast.AST, ...] = ()) -> Iterator[str]:
    """The innermost named functions that import and neither are decorated nor catch OSError around that."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            functions = [each for each in around if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
            if functions and not any(is_decorated(each) for each in functions) and not is_caught(around):
                yield functions[-1].name
        else:
            yield from late(node, (*around, node))


def is_decorated(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return "loads_late" in [ast.unparse(each) for each in function.decorator_list]


def is_caught(around: tuple[ast.AST, ...]) -> bool:
    """Whether an import is within a `try` that takes both errors of an import."""
    return any(
        "OSError" in ast.unparse(handler.type) and "ImportError" in ast.unparse(handler.type)
        for each in around
        if isinstance(each, ast.Try)
        for handler in each.handlers
        if handler.type is not None
    )


def test_every_late_import_on_the_way_of_a_request_is_seen_to() -> None:
    found: dict[str, set[str]] = {}
    for module in modules():
        if module.path.startswith(ON_THE_WAY) and (names := set(late(module.tree))):
            found[module.path] = names
    listed: dict[str, set[str]] = {}
    for group in (IN_A_HANDLER, BY_ANOTHER, LOADED_BY_THEN, BEFORE_A_REQUEST):
        for path, names_of in group.items():
            listed.setdefault(path, set()).update(names_of.split())
    assert found == {path: names for path, names in listed.items() if names}
