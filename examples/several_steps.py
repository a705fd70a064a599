"""Several steps: where two or five steps differ from one of the same total length.

Are several steps as good as one long one? Networks take one, two and five steps of size η = n^α on the same batch
(`reuse_batch=True`), each with the gradient of the current weights. The theory is about one step: the curves are
`tc.step` for *one* step of size η, 2η and 5η, the result of several steps if the gradient did not change. Points have
one standard error. Left: test loss gained; right: training loss gained. Only the points of one step test the theory;
there is no theory of several steps here.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, steps on the true residual. Full size:
n = 600; small: n = 100, and fewer values of α and draws.
"""

import dataclasses

import numpy as np
from common import GAINS, Check, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS, house_style, panels

STEPS = (1, 2, 5)

chosen = options(__doc__)
n, replicates = (100, 8) if chosen.small else (600, 20)
alphas = [0, 0.3] if chosen.small else [-0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4]
curve = np.linspace(alphas[0], alphas[-1], 8 if chosen.small else 40)
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

checks = {}  # of (steps, gain): one for each α
for steps in STEPS:
    several, again = dataclasses.replace(problem, steps=steps), steps > 1
    run = tc.simulate(several, n=n, alpha=alphas, replicates=replicates, seed=0, reuse_batch=again)
    one_long_step = tc.step(problem, n=n, eta=[steps * n**alpha for alpha in alphas])
    for name in GAINS:
        checks[steps, name] = [
            Check(f"{steps} × n^{row['alpha']:g}", row[name], row[f"{name}_se"], float(predicted), replicates)
            for row, predicted in zip(run.rows, getattr(one_long_step, name), strict=True)
        ]

with house_style():
    figure, axes = panels(1, 2, width=7.0, height=2.9)
    for axis, (name, label) in zip(axes, GAINS.items(), strict=True):
        for i, steps in enumerate(STEPS):
            theory = getattr(tc.step(problem, n=n, eta=steps * n**curve), name)
            size = "η" if steps == 1 else f"{steps}η"
            words = f"{steps} step{'s' if steps > 1 else ''} of η, simulated"
            axis.plot(curve, theory, color=COLOURS[i], ls=LINES[i], label=f"one step of {size}, theory")
            draw_checks(axis, alphas, checks[steps, name], fmt=MARKERS[i], color=COLOURS[i], label=words)
        axis.axhline(0, color=INK, lw=0.6, zorder=1)
        axis.set(xlabel=r"α, exponent of each step $\eta = n^\alpha$", ylabel=label)
    handles, _ = axes[0].get_legend_handles_labels()  # curves, then points: each pair is to be one column
    pairs = [handle for pair in zip(handles[: len(STEPS)], handles[len(STEPS) :], strict=True) for handle in pair]
    figure.legend(handles=pairs, loc="outside lower center", ncols=len(STEPS))
tc.plots.save(figure, chosen.output / "several_steps.svg")

for name, label in GAINS.items():
    print(checks_table([check for steps in STEPS for check in checks[steps, name]], label, "one long step"), "\n")
for steps in STEPS:
    found = [check._replace(name=f"{check.name}, {name}") for name in GAINS for check in checks[steps, name]]
    times = "One step" if steps == 1 else f"{steps} steps"
    print(f"{times}: {verdict(found, 'the theory of one step of the same length')}")
largest = [f"{found[-1].observed:.4f} ± {found[-1].error:.4f}" for found in (checks[k, "test_gain"] for k in STEPS)]
print(f"With the largest η, n^{alphas[-1]:g}, the test gain after 1, 2 and 5 steps is {', '.join(largest)}.")
