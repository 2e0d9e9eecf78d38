"""Octets in, values out, and back: Prospero 5 and ARDP, which carries it (RFC 4157).

Rule: no socket, clock, file or randomness, and no ask; everything that the peer controls has a limit.
"""
