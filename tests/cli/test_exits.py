"""Exit codes: the contract's numbers, and one for every error of the tree."""

from __future__ import annotations

import inspect

from anyurl import errors
from anyurl.cli import exits
from tests.rows import each_row

TREE = [
    cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.AnyURLError)
]  # fmt: skip


def test_the_numbers_are_those_of_the_contract() -> None:
    assert sorted(exits.MEANINGS) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70, 129, 130, 141, 143]


def test_every_branch_of_the_tree_has_its_own_row() -> None:
    """Only below a class that stands in the table may a class be without a row."""
    for cls in TREE:
        assert any(parent in exits.CODES for parent in cls.__mro__ if parent is not errors.AnyURLError) or (
            cls is errors.AnyURLError
        ), cls


EXPECTED = {
    "AnyURLError": 70,
    "URLSyntaxError": 3,
    "SchemeError": 4,
    "UnknownSchemeError": 4,
    "UnsupportedError": 4,
    "PolicyError": 5,
    "RefusedError": 5,
    "LimitError": 7,  # "too much": what broke is the transfer, although our own guard ended it
    "SecretNeededError": 5,
    "AccessError": 7,
    "ConnectError": 6,
    "TransferError": 7,
    "Truncated": 7,
    "TransferTimeout": 7,
    "ConnectionLost": 7,
    "ProtocolError": 7,
    "LocalProtocolError": 7,
    "RemoteProtocolError": 7,
    "ReplyError": 8,
    "NotFoundError": 8,
    "DeniedError": 8,
    "AuthRequiredError": 8,
    "UnavailableError": 8,
    "LocalFileError": 9,
    "MissingExtraError": 4,
}


@each_row("cls", TREE, ids=lambda cls: cls.__name__)
def test_every_error_has_a_code(cls: type[errors.AnyURLError]) -> None:
    fault = errors.Diagnostic("x", "error", (0, 1), "URI", "RFC 3986 3", "a sentence")
    error = cls("x", (fault,)) if issubclass(cls, errors.URLSyntaxError) else cls("a sentence")
    assert exits.exit_code(error) == EXPECTED[cls.__name__]


def test_the_table_of_this_test_is_the_tree() -> None:
    assert sorted(EXPECTED) == sorted(cls.__name__ for cls in TREE)
