"""Probabilists' Hermite polynomials, exactly."""
