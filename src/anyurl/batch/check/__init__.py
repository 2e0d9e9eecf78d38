"""Mass checking of the URLs in files, folders and pages: each distinct URL is requested once, and reported with places.

Rule: this package chooses the requests and interprets the responses; `Client.map` handles per-host limits, and the
policy decides what may be followed.
"""

from anyurl.batch.check.outcome import OUTCOMES, Finding, Outcome
from anyurl.batch.check.run import Checked, Run
from anyurl.batch.check.sources import MentionedURL, Sources
from anyurl.batch.check.state import CheckState, Mention
from anyurl.batch.check.table import check

__all__ = [
    "OUTCOMES",
    "Checked",
    "MentionedURL",
    "Outcome",
    "Mention",
    "Run",
    "Sources",
    "CheckState",
    "Finding",
    "check",
]
