"""Wavelets of a run."""

from cerebras.sdk.debug.lib._refused import Refused


class SimfabWaveletTrace(Refused):
    """The wavelets of a run."""


class SimfabWaveletTimeline(Refused):
    """The wavelets of a run by cycle."""


class WavletTrace(Refused):
    """The wavelets of a run."""


class Wavlets(Refused):
    """Some wavelets."""


class Wavelet(Refused):
    """A wavelet."""
