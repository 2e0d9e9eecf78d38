"""Octets in, values out, and back: the control connection and the listings of FTP (RFC 959, RFC 3659).

Rule: no socket, clock, file or randomness, and no ask; everything that the peer controls has a limit.
"""
