"""The staircase of gains.

A larger step makes more powers of its direction visible. How much does each further window of the step size gain,
and where does it end?

**Figure.** The theorem's limits: training gain Δ_ℓ and test gain Λ_ℓ against the number ℓ of the window that the
exponent α of the step n^α lies in, with the ceilings ℓ → ∞ dotted. A hollow marker is a window that adds nothing,
since the activation's Hermite coefficient c_ℓ is zero: ReLU has no odd ones beyond the first.

**Sizes.** The limit n, d, N → ∞ with d/n = 1/8 and d/N = 1/6; ReLU, the teacher H_1 + H_2/2 + H_4/8, ridge 1/10,
noise of standard deviation 1/2.
"""

import sys

import theorycalc as tc

problem = tc.Problem("relu", "H1 + H2/2 + H4/8", phi="1/8", psi="1/6", ridge="1/10", noise="1/2")
stairs = tc.staircase(problem, 4 if "--small" in sys.argv else 8)
tc.plots.save(stairs.plot(), "staircase.svg")

print(stairs)
first, last, ceiling = stairs.predictions[1], stairs.predictions[-1], stairs.ceiling
print(
    f"\nThe first window gains {first.test_gain / ceiling.test_gain:.1%} of all that the windows can gain in test "
    f"loss, the first {last.ell} together {last.test_gain / ceiling.test_gain:.1%}."
)
