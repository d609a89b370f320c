"""Logging for scripts of the appliance."""

import logging
from typing import Any

logger = logging.getLogger("cerebras.appliance")


def __getattr__(name: str) -> Any:
    # Once imported, this module stands where `from cerebras.appliance import logger` looks.
    return getattr(logger, name)
