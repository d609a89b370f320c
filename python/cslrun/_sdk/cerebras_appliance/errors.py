"""What the client raises."""

from cerebras.appliance.errors import ApplianceClientException, ApplianceUnknownError

__all__ = ["ApplianceClientException", "ApplianceUnknownError"]
