"""Several steps: fresh batches against theory, and what a batch is worth that is used again.

What do two or four steps learn that one does not? Networks take one, two and four steps of size η = n^α on the
labels, each with the gradient at the current weights and a fresh batch of n points: filled points, with one standard
error. Curves are `tc.step` of a problem with `steps=T`, which follows the neurons from step to step. (All points share
the draws, so they lie above or below the curves together.) Open points are networks that take all their steps on the
first batch (`reuse_batch=True`), which no theory here describes. Left: test loss gained; right: training loss gained.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10. Full size: n = 600; small: n = 100, and
fewer values of α and draws.
"""

import sys
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
STEPS = (1, 2, 4)
n, draws = (100, 8) if SMALL else (600, 24)
alphas = [0, 0.2] if SMALL else [-0.2, -0.1, 0, 0.1, 0.2, 0.3]
curve = np.linspace(alphas[0], alphas[-1], 6 if SMALL else 30)
GAINS = {"test_gain": r"test loss gained, $\Lambda$", "train_gain": r"training loss gained, $\Delta$"}
one_step = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
problems = {steps: replace(one_step, steps=steps) for steps in STEPS}


def compared(steps, reuse_batch):
    """Return simulated networks beside the theory of fresh batches."""
    how = {"n": n, "alpha": alphas, "gradient": "labels"}
    run = tc.simulate(problems[steps], **how, replicates=draws, seed=0, reuse_batch=reuse_batch)
    return tc.compare(run, tc.step(problems[steps], **how))


comparisons = {(steps, "fresh"): compared(steps, reuse_batch=False) for steps in STEPS}
comparisons |= {(steps, "reused"): compared(steps, reuse_batch=True) for steps in STEPS[1:]}

with tc.plots.house_style():
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.6))
    for i, steps in enumerate(STEPS):
        theory = tc.step(problems[steps], n=n, alpha=curve, gradient="labels")
        for axis, (name, label) in zip(axes, GAINS.items(), strict=True):
            words = f"{steps} step{'s' if steps > 1 else ''}, theory"
            axis.plot(curve, getattr(theory, name), f"C{i}", ls=("-", "--", ":")[i], label=words)
            axis.set(xlabel=r"$\alpha$, exponent of each step $\eta = n^\alpha$", ylabel=label)
    for (steps, batches), comparison in comparisons.items():
        i, fresh = STEPS.index(steps), batches == "fresh"
        words = f"{steps} fresh batch{'es' if steps > 1 else ''}" if fresh else f"one batch {steps} times"
        for axis, name in zip(axes, GAINS, strict=True):
            rows = [row for row in comparison.rows if row["quantity"] == name]
            means, errors = ([row[key] for row in rows] for key in ("observed", "standard_error"))
            hollow = {} if fresh else {"mfc": "white"}
            axis.errorbar(alphas, means, errors, fmt=f"C{i}{'osD'[i]}", label=words, **hollow)
    for axis in axes:
        axis.axhline(0, color="black", lw=0.6, zorder=1)
    title = rf"tanh($x$ + 1), teacher $H_1$ + $H_2/\sqrt{{2}}$, $n$ = {n}, {draws} draws ± s.e."
    figure.suptitle(title, fontsize="medium")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    tc.plots.save(figure, "several_steps.svg")

print("steps  batches  quantity    α     simulated         theory   z")
for (steps, batches), comparison in comparisons.items():
    for row in comparison.judged:
        observed = f"{row['observed']:+.4f} ± {row['standard_error']:.4f}"
        words = f"{steps:5}  {batches:7}  {row['quantity']:10}  {row['alpha']:<4g}"
        print(f"{words}  {observed}  {row['predicted']:+.4f}  {row['z']:+.1f}")
print("\nAgainst the theory of fresh batches, at the 1 % level:")
for (steps, batches), comparison in comparisons.items():
    differing = f"{len(comparison.differing)} of {comparison.looks} gains differ"
    print(f"{steps} on {batches} batches: {differing}; the largest |z| is {abs(comparison.worst['z']):.1f}.")
