"""Several steps: fresh batches against theory, and what a batch is worth that is used again.

What do two or four steps learn that one does not? Networks take one, two and four steps of size η = n^α on the
labels, each with the gradient at the current weights and a fresh batch of n points: filled points, with one standard
error. Curves are `tc.step` of a problem with `steps=T`: one step of size Tη on Tn points, which is right for small
steps; four large ones gain some per cent more. (All points share the draws, so they lie above or below the curves
together.) Open points are networks that take all their steps on the first batch (`reuse_batch=True`), which no theory
here describes. Left: test loss gained; right: training loss gained.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10. Full size: n = 600; small: n = 100, and
fewer values of α and draws.
"""

import dataclasses

import numpy as np
from common import GAINS, Check, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS, house_style, panels

STEPS = (1, 2, 4)

chosen = options(__doc__)
n, replicates = (100, 8) if chosen.small else (600, 24)
alphas = [0, 0.2] if chosen.small else [-0.2, -0.1, 0, 0.1, 0.2, 0.3]
curve = np.linspace(alphas[0], alphas[-1], 6 if chosen.small else 30)
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
problems = {steps: dataclasses.replace(problem, steps=steps) for steps in STEPS}


def checks_of(steps, reuse_batch):
    """Return simulated gains beside those of theory, by name: one for each α."""
    how = {"n": n, "alpha": alphas, "gradient": "labels"}
    run = tc.simulate(problems[steps], **how, replicates=replicates, seed=0, reuse_batch=reuse_batch)
    theory = tc.step(problems[steps], **how)
    return {
        name: [
            Check(f"{steps} × n^{row['alpha']:g}", row[name], row[f"{name}_se"], float(predicted), replicates)
            for row, predicted in zip(run.rows, getattr(theory, name), strict=True)
        ]
        for name in GAINS
    }


fresh = {steps: checks_of(steps, reuse_batch=False) for steps in STEPS}
reused = {steps: checks_of(steps, reuse_batch=True) for steps in STEPS[1:]}

with house_style():
    figure, axes = panels(1, 2, width=7.0, height=2.9)
    for i, steps in enumerate(STEPS):
        theory = tc.step(problems[steps], n=n, alpha=curve, gradient="labels")
        look, batches = {"fmt": MARKERS[i], "color": COLOURS[i]}, "batches" if steps > 1 else "batch"
        for axis, name in zip(axes, GAINS, strict=True):
            words = f"{steps} step{'s' if steps > 1 else ''}, theory"
            axis.plot(curve, getattr(theory, name), color=COLOURS[i], ls=LINES[i], label=words)
            draw_checks(axis, alphas, fresh[steps][name], **look, label=f"{steps} fresh {batches}")
            if steps in reused:
                hollow = look | {"mfc": "white", "mec": COLOURS[i], "mew": 0.8}
                draw_checks(axis, alphas, reused[steps][name], **hollow, label=f"one batch {steps} times")
    for axis, label in zip(axes, GAINS.values(), strict=True):
        axis.axhline(0, color=INK, lw=0.6, zorder=1)
        axis.set(xlabel=r"α, exponent of each step $\eta = n^\alpha$", ylabel=label)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
tc.plots.save(figure, chosen.output / "several_steps.svg")

for title, found in (("fresh batches", fresh), ("one batch", reused)):
    for name, label in GAINS.items():
        checks = [check for one in found.values() for check in one[name]]
        print(checks_table(checks, f"{label}, {title}", "theory"), "\n")
for steps in STEPS:
    found = [check._replace(name=f"{check.name}, {name}") for name in GAINS for check in fresh[steps][name]]
    print(f"{steps} fresh: {verdict(found, 'theory')}")
for steps in reused:
    found = [check._replace(name=f"{check.name}, {name}") for name in GAINS for check in reused[steps][name]]
    print(f"One batch {steps} times: {verdict(found, 'the theory of fresh batches')}")
