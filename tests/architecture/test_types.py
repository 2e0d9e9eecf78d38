"""Types: one word is one thing, and what makes a value of fields is written once, in `anyurl.values.Value`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.architecture.source import modules

WRITTEN_BY_HAND = {
    "values.Value": "the base",
    "values.Provenance": "its key is its hash: one look-up where each request asks for it",
    "guard/policy.Policy": "its hash is made once, since each request asks for it",
    "errors/__init__.Verdict": "made for each request; shown without its sentence",
    "url/url.URL": "its text and eight offsets, which C holds",
    "url/syntax.Row": "shown by its name alone: it has twenty fields",
    "text/found.Found": "made for each find; C holds its fields",
    "errors/__init__.Diagnostic": "every start loads errors, and not the base: that would cost --version a fifteenth",
    "errors/__init__.URLSyntaxError": "an exception is copied by its own arguments",
    "dialogue/secret.Secret": "equal to none but itself, never shown or copied",
    "dialogue/http.Headers": "a mapping, whose secrets are not shown",
    "dialogue/http.HttpOptions": "its secrets are not shown",
    "dialogue/values.Channel": "C holds its fields; shown by its peer",
    "dialogue/values.Response": "C holds its fields; shown by its status",
    "dialogue/values.Options": "shown by what was given: it has thirty fields",
    "schemes/news/wire/article.Article": "shown by its size, and not by its octets",
    "dialogue/values.Entry": "made for each line of a listing; shown by what matters of it",
    "net/wire/channel.Want": "a mark, shown by its name",
    "net/wire/proxies/table.Proxy": "shown as its URL, without its login",
    "schemes/ftp/wire/list.ListedName": "made for each line of a listing: a value takes twice as long to make",
    "dialogue/challenges.Challenge": "hashed without its mapping of parameters",
    "schemes/kit/replies.Reply": "equal whatever line end and secrets it has, which are set later",
    "schemes/kit/scheme.Scheme": "shown without its functions; two of one name are two",
    "schemes/news/wire/article.Part": "shown without its octets",
    "schemes/news/wire/binaries.EncodedFile": "shown without its octets",
    "schemes/prospero/wire/ardp_packet.Packet": "put together option by option, and then compared",
    "grammar/explanation.Explanation": "shown in a line: its readings are pages",
    "client/mapper.Result": "made for each URL of a map; a text that is no URL is not shown, it may hold a password",
    "schemes/http/wire/cookies.SetCookie": "shown without its value, which is a credential",
    "client/options.Option": "shown without its sentences",
    "values.PeerText": "equal to its text, and a quotation wherever it becomes one",
    "grammar/formal.FormalGrammar": "shown by its name: its productions are as long as a document",
    "dialogue/ask.Ask": "shown by its fields: rehearsals are read",
    "client/resource.Description": "no value: it is filled while the transfer goes on",
    "errors/__init__.AnyURLError": "OSError loses its number where it is copied",
}
"""Classes whose equality, hash, copy or ``repr`` is not that of a value, and why."""

METHODS = {"__eq__", "__hash__", "__reduce__", "__repr__", "__setattr__", "__delattr__"}


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    """Every class, by its module and name."""
    for module in modules():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                yield f"{module.path.removesuffix('.py')}.{node.name}", node


TWINS = [{"adapters/httpcore", "adapters/httpcore2"}, {"adapters/httpx", "adapters/httpx2"}]
"""The guards of a library and of its successor: to change from one to the other is to change the name of a module."""


def test_no_two_classes_share_a_name() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for name, node in classes():
        homes[node.name.lstrip("_")].add(name.rpartition(".")[0])  # an underscore tells none apart
    assert len(homes) > 200
    assert {name: found for name, found in homes.items() if len(found) > 1 and found not in TWINS} == {}


def test_what_a_value_has_of_its_base_is_not_written_again() -> None:
    by_hand = {
        name for name, node in classes()
        for one in node.body if isinstance(one, ast.FunctionDef) and one.name in METHODS
        if not ast.unparse(one.body[-1]).startswith("return shown(self")
    }  # fmt: skip
    assert by_hand == set(WRITTEN_BY_HAND)


def test_a_value_names_no_slots_beside_its_fields() -> None:
    values = [
        (name, node) for name, node in classes() if {ast.unparse(base) for base in node.bases} & {"Value", "Parts"}
    ]
    assert len(values) > 40
    assigned = [(name, ast.unparse(one)) for name, node in values for one in node.body if isinstance(one, ast.Assign)]
    assert [name for name, text in assigned if text.startswith("__slots__")] == []
