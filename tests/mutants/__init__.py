"""Formulas made wrong on purpose: every mutant must make a test fail that says it checks that formula."""
