"""The handbook: every formula of the theory with its statement, domain, status, places in source and code, an example.

``FORMULAS`` has them by name, in the order of the theory.  The page is written by docs/_ext/handbook.py, the tests
that check a formula carry ``@pytest.mark.checks(name)``, and tests/mutants perturbs each.
"""

from theorycalc.handbook.dressed import DRESSED
from theorycalc.handbook.extensions import EXTENSIONS
from theorycalc.handbook.gains import GAINS
from theorycalc.handbook.gradient import GRADIENT
from theorycalc.handbook.ridge import RIDGE
from theorycalc.handbook.spectra import SPECTRA
from theorycalc.handbook.steps import STEPS
from theorycalc.handbook.traces import TRACES

FORMULAS = TRACES | RIDGE | GAINS | EXTENSIONS | STEPS | SPECTRA | GRADIENT | DRESSED

__all__ = ["FORMULAS"]
