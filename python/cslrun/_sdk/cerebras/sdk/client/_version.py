"""The release whose interface the client has."""

from cerebras.appliance._version import __version__

__all__ = ["__version__"]
