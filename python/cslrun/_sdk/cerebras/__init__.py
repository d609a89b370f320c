"""The SDK modules that host scripts import, implemented by cslrun; only `cs_python` puts them on the module path."""
