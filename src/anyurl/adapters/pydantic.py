"""URLs as fields of pydantic's models: ``Annotated[URL, URLField()]``.

Rule: a field holds a `URL`; it is validated from a text, written as a text, and in JSON schema a string of the format
``uri``. For pydantic 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError, core_schema

from anyurl.adapters.reading import RefusedURL, URLReader, origin_for
from anyurl.client.named import CameFrom
from anyurl.grammar.grammars import GrammarName
from anyurl.guard.decisions import Decisions
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision
from anyurl.url import URL
from anyurl.values import shown

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler


__all__ = ["URLField"]


class URLField:
    """The grammar and policy of a `URL` field, for ``Annotated``.

    Args:
        grammar: As `anyurl.parse` has it.
        policy: The policy that must allow the URL, judged by its text alone; None for any.
        came_from: Who writes the URLs, as the verbs of a `Client` take it, or `anyurl.values.USER` for your own (a file
            of settings). None for a stranger, under a policy that opens no internal place.
        on_verdict: Called with each `anyurl.guard.Decision` of the policy, which the log has, too.

    Raises:
        ValueError: The policy opens internal places (``allow_nets``, ``allow_private`` ...), and there is no
            `came_from`; or there is one, and no policy.
        TypeError: `policy`, `came_from` or `on_verdict` has another type.
    """

    def __init__(
        self, *, grammar: GrammarName = "current", policy: Policy | None = None, came_from: CameFrom | None = None,
        on_verdict: Callable[[Decision], object] | None = None,
    ) -> None:  # fmt: skip
        self._read = URLReader(
            grammar=grammar, policy=policy, origin=origin_for(policy, came_from), decisions=Decisions(on_verdict)
        )

    def __repr__(self) -> str:
        return shown(self, "_read.grammar", "_read.policy.name")

    def validate(self, value: object) -> URL:
        """The URL. Raises PydanticCustomError."""
        try:
            return self._read(value)
        except RefusedURL as error:
            # A stranger reads it, and must see neither the remedy nor the policy's lists.
            told = {"code": error.verdict.code}
            raise PydanticCustomError("url_refused", "This URL is not allowed here ({code}).", told) from None
        except ValueError as error:
            raise PydanticCustomError("url_parsing", "{reason}", {"reason": str(error), "code": "no-url"}) from None

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.validate,
            serialization=core_schema.plain_serializer_function_ser_schema(
                str, return_schema=core_schema.str_schema(), when_used="json"
            ),
        )

    def __get_pydantic_json_schema__(
        self, _schema: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "string", "format": "uri"}
