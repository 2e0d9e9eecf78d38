"""Octets in, values out, and back: the WAIS profile of Z39.50-1988 (RFC 1625).

Rule: no socket, clock, file or randomness, and no ask; everything that the peer controls has a limit.
"""
