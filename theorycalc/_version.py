"""The version number, read by both the package and its build."""

__version__ = "0.1.0"
