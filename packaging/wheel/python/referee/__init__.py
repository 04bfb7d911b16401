"""The program `referee` as a package: `python -m referee` runs it."""
