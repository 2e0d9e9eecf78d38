"""The version of anyurl, and the only place that states it.

``pyproject.toml`` reads it from this file's text. Asking ``importlib.metadata`` instead takes longer at start-up than
parsing a URL does.
"""

__version__ = "0.2.0"
