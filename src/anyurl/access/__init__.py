"""RFC 1738 section 2: what can be done with a URL, as verbs over the guarded path."""
