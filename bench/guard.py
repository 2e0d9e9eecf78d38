"""The guard in figures: ``python bench/guard.py`` prints what the corpora find, of the guard and of other readers.

The same runs are tests (tests/net/test_ssrf_live.py, tests/net/test_differential.py); here they are told in numbers.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from anyurl.guard.addresses import IPV4_ROWS, IPV6_ROWS, TABLE_DATE
from anyurl.guard.policy import Policy
from tests.net import differential, ssrf


def main() -> int:
    """Print the figures; 1 if there is a bypass, an unclear URL that was accepted, or another host than libcurl's."""
    bad = 0
    print(f"addresses: {len(IPV4_ROWS) + len(IPV6_ROWS)} rows, compared with the registries of {TABLE_DATE}")
    with ssrf.Internet() as internet:
        for names in ("hooks", "patched"):
            begun = time.monotonic()
            own = ssrf.Score(ssrf.run(internet, names))
            others = ssrf.Score(ssrf.run_with_other_schemes(internet, names))
            by = "the library's hooks" if names == "hooks" else "a patched getaddrinfo"
            print(f"\nbypasses, names answered by {by}")
            print(f"  untrusted, every case:              {own}")
            print(f"  the denials with other schemes:     {others}")
            print(f"  {time.monotonic() - begun:.1f} s")
            bad += sum(len(found) for score in (own, others) for found in (score.bypasses, score.unclear))
            for one in own.false_denials:
                print(f"  denied by definition: {one.case['id']} {one.url}")
        open_ = ssrf.Score(ssrf.run(internet, "hooks", ssrf.OPEN_TO_SESSIONS))
        print(f"  sessions and forms allowed:         {open_}")
        without = ssrf.Score(ssrf.run(internet, "hooks", Policy.open().replace(limits=ssrf.LIMITS)))
        print(f"  without the guard, for comparison:  {without}")
    for title, texts in (("corpora", differential.inputs()), ("changes of them", differential.generated())):
        print(f"\nhost and port as other readers have them: {len(texts):,} texts of the {title}")
        for comparison in differential.compare(texts).values():
            print(f"  {comparison}")
            bad += len(comparison.differences) if comparison.reader == "libcurl" else 0
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
