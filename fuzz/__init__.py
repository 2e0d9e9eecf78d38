"""Fuzzing: one target for each parser, run by atheris (`scripts/fuzz`) and, a little, by the tests."""
