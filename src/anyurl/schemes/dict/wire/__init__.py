"""The dictionary protocol as a codec: commands out, replies and their words in (RFC 2229 2)."""
