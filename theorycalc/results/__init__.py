"""The verbs and what they return: predictions, finite steps, spectra, staircases, plans, and how they are shown."""
