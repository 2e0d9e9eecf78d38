"""A text is read once: where one is made a URL, it is the first time, or what wrote it down said by which grammar."""

from __future__ import annotations

import ast

from tests.architecture.source import modules

READERS = {"URL", "parse", "from_stored"}

OWN = {"errors", "url", "grammar", "text", "world", "testing"}
"""Rooms that read texts, or serve them."""

CALLER = "the caller's own text"
TYPED = "a person's own text"
PEER = "a text of the peer's, which nobody has read before"
STORED = "it was written by `to_stored`"
STORED_AS = "beside the text stands the grammar that read it"

KNOWN = {
    "__init__.py:read": CALLER,
    "client/cookie_file.py:_read": "the name of a host, for whom today's grammar has one reading",
    "client/gateways.py:sample": "a template of the caller's",
    "client/gateways.py:original": "made of a URL and of a locator that is made of it again, and compared",
    "client/gateways.py:locator": "a locator made of a template: another URL",
    "client/gateways.py:_as_read_today": "what a gateway reads is compared with what was read here",
    "client/logins.py:read_logins": CALLER,
    "client/named.py:named": CALLER,
    "client/resource.py:as_url": CALLER,
    "saving/worklist.py:__init__": STORED,
    "saving/menu.py:written": STORED,
    "warc/cdxj.py:surt": "a URL as an archive names it, of which only a key is made",
    "adapters/fsspec.py:_parent": CALLER,
    "adapters/fsspec.py:_ls": CALLER,
    "adapters/fsspec.py:_name": CALLER,
    "adapters/gate.py:_read": CALLER,
    "adapters/reading.py:__call__": CALLER,
    "batch/check/paths.py:file_url": "a path on this machine",
    "batch/check/sites.py:base": "a path on this machine, or in a site of the caller's",
    "batch/check/sites.py:_file_url": "a path on this machine",
    "batch/check/links.py:finding": "it is not a URL, and says why again",
    "batch/check/links.py:from_text": STORED,
    "batch/check/table.py:_link": "a row of the caller's table",
    "batch/check/tree_settings.py:_as_written": "a line of a baseline, only to compare it with what was checked",
    "batch/rows.py:join": CALLER,
    "batch/rows.py:__call__": CALLER,
    "cli/commands/find.py:__init__": TYPED,
    "adapters/pytest.py:page": CALLER,
    "cli/replacing.py:to_pairs": TYPED,
    "cli/from_file.py:read_line": f"{TYPED}, or {STORED_AS}",
    "cli/options.py:_of_file": "a path on this machine",
    "cli/options.py:read_typed": TYPED,
    "cli/options.py:to_url": TYPED,
    "cli/options.py:to_urls": TYPED,
    "cli/options.py:_to_origin": TYPED,
    "cli/commands/parse.py:_read": TYPED,
    "guard/patterns.py:_name_in": CALLER,
    "guard/policy.py:check": CALLER,
    "mcp/markdown.py:_convert": PEER,
    "mcp/markdown.py:main": "our own process's text, by today's grammar: no other comes there",
    "mcp/records.py:resource_record": "the model's own text, to mask it",
    "mcp/records.py:_strangers_names": "the model's own text",
    "mcp/tools.py:_save": "the model's own text",
    "mcp/tools.py:find_urls": "the model's own text",
    "mcp/tools.py:_read": "the model's own text",
    "net/wire/proxies/table.py:read_proxy": CALLER,
    "proxy/gateway.py:asked": "what a form of ours, or ISINDEX, made of the client's own URL",
    "proxy/target.py:tunnel_place": "the client's own text",
    "proxy/visit.py:_request": "the client's own text",
    "schemes/file/verbs.py:_child": "files have no login, and one host in each grammar",
    "schemes/ftp/listing.py:read": "only where today's grammar read the directory's URL",
    "schemes/gemini/wire/server.py:serve": "the client's own text",
    "schemes/gopher/items.py:_link": PEER,
    "schemes/news/entries.py:_url": "news and nntp have no login by RFC 1738, and one host in each grammar",
    "schemes/wais/documents.py:_link": PEER,
    "web/pages.py:_head": "the address above a page, only to say what its host looks like",
    "web/app.py:_start": "our own examples",
    "web/article.py:references": PEER,
    "web/browse.py:_target_of": PEER,
    "web/browse.py:_unread": "the scheme wais wrote it, by today's grammar",
    "web/links.py:_url_of": STORED,
    "web/visits.py:_read": STORED,
}
"""Who makes a text a URL, and why no other grammar had read it before."""


def test_who_makes_a_text_a_url_is_known() -> None:
    found = set()
    for module in modules():
        if module.room in OWN:
            continue
        for node in module.nodes:
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in READERS):
                continue
            if all(isinstance(argument, ast.Constant) for argument in node.args):
                continue
            around = (each for each in module.above(node) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
            found.add(f"{module.path}:{next(around).name}")
    assert found == set(KNOWN)
