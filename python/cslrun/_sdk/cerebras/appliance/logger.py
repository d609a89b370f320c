"""Logging for scripts of the appliance."""

import logging

logger = logging.getLogger("cerebras.appliance")
