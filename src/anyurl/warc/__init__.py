"""Recording of transfers in web archives: WARC 1.1 (ISO 28500:2017), for every scheme.

`recorder` sits between a dialogue and the scheduler; `block` holds the content of records, `file` the archive. Secrets
are replaced before they are recorded (`anyurl.warc.known_secrets`).
"""
