"""The codecs of http's head fields: cookies and links.

Rule: text in, values out; no socket, clock, file or randomness.
"""
