"""Setting 1 and Setting 2: gains against the exponent of the step.

What does a step η = n^α gain on the two teachers of the source? Setting 1, y = H_1 + ε with ε ~ N(0, 1), has a linear
part only, so the limit (thick) is the same in every window; Setting 2, y = H_1 + H_2/√2 without noise, gains more
from the second window on. Curves are `tc.step` at the n of the simulation, points are simulated networks with one
standard error. The limits are the theorem's; a network's own differ a little where there is a second spike. Shades
and numbers on top are the windows ℓ; the dotted line is the limit ℓ → ∞.

The source gives no sizes, ridge or activation: here tanh(x + 1), whose first coefficients are not zero, d = n/2, N =
3n/4, λ = 1/10, and the step follows the true residual. Full size: n = 600; small: n = 100 and fewer draws.
"""

import sys

import matplotlib.pyplot as plt

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
n, draws = (100, 10) if SMALL else (600, 24)
alphas = [0.1, 0.3, 0.5] if SMALL else [0, 0.06, 0.12, 0.18, 0.24, 0.3, 0.36, 0.42, 0.48]
SETTINGS = {
    r"Setting 1: $y = H_1 + \varepsilon$": {"teacher": "H1", "noise": 1},
    r"Setting 2: $y = H_1 + H_2/\sqrt{2}$": {"teacher": "H1 + H2/sqrt(2)", "noise": 0},
}

comparisons = []
with tc.plots.house_style():
    figure, axes = plt.subplots(2, 2, figsize=(7.0, 5.6), sharex=True)
    for seed, (column, (title, setting)) in enumerate(zip(axes.T, SETTINGS.items(), strict=True)):
        problem = tc.Problem("tanh(x + 1)", phi="1/2", psi="2/3", ridge="1/10", **setting)
        run = tc.simulate(problem, n=n, alpha=alphas, replicates=draws, seed=seed)
        comparisons.append(tc.compare(run, level=0.01 / len(SETTINGS)))
        column[0].set_title(f"{title}, tanh($x$ + 1)")
        tc.plots.gain_against_alpha(problem, run=run, literal=False, ax=column)
        column[0].get_legend().remove()
    tc.plots.save(figure, "settings_1_and_2.svg")

print("setting  quantity    α     simulated         theory  z")
for number, comparison in enumerate(comparisons, start=1):
    for row in comparison.judged:
        observed = f"{row['observed']:+.4f} ± {row['standard_error']:.4f}"
        words = f"{number:7}  {row['quantity']:10}  {row['alpha']:<4g}"
        print(f"{words}  {observed}  {row['predicted']:.4f}  {row['z']:+.1f}")
looks = sum(comparison.looks for comparison in comparisons)
differing = sum(len(comparison.differing) for comparison in comparisons)
print(f"\n{differing} of {looks} gains differ from the theory at their n at the 1 % level, all taken together.")
