"""Finite-size crossover: networks of real size are far from the limit.

How large must a network be to show the limit n → ∞? At a fixed exponent α the step η = n^α grows so slowly that
networks of trainable size are still far from it; larger ones overshoot the limit a little and then approach it.
Points are simulated networks, mean and standard error of the draws; the curve is `tc.step`, which knows n; the thick
line is the limit of the window. Insets enlarge the simulated range. Left: test loss gained; right: training loss
gained.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, α = 0.1, step on the true residual.
Full size: n from 500 to 8000, fewer draws of the larger ones; small: n up to 400.
"""

import numpy as np
from common import GAINS, Check, checks_of, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, house_style, panels

ALPHA = 0.1

chosen = options(__doc__)
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
draws = {100: 20, 200: 10, 400: 5} if chosen.small else {500: 160, 1000: 80, 2000: 20, 4000: 6, 8000: 4}
sizes = np.geomspace(min(draws), 1e16, 5 if chosen.small else 48)

limit = tc.predict(problem, alpha=ALPHA)
curves = [tc.step(problem, n=int(n), alpha=ALPHA) for n in sizes]
checks: dict[str, list[Check]] = {name: [] for name in GAINS}
for n, replicates in draws.items():
    run = tc.simulate(problem, n=n, alpha=ALPHA, replicates=replicates, seed=n)
    comparison = tc.compare(run, tc.step(problem, n=n, alpha=ALPHA))
    for name in GAINS:
        checks[name] += [check._replace(name=f"n = {n}") for check in checks_of(comparison, name)]

with house_style():
    figure, axes = panels(1, 2, width=7.0, height=2.9)
    for axis, (name, label) in zip(axes, GAINS.items(), strict=True):
        theory = [getattr(curve, name) for curve in curves]
        near = axis.inset_axes((0.44, 0.14, 0.54, 0.52), xscale="log", xlim=(min(draws) / 1.3, max(draws) * 1.3))
        axis.axhline(getattr(limit, name), color=INK, lw=2, label=f"limit n → ∞, ℓ = {limit.ell}")
        for place in (axis, near):
            place.plot(sizes, theory, color=COLOURS[0], label="theory at this n")
            draw_checks(place, list(draws), checks[name], fmt="o", color=COLOURS[1], label="simulated ± s.e.")
        heights = [check.observed + sign * 1.5 * check.error for check in checks[name] for sign in (-1, 1)]
        near.set_ylim(min(heights), max(heights))
        axis.set(xscale="log", xlabel="n, samples", ylabel=label, ylim=(0, None))
    axes[0].set_title(rf"tanh(x + 1), step $\eta = n^{{{ALPHA}}}$")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
tc.plots.save(figure, chosen.output / "crossover.svg")

for name, label in GAINS.items():
    print(checks_table(checks[name], label, "theory at n"), "\n")
everything = [check._replace(name=f"{check.name}, {name}") for name in GAINS for check in checks[name]]
print(verdict(everything, "the theory at their n"))
largest = checks["train_gain"][-1]
needed = tc.samples_needed(problem, ell=1, fraction=0.9, alpha=ALPHA)
print(
    f"At {largest.name} the training gain is {largest.observed / limit.train_gain:.0%} of its limit "
    f"{limit.train_gain:.4f}; by the theory at finite n, 90 % are reached at n = {needed:.1e}."
)
