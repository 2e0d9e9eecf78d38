"""The codecs of http's logins: challenges and Digest.

Rule: text in, values out; no socket, clock, file or randomness.
"""
