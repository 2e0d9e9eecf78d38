"""Files of this machine as channels: opened, listed, replaced, made longer (RFC 1738 2 and 3.10).

Rule: the only place that opens a path that came from a URL, and only where it leads to a regular file.
"""
