"""Expressions in x: their grammar, their algebra, and exact facts about the functions they stand for.

primitives   the tables of functions                     reader, grammar   from text to a tree
tree         nodes, text, one walk for every system      pieces            zeros, kinks and smooth pieces
enclosures   values in balls, boxes and intervals        bounds            signs, reality and growth
build        constructors of the normal form             properties        derivative, parity, smoothness
algebra      substitution, polynomials, expansion, ξ     evaluate          numpy functions and sympy expressions
"""
