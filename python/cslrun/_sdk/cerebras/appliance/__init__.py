"""The appliance is a cluster with a real wafer; of it, cslrun has the names that scripts share."""

import logging

logger = logging.getLogger("cerebras.appliance")
