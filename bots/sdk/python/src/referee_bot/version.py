"""The version of the SDK, which is that of `referee`."""

__version__ = "0.2.0"
