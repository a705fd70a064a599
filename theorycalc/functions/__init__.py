"""Expressions in x: a grammar of our own, and exact knowledge of what it makes."""
