"""Exceptions of the appliance client."""


class ApplianceClientException(RuntimeError):
    """Anything that goes wrong in a job."""


class ApplianceUnknownError(ApplianceClientException):
    """A compilation or a command that fails; the text says why."""
