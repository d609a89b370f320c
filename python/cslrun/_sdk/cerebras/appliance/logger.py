"""Logging for scripts of the appliance."""

import logging

logger = logging.getLogger("cerebras.appliance")


def __getattr__(name):
    # Once imported, this module stands where `from cerebras.appliance import logger` looks.
    return getattr(logger, name)
