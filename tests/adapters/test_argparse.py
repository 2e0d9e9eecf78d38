"""URLs as arguments of argparse."""

from __future__ import annotations

import argparse

import pytest

from anyurl import URL, Policy
from anyurl.adapters.argparse import url_type


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="show")
    made.add_argument("url", type=url_type(policy=Policy.untrusted()))
    return made


def test_a_program_gets_a_url() -> None:
    assert parser().parse_args(["gopher://h.example/1"]).url == URL("gopher://h.example/1")


@pytest.mark.parametrize(
    ("text", "said"), [("http://h:65536/", "65535"), ("http://joe:s3cr3t@10.0.0.1/", "Private-Use")]
)
def test_what_is_none_or_not_allowed_is_told(text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([text])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "argument url: " in told
    assert said in told
    assert "s3cr3t" not in told
