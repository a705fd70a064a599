"""The calculus of trees in one place: what the Hermite coefficients, the simulator and the plots ask of a function."""

from __future__ import annotations

from theorycalc.activations.algebra import derivative, expand, polynomial
from theorycalc.activations.evaluate import compile_numpy
from theorycalc.activations.growth import Growth, growth, require_square_integrable
from theorycalc.activations.parity import parity, parity_modulo_polynomial
from theorycalc.activations.pieces import Piece, kinks_of, pieces
from theorycalc.activations.reality import check_real
from theorycalc.activations.symbolic import to_sympy

__all__ = [
    "Growth",
    "Piece",
    "check_real",
    "compile_numpy",
    "derivative",
    "expand",
    "growth",
    "kinks_of",
    "parity",
    "parity_modulo_polynomial",
    "pieces",
    "polynomial",
    "require_square_integrable",
    "to_sympy",
]
