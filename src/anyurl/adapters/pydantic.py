"""URLs as fields of pydantic's models: ``Annotated[URL, URLField()]``.

Rule: a field holds a `URL`; it is validated from a text, written as a text, and in JSON schema a string of the format
``uri``. For pydantic 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError, core_schema

from anyurl.adapters.reading import RefusedURL, URLReader
from anyurl.grammar.grammars import GrammarName
from anyurl.guard.policy import Policy
from anyurl.url import URL

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

__all__ = ["URLField"]


class URLField:
    """The grammar and policy of a `URL` field, for ``Annotated``.

    Args:
        grammar: As `anyurl.parse` has it.
        policy: What the URL has to be allowed by, as far as its text tells; None for any.
    """

    def __init__(self, *, grammar: GrammarName = "current", policy: Policy | None = None) -> None:
        self._read = URLReader(grammar=grammar, policy=policy)

    def validate(self, value: object) -> URL:
        """The URL. Raises PydanticCustomError."""
        try:
            return self._read(value)
        except RefusedURL as error:
            # A stranger reads it: neither what would allow it, nor what the policy has on its lists, is for them.
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
