"""Corrupted labels: the gain of a step when some labels belong to other points.

What does theory say about corrupted labels? A fraction f of the training labels, in both batches, is replaced by labels
of independent points (`corrupt_step=f, corrupt_fit=f`). Given x, a corrupted batch has labels of mean (1 − f)σ⋆, and
their second moment stays: a weaker teacher with more noise. Curves are `tc.step` for that problem, points are simulated
networks with one standard error. Left: test loss gained, on clean points (`test_gain_clean`); right: training loss
gained, on the labels as they are.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, steps n^α on the true residual. Full
size: n = 600; small: n = 100, and fewer fractions and draws.
"""

import numpy as np
from common import GAINS, Check, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS, house_style, panels

ALPHAS = (0.1, 0.3)

chosen = options(__doc__)
n, replicates = (100, 8) if chosen.small else (600, 32)
fractions = [0, 0.5] if chosen.small else [0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8]
curve = np.linspace(0, 0.9, 4 if chosen.small else 25)
NAMES = {"test_gain": "test_gain_clean", "train_gain": "train_gain"}  # without corruption all labels are clean


def problem_of(fraction):
    """Return the problem with a fraction of corrupted labels in both batches."""
    corrupted = {"corrupt_step": fraction, "corrupt_fit": fraction}
    ratios = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}
    return tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", noise="1/2", **ratios, **corrupted)


def predicted(fraction, alpha):
    """Return the gains that theory expects of a step n^α, the test gain on clean points."""
    found = tc.step(problem_of(fraction), n=n, alpha=alpha)
    return {name: float(getattr(found, NAMES[name] if fraction else name)) for name in GAINS}


checks = {(alpha, name): [] for alpha in ALPHAS for name in GAINS}
for fraction in fractions:
    run = tc.simulate(problem_of(fraction), n=n, alpha=list(ALPHAS), replicates=replicates, seed=0)
    for row in run.rows:
        expected = predicted(fraction, row["alpha"])
        for name in GAINS:
            here = NAMES[name] if fraction else name
            found = (row[here], row[f"{here}_se"], expected[name], replicates)
            checks[row["alpha"], name].append(Check(f"α = {row['alpha']:g}, f = {fraction:g}", *found))

with house_style():
    figure, axes = panels(1, 2, width=7.0, height=2.9)
    for i, alpha in enumerate(ALPHAS):
        theory = [predicted(fraction, alpha) for fraction in curve]
        for axis, (name, label) in zip(axes, GAINS.items(), strict=True):
            words = f"theory, α = {alpha}"
            axis.plot(curve, [found[name] for found in theory], color=COLOURS[i], ls=LINES[i], label=words)
            draw_checks(
                axis, fractions, checks[alpha, name], fmt=MARKERS[i], color=COLOURS[i], label="simulated ± s.e."
            )
            axis.set(xlabel="f, fraction of corrupted labels", ylabel=label)
    for axis in axes:
        axis.axhline(0, color=INK, lw=0.6, zorder=1)
    axes[1].legend()
tc.plots.save(figure, chosen.output / "label_corruption.svg")

for name, label in GAINS.items():
    print(checks_table([check for alpha in ALPHAS for check in checks[alpha, name]], label, "theory"), "\n")
everything = [check._replace(name=f"{check.name}, {name}") for (_, name), found in checks.items() for check in found]
print(verdict(everything, "theory"))
