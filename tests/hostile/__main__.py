"""Crawl under each policy, judge and print the figures: ``python -m tests.hostile [--edges N] [--seed N] [--json]``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.hostile import namespace
from tests.hostile.crawl import CANARY
from tests.hostile.graph import NETRC, read_ledger
from tests.hostile.judge import Judge
from tests.hostile.places import DOMAIN

HERE = Path(__file__).parent
POLICIES = ("default", "untrusted", "open")
NOT_RUN = 3
"""The exit code where this machine can't do it."""

SHOWN_FAULTS = 20


class Arena:
    """A folder with all that a crawl needs. Args: it."""

    def __init__(self, folder: Path, seed: int) -> None:
        import trustme

        self.folder = folder
        self.seed = seed
        self.shim = folder / "watch.so"
        compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
        if compiler is None:
            raise namespace.NotPermitted("there is no C compiler to build what stands before the C library")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.shim, HERE / "watch.c", "-ldl"], check=True)
        authority = trustme.CA()
        self.authority, self.certificate = folder / "authority.pem", folder / "certificate.pem"
        authority.cert_pem.write_to_path(str(self.authority))
        authority.issue_cert(f"*.{DOMAIN}").private_key_and_cert_chain_pem.write_to_path(str(self.certificate))
        self.user = folder / "user.pem"
        authority.issue_cert("user@crawl.test").private_key_and_cert_chain_pem.write_to_path(str(self.user))
        self.canary = folder / "canary.txt"
        self.canary.write_bytes(CANARY)
        self.netrc = folder / "netrc"
        hosts = "".join(
            f"machine {host} login {login} password {word}\n"
            for place, login, word in NETRC for host in (place.host, *place.addresses)
        )  # fmt: skip
        self.netrc.write_text(hosts, "ascii")
        self.netrc.chmod(0o600)

    def crawl(self, policy: str, edges: int, judged_as: str) -> dict[str, Any]:
        """Under one policy, with servers of its own; what came of it, judged by what another one promises."""
        files = {name: self.folder / f"{policy}-{name}" for name in ("ledger", "roots", "received", "watched")}
        path = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        seed = self.seed * len(POLICIES) + POLICIES.index(policy)
        with subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.servers", files["ledger"], files["received"], self.certificate,
             self.authority, self.canary, str(seed)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=path,
        ) as servers:  # fmt: skip
            assert servers.stdin is not None
            assert servers.stdout is not None
            if servers.stdout.readline() != b"ready\n":
                raise RuntimeError("the servers did not begin")
            done = subprocess.run(
                [sys.executable, "-m", "tests.hostile.crawl", policy, str(edges), str(seed), files["roots"],
                 self.authority, self.user, self.canary],
                env={**path, "LD_PRELOAD": str(self.shim), "WATCH_LOG": str(files["watched"]),
                     "NETRC": str(self.netrc)},
                stdout=subprocess.PIPE, check=True,
            )  # fmt: skip
            servers.stdin.close()
            if servers.wait():
                raise RuntimeError("the servers did not last")
        record: dict[str, Any] = json.loads(done.stdout)
        judge = Judge(judged_as, read_ledger(files["ledger"], files["roots"]))
        judge.connections(files["watched"].read_text("ascii").splitlines())
        units = [json.loads(line) for line in files["received"].read_text("ascii").splitlines()]
        judge.received(units)
        return {**record, "tally": dict(judge.tally), "faults": judge.faults}


def show(record: dict[str, Any]) -> None:
    """For people."""
    tally = record["tally"]
    where = ", ".join(f"{name[3:]} {count:,}" for name, count in sorted(tally.items()) if name.startswith("to "))
    write = sys.stdout.write
    first, last = max(record["memory"][:5]) >> 20, max(record["memory"][-5:]) >> 20
    write(f"{record['policy']}: {record['edges']:,} edges ({record['calls']:,} calls, {record['hops']:,} hops)\n")
    write(f"  in {record['seconds']:.0f} s, the slowest call {record['slowest']:.1f} s\n")
    write(f"  memory {first} MiB in the first quarter, {last} in the last, at most {record['peak'] >> 20}\n")
    write(f"  connections {tally.get('connect', 0):,}, datagrams {tally.get('send', 0):,} ({where})\n")
    led = ", ".join(f"{name[3:]} {count:,}" for name, count in sorted(tally.items()) if name.startswith("by "))
    write(f"  requests by what had named them: {led}\n")
    shown = tally.get("certificates", 0)
    write(f"  received by whom they are for: passwords {tally.get('secrets', 0) - shown:,}, certificates {shown:,}\n")
    write(f"  ended with {dict(sorted(record['errors'].items(), key=lambda item: -item[1]))}\n")
    write(f"  faults {len(record['faults'])}, problems {len(record['problems'])}\n")
    for each in [*record["faults"][:SHOWN_FAULTS], *record["problems"][:SHOWN_FAULTS]]:
        write(f"    {each}\n")


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(prog="scripts/hostile")
    parser.add_argument("--edges", type=int, default=100_000, help="followed in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", choices=POLICIES, action="append")
    parser.add_argument("--judge", choices=POLICIES, help="judge by what this one promises: shows that the judge sees")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", help="a folder for all that is written down")
    given = parser.parse_args()
    policies = given.policy or POLICIES
    with tempfile.TemporaryDirectory(prefix="anyurl-hostile-") as temporary:
        folder = Path(given.keep or temporary)
        try:
            namespace.enter()
            arena = Arena(folder, given.seed)
        except namespace.NotPermitted as error:
            sys.stderr.write(f"{error}\n")
            return NOT_RUN
        failed = False
        for policy in policies:
            record = arena.crawl(policy, given.edges // len(policies), given.judge or policy)
            failed = failed or bool(record["faults"] or record["problems"])
            if given.json:
                sys.stdout.write(json.dumps(record) + "\n")
            else:
                show(record)
            sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
