"""Names of the appliance client that host scripts use; they run on the simulator."""

import logging

from cerebras.appliance._version import __version__

__all__ = ["__version__", "logger"]

logger = logging.getLogger("cerebras.appliance")
