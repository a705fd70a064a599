"""The handbook: every formula of the theory with statement, domain, status, source, code and an example.

``FORMULAS`` has them by name, in the order of the theory, and ``PARTS`` under headings.  The page is written by
docs/_ext/handbook.py, the tests that check a formula carry ``@pytest.mark.checks(name)``, and tests/mutants perturbs
each.
"""

from docs._handbook.coefficients import COEFFICIENTS
from docs._handbook.dressed import DRESSED
from docs._handbook.error_rate import ERROR_RATE
from docs._handbook.extensions import EXTENSIONS
from docs._handbook.finite_options import FINITE_OPTIONS
from docs._handbook.finite_size import FINITE_SIZE
from docs._handbook.gains import GAINS
from docs._handbook.gradient import GRADIENT
from docs._handbook.inputs import INPUTS
from docs._handbook.kinds import KINDS
from docs._handbook.later_steps import LATER_STEPS
from docs._handbook.lengthened import LENGTHENED
from docs._handbook.options import OPTIONS
from docs._handbook.own_features import OWN_FEATURES
from docs._handbook.ridge import RIDGE
from docs._handbook.spectra import SPECTRA
from docs._handbook.steps import STEPS
from docs._handbook.traces import TRACES
from docs._handbook.weights import WEIGHTS

PARTS = {
    "Hermite coefficients": COEFFICIENTS,
    "Hermite polynomials, m_1 and m_2, the direction, the windows": TRACES,
    "The ridge: other conventions, and none at all": RIDGE,
    "Gains and losses of the limit": GAINS,
    "Missing coefficients, the laws of the layers, the initial output": EXTENSIONS,
    "Intercepts, raw activations, corrupted labels": OPTIONS,
    "Neurons with biases": KINDS,
    "Inputs with a covariance": INPUTS,
    "Finite steps: the pencil": STEPS,
    "The spectrum": SPECTRA,
    "Steps of any size: the rest of the gradient": GRADIENT,
    "Steps of any size: longer neurons": LENGTHENED,
    "Steps of any size: dressed features": DRESSED,
    "Steps of any size: intercepts, raw activations, labels": FINITE_OPTIONS,
    "Steps of any size: several of them": LATER_STEPS,
    "The weights after the step": WEIGHTS,
    "Networks of finite size": FINITE_SIZE,
    "The error rate of the sign": ERROR_RATE,
    "Your own features": OWN_FEATURES,
}
FORMULAS = {name: entry for part in PARTS.values() for name, entry in part.items()}

__all__ = ["FORMULAS", "PARTS"]
