"""Octets in, values out, and back: Prospero 5 and the ARDP below it (RFC 4157).

Rule: no socket, clock, file or randomness, and no ask; whatever a peer decides has a limit.
"""
