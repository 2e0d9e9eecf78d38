"""Code that schemes share: the shape of a scheme, lines, replies, dates, media types.

Rule: nothing here belongs to one scheme, and nothing here knows which schemes there are.
"""
