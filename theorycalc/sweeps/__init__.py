"""Grids of predictions: their axes, their piecewise evaluation, and their files."""
