"""What `deploy/` holds is understood by what reads it: systemd, logrotate, the proxy, models' programs, scanners."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from anyurl import __version__
from anyurl.cli.command_table import load
from anyurl.proxy.roles import read_roles
from tests.architecture.source import ROOT
from tests.servers import WAIT_SECONDS, Server, reply

DEPLOY = ROOT / "deploy"
TOKEN = "0123456789abcdef"


def words_of(unit: str) -> list[str]:
    """The words of a unit's ExecStart."""
    found = re.search(r"^ExecStart=((?:.*\\\n)*.*)$", unit, re.MULTILINE)
    assert found is not None
    return shlex.split(found[1].replace("\\\n", " "))


def known_options(words: list[str]) -> None:
    """Each option is one of `anyurl proxy`."""
    options = {name for parameter in load("proxy").parameters for name in parameter.names}
    given = [word for word in words if word.startswith("--")]
    assert given
    assert set(given) <= options


@pytest.mark.needs("systemd-analyze")
def test_systemd_takes_the_unit_and_rates_it_low(tmp_path: Path) -> None:
    text = (DEPLOY / "anyurl-proxy.service").read_text(encoding="utf-8")
    words = words_of(text)
    assert words[1] == "proxy"
    known_options(words)
    unit = tmp_path / "anyurl-proxy.service"
    unit.write_text(text.replace(words[0], sys.executable), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=20", str(unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert rated.returncode == 0, rated.stdout[-200:]


def calls_of(name: str) -> set[str]:
    """The system calls of a set of systemd's."""
    done = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
    words = [line.strip() for line in done.stdout.splitlines()[1:] if line.strip()]
    called = {word for word in words if re.fullmatch(r"[a-z0-9_]+", word)}
    return called.union(*(calls_of(word) for word in words if word.startswith("@")))


@pytest.mark.needs("systemd-analyze", "strace")
def test_the_unit_forbids_no_system_call_that_the_proxy_makes(tmp_path: Path) -> None:
    """A call that its filter has not ends the process, under systemd only."""
    text = (DEPLOY / "anyurl-proxy.service").read_text(encoding="utf-8")
    filters = re.findall(r"^SystemCallFilter=(.*)$", text, re.MULTILINE)
    assert [line[0] for line in filters] == ["@", "~"]
    allowed = calls_of(filters[0]).difference(*(calls_of(name) for name in filters[1][1:].split()))
    allowed |= calls_of("@default")  # which each list of what is allowed has
    roles, log, trace = tmp_path / "roles.toml", tmp_path / "log", tmp_path / "trace"
    roles.write_text(f'[[role]]\ntoken = "{TOKEN}"\npolicy = "default"\n', encoding="utf-8")
    command = ["strace", "-f", "-o", str(trace), sys.executable, "-m", "anyurl", "proxy", "--json",
               "--metrics", "127.0.0.1:0", "--roles", str(roles), "--log", str(log), "--log-required"]  # fmt: skip
    with Server(lambda connection: connection.send(reply(b"a page"))) as server:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                at = json.loads(process.stdout.readline())
                for url in (f"http://127.0.0.1:{server.port}/", f"http://localhost:{server.port}/"):
                    asked = f"GET {url} HTTP/1.0\r\nProxy-Authorization: Bearer {TOKEN}\r\n\r\n"
                    assert answer_of(at["proxy"], asked).startswith(b"HTTP/1.1 ")
                assert b"decisions_total" in answer_of(at["metrics"], "GET /metrics HTTP/1.0\r\n\r\n")
                (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                for name in (signal.SIGHUP, signal.SIGTERM):
                    os.kill(int(child), name)
                assert process.wait(WAIT_SECONDS) == 0
            finally:
                process.kill()
    made = set(re.findall(r"^\d+ +(\w+)\(", trace.read_text(encoding="utf-8", errors="replace"), re.MULTILINE))
    assert {"accept4", "connect", "write"} <= made
    assert made - allowed == set()


def answer_of(place: str, request: str) -> bytes:
    """All that comes for these octets."""
    with socket.create_connection(("127.0.0.1", int(place.rpartition(":")[2])), WAIT_SECONDS) as sock:
        sock.sendall(request.encode())
        return b"".join(iter(lambda: sock.recv(65_536), b""))


@pytest.mark.needs("openssl", "install")
def test_the_page_installs_what_the_unit_reads(tmp_path: Path) -> None:
    """The unit's user is one that systemd makes up: it owns nothing. It reads the roles, but not the tokens."""
    page = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    block = page.partition("## Start it\n")[2].partition("```sh\n")[2].partition("```")[0]
    files = [line for line in block.splitlines() if "install -" in line]
    assert len(files) == 4
    script = "\n".join(['sudo() { "$@"; }', *files])
    for place in ("systemd/system", "logrotate.d"):
        (tmp_path / "etc" / place).mkdir(parents=True)
    subprocess.run(["sh", "-ec", script.replace("/etc/", f"{tmp_path}/etc/")], cwd=ROOT, check=True)
    unit = (tmp_path / "etc/systemd/system/anyurl-proxy.service").read_text(encoding="utf-8")
    words = words_of(unit)
    assert f"{words[0].removesuffix('anyurl')}pip install '.[cli]'" in block
    roles, tokens = tmp_path / "etc/anyurl/roles.toml", tmp_path / "etc/anyurl/tokens"
    assert words[words.index("--roles") + 1] == "/etc/anyurl/roles.toml"
    assert "\nEnvironmentFile=/etc/anyurl/tokens\n" in unit
    assert (roles.stat().st_mode & 0o777, tokens.stat().st_mode & 0o777) == (0o644, 0o600)
    variables = dict(line.split("=") for line in tokens.read_text(encoding="utf-8").splitlines())
    assert [role.name for role in read_roles(str(roles), variables).roles] == ["agent"]


@pytest.mark.needs("logrotate")
def test_logrotate_moves_the_log_and_the_proxy_begins_another(tmp_path: Path) -> None:
    log, state = tmp_path / "proxy.jsonl", tmp_path / "state"
    command = [sys.executable, "-m", "anyurl", "proxy", "--json", "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(json.loads(process.stdout.readline())["proxy"].rpartition(":")[2])

            def ask(host: str) -> None:
                with socket.create_connection(("127.0.0.1", port), 10) as sock:
                    sock.sendall(f"GET http://{host}:22/ HTTP/1.0\r\n\r\n".encode())
                    while sock.recv(65_536):
                        pass

            ask("10.0.0.1")
            text = (DEPLOY / "logrotate").read_text(encoding="utf-8")
            text = (
                text.replace("/var/log/anyurl/proxy.jsonl", str(log))
                .replace("delaycompress\n", "")
                .replace("compress\n", "nocompress\n")
                .replace("systemctl try-reload-or-restart anyurl-proxy.service", f"kill -HUP {process.pid}")
            )
            config = tmp_path / "logrotate"
            config.write_text(text, encoding="utf-8")
            config.chmod(0o644)
            tmp_path.chmod(0o755)
            done = subprocess.run(
                ["logrotate", "--force", "--state", str(state), str(config)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, "")
            while not log.exists():
                pass
            ask("10.0.0.2")
            process.send_signal(signal.SIGTERM)
            assert process.wait(WAIT_SECONDS) == 0
        finally:
            process.kill()
    assert "10.0.0.1" in (tmp_path / "proxy.jsonl.1").read_text(encoding="utf-8")
    assert "10.0.0.2" in log.read_text(encoding="utf-8")


@pytest.mark.needs("logrotate")
def test_logrotate_has_no_complaint_about_the_snippet(tmp_path: Path) -> None:
    """As it is, but for its place; --debug does nothing and tells what it would do."""
    config = tmp_path / "logrotate"
    log = tmp_path / "proxy.jsonl"
    log.write_text("{}\n", encoding="utf-8")
    text = (DEPLOY / "logrotate").read_text(encoding="utf-8")
    config.write_text(text.replace("/var/log/anyurl/proxy.jsonl", str(log)), encoding="utf-8")
    config.chmod(0o644)
    tmp_path.chmod(0o755)
    done = subprocess.run(
        ["logrotate", "--debug", "--force", "--state", str(tmp_path / "state"), str(config)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = done.stdout + done.stderr
    assert done.returncode == 0
    complaints = [line for line in told.splitlines() if line.startswith(("error:", "warning:"))]
    assert [line for line in complaints if "debug mode" not in line] == []
    assert "30 rotations" in told
    assert "running postrotate script" in told


def test_the_roles_are_roles() -> None:
    roles = read_roles(str(DEPLOY / "roles.toml"), {"AGENT_TOKEN": TOKEN})
    assert [role.name for role in roles.roles] == ["agent"]
    assert "api.example.org" in (roles.roles[0].policy.allow_hosts or ())


def test_the_image_starts_the_proxy() -> None:
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    steps = [line.partition(" ")[::2] for line in lines if line and line[0] not in "# "]
    assert {name for name, _ in steps} <= {
        "FROM", "COPY", "RUN", "USER", "WORKDIR", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD", "HEALTHCHECK",
    }  # fmt: skip
    named = dict(steps)
    copied = [place for name, words in steps if name == "COPY" for place in words.split()[:-1] if place[0] != "-"]
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = ["setup.py", "pyproject.toml", "README.md", "LICENSE", "src"]
    for files in built["tool"]["setuptools"]["data-files"].values():
        needed += files
    assert set(needed) <= {*copied}  # and not the whole checkout, with its environments
    words = [*json.loads(named["ENTRYPOINT"]), *json.loads(named["CMD"])]
    assert words[:2] == ["anyurl", "proxy"]
    known_options(words)
    assert named["USER"].split(":")[0].isdigit()
    compile(json.loads(named["HEALTHCHECK"].partition("CMD ")[2])[2], "HEALTHCHECK", "exec")


@pytest.mark.needs("buildah", "root")
def test_buildah_makes_the_image(tmp_path: Path) -> None:
    """Each step, but on an empty base, which has no pip to run: buildah reads them, and says what the image is."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    text = text.replace("docker.io/library/python:3.13-slim", "scratch")
    text = re.sub(r"^RUN .*$", "COPY src /install", text, flags=re.MULTILINE)
    (tmp_path / "Containerfile").write_text(text, encoding="utf-8")
    context = tmp_path / "context"
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "docs/anyurl.1", "src/anyurl_start.py"):
        (context / name).parent.mkdir(parents=True, exist_ok=True)
        (context / name).write_bytes((ROOT / name).read_bytes())
    buildah = ["buildah", "--root", f"{tmp_path}/root", "--runroot", f"{tmp_path}/run", "--storage-driver", "vfs"]
    built = subprocess.run(
        [*buildah, "build", "--isolation", "chroot", "--pull-never", "--format", "docker",
         "-f", f"{tmp_path}/Containerfile", "-t", "proxy", str(context)],
        env={**os.environ, "HOME": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    told = subprocess.run([*buildah, "inspect", "--type", "image", "proxy"], capture_output=True, text=True, check=True)
    made = json.loads(told.stdout)["Docker"]["config"]
    assert (made["User"], made["StopSignal"]) == ("65534:65534", "SIGTERM")
    assert set(made["ExposedPorts"]) == {"3128/tcp", "9128/tcp"}
    assert made["Healthcheck"]["Test"][:2] == ["CMD", "python"]
    known_options([*made["Entrypoint"], *made["Cmd"]])


def test_a_container_has_no_other_way_out() -> None:
    made: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    inside = {name for name, facts in made["networks"].items() if (facts or {}).get("internal")}
    agent, proxy = made["services"]["agent"], made["services"]["proxy"]
    assert set(agent["networks"]) <= inside
    assert set(proxy["networks"]) - inside
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        assert agent["environment"][name].endswith("@proxy:3128")
    assert agent["depends_on"]["proxy"] == {"condition": "service_healthy"}  # it asks once
    rule: dict[str, Any] = yaml.safe_load((DEPLOY / "networkpolicy.yaml").read_text(encoding="utf-8"))
    assert rule["spec"]["policyTypes"] == ["Egress"]
    assert [port["port"] for port in rule["spec"]["egress"][0]["ports"]] == [3128]


def test_the_entry_of_the_registry_starts_the_server() -> None:
    entry: dict[str, Any] = json.loads((DEPLOY / "server.json").read_text(encoding="utf-8"))
    (package,) = entry["packages"]
    assert entry["version"] == package["version"] == __version__
    assert re.fullmatch(r"[a-z0-9.-]+/[a-z0-9._-]+", entry["name"])
    assert len(entry["description"]) <= 100
    options = {name for parameter in load("mcp").parameters for name in parameter.names}
    assert package["packageArguments"][0]["value"] == "mcp"
    assert {one["name"] for one in package["packageArguments"] if one["type"] == "named"} <= options


def test_the_settings_of_other_programs_are_read_as_they_are_written() -> None:
    """Each block of docs/agents.md, by its own format; it starts a command of ours with options that there are."""
    text = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    options = {name for parameter in load("mcp").parameters for name in parameter.names}
    readers = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}
    found = 0
    for kind, block in re.findall(r"^```(json|toml|yaml)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        made = readers[kind](block)
        texts = json.dumps(made)
        if "mcp" in texts:
            found += 1
            assert set(re.findall(r'"(--[a-z-]+)"', texts)) <= options | {"--from"}
    assert found >= 4


def test_the_rules_of_the_scanner_have_twenty_of_each() -> None:
    """`semgrep test deploy/semgrep` compares them; .ci/full does so."""
    text = (DEPLOY / "semgrep" / "unguarded.py").read_text(encoding="utf-8")
    rules = yaml.safe_load((DEPLOY / "semgrep" / "unguarded.yaml").read_text(encoding="utf-8"))["rules"]
    assert len(re.findall(r"# ruleid: ", text)) >= 20
    assert len(re.findall(r"# ok: ", text)) >= 20
    assert {rule["id"] for rule in rules} == set(re.findall(r"# (?:ruleid|ok): ([\w-]+)", text))
    assert os.path.exists(ROOT / rules[0]["message"].split(" ")[-1].strip("."))


@pytest.mark.parametrize("path", sorted(DEPLOY.rglob("*.yaml")), ids=lambda path: path.name)
def test_every_reader_of_yaml_reads_it(path: Path) -> None:
    """In a list in brackets PyYAML takes a colon within a bare text, and others stop at it (YAML 1.2.2, 7.3.3)."""
    depth = 0
    for token in yaml.scan(path.read_text(encoding="utf-8")):
        depth += isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken)
        depth -= isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken)
        assert not (depth and isinstance(token, yaml.ScalarToken) and token.plain and ":" in token.value), token
