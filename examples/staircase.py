"""The staircase: what each further window gains, and its ceiling, for a chosen activation and teacher."""

import theorycalc as tc
from theorycalc.tables import staircase_text

activation = tc.Activation.from_coefficients(["1", "1/2", "3/10", "1/10"])
problem = tc.Problem(activation, ["1", "1/2", "1/6", "1/24"], phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

print(staircase_text([tc.predict(problem, ell=ell) for ell in (0, 1, 2, 3, 4, "inf")]))
