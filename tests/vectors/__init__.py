"""Conformance vectors for other libraries: made here, kept in ``vectors/``, and run on peers."""
