"""Chromium under Playwright with a proxy of its own, confined: what it reaches, and what it is told.

Run by `.ci/full`: ``python -m tests.proxy.chromium``. Ends with what is wrong.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

from tests.servers import WAIT_SECONDS, Server, answers, reply

PROGRAM = "/usr/bin/chromium"

SCRIPT = textwrap.dedent(
    """
    import json, os, sys
    from urllib.parse import urlsplit
    from playwright.sync_api import sync_playwright

    at = urlsplit(os.environ["http_proxy"])
    proxy = {"server": f"http://{at.hostname}:{at.port}", "username": at.username or "", "password": at.password or ""}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=sys.argv[1],
            proxy={**proxy, "bypass": "<-loopback>"},  # the example reaches this machine, which Chromium leaves out
            args=["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync"],
        )
        page = browser.new_page()
        seen = []
        for url in sys.argv[2:]:
            try:
                answer = page.goto(url)
                seen.append([answer.status, page.inner_text("body").strip()])
            except Exception as error:
                seen.append([0, str(error).partition(" at ")[0]])
        direct = browser.new_context(proxy={"server": "direct://"}) if len(sys.argv) > 2 else None
        try:
            direct.new_page().goto(sys.argv[2])
            seen.append([200, "direct"])
        except Exception as error:
            seen.append([0, str(error).partition(" at ")[0]])
        browser.close()
    print(json.dumps(seen))
    """
)


def faults(*options: str) -> list[str]:
    """What is wrong with these options of `anyurl proxy`."""
    page = reply(b"a page", "Content-Type: text/plain")
    with Server(answers(page, page, page)) as server:
        urls = [f"http://localhost:{server.port}/", "http://10.0.0.1/", "https://evil.example/"]
        words = ["--policy", "default", "--allow-host", "localhost", "--", sys.executable, "-c", SCRIPT, PROGRAM, *urls]
        done = subprocess.run(
            [sys.executable, "-m", "anyurl", "proxy", *options, *words],
            capture_output=True, text=True, timeout=WAIT_SECONDS, check=False, env=os.environ,
        )  # fmt: skip
    if done.returncode:
        return [f"{options}: it ended with {done.returncode}: {done.stderr}"]
    allowed, refused, tunnel, direct = json.loads(done.stdout)
    wanted = {
        "an allowed page is there": allowed == [200, "a page"],
        "a refused page says why": refused[0] == 403 and '"code": "host-not-allowed"' in refused[1],
        "a refused tunnel is an error": "ERR_TUNNEL_CONNECTION_FAILED" in tunnel[1],
        "without the proxy there is nothing": "--confine" not in options or direct[0] == 0,
        "the end says what was refused": "  CONNECT evil.example:443: host-not-allowed" in done.stderr,
    }
    return [f"{options}: not so: {name}" for name, holds in wanted.items() if not holds]


def main() -> str | None:
    """What is wrong, if anything is."""
    return "\n".join([*faults(), *faults("--confine")]) or None


if __name__ == "__main__":
    sys.exit(main())
