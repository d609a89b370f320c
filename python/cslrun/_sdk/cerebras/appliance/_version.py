"""The SDK release whose interface these modules implement."""

__version__ = "2.10.0"
