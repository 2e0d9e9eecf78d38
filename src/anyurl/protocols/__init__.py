"""The protocols as pure codecs: octets in, values out, values in, octets out (no socket, clock, file or randomness)."""
