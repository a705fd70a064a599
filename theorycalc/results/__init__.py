"""The functions that predict, and their results: limits, finite steps, spectra, staircases, plans and tables."""
