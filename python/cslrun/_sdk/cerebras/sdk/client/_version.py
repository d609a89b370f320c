"""The SDK release whose interface the client implements."""

from cerebras.appliance._version import __version__

__all__ = ["__version__"]
