"""The appliance is a cluster with a real wafer; of it, cslrun has the names that scripts share."""

import logging

from cerebras.appliance._version import __version__

__all__ = ["__version__", "logger"]

logger = logging.getLogger("cerebras.appliance")
