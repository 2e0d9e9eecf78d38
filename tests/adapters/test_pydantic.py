"""URLs as fields of pydantic's models."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from anyurl import URL, Policy
from anyurl.adapters.pydantic import URLField
from anyurl.guard import Decision
from anyurl.guard.policy import INTERNAL
from anyurl.values import STRANGER, USER, Provenance, Scope
from tests.rows import each_row


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


INNER = (
    "http://10.0.0.42/", "http://127.0.0.1:8080/", "http://localhost/", "http://169.254.169.254/", "http://[fd00::1]/",
    "http://[fe80::1]/", "http://[::ffff:10.0.0.42]/", "http://0.0.0.0/", "file:///etc/passwd",
)  # fmt: skip
"""Places that no stranger's URL may lead to."""

OPENING: list[dict[str, Any]] = [
    {"allow_private": True}, {"allow_link": True}, {"allow_inward": True}, {"files": True},
    {"allow_nets": ["10.0.0.42/32"]}, {"allow_nets": ["billing.internal"]}, {"allow_nets": ["::/0"]},
    {"allow_nets": ["169.254.169.254/32"]}, {"allow_private": True, "allow_inward": True},
]  # fmt: skip
POLICIES = [*(Policy.untrusted().replace(**changes) for changes in OPENING), Policy.default(), Policy.open()]


def accepts(field: URLField, url: str) -> bool:
    try:
        TypeAdapter(Annotated[URL, field]).validate_python(url)
    except ValidationError:
        return False
    return True


@pytest.mark.promise("internal-host")
@each_row("policy", POLICIES, ids=lambda policy: ",".join(n for n in INTERNAL if getattr(policy, n)))
def test_a_policy_that_opens_internal_places_wants_to_know_whose_the_urls_are(policy: Policy) -> None:
    with pytest.raises(ValueError, match=r"opens internal places \((?:\w+(?:, )?)+\).*came_from=.* would be allowed"):
        URLField(policy=policy)
    own, strange = URLField(policy=policy, came_from=USER), URLField(policy=policy, came_from=STRANGER)
    for url in INNER:
        assert accepts(own, url) == policy.check(url).allowed
        assert accepts(strange, url) == policy.check(url, STRANGER).allowed
        assert policy.allow_inward or not accepts(strange, url)


@pytest.mark.promise("internal-host")
def test_no_argument_of_a_policy_opens_an_internal_place_for_a_stranger_unsaid() -> None:
    """Whatever is switched on: a field that can be made without `came_from` accepts none of these."""
    switches = [name for name, value in Policy.untrusted()._fields().items() if isinstance(value, bool)]
    assert {"allow_private", "files"} < set(switches)
    made = 0
    for name in switches:
        policy = Policy.untrusted().replace(**{name: True})
        try:
            field = URLField(policy=policy)
        except ValueError:
            assert name in INTERNAL
        else:
            made += 1
            assert [url for url in INNER if accepts(field, url)] == []
    assert made > 3


@pytest.mark.promise("internal-host")
@pytest.mark.parametrize(
    ("came_from", "accepted"),
    [
        ("http://public.example/", False),
        (URL("http://93.184.216.34/"), False),
        ("http://10.0.0.1/", True),  # no less public than where it was named
        (Provenance("document", scope=Scope.PRIVATE), True),
        (Provenance("redirect", scope=Scope.PUBLIC), False),
    ],
)
def test_a_url_is_judged_as_named_by_the_place_that_it_came_from(came_from: Any, accepted: bool) -> None:
    field = URLField(policy=Policy.untrusted().replace(allow_nets=["10.0.0.42/32"]), came_from=came_from)
    assert accepts(field, "http://10.0.0.42/") is accepted
    assert accepts(field, "http://93.184.216.34/")


def test_who_wrote_a_url_says_nothing_where_no_policy_judges() -> None:
    with pytest.raises(ValueError, match=r"policy=\.\.\. would be allowed"):
        URLField(came_from=STRANGER)
    for wrong in (7, b"http://h/"):
        with pytest.raises(TypeError, match="Provenance, not"):
            URLField(policy=Policy.untrusted(), came_from=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="policy is a Policy, not str"):
        URLField(policy="untrusted")  # type: ignore[arg-type]


def test_what_a_field_refuses_is_logged_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    told: list[Decision] = []
    field = TypeAdapter(Annotated[URL, URLField(policy=Policy.untrusted(), on_verdict=told.append)])
    field.validate_python("http://example.org/")
    for text in ("http://anna:secret@10.0.0.1/a?b", "no URL"):
        with pytest.raises(ValidationError):
            field.validate_python(text)
    assert [(each.verdict.code, each.url, each.origin.who) for each in told] == [
        ("allowed", "http://example.org/", "document"),
        ("address-private", "http://anna:***@10.0.0.1/a?b", "document"),
    ]
    (record,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert (record.name, record.__dict__["code"]) == ("anyurl.guard", "address-private")
    assert "secret" not in record.getMessage()
