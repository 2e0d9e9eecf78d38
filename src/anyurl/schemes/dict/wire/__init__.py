"""The codec of the dictionary protocol: commands out, replies and their words in (RFC 2229 2)."""
