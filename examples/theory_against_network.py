"""Theory against the network where the limit is reached: the slides' Λ_1 is rejected.

Which Λ_1 do networks show? Limits are far for most activations, but a linear one makes a single spike at any step, so
its limit ℓ = 1 is reached at a small size. Networks are compared with the corrected limit and with the one that has
Λ_1 as the slides print it. Above: how many standard errors observation and theory are apart, with the band inside which
they agree; the gains are judged, and filled points differ. Below: each loss and gain observed, with one standard error,
against its prediction.

σ(z) = z, teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, step on the labels alone. Full size: n =
600; small: n = 200, and fewer draws.
"""

import sys

import theorycalc as tc

n, draws = (200, 20) if "--small" in sys.argv else (600, 100)  # seconds instead of minutes
problem = tc.Problem("x", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

run = tc.simulate(problem, n=n, alpha=0.4, replicates=draws, seed=0, gradient="labels")
theories = [tc.predict(problem, ell=1), tc.predict(problem, ell=1, as_printed=True)]
tc.plots.save(tc.compare(run, theories).plot(), "theory_against_network.svg")

print(run)
for theory in theories:
    print(f"\n{tc.compare(run, theory)}")
corrected, printed = (row for row in tc.compare(run, theories).rows if row["quantity"] == "test_gain")
print(
    f"\nThe test gain is {corrected['observed']:.4f} ± {corrected['standard_error']:.4f}. The corrected limit "
    f"{corrected['predicted']:.4f} is {abs(corrected['z']):.1f} standard errors away, the slides' "
    f"{printed['predicted']:.4f} is {abs(printed['z']):.0f}."
)
