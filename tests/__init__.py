"""The tests; a package so that they can import each other's servers and tables as ``tests.NAME``."""
