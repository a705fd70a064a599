"""Corrupted labels: the gain of a step when some labels belong to other points.

What does theory say about corrupted labels? A fraction f of the training labels, in both batches, is replaced by labels
of independent points (`corrupt_step=f, corrupt_fit=f`). Given x, a corrupted batch has labels of mean (1 − f)σ⋆, and
their second moment stays: a weaker teacher with more noise. Curves are `tc.step` for that problem, points are simulated
networks with one standard error. Left: test loss gained, on clean points (`test_gain_clean`); right: training loss
gained, on the labels as they are.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, steps n^α on the true residual. Full
size: n = 600; small: n = 100, and fewer fractions and draws.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
ALPHAS = [0.1, 0.3]
n, draws = (100, 8) if SMALL else (600, 32)
fractions = [0, 0.5] if SMALL else [0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8]
curve = np.linspace(0, 0.9, 4 if SMALL else 25)
GAINS = {
    "test_gain_clean": r"test loss gained, $\Lambda$, clean labels",
    "train_gain": r"training loss gained, $\Delta$",
}


def problem_of(fraction):
    """Return the problem with a fraction of corrupted labels in both batches."""
    corrupted = {"corrupt_step": fraction, "corrupt_fit": fraction}
    ratios = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}
    return tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", noise="1/2", **ratios, **corrupted)


def names(fraction):
    """Return the gains that are judged: without corruption all labels are clean."""
    return list(GAINS) if fraction else ["test_gain", "train_gain"]


theory = {fraction: tc.step(problem_of(fraction), n=n, alpha=ALPHAS) for fraction in curve}
comparisons = {}
for fraction in fractions:
    run = tc.simulate(problem_of(fraction), n=n, alpha=ALPHAS, replicates=draws, seed=0)
    comparisons[fraction] = tc.compare(run, quantities=names(fraction), level=0.01 / len(fractions))

with tc.plots.house_style():
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.2))
    for column, (axis, label) in enumerate(zip(axes, GAINS.values(), strict=True)):
        for i, alpha in enumerate(ALPHAS):
            heights = [getattr(theory[fraction], names(fraction)[column])[i] for fraction in curve]
            rows = [
                next(row for row in comparison.rows if (row["alpha"], row["quantity"]) == (alpha, names(f)[column]))
                for f, comparison in comparisons.items()
            ]
            means, errors = ([row[key] for row in rows] for key in ("observed", "standard_error"))
            axis.plot(curve, heights, f"C{i}{'-:'[i]}", label=rf"theory, $\alpha$ = {alpha}")
            axis.errorbar(fractions, means, errors, fmt=f"C{i}{'os'[i]}", label=f"simulated, {draws} draws ± s.e.")
        axis.axhline(0, color="black", lw=0.6, zorder=1)
        axis.set(xlabel="$f$, fraction of corrupted labels", ylabel=label)
    figure.suptitle(rf"tanh($x$ + 1), teacher $H_1$ + $H_2/\sqrt{{2}}$, $n$ = {n}", fontsize="medium")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    tc.plots.save(figure, "label_corruption.svg")

print("f     quantity         α    simulated        theory  z")
for fraction, comparison in comparisons.items():
    for row in comparison.judged:
        observed = f"{row['observed']:.4f} ± {row['standard_error']:.4f}"
        words = f"{fraction:<4g}  {row['quantity']:15}  {row['alpha']:<3g}"
        print(f"{words}  {observed}  {row['predicted']:.4f}  {row['z']:+.1f}")
looks = sum(comparison.looks for comparison in comparisons.values())
differing = sum(len(comparison.differing) for comparison in comparisons.values())
print(f"\n{differing} of {looks} gains differ from theory at the 1 % level, all taken together.")
