"""The report of one problem: everything that theorycalc says of it, in one file (the package is not named like it)."""
