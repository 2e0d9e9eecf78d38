"""Saved content: a resource saved under a name, a partial file that can be resumed, the copy of a site.

Rule: it does not know clients; a client passes it the opened resources.
"""
