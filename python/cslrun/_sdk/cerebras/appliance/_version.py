"""The release whose interface these modules have."""

__version__ = "2.10.0"
