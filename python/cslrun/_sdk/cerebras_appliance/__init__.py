"""Module names of the appliance client in releases 1.0 and 1.1."""

from cerebras.appliance import __version__, logger

__all__ = ["__version__", "logger"]
