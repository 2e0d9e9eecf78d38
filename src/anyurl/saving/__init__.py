"""What is kept on this machine: a resource saved under a name, a part that can be continued, the copy of a site.

Rule: it knows no client; a client hands it what it opens.
"""
