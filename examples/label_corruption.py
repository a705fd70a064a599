"""Corrupted labels: the gain of a step when some labels belong to other points.

What does theory say about corrupted labels? A fraction f of the training labels, in both batches, is replaced by labels
of independent points; test points are clean. Given x, a corrupted batch has labels of mean (1 − f)σ⋆, and their
second moment stays. So it is a weaker teacher, (1 − f)σ⋆, with noise of variance σ_ε² + f(2 − f)c_⋆². That noise is
larger where σ⋆² is, which matters at finite n only, and is left out. Curves are `tc.step` for that problem, points
are simulated networks with one standard error. Left: test loss gained, on clean points; right: training loss gained.

Clean test points have the test loss of the weaker teacher plus 2f E[σ⋆((1 − f)σ⋆ − f̂)] and a constant. By
leave-one-out E[g(g − f̂)] = gᵀRg/tr R for the signal g = (1 − f)σ⋆, and λgᵀRg is the signal's part of the training
loss: that of a fit without noise, after the same step. (tr R is taken as tr R₀, as in the limit.)

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, steps n^α on the true residual. Full
size: n = 600; small: n = 100, and fewer fractions and draws.
"""

import numpy as np
from common import GAINS, Check, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS, house_style, panels

ALPHAS = (0.1, 0.3)
ACTIVATION = tc.activation("tanh(x + 1)")
NOISE = 0.5
SECOND_MOMENT = 2  # of H_1 + H_2/√2

chosen = options(__doc__)
n, replicates = (100, 8) if chosen.small else (600, 32)
fractions = [0, 0.5] if chosen.small else [0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8]
curve = np.linspace(0, 0.9, 4 if chosen.small else 25)


def problem_of(kept, noise, **more):
    """Return the problem with a teacher that is weaker by the factor ``kept``."""
    ratios = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}
    return tc.Problem(ACTIVATION, [kept, kept / 2**0.5], noise=noise, **ratios, **more)


def predicted(fraction, alpha):
    """Return the gains that theory expects of a step n^α, the test gain on clean points."""
    kept = 1 - fraction
    noise = (NOISE**2 + (1 - kept**2) * SECOND_MOMENT) ** 0.5
    problem = problem_of(kept, noise)
    found = tc.step(problem, n=n, alpha=alpha)
    # The fit without noise, after the same step: a smaller batch for the step has the same effect as the noise.
    residual = kept**2 * SECOND_MOMENT + float(ACTIVATION.c1) ** 2 + float(ACTIVATION.c_rest) ** 2
    signal = tc.step(problem_of(kept, 0, step_samples=residual / (residual + noise**2)), n=n, alpha=alpha)
    trace = float(problem.psi / problem.phi) * tc.predict(problem, ell=0).m1  # of R₀
    more = 2 * fraction / kept * signal.train_gain / (float(problem.ridge) * trace)
    return {"train_gain": float(found.train_gain), "test_gain": float(found.test_gain + more)}


checks = {(alpha, name): [] for alpha in ALPHAS for name in GAINS}
for fraction in fractions:
    corrupted = problem_of(1, NOISE, corrupt_step=fraction, corrupt_fit=fraction)
    run = tc.simulate(corrupted, n=n, alpha=list(ALPHAS), replicates=replicates, seed=0)
    for row in run.rows:
        expected = predicted(fraction, row["alpha"])
        for name in GAINS:
            clean = f"{name}_clean" if f"{name}_clean" in row else name
            found = (row[clean], row[f"{clean}_se"], expected[name], replicates)
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
print(verdict(everything, "the theory of a weaker teacher with more noise"))
