"""file: files and directories of this machine (RFC 1738 3.10, RFC 8089).

Rule: the host is empty, ``localhost`` or this machine's own name; other hosts are never contacted.
"""
