"""Local files as channels: opened, listed, replaced, appended to (RFC 1738 2 and 3.10).

Rule: this is the only place that opens paths from URLs, and it opens only regular files.
"""
