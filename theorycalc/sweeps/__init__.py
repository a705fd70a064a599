"""Grids of predictions: their axes, their evaluation in pieces, and their files."""
