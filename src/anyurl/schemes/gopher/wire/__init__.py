"""Octets in, values out, and back: Gopher and Gopher+ (RFC 1436, Gopher+ of July 1993).

Rule: no socket, clock, file or randomness, and no ask; everything that the peer controls has a limit.
"""
