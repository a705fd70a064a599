"""Finite-size crossover: networks of real size are far from the limit.

How large must a network be to show the limit n → ∞? At a fixed exponent α the step η = n^α grows so slowly that
networks of trainable size are still far from it; larger ones overshoot the limit a little and then approach it.
Points are simulated networks, mean and standard error of the draws; the curve is `tc.step`, which knows n; the thick
line is the limit of the window. Above: all sizes; below: those that were simulated. Left: test loss gained; right:
training loss gained.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, α = 0.1, step on the true residual.
Full size: n from 500 to 8000, fewer draws of the larger ones; small: n up to 400.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
ALPHA = 0.1
DRAWS = {100: 20, 200: 10, 400: 5} if SMALL else {500: 160, 1000: 80, 2000: 20, 4000: 6, 8000: 4}  # for each n
GAINS = {"test_gain": r"test loss gained, $\Lambda$", "train_gain": r"training loss gained, $\Delta$"}

problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
limit = tc.predict(problem, alpha=ALPHA)
sizes = np.geomspace(min(DRAWS), 1e16, 5 if SMALL else 48)
curves = [tc.step(problem, n=int(n), alpha=ALPHA) for n in sizes]
comparisons = [
    tc.compare(tc.simulate(problem, n=n, alpha=ALPHA, replicates=draws, seed=n), level=0.01 / len(DRAWS))
    for n, draws in DRAWS.items()
]
judged = [row for comparison in comparisons for row in comparison.judged]

with tc.plots.house_style():
    figure, axes = plt.subplots(2, 2, figsize=(7.0, 4.8))
    for (far, near), (name, label) in zip(axes.T, GAINS.items(), strict=True):
        far.axhline(getattr(limit, name), color="black", lw=2, label=rf"limit $n \to \infty$, $\ell$ = {limit.ell}")
        rows = [row for row in judged if row["quantity"] == name]
        means, errors = ([row[key] for row in rows] for key in ("observed", "standard_error"))
        for axis in (far, near):
            axis.plot(sizes, [getattr(curve, name) for curve in curves], "C0", label="theory at this $n$")
            axis.errorbar(list(DRAWS), means, errors, fmt="C1o", label="simulated ± s.e.")
            axis.set(xscale="log", ylabel=label, ylim=(0, None))
        near.set(xlabel="$n$, number of samples", xlim=(min(DRAWS) / 1.3, max(DRAWS) * 1.3), ylim=(0, 1.5 * max(means)))
    figure.suptitle(rf"tanh($x$ + 1), teacher $H_1$ + $H_2/\sqrt{{2}}$, step $\eta = n^{{{ALPHA}}}$", fontsize="medium")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    tc.plots.save(figure, "crossover.svg")

print("quantity       n  draws  simulated        theory at n  z")
for name in GAINS:
    for n, row in zip(np.repeat(list(DRAWS), len(GAINS)), judged, strict=True):
        if row["quantity"] == name:
            observed = f"{row['observed']:.4f} ± {row['standard_error']:.4f}"
            print(f"{name:10}  {n:4}  {DRAWS[n]:5}  {observed}  {row['predicted']:.4f}       {row['z']:+.1f}")
differing = sum(len(comparison.differing) for comparison in comparisons)
print(f"\n{differing} of {len(judged)} gains differ from the theory at their n at the 1 % level, all taken together.")
largest = next(row for row in comparisons[-1].judged if row["quantity"] == "train_gain")
needed = tc.samples_needed(problem, ell=1, fraction=0.9, alpha=ALPHA)
print(
    f"At n = {max(DRAWS)} the training gain is {largest['observed'] / limit.train_gain:.0%} of its limit "
    f"{limit.train_gain:.4f}; by the theory at finite n, 90 % are reached at n = {needed:.1e}."
)
