"""A thousand certified digits.

How many digits of the test gain Λ_2 can be computed, and how do we know that they are right?

Numbers are enclosed in balls, a midpoint with a bound on the errors of rounding, series and quadrature, and
the computation is repeated with more bits until the ball proves the requested digits. No figure: the digits
are printed, then three checks that a sceptic would make. Digits of a longer result must begin with those of a shorter
one; the paper's matrix form must give the same number as the closed form; and float64 must agree to about 1e-15.

**Sizes.** 1000 and 2000 digits (`--small`: 100 and 200). Activation tanh(x + 1), whose Hermite coefficients have no
closed form; teacher H_1 + H_2/√2, d/n = 1/2, d/N = 2/3, ridge 1/10, noise of standard deviation 1/2.
"""

import sys
import textwrap

import mpmath

import theorycalc as tc

digits = 100 if "--small" in sys.argv else 1000
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

longer = tc.predict(problem, ell=2, digits=2 * digits)
results = {
    f"{digits} digits, closed form": tc.predict(problem, ell=2, digits=digits),
    f"{digits} digits, matrix form": tc.predict(problem, ell=2, digits=digits, form="matrix"),
    "float64": tc.predict(problem, ell=2),
}
proven, *_ = results.values()
print(f"Λ_2, {proven.digits} digits, guarantee {proven.guarantee!r}:\n")
print(textwrap.fill(str(proven.test_gain), 72, initial_indent="  ", subsequent_indent="    "))


def agreement(value):
    """Return how many digits a value shares with the longest result."""
    with mpmath.workdps(2 * digits + 10):
        distance = abs(mpmath.mpf(value) / mpmath.mpf(longer.test_gain) - 1)
        return float(-mpmath.log10(distance)) if distance else float("inf")


print(f"\nresult                    guarantee  digits shared with the {2 * digits}-digit result")
shared = {name: agreement(found.test_gain) for name, found in results.items()}
for name, found in results.items():
    print(f"{name:24}  {found.guarantee:9}  {shared[name]:.1f}")
kept = min(list(shared.values())[:2])
verdict = f"at least the {digits} digits that were promised" if kept >= digits - 1 else f"only {kept:.0f}: a fault"
print(f"\nBoth proven forms share with the longer result {verdict}; float64 has {shared['float64']:.1f}.")
