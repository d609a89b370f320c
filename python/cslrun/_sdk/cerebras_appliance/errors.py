"""Exceptions of the appliance client."""

from cerebras.appliance.errors import ApplianceClientException, ApplianceUnknownError

__all__ = ["ApplianceClientException", "ApplianceUnknownError"]
