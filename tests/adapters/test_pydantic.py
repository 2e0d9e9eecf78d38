"""URLs as fields of pydantic's models."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from anyurl import URL, Policy
from anyurl.adapters.pydantic import URLField


class Mirror(BaseModel):
    source: Annotated[URL, URLField()]
    others: list[Annotated[URL, URLField(policy=Policy.untrusted())]] = []


def test_a_text_becomes_a_url_and_a_text_again() -> None:
    mirror = Mirror.model_validate({"source": "ftp://h/a%2Fb;type=i", "others": ["gopher://h/1"]})
    assert mirror.source == URL("ftp://h/a%2Fb;type=i")
    assert mirror.model_dump() == {"source": URL("ftp://h/a%2Fb;type=i"), "others": [URL("gopher://h/1")]}
    text = mirror.model_dump_json()
    assert text == '{"source":"ftp://h/a%2Fb;type=i","others":["gopher://h/1"]}'
    assert Mirror.model_validate_json(text) == mirror


def test_a_url_by_itself_is_a_field_by_the_current_grammar() -> None:
    class Plain(BaseModel):
        source: URL

    class Marked(BaseModel):
        source: Annotated[URL, URLField()]

    plain = Plain.model_validate_json('{"source": "gopher://h/1"}')
    assert plain.source == URL("gopher://h/1")
    assert plain.model_dump_json() == '{"source":"gopher://h/1"}'
    fields = [model.model_json_schema()["properties"]["source"] for model in (Plain, Marked)]
    assert fields[0] == fields[1]
    with pytest.raises(ValidationError, match="65535"):
        Plain.model_validate({"source": "http://h:65536/"})


def test_a_url_is_taken_as_it_is() -> None:
    url = URL("ftp://h/a")
    assert Mirror(source=url).source is url


@pytest.mark.parametrize(
    ("source", "others", "place", "kind", "said"),
    [
        ("http://h:65536/", [], ("source",), "url_parsing", "65535"),
        (7, [], ("source",), "url_parsing", "not int"),
        ("ftp://h/", ["http://10.0.0.1/"], ("others", 0), "url_refused", "not allowed here (address-private)"),
    ],
)
def test_a_fault_says_where_and_why(
    source: object, others: list[str], place: tuple[object, ...], kind: str, said: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        Mirror.model_validate({"source": source, "others": others})
    (fault,) = caught.value.errors()
    assert (fault["type"], fault["loc"]) == (kind, place)
    assert said in fault["msg"]
    assert fault["ctx"]["code"] == ("address-private" if kind == "url_refused" else "no-url")


@pytest.mark.promise("refusal")
def test_a_stranger_is_not_told_the_policy_or_what_would_allow_it() -> None:
    policy = Policy.untrusted().replace(deny_hosts=["secret-partner.example"])
    field = TypeAdapter(Annotated[URL, URLField(policy=policy)])
    for text in ("http://secret-partner.example/", "http://10.0.0.1/", "ldap://h/"):
        with pytest.raises(ValidationError) as caught:
            field.validate_python(text)
        (fault,) = caught.value.errors(include_input=False)
        told = f"{fault['msg']} {fault['ctx']}"
        assert not any(word in told for word in ("allow_", "untrusted", "deny", "secret-partner", "10.0.0"))


def test_the_grammar_is_that_of_the_field() -> None:
    strict = TypeAdapter(Annotated[URL, URLField(grammar="rfc1738")])
    assert strict.validate_python("http://h/a") == URL("http://h/a")
    with pytest.raises(ValidationError):
        strict.validate_python("http://h/~a")


def test_the_json_schema_is_that_of_a_uri() -> None:
    assert Mirror.model_json_schema()["properties"]["source"] == {"format": "uri", "title": "Source", "type": "string"}


def test_the_message_has_no_password_and_the_input_is_the_models_to_hide() -> None:
    class Quiet(BaseModel):
        model_config = ConfigDict(hide_input_in_errors=True)
        source: Annotated[URL, URLField()]

    with pytest.raises(ValidationError) as caught:
        Quiet.model_validate({"source": "http://joe:s3cr3t@h:99999/"})
    assert "s3cr3t" not in str(caught.value)
