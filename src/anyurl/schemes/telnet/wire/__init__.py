"""Octets in, values out, and back: the network virtual terminal (RFC 854).

Rule: no socket, clock, file or randomness, and no ask; everything that the peer controls has a limit.
"""
