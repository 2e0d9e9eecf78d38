"""The schemes: one folder each, loaded when the first URL of it is read or followed.

Rule: schemes never touch the network or a file; they ask (`anyurl.dialogue`). RFC 1738 section 3.
"""
