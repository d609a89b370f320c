"""Keyword arguments that all three classes of the client have."""

import warnings
from collections.abc import Mapping

from cerebras.appliance import logger

#: What a cluster needs to know of a job, and this machine does not; and options of the vendor's simulator.
_WITHOUT_EFFECT = {
    "disable_version_check",
    "mgmt_namespace",
    "resource_cpu",
    "resource_mem",
    "simfab_numthreads",
    "suppress_simfab_trace",
}


def check(owner: str, kwargs: Mapping[str, object]) -> None:
    """Warns about keyword arguments that have no effect here."""
    for name in sorted(kwargs.keys() - _WITHOUT_EFFECT):
        warnings.warn(f"{owner}: cslrun does not support {name}; it has no effect", stacklevel=3)


def tell_that_there_is_no_system(owner: str) -> None:
    """Tells the user that a run meant for a real system is simulated."""
    logger.warning("%s: this machine has no system, so the program is simulated (simulator=False has no effect)", owner)
