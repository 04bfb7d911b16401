"""OpenSpiel's games as a rules program: see `../openspiel.py` and `../README.md`."""

__version__ = "1.0"
