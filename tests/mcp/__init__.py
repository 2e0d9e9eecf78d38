"""The tools for language models."""
