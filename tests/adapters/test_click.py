"""URLs as parameters of click's commands."""

from __future__ import annotations

import click
from click.testing import CliRunner

from anyurl import URL, Policy
from anyurl.adapters.click import URLParam


@click.command()
@click.argument("url", type=URLParam(policy=Policy.untrusted()))
@click.option("--base", type=URLParam(), default="ftp://h/")
def show(url: URL, base: URL) -> None:
    click.echo(f"{url.host} {base.scheme}")


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(show, list(arguments))
    return done.exit_code, done.output


def test_a_command_gets_a_url() -> None:
    assert run("gopher://h.example/1") == (0, "h.example ftp\n")
    assert run("--base", "wais://h/db", "gopher://h.example/1") == (0, "h.example wais\n")


def test_what_is_none_or_not_allowed_is_told() -> None:
    code, output = run("http://h:65536/")
    assert code == 2
    assert "Invalid value for 'URL'" in output
    assert "65535" in output
    code, output = run("http://joe:s3cr3t@10.0.0.1/")
    assert code == 2
    assert "Private-Use" in output
    assert "s3cr3t" not in output


def test_its_name_is_in_the_help() -> None:
    assert "--base URL" in run("--help")[1]
