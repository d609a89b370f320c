"""Exceptions of the appliance client."""


class ApplianceClientException(RuntimeError):
    """Base class of all errors in a job."""


class ApplianceUnknownError(ApplianceClientException):
    """A compilation or a command failed; the text says why."""
